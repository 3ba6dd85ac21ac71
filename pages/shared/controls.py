"""Widgets that become settings, and the frame every page has.

Scalar controls live in the URL, where Streamlit writes the label of a choice: labels are kept short and stable.
"""

import re
import runpy
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.corpora import Corpus
from core.demo import NAME as COURIER
from core.evaluation import TASKS, Evaluation, metric_labels
from core.splits import FOLD_SCHEMES, PAIRINGS, Folds, Leakage
from core.topics import SAMPLERS, SIMILARITIES, Setup
from core.vectors import ENCODERS, Vectors
from pages.shared import keep, session, state
from pages.shared.baselines import say_skipped
from pages.shared.runs import evaluations_or_stop
from pages.shared.show import escaped
from pages.shared.topics import similarity_in_hand

SOURCES = {"courier": COURIER, "file": "Your own file", "newsgroups": "20 Newsgroups"}
ROOT = Path(__file__).parents[2]
METHODS = ROOT / "docs" / "methods.md"
IN_URL: Final = "query-params"


def sidebar() -> DeltaGenerator:
    """Corpus, encoder and filters: what every page works on; gives the place for the jobs that run."""
    st.session_state["framed"] = True  # for the page that runs next; see `framed`
    keep.begin()
    with st.sidebar:
        running = st.container()
        st.selectbox("Corpus", list(SOURCES), format_func=SOURCES.__getitem__, key="corpus", bind=IN_URL)
        keep.find()
        if st.session_state["corpus"] == "courier":
            st.caption(":material/edit_note: Invented texts by invented authors, made for demonstration.")
        encoders = [name for name, kind in ENCODERS.items() if not kind.brought or _brings_vectors()]
        encoder = st.selectbox(
            "Encoder",
            encoders,
            format_func=lambda name: ENCODERS[name].label,
            key="encoder",
            bind=IN_URL,
            help="\n".join(f"- **{ENCODERS[name].label}**: {ENCODERS[name].about}" for name in encoders),
        )
        st.selectbox(
            "Similarity",
            list(SIMILARITIES),
            format_func=SIMILARITIES.__getitem__,
            key="similarity",
            bind=IN_URL,
            help="Of two topics. **Corrected**: how alike documents of two topics are, relative to how alike they are within "
            "each; topics of few documents do not look distinct for being small. **Plain**: the cosine of their centroids.",
        )
        with st.expander("Settings", icon=":material/tune:"):
            for key, setting in ENCODERS[encoder].settings.items():
                st.selectbox(
                    setting.label,
                    list(setting.choices),
                    format_func=setting.choices.__getitem__,
                    key=key,
                    bind=IN_URL,
                    help=setting.about,
                )
            st.number_input(
                "Least documents per topic",
                1,
                100_000,
                1,
                key="min_docs",
                bind=IN_URL,
                help="Smaller topics are left out.",
            )
            st.number_input(
                "Most documents per topic",
                0,
                1_000_000,
                0,
                key="cap",
                bind=IN_URL,
                help="Larger topics are cut to a fixed random draw of this size; 0 keeps all.",
            )
            st.number_input(
                "Least documents per author",
                1,
                100_000,
                1,
                key="author_docs",
                bind=IN_URL,
                help="Texts of authors with fewer are left out.",
            )
            st.number_input(
                "Most authors",
                0,
                1_000_000,
                0,
                key="most_authors",
                bind=IN_URL,
                help="Only the texts of the authors with most texts; 0 keeps all.",
            )
        session.remember()
    return running


def whole_number(place: DeltaGenerator, label: str, low: int, high: int, default: int, *, key: str, help: str) -> int:
    """A slider bound to the URL; a value from another page is kept, one from a larger corpus brought back into range."""
    if low == high:
        return low
    if key in st.session_state:  # Streamlit forgets another page's slider unless it is set anew
        st.session_state[key] = min(max(st.session_state[key], low), high)
    return place.slider(label, low, high, min(max(default, low), high), key=key, bind=IN_URL, help=help)


def _brings_vectors() -> bool:
    corpus = st.session_state.get(f"{st.session_state.get('corpus')}_corpus")
    return corpus is not None and corpus.vectors is not None


def header(title: str, about: str, *, section: str) -> None:
    """The page's title, two sentences on what it answers, and its formula one click away."""
    framed()
    heading, formula = st.columns([5, 1], vertical_alignment="bottom")
    heading.title(title, anchor=False)
    with formula.popover("Formula", icon=":material/function:", width="stretch"):
        st.markdown(methods_section(section))
        st.page_link("pages/methods.py", label="All methods", icon=":material/menu_book:")
    st.markdown(about)


def framed() -> None:
    """Put app.py round a page that runs without it.

    A link straight to a page, opened before anyone has seen the start page, makes Streamlit take pages/ for an app of
    the old kind and run the page alone; it stops doing so once app.py has called st.navigation.
    """
    if not st.session_state.pop("framed", False):
        runpy.run_path(str(ROOT / "app.py"))
        st.stop()


def methods_section(title: str) -> str:
    """One section of docs/methods.md by its title without the number, so that page and document never disagree."""
    text = METHODS.read_text(encoding="utf-8")
    found = re.search(rf"^## (?:\d+\. )?{re.escape(title)}\n(.*?)(?=^## |\Z)", text, flags=re.MULTILINE | re.DOTALL)
    if found is None:
        raise KeyError(f"docs/methods.md has no section '{title}'")
    return f"### {title}\n{found.group(1)}"


