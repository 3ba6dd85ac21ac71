"""Take it away: the report and the project file of the corpus in hand, made as jobs and offered as downloads."""

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import streamlit as st

from core.arrays import digest
from core.corpora import Corpus, steps_to_json
from core.errors import LeakscopeError
from core.report import PAGES, Choices, HeldRuns, Reported, Used, project_file, report_file
from core.splits import FOLD_SCHEMES, Wishes
from core.vectors import ENCODERS, Vectors
from pages.shared import clean_steps, corpus_vectors, files, history, project, result_cache, state, work
from pages.shared.public import is_public
from pages.shared.stores import result_store
from pages.shared.topics import similarity_in_hand

ALWAYS = ("overview", "corpus")
REPORT, PROJECT = "report_wanted", "project_wanted"  # in the session's state: what is being made


def panel(loaded: Corpus | None) -> None:
    """In the sidebar: what can be sent to somebody else."""
    with st.expander("Take it away", icon=":material/ios_share:", key="take_away"):
        project.say()
        corpus = _in_use(loaded)
        if loaded is None or corpus is None:
            st.caption("Load a corpus with topics first.")
            return
        try:
            corpus_vectors.encoder_in_hand().key()
        except LeakscopeError:  # a model that is not named yet, or not there: its field says so
            st.caption("Choose an encoder first.")
            return
        _report(loaded, corpus)
        _project(loaded, corpus)


def _in_use(loaded: Corpus | None) -> Corpus | None:
    """The corpus that pages work on; None where there is none, which they say."""
    whole = None if loaded is None else clean_steps.cleaned(loaded)[0]
    if whole is None or not whole.has_topics:
        return None
    try:
        return state.with_filters(whole, state.filters())
    except LeakscopeError:
        return None


def _report(loaded: Corpus, corpus: Corpus) -> None:
    chosen = {name: section.settings for name, section in history.sections().items() if name in PAGES}
    pages = [name for name in PAGES if name in chosen or name in ALWAYS]
    key = _key(loaded, corpus, chosen)
    st.button(
        "Make the report",
        icon=":material/description:",
        key="make_report",
        width="stretch",
        on_click=st.session_state.update,
        args=({REPORT: True},),
        help="One HTML file that opens anywhere and prints: settings, answers, figures and tables of "
        f"{', '.join(PAGES[name].label for name in pages)}. Pages that you open come in as well. It holds none of the texts.",
    )
    if not _asked_for(REPORT, key):
        return
    vectors = _vectors_or_say(corpus)
    if vectors is None:
        return
    subject = Reported(
        corpus,
        vectors,
        similarity_in_hand(),
        _encoder_settings(vectors),
        state.filters(),
        tuple(clean_steps.cleaned(loaded)[1]),
    )
    made = work.result(
        "reports",
        key,
        work.step(
            report_file,
            subject,
            results=result_store(public=is_public(corpus)),
            held=_held(corpus, vectors, chosen),
            pages=pages,
            choices=chosen,
            when=datetime.now(UTC),
        ),
        name=f"Report on {corpus.name}",
    )
    _offer(made, f"Download report ({_size(made)})", f"leakscope_{_slug(corpus.name)}.html", "report_file")


def _project(loaded: Corpus, corpus: Corpus) -> None:
    pages = project.waiting() | history.pages()
    key = _key(loaded, corpus, pages)
    st.button(
        "Save a project",
        icon=":material/save:",
        key="save_project",
        width="stretch",
        on_click=st.session_state.update,
        args=({PROJECT: True},),
        help="One zip with the settings of every page that you opened, the steps of cleaning, and what was computed: open it "
        "on the Corpus page, here or elsewhere, beside the same corpus. It holds none of the texts, but their vectors and "
        "fingerprints and the names of topics.",
    )
    if not _asked_for(PROJECT, key):
        return
    vectors, hits = corpus_vectors.at_hand(corpus), history.sections().get("hits")
    source, lesson = st.session_state["corpus"], st.session_state.get(project.LESSON, {})
    used = Used(corpus, vectors, similarity_in_hand(), None if hits is None else hits.settings.get("m"))
    choices = Choices(source, datetime.now(UTC), _settings(), pages, clean_steps.steps_of(loaded), lesson)
    made = work.result(
        "projects",
        key,
        work.step(
            project_file,
            loaded,
            used,
            choices,
            runs=[(setup.corpus, folds, run.choices) for run in history.runs() for setup, folds in run.jobs],
            results=result_store(public=is_public(corpus)),
            found=_results(),
            beside=history.beside(),
        ),
        name=f"Project on {corpus.name}",
    )
    _offer(made, f"Download project ({_size(made)})", f"leakscope_{_slug(corpus.name)}.zip", "project_download")


