"""The sidebar: corpus, encoder and filters, which every page works on, and the report and the project file of them."""

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.arrays import digest
from core.corpora import Corpus, steps_to_json
from core.engine import Call
from core.errors import LeakscopeError
from core.project import Choices, Used, project_file
from core.questions import QUESTIONS, Settings, words_of
from core.render import materialised
from core.report import report_file
from core.study import Study
from core.topics import SIMILARITIES
from core.vectors import ENCODERS
from pages.shared import history, jobs, keep, project, show, state
from pages.shared.session import current_similarity, is_public, models, result_store
from pages.shared.show import escaped
from pages.shared.state import advice_on_language
from pages.shared.studies import chosen_study, encoder_settings, own_answers
from pages.shared.widgets import IN_URL

ALWAYS = ("verdict", "corpus")  # questions of every report
REPORT, PROJECT = "report_wanted", "project_wanted"  # in the session's state: what is being made


def export_panel(loaded: Corpus | None) -> None:
    """Draw in the sidebar what can be sent to somebody else."""
    with st.expander("Export", icon=":material/ios_share:", key="take_away"):
        project.say()
        corpus = _in_use(loaded)
        if loaded is None or corpus is None:
            st.caption("Load a corpus with topics first.")
            return
        try:
            state.current_encoder().key()
        except LeakscopeError:  # a model that is not named yet, or not there: its field shows it
            st.caption("Choose an encoder first.")
            return
        _report(loaded, corpus)
        _project(loaded, corpus)


def _in_use(loaded: Corpus | None) -> Corpus | None:
    """Return the corpus that pages work on, or None."""
    whole = None if loaded is None else keep.cleaned(loaded)[0]
    if whole is None or not whole.has_topics:
        return None
    try:
        return state.with_filters(whole, state.filters())
    except LeakscopeError:
        return None


def _report(loaded: Corpus, corpus: Corpus) -> None:
    seen = history.asked()
    names = [name for name in QUESTIONS if name in seen or name in ALWAYS]
    chosen = {name: repr(settings) for name, settings in seen.items()}
    chosen["own answers"] = repr([each.digest for each in own_answers(corpus)])
    drawn = history.drawn(chosen_study(corpus))
    key = _key(loaded, corpus, chosen | {f"{each.name} as drawn": f"{each.headline} {each.facts}" for each in drawn})
    st.button(
        "Make report",
        icon=":material/description:",
        key="make_report",
        width="stretch",
        on_click=st.session_state.update,
        args=({REPORT: True},),
        help="One HTML file that opens anywhere and prints, with the answers of the pages you opened: "
        f"{', '.join(dict.fromkeys(QUESTIONS[name].LABEL for name in names))}. It contains no texts.",
    )
    if not _asked_for(REPORT, key):
        return
    vectors = state.available_vectors(corpus)
    if vectors is None:
        st.caption(":material/hourglass_empty: The documents have no vectors yet. Open Overview to encode them.")
        return
    study = Study(
        corpus,
        vectors,
        similarity=current_similarity(),
        encoder=encoder_settings(vectors),
        results=result_store(public=is_public(corpus)),
        filters=state.filters(),
        own=own_answers(corpus),
    )
    asked: list[tuple[str, Settings | None]] = [(name, seen.get(name)) for name in names]
    cleaning, more = tuple(keep.cleaned(loaded)[1]), [materialised(each) for each in drawn]
    made = jobs.result(
        "reports",
        key,
        Call(report_file, (study, asked), {"more": more, "cleaning": cleaning, "when": datetime.now(UTC)}),
        name=f"Report on {corpus.name}",
    )
    _offer(made, f"Download report ({_size(made)})", f"leakscope_{_slug(corpus.name)}.html", "report_file")


def _project(loaded: Corpus, corpus: Corpus) -> None:
    pages = project.waiting() | history.pages()
    source, lesson = st.session_state["corpus"], st.session_state.get(project.LESSON, {})
    with_texts = source != "courier" and st.toggle(
        "With texts",
        key="project_texts",
        help="Without them, whoever opens the project needs the same corpus. With them, they do not.",
    )
    key = _key(loaded, corpus, pages | {"texts": with_texts})
    st.button(
        "Save project",
        icon=":material/save:",
        key="save_project",
        width="stretch",
        on_click=st.session_state.update,
        args=({PROJECT: True},),
        help="One zip with the settings of every page you opened, cleaning steps, vectors and model answers. Open it on the Corpus "
        "page. It also has fingerprints of the texts and the names of topics.",
    )
    texts = "It contains your texts." if with_texts else "It contains no texts: open it beside the same corpus."
    st.caption(f"Settings, cleaning steps, vectors and model answers. {texts}")
    if not _asked_for(PROJECT, key):
        return
    hits = history.asked().get("hits")
    used = Used(
        corpus, state.available_vectors(corpus), current_similarity(), None if hits is None else hits.as_json()["m"]
    )
    choices = Choices(source, datetime.now(UTC), _current_settings(), pages, keep.steps_of(loaded), lesson)
    made = jobs.result(
        "projects",
        key,
        Call(
            project_file,
            (loaded, used, choices),
            {
                "runs": [(setup.corpus, folds, run) for setups, run in history.runs() for setup, folds in setups],
                "results": result_store(public=is_public(corpus)),
                "beside": history.beside(),
                "with_texts": with_texts,
            },
        ),
        name=f"Project on {corpus.name}",
    )
    _offer(made, f"Download project ({_size(made)})", f"leakscope_{_slug(corpus.name)}.zip", "project_download")


