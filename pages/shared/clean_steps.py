"""What was done to the current corpus: steps of cleaning, bound to the file they were chosen for, undone one by one, and
found again by a reload."""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import streamlit as st

from core.arrays import digest
from core.corpora import CleaningStep, Corpus, StepEffect, clean, steps_from_json, steps_to_json
from core.errors import LeakscopeError
from core.files import written_whole
from pages.shared import session
from pages.shared.public import as_public_as, computed_once
from pages.shared.show import refuse

FILE = "cleaning.json"
ADDRESS = "cleaned"  # in the address: the beginning of the steps' fingerprint
MOST_CORPORA = 8  # whose steps are kept; those of the one cleaned last go last
MOST_BYTES = 10_000_000


def steps_of(corpus: Corpus) -> tuple[CleaningStep, ...]:
    """Return what was chosen to be done to this corpus, as it was loaded."""
    return _known().get(corpus.fingerprint, ())


def cleaned(corpus: Corpus) -> tuple[Corpus, tuple[StepEffect, ...]]:
    """Return the corpus after its steps, and what each did; steps that no longer fit are reported and dropped."""
    steps = steps_of(corpus)
    if not steps:
        return corpus, ()
    try:
        return _cleaned(corpus, _written(steps))
    except LeakscopeError as problem:
        st.session_state["cleaning"].pop(corpus.fingerprint)
        refuse(problem)
        return corpus, ()


def choose(corpus: Corpus, steps: tuple[CleaningStep, ...]) -> None:
    """Do these steps and no others to the corpus; where one of them is refused, what was done before stays."""
    known = dict(_known())
    try:
        clean(corpus, steps)
    except LeakscopeError as problem:
        st.session_state["refused"] = str(problem)
        return
    known.pop(corpus.fingerprint, None)
    st.session_state["cleaning"] = known | {corpus.fingerprint: steps}
    st.session_state["cleaned_here"] = True
    _keep(st.session_state["cleaning"])


def add(corpus: Corpus, *steps: CleaningStep) -> None:
    """Do these steps as well."""
    choose(corpus, (*steps_of(corpus), *steps))


def undo(corpus: Corpus, index: int) -> None:
    """Take back one step; the others stay, in their order."""
    steps = steps_of(corpus)
    choose(corpus, steps[:index] + steps[index + 1 :])


def begin() -> None:
    """Before any widget of a run: note how the corpus of a link was cleaned."""
    if "wanted_cleaning" not in st.session_state:
        st.session_state["wanted_cleaning"] = st.query_params.get(ADDRESS, "")


def say(corpus: Corpus) -> None:
    """Beside the choice of a corpus: that it was cleaned, here or where the link comes from; and so the address says."""
    steps, wanted = steps_of(corpus), st.session_state.get("wanted_cleaning", "")
    here = digest(steps_to_json(steps))[:8] if steps else ""
    if steps:
        many = f"{len(steps)} steps" if len(steps) > 1 else "one step"
        st.caption(f":material/cleaning_services: Cleaned in {many}; see Corpus.")
    if wanted and wanted != here and not st.session_state.get("cleaned_here"):
        st.warning(
            "This link was made after cleaning the corpus, and the steps are not known here. Numbers will differ. Repeat the "
            "steps on the Corpus page.",
            icon=":material/difference:",
        )
    elif here and st.query_params.get(ADDRESS) != here:
        st.query_params[ADDRESS] = here
    elif not here and ADDRESS in st.query_params:
        del st.query_params[ADDRESS]


@computed_once(most=4)
def _cleaned(corpus: Corpus, steps: str) -> tuple[Corpus, tuple[StepEffect, ...]]:
    found, effects = clean(corpus, steps_from_json(json.loads(steps)))
    return as_public_as(corpus, found), effects


def _written(steps: tuple[CleaningStep, ...]) -> str:
    return json.dumps(steps_to_json(steps))


def _file() -> Path:
    return session.folder() / FILE


def _known() -> dict[str, tuple[CleaningStep, ...]]:
    """Return the steps of every corpus in this session, loaded from disk first: writing others would lose them."""
    if "cleaning" not in st.session_state:
        st.session_state["cleaning"] = _kept()
    known: dict[str, tuple[CleaningStep, ...]] = st.session_state["cleaning"]
    return known


def _kept() -> dict[str, tuple[CleaningStep, ...]]:
    """Return the steps that are on disk, by the fingerprint of their corpus; none where the file is not ours any more."""
    with suppress(OSError, ValueError, RecursionError, LeakscopeError):
        if _file().stat().st_size <= MOST_BYTES:
            found: Any = json.loads(_file().read_text(encoding="utf-8"))
            if isinstance(found, dict):
                return {str(name): steps_from_json(steps) for name, steps in found.items()}
    return {}


def _keep(known: dict[str, tuple[CleaningStep, ...]]) -> None:
    latest = list(known.items())[-MOST_CORPORA:]
    with suppress(OSError):  # a full disk loses what a reload would find, not the cleaning
        _file().parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with written_whole(_file()) as partial:
            partial.write_text(json.dumps({name: steps_to_json(steps) for name, steps in latest}), encoding="utf-8")
