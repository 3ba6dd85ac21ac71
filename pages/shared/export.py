"""Export: the report and the project file of the current corpus, made as jobs and offered as downloads."""

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import streamlit as st

from core.arrays import digest
from core.corpora import Corpus, steps_to_json
from core.engine import Call
from core.errors import LeakscopeError
from core.project import Choices, Used, project_file
from core.questions import QUESTIONS, Settings
from core.render import materialised
from core.report import report_file
from core.study import Study
from core.vectors import ENCODERS
from pages.shared import clean_steps, corpus_vectors, files, history, project, state, work
from pages.shared.public import is_public
from pages.shared.session import similarity_in_hand
from pages.shared.stores import result_store
from pages.shared.studies import encoder_settings

ALWAYS = ("verdict", "corpus")  # questions of every report
REPORT, PROJECT = "report_wanted", "project_wanted"  # in the session's state: what is being made


def panel(loaded: Corpus | None) -> None:
    """Draw in the sidebar what can be sent to somebody else."""
    with st.expander("Export", icon=":material/ios_share:", key="take_away"):
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
    """Return the corpus that pages work on, or None."""
    whole = None if loaded is None else clean_steps.cleaned(loaded)[0]
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
    key = _key(loaded, corpus, chosen | {each.name: each.headline for each in history.drawn()})
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
    vectors = corpus_vectors.at_hand(corpus)
    if vectors is None:
        st.caption(":material/hourglass_empty: The documents have no vectors yet. Open Overview to encode them.")
        return
    study = Study(
        corpus,
        vectors,
        similarity=similarity_in_hand(),
        encoder=encoder_settings(vectors),
        results=result_store(public=is_public(corpus)),
        filters=state.filters(),
    )
    asked: list[tuple[str, Settings | None]] = [(name, seen.get(name)) for name in names]
    cleaning, more = tuple(clean_steps.cleaned(loaded)[1]), [materialised(each) for each in history.drawn()]
    made = work.result(
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
        corpus, corpus_vectors.at_hand(corpus), similarity_in_hand(), None if hits is None else hits.as_json()["m"]
    )
    choices = Choices(source, datetime.now(UTC), _settings(), pages, clean_steps.steps_of(loaded), lesson)
    made = work.result(
        "projects",
        key,
        Call(
            project_file,
            (loaded, used, choices),
            {
                "runs": [(setup.corpus, folds, run) for jobs, run in history.runs() for setup, folds in jobs],
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
        files.offer(st.container(), label, made, file, key=key, type="primary", width="stretch")


def _key(loaded: Corpus, corpus: Corpus, chosen: Mapping[str, Any]) -> str:
    """Return a digest of everything that what is made depends on."""
    choices = [
        similarity_in_hand(),
        corpus_vectors.encoder_in_hand().key(),
        state.filters(),
        chosen,
        len(history.runs()),
        len(history.beside()),
        st.session_state.get(project.LESSON, {}),
    ]
    steps = steps_to_json(clean_steps.steps_of(loaded))
    return digest([loaded.fingerprint, corpus.fingerprint, steps, json.dumps(choices, default=str)])


def _settings() -> dict[str, str | int]:
    """Return the sidebar's settings, and the choices of pages that no address holds."""
    names = ("encoder", "similarity", *(name for kind in ENCODERS.values() for name in kind.settings))
    names += ("min_docs", "cap", "author_docs", "most_authors", *project.CHOICES)
    found = {name: st.session_state.get(name) for name in dict.fromkeys(names)}
    return {name: value for name, value in found.items() if isinstance(value, str | int)}


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")[:40] or "corpus"


def _size(made: bytes | None) -> str:
    return "" if made is None else f"{len(made) / 1e6:.1f}\u00a0MB"