def _asked_for(what: str, key: str) -> bool:
    """Return whether this very thing was asked for: what is set after the button was pressed makes another of it."""
    if st.session_state.get(what) is True:
        st.session_state[what] = key
    return bool(st.session_state.get(what) == key)


def _offer(made: bytes | None, label: str, file: str, key: str) -> None:
    if made is not None:
        show.offer(st.container(), label, made, file, key=key, type="primary", width="stretch")


def _key(loaded: Corpus, corpus: Corpus, chosen: Mapping[str, Any]) -> str:
    """Return a digest of everything that what is made depends on."""
    choices = [
        current_similarity(),
        state.current_encoder().key(),
        state.filters(),
        chosen,
        len(history.runs()),
        len(history.beside()),
        st.session_state.get(project.LESSON, {}),
    ]
    steps = steps_to_json(keep.steps_of(loaded))
    return digest([loaded.fingerprint, corpus.fingerprint, steps, json.dumps(choices, default=str)])


def _current_settings() -> dict[str, str | int]:
    """Return the sidebar's settings, and the choices of pages that no address holds."""
    names = ("encoder", "similarity", *(name for kind in ENCODERS.values() for name in kind.settings))
    names += ("min_docs", "cap", "author_docs", "most_authors", *project.CHOICES)
    found = {name: st.session_state.get(name) for name in dict.fromkeys(names)}
    return {name: value for name, value in found.items() if isinstance(value, str | int)}


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")[:40] or "corpus"


def _size(made: bytes | None) -> str:
    return "" if made is None else f"{len(made) / 1e6:.1f}\u00a0MB"


# Label, least, most, key and help; the least is the default and leaves nothing out.
FILTERS = (
    ("Minimum documents per topic", 1, 100_000, "min_docs", "Smaller topics are left out."),
    (
        "Maximum documents per topic",
        0,
        1_000_000,
        "cap",
        "Larger topics are cut to a fixed random sample of this size; 0 keeps all.",
    ),
    ("Minimum documents per author", 1, 100_000, "author_docs", "Texts of authors with fewer are left out."),
    ("Maximum number of authors", 0, 1_000_000, "most_authors", "Keeps the authors with most texts; 0 keeps all."),
)


def sidebar() -> DeltaGenerator:
    """Draw corpus, encoder and filters, which every page works on, and yield the place for running jobs."""
    keep.begin()
    project.begin({key: (low, high) for _, low, high, key, _ in FILTERS})
    with st.sidebar:
        running = st.container()
        sources = history.SOURCES
        st.selectbox("Corpus", list(sources), format_func=sources.__getitem__, key="corpus", bind=IN_URL)
        keep.find()
        if st.session_state["corpus"] == "courier":
            st.caption(":material/edit_note: Fictional texts by fictional authors, for demonstration.")
        loaded = keep.as_loaded()
        if loaded is not None and st.session_state["corpus"] != "courier":
            st.caption(f":material/description: **{escaped(loaded.name)}**, {len(loaded):,} documents")
        if loaded is not None and loaded.found:
            st.caption(":material/category_search: Topics found, not given.")
        encoder = _encoder()
        _texts(encoder)
        if loaded is not None and (advice := advice_on_language(loaded, encoder)):
            st.caption(f":material/translate: {advice}")
        st.selectbox(
            "Similarity",
            list(SIMILARITIES),
            format_func=SIMILARITIES.__getitem__,
            key="similarity",
            bind=IN_URL,
            help="How the similarity of two topics is measured. **Corrected**: mean cosine of documents across topics, relative to "
            "within topics. So small topics do not look distinct. **Plain**: cosine of centroids.",
        )
        with st.expander("Settings", icon=":material/tune:"):
            _settings(encoder)
            _filters(loaded)
        history.begin(loaded)
        export_panel(loaded)
    return running


def _encoder() -> str:
    """Return the name of the chosen encoder; one that reads vectors is offered where the corpus has some."""
    none = models() == ()  # a host that allows none
    names = [
        name
        for name, kind in ENCODERS.items()
        if (not kind.brought or _brings_vectors()) and not (none and kind.asks_for_model)
    ]
    return st.selectbox(
        "Encoder",
        names,
        format_func=lambda name: ENCODERS[name].label,
        key="encoder",
        bind=IN_URL,
        help="\n".join(f"- **{ENCODERS[name].label}**: {ENCODERS[name].about}" for name in names),
    )


def _texts(encoder: str) -> None:
    """Draw the encoder's text settings, such as which model. A host offers the few it allows."""
    for key, setting in ENCODERS[encoder].settings.items():
        if not setting.choices and (allowed := models()) is not None:
            st.selectbox(setting.label, allowed, key=key, bind=IN_URL, help=setting.about)
        elif not setting.choices:
            st.text_input(setting.label, max_chars=setting.longest, key=key, bind=IN_URL, help=setting.about)


def _settings(encoder: str) -> None:
    for key, setting in ENCODERS[encoder].settings.items():
        if not setting.choices:
            continue
        st.selectbox(
            setting.label,
            list(setting.choices),
            format_func=setting.choices.__getitem__,
            key=key,
            bind=IN_URL,
            help=setting.about,
        )


def _filters(loaded: Corpus | None) -> None:
    """Draw the filters that `state.filters` reads."""
    for label, low, high, key, help in FILTERS:
        st.number_input(words_of(label, loaded), low, high, key=key, bind=IN_URL, help=words_of(help, loaded))


def _brings_vectors() -> bool:
    corpus = st.session_state.get(f"{st.session_state.get('corpus')}_corpus")
    return corpus is not None and corpus.vectors is not None