def _asked_for(what: str, key: str) -> bool:
    """Whether this very thing was asked for: what is set after the button was pressed makes another of it."""
    if st.session_state.get(what) is True:
        st.session_state[what] = key
    return bool(st.session_state.get(what) == key)


def _offer(made: bytes | None, label: str, file: str, key: str) -> None:
    if made is not None:
        files.offer(st.container(), label, made, file, key=key, type="primary", width="stretch")


def _key(loaded: Corpus, corpus: Corpus, chosen: Mapping[str, Any]) -> str:
    """Everything that what is made depends on."""
    choices = [
        similarity_in_hand(),
        corpus_vectors.encoder_in_hand().key(),
        state.filters(),
        chosen,
        len(history.runs()),
    ]
    choices += [len(history.results()), len(history.beside()), st.session_state.get(project.LESSON, {})]
    steps = steps_to_json(clean_steps.steps_of(loaded))
    return digest([loaded.fingerprint, corpus.fingerprint, steps, json.dumps(choices, default=str)])


def _vectors_or_say(corpus: Corpus) -> Vectors | None:
    vectors = corpus_vectors.at_hand(corpus)
    if vectors is None:
        st.caption(":material/hourglass_empty: The documents have no vectors yet: open Overview, which encodes them.")
    return vectors


def _encoder_settings(vectors: Vectors) -> dict[str, str]:
    found = {key: st.session_state.get(key) or each.default for key, each in ENCODERS[vectors.name].settings.items()}
    return {key: str(value) for key, value in found.items()}


def _held(corpus: Corpus, vectors: Vectors, chosen: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """What pages have computed already, by page."""
    public, key = is_public(corpus), (corpus.fingerprint, vectors.encoder_key, similarity_in_hand())
    found = {
        "topic_map": result_cache.at_hand("maps", key, public=public),
        "split": result_cache.at_hand("split audits", key, public=public),
    }
    wished = chosen.get("design", {})
    found["design"] = result_cache.at_hand(
        "designs", (*key, wished.get("k"), wished.get("wishes", Wishes())), public=public
    )
    for (
        run
    ) in history.runs():  # the last of a page is what it shows, but for ordinary folds beside those that were chosen
        scheme = chosen.get(run.page, {}).get("scheme", next(iter(FOLD_SCHEMES)))
        if run.whole and all(folds.scheme == scheme for _, folds in run.jobs):
            choices = {name: value for name, value in run.choices.items() if name != "vectors_key"}
            found[f"{run.page} runs"] = HeldRuns(run.jobs, choices)
    found |= {name: section.drawn for name, section in history.sections().items() if section.drawn is not None}
    return {page: value for page, value in found.items() if value is not None}


def _results() -> list[tuple[str, Any, Any]]:
    """What was shown of the corpus in hand, and what an opened project has brought and nobody has asked for yet."""
    found = {
        (kind, key): result_cache.at_hand(kind, key, public=public) for (kind, key), public in history.results().items()
    }
    found |= st.session_state.get(result_cache.BROUGHT, {})
    return [(kind, key, value) for (kind, key), value in found.items() if value is not None]


def _settings() -> dict[str, str | int]:
    """The sidebar's settings, and the choices of pages that no address holds."""
    names = ("encoder", "similarity", *(name for kind in ENCODERS.values() for name in kind.settings))
    names += ("min_docs", "cap", "author_docs", "most_authors", *project.CHOICES)
    found = {name: st.session_state.get(name) for name in dict.fromkeys(names)}
    if (design := history.sections().get("design")) is not None:
        found[project.DESIGN] = design.settings.get("choice")
    return {name: value for name, value in found.items() if isinstance(value, str | int)}


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")[:40] or "corpus"


def _size(made: bytes | None) -> str:
    return "" if made is None else f"{len(made) / 1e6:.1f}\u00a0MB"
