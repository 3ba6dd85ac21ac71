"""The study that pages ask: the current corpus, encoder and similarity; and what is done while a result is pending."""

from collections.abc import Callable, Hashable, Sequence
from types import ModuleType
from typing import Any, TypeVar

import streamlit as st

from core.corpora import Corpus
from core.errors import LeakscopeError
from core.evaluation import OwnAnswers
from core.questions import RunSettings, Settings, answered, run
from core.render import Answer
from core.study import Pending, Study, compute_now
from core.vectors import ENCODERS, Vectors
from pages.shared import history, jobs, runs, state
from pages.shared.session import computed_once, current_similarity, is_public, result_store, vector_store
from pages.shared.show import refuse

MOST_STUDIES = 4  # that a session holds
OWN, OWN_STUDY = "own_answers", "own_study"  # in the session: the visitor's own models, and the study that has them
TRIES = 20  # results that one answer may wait for, one after another

Found = TypeVar("Found")


def study_or_stop(*, preliminary: bool = False) -> Study:
    """Return the current study; show what is missing and stop the page otherwise.

    With `preliminary`, the study is of the documents encoded so far while others are being encoded.
    """
    corpus = state.corpus_or_stop()
    if preliminary:
        return study_of(*state.so_far_or_stop(corpus))
    return study_of(corpus, state.vectors_or_stop(corpus))


def is_preliminary(study: Study) -> bool:
    """Return whether the study is of the documents encoded so far, while others are being encoded."""
    whole = state.whole_corpus()
    return whole is not None and len(study.corpus) < len(state.with_filters(whole, state.filters()))


def study_of(corpus: Corpus, vectors: Vectors, similarity: str | None = None) -> Study:
    """Return the study of a corpus and its vectors: one for all users where the corpus is public, else the session's."""
    study = _study(corpus, vectors, similarity or current_similarity(), tuple(state.filters().items()))
    own = own_answers(corpus)
    if not own:
        return study
    key, held = (study.key, *(each.digest for each in own)), st.session_state.get(OWN_STUDY)
    if held is None or held[0] != key:
        held = st.session_state[OWN_STUDY] = key, study.with_answers(own)
    found: Study = held[1]
    return found


def chosen_study(corpus: Corpus) -> Hashable:
    """Name the study that a page draws, by what the sidebar says."""
    return corpus.fingerprint, state.current_encoder().key(), current_similarity()


def own_answers(corpus: Corpus) -> tuple[OwnAnswers, ...]:
    """Return the answers of the visitor's own models about this corpus."""
    held: dict[str, dict[str, OwnAnswers]] = st.session_state.get(OWN, {})
    return tuple(held.get(corpus.fingerprint, {}).values())


def hold_answers(corpus: Corpus, own: Sequence[OwnAnswers], *, without: str = "") -> None:
    """Hold answers of the visitor's own models for the pages about this corpus; a new file replaces one of its name."""
    known = {each.name: each for each in (*own_answers(corpus), *own) if each.name != without}
    st.session_state[OWN] = {corpus.fingerprint: known}


@computed_once(most=MOST_STUDIES)
def _study(corpus: Corpus, vectors: Vectors, similarity: str, filters: tuple[tuple[str, int | None], ...]) -> Study:
    return Study(
        corpus,
        vectors,
        similarity=similarity,
        encoder=encoder_settings(vectors),
        results=result_store(public=is_public(corpus)),
        store=vector_store(public=is_public(corpus)),
        filters=dict(filters),
        work=find,
        waiting=lambda label: st.spinner(label),
    )


def encoder_settings(vectors: Vectors) -> dict[str, str]:
    """Return the sidebar's settings of the encoder that made the vectors."""
    found = {key: st.session_state.get(key) or each.default for key, each in ENCODERS[vectors.name].settings.items()}
    return {key: str(value) for key, value in found.items()}


def find(pending: Pending) -> dict[Hashable, Any]:
    """Return results that are there or cost nothing; raise `Pending` for the others."""
    public = is_public(pending.study.corpus)
    found: dict[Hashable, Any] = {key: jobs.available_result(pending.kind, key, public=public) for key in pending.calls}
    if any(value is None for value in found.values()):
        if not pending.costs or any(cost.runs for cost in pending.costs):
            raise pending
        found = compute_now(pending)  # every answer is on disk
        for key, value in found.items():
            jobs.hold(pending.kind, key, value, public=public)
    _note(pending)
    return found


def _note(pending: Pending) -> None:
    """Note runs of models, whose answers a project holds."""
    for key, job in pending.jobs.items():
        given = pending.calls[key].keywords
        choices = {name: value for name, value in given.items() if name not in ("vectors", "results")}
        choices["vectors_key"] = pending.study.vectors.encoder_key
        history.note_runs(key, [job], choices)


def settle(
    pending: Pending, *, question: jobs.Question | None = None, page: str = "", offer: runs.Offer = None
) -> bool:
    """Ask for what is pending and draw its job; return whether it is there now."""
    public = is_public(pending.study.corpus)
    if pending.costs and pending.kind != "costs":  # what leakage costs is measured unasked
        keys = list(pending.calls)
        fits, question = runs.question_of(pending, keys, page=page, offer=offer, public=public)
        if not fits:
            return False
    found: dict[Hashable, Any] = jobs.results(
        pending.kind,
        pending.calls,
        name=pending.name,
        question=question,
        public=public,
    )
    return len(found) == len(pending.calls)


def settled(ask: Callable[[], Found], **how: Any) -> Found | None:
    """Return what a function of the study gives; None while its job runs, or where it is refused."""
    for _ in range(TRIES):
        try:
            return ask()
        except Pending as pending:
            if not settle(pending, **how):
                return None
        except LeakscopeError as problem:
            refuse(problem)
            return None
    return None


def answer_or_stop(study: Study, module: ModuleType, settings: Settings, **how: Any) -> Answer:
    """Return a question's answer, or draw what it waits for and stop the page."""
    found = settled(lambda: answered(study, module, settings), **how)
    if found is None:
        st.stop()
    history.note_asked(module.NAME, settings)
    return found


def run_or_stop(study: Study, settings: RunSettings, **how: Any) -> None:
    """Have models run, or draw what they wait for and stop the page: what comes next is chosen by their scores."""
    if settled(lambda: run(study, settings), **how) is None:
        st.stop()
