"""A project file: opened beside the corpus it was made of, it restores settings, cleaning, pages and what was computed."""

import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.errors import StreamlitAPIException

from core.corpora import Corpus, write_cached
from core.formats import counted, listed
from core.project import Project, as_in, differences, open_project, vectors_in
from core.topics import SIMILARITIES
from core.vectors import ENCODERS, Encoder, Vectors
from pages.shared import history, jobs, keep, session
from pages.shared.history import forget_ranges, renamed
from pages.shared.session import PROJECT, computed_once, hosted, is_public, limit, models
from pages.shared.show import escaped, literal, refuse
from pages.shared.upload import content_key, read_strictly

HELD, REOPEN, ASSIGN, REFUSED = PROJECT, "project_reopen", "project_assign", "project_refused"  # in the session's state
OPENED = "project_opened"
DESIGN, LESSON = "design_choice", "lesson_answers"
# Choices of pages that no address holds: a split, that topics were looked for, a benchmark that was built, files that were read.
CHOICES = (DESIGN, "finding", "raven_built", *(history.FILES.format(kind) for kind in history.FILE_KINDS))


def folder() -> Path:
    """Return where the answers of models that came with a project are kept for this visitor."""
    return session.folder() / PROJECT


def open_panel() -> None:
    """Choose a project file; report what is wrong with it or the corpus, and change nothing."""
    number = st.session_state.get("project_uploader", 0)
    upload = st.file_uploader(
        "A project that Leakscope saved",
        type=["zip"],
        key=f"project_file_{number}",
        help="A project without texts needs its corpus. Load that first.",
    )
    for sentence in st.session_state.pop(REFUSED, ()):
        refuse(sentence)
    if st.session_state.pop(OPENED, False):
        st.success("The project is open. Every page opens as it was saved.", icon=":material/check:")
    if upload is None:
        return
    if upload.size > limit("UPLOAD_SIZE") * 1024**2:
        refuse(
            f"{upload.size / 2**20:,.1f} MB; the limit of this server is {limit('UPLOAD_SIZE'):,} MB. Save it without vectors."
        )
        return
    problems: list[str] = []
    key = content_key(upload)
    found: Project | None = read_strictly("opened", key, open_project, upload, keep=folder(), complain=problems.append)
    if problems:
        jobs.drop("opened", key)
        _refuse(problems)
    if found is None:
        return
    st.markdown(literal(described(found)))
    for note in found.notes:
        st.caption(escaped(note))
    with_results = st.checkbox(
        "Use its results, too",
        True,
        key="project_results",
        help="Uses the vectors and model answers in the file. Otherwise only settings and cleaning steps are used, and "
        "everything is computed here.",
    )
    if st.button("Open this project", type="primary", icon=":material/folder_open:"):
        jobs.drop("opened", key)
        _take(found, with_results=with_results)


def described(project: Project) -> str:
    """Say what a project is of and what it holds."""
    holds = [f"the settings of {counted(len(project.pages), 'page')}"]
    holds += [counted(len(project.cleaning), "cleaning step")] if project.cleaning else []
    holds += (
        [f"vectors of {counted(max(len(each.hashes) for each in project.vectors), 'text')}"] if project.vectors else []
    )
    holds += [counted(project.answers, "model run")] if project.answers else []
    holds += ["the texts"] if project.corpus is not None else []
    of = f"{project.identity.name} ({project.identity.documents:,} documents, {project.identity.topics:,} topics)"
    return f"A project on {of}, saved {project.made} with Leakscope {project.version}. It holds {listed(holds)}."


def _refuse(sentences: list[str]) -> None:
    """Say why at the next run, which begins without the file."""
    st.session_state[REFUSED] = sentences
    st.session_state["project_uploader"] = st.session_state.get("project_uploader", 0) + 1
    st.rerun()


def _take(project: Project, *, with_results: bool) -> None:
    """Restore everything beside the corpus that fits; say what differs where none does."""
    sources = dict.fromkeys((st.session_state.get("corpus", "courier"), "courier", "file", "newsgroups"))
    loaded = {source: corpus for source in sources if (corpus := keep.as_loaded(source)) is not None}
    fitted = next(
        ((source, same) for source, each in loaded.items() if (same := as_in(project, each)) is not None), None
    )
    if fitted is None and project.corpus is not None:
        with suppress(OSError):  # on a full disk a reload finds nothing, but the corpus is there
            write_cached(keep.folder(), project.corpus)
        fitted = "file", project.corpus
    if fitted is None:
        _refuse(_other_corpus(project, next(iter(loaded.values()), None)))
        return
    source, corpus = fitted
    state = st.session_state
    state[HELD] = project if with_results and project.brings_results else None
    state[OPENED] = True
    forget_ranges()  # of sliders that have another one now
    state[ASSIGN] = dict(project.settings) | {"corpus": source}
    state[LESSON] = dict(project.lesson)
    state[REOPEN] = {page: dict(address) for page, address in project.pages.items()}
    state["project_uploader"] = state.get("project_uploader", 0) + 1
    if source == "file":
        keep.use_current(corpus, project.cleaning)
    keep.choose_steps(corpus, project.cleaning)
    st.rerun()