def encoder_notes(notes: tuple[str, ...]) -> None:
    """By which similarity, and what the encoder has to say about this corpus, in small print."""
    encoder, similarity = state.encoder_in_hand(), SIMILARITIES[similarity_in_hand()]
    kind = ENCODERS[encoder.name]
    fitted = "" if encoder.per_document or kind.brought else ", fitted on all texts, test texts included"
    st.caption(f"Similarity of topics: {similarity}. Encoder: {kind.label}{fitted}. " + escaped(" ".join(notes)))


def usable_models(task: str) -> dict[str, str]:
    """The models of a task by name and label; those that compare vectors only while the encoder is one of theirs."""
    encoder, models = state.encoder_in_hand().name, TASKS[task].models
    return {name: kind.label for name, kind in models.items() if not kind.encoders or encoder in kind.encoders}


def choose_pairs(place: DeltaGenerator) -> str:
    """How verification pairs are drawn: a name of PAIRINGS."""
    return place.segmented_control(
        "Pairs",
        list(PAIRINGS),
        default="matched",
        required=True,
        format_func=lambda name: PAIRINGS[name].label,
        key="pairs",
        bind=IN_URL,
        help="\n".join(f"- **{each.label}**: {each.about}" for each in PAIRINGS.values()),
    )


@dataclass(frozen=True, eq=False, slots=True)
class ChosenRun:
    """A run with its models' labels, the metric in hand, and all metrics by label."""

    setup: Setup
    folds: Folds
    leakage: Leakage
    evaluation: Evaluation
    seed: int
    models: dict[str, str]
    metric: str
    metrics: dict[str, str]

    @property
    def metric_label(self) -> str:
        return self.metrics[self.metric]


def choose_run(corpus: Corpus, vectors: Vectors) -> ChosenRun:
    """Ask which run, and give it: from the session, from disk, or computed now."""
    with st.container(border=True):
        asks = st.grid(3, min_column_width=230, vertical_alignment="bottom", gap="medium")
        task = asks.segmented_control(
            "Task", list(TASKS), default="attribution", required=True, key="task", bind=IN_URL
        )
        sampler, m = _choose_sampler(asks, len(corpus.topic_names))
        schemes = [name for name in FOLD_SCHEMES if corpus.splits is not None or not FOLD_SCHEMES[name].needs_split]
        scheme = asks.selectbox(
            "Folds", schemes, format_func=lambda name: FOLD_SCHEMES[name].label, key="scheme", bind=IN_URL
        )
        k, most = 2, min(m or len(corpus.topic_names), 20)
        if FOLD_SCHEMES[scheme].takes_k:
            k = whole_number(asks, "Number of folds (k)", 2, most, 6, key="k", help="Folds of nearly equal size.")
        pairing = choose_pairs(asks) if TASKS[task].asks_pairs else "matched"
        seed = asks.number_input(
            "Seed", 0, 10_000, 0, key="seed", bind=IN_URL, help="Of the sample, the folds and the pairs."
        )
        metric_cell = asks.empty()
        known = usable_models(task)
        models = st.multiselect(
            "Models", list(known), list(known), format_func=known.__getitem__, key=f"models_{task}", bind=IN_URL
        )
    setup = state.setup_of(corpus, vectors, sampler, m, seed)
    folds, leakage = state.folds_or_stop(setup, scheme, k, seed)
    (evaluation,) = evaluations_or_stop(
        [(setup, folds)], task=task, models=models, seed=seed, vectors_key=vectors.encoder_key, pairing=pairing
    )
    say_skipped(evaluation)
    if all(run.problem is not None for run in evaluation.runs):
        st.info("No fold could be run, so there is nothing to show.", icon=":material/info:")
        st.stop()
    labels = metric_labels(evaluation, setup.corpus)
    metric = metric_cell.selectbox(
        "Metric",
        list(labels),
        list(labels).index(TASKS[task].default_metric),
        format_func=labels.__getitem__,
        key=f"metric_{task}",
        bind=IN_URL,
    )
    chosen = {name: known[name] for name in evaluation.models}
    return ChosenRun(setup, folds, leakage, evaluation, seed, chosen, metric, labels)


def _choose_sampler(asks: DeltaGenerator, topics: int) -> tuple[str, int | None]:
    """The sampler, and how many topics it keeps where it samples."""
    sampler = asks.segmented_control(
        "Topics",
        list(SAMPLERS),
        default="none",
        required=True,
        format_func=lambda name: SAMPLERS[name].label,
        key="sampler",
        bind=IN_URL,
    )
    if SAMPLERS[sampler].path is None:
        return sampler, None
    if topics <= 2:
        return sampler, topics
    help = "As on the HITS page."
    return sampler, whole_number(asks, "Topics kept (m)", 2, topics, max(2, topics // 2), key="m", help=help)


def two_models(models: dict[str, str]) -> tuple[str, str]:
    """Two different models to set against each other; says so and ends the page where there are not two."""
    if len(models) < 2:
        st.info("Choose at least two models to compare.", icon=":material/info:")
        st.stop()
    names = list(models)
    asks = st.grid(2)
    a = asks.selectbox("A", names, 0, format_func=models.__getitem__, key="model_a", bind=IN_URL)
    b = asks.selectbox("B", names, 1, format_func=models.__getitem__, key="model_b", bind=IN_URL)
    if a == b:
        st.info("Choose two different models.", icon=":material/info:")
        st.stop()
    return a, b