def _other_corpus(project: Project, corpus: Corpus | None) -> list[str]:
    of = f"This project is of {project.identity.name} ({project.identity.documents:,} documents)"
    if corpus is None:
        return [f"{of}, which is not loaded. Load it, then open the project again."]
    said = " ".join(differences(project, corpus)) or "Its documents differ."
    return [
        f"{of}, not of the current corpus, {corpus.name}. {said} Load the project's corpus, then open the project again."
    ]


def _checked(settings: Mapping[str, Any], numbers: Mapping[str, tuple[int, int]]) -> dict[str, Any]:
    """Return the settings that can be set here."""
    wanted: dict[str, Any] = {"corpus": settings["corpus"]}
    for name, value in settings.items():
        if (
            (name == "encoder" and value in ENCODERS and not (ENCODERS[value].asks_for_model and models() == ()))
            or (name == "similarity" and value in SIMILARITIES)
            or (name in CHOICES and isinstance(value, str))
            or (name in numbers and type(value) is int and numbers[name][0] <= value <= numbers[name][1])
        ):
            wanted[name] = value
    for name, each in ENCODERS[wanted["encoder"]].settings.items() if "encoder" in wanted else ():
        value, allowed = settings.get(name), tuple(each.choices) or models()
        if isinstance(value, str) and len(value) <= each.longest and (allowed is None or value in allowed):
            wanted[name] = value
    return wanted


def begin(numbers: Mapping[str, tuple[int, int]]) -> None:
    """Apply an opened project before any control of the sidebar; `numbers` are its integers with their bounds."""
    wanted = st.session_state.pop(ASSIGN, None)
    if wanted is not None:
        st.session_state.update(_checked(wanted, numbers))


def reopen(page: str) -> None:
    """Restore a page's address on the first visit after a project was opened."""
    wanted = _waiting().pop(page or history.START, None)
    if not wanted:
        return
    for name, values in renamed(page, {name: list(values) for name, values in wanted.items()}).items():
        if name not in history.SHARED:
            st.session_state.pop(name, None)
            with suppress(StreamlitAPIException):  # of another control that is drawn already
                st.query_params[name] = values
    st.rerun()


def waiting() -> dict[str, dict[str, list[str]]]:
    """Return the addresses of pages that have not been come to since a project was opened."""
    return {page: {name: list(each) for name, each in address.items()} for page, address in _waiting().items()}


def _waiting() -> dict[str, dict[str, tuple[str, ...]]]:
    found: dict[str, dict[str, tuple[str, ...]]] = st.session_state.get(REOPEN) or {}
    return found


def opened() -> Project | None:
    """Return the project whose results are used here."""
    found: Project | None = st.session_state.get(HELD)
    return found


def let_go() -> None:
    """Use nothing of the project any more; what it set stays set."""
    shutil.rmtree(folder(), ignore_errors=True)
    for name in (HELD, REOPEN, ASSIGN):
        st.session_state.pop(name, None)


def say() -> None:
    """Report that results come from a file, whose they are, and the way back."""
    project = opened()
    if project is None:
        return
    st.caption(
        f":material/folder_open: Uses results of a project on {escaped(project.identity.name)}, saved {escaped(project.made)} "
        f"with Leakscope {escaped(project.version)}."
    )
    st.button("Close the project", key="let_go", type="tertiary", on_click=let_go)


def vectors_of(corpus: Corpus, encoder: Encoder) -> Vectors | None:
    """Return the vectors that the current project has of this corpus."""
    project = opened()
    if project is None or not project.vectors or (hosted() and is_public(corpus)):
        return None
    return _vectors(corpus, encoder.key(), project.digest, project, encoder)


@computed_once(most=4)
def _vectors(corpus: Corpus, key: str, digest: str, _project: Project, _encoder: Encoder) -> Vectors | None:
    return vectors_in(_project, corpus, _encoder)
