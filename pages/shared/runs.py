"""Setups, folds and models on the page: cached on fingerprints, asked for before they take long, stopped without loss."""

from collections.abc import Sequence

import streamlit as st

from core.corpora import Corpus
from core.demo import RESULTS
from core.errors import LeakscopeError
from core.evaluation import TASKS, Evaluation, ResultStore, evaluate, missing_runs
from core.splits import SCHEMES, Folds, Leakage, fold_leakage, make_folds
from core.topics import Setup, make_setup
from core.vectors import Vectors
from pages.shared import state
from pages.shared.saying import refuse

MOST_KEPT = 16
ASK_FROM = 3  # runs: fewer are done before a question would be read


def authors_or_stop(corpus: Corpus) -> None:
    """Both tasks need authors; say so where there are none."""
    if corpus.author_names is None or len(corpus.author_names) < 2:
        known = "no authors" if corpus.author_names is None else "one author only"
        st.info(f"This corpus has {known}; models need two or more to tell apart.", icon=":material/person_off:")
        st.page_link("pages/corpus.py", label="Choose another author column or corpus", icon=":material/arrow_forward:")
        st.stop()


def usable_models(task: str) -> dict[str, str]:
    """The models of a task by name and label; those that compare SBERT vectors only while SBERT is the encoder."""
    sbert = state.encoder_in_hand().name == "sbert"
    return {name: kind.label for name, kind in TASKS[task].items() if sbert or not getattr(kind, "vectors", False)}


def setup_of(corpus: Corpus, vectors: Vectors, sampler: str, m: int | None, seed: int) -> Setup:
    """The sampled corpus with its vectors and similarities."""
    return _setup(corpus.fingerprint, vectors.encoder_key, sampler, m, seed, corpus, vectors)


@st.cache_resource(scope="session", max_entries=MOST_KEPT, show_spinner=False)
def _setup(
    fingerprint: str, encoder_key: str, sampler: str, m: int | None, seed: int, _corpus: Corpus, _vectors: Vectors
) -> Setup:
    space = state.space_of(_corpus, _vectors)
    return make_setup(_corpus, _vectors.matrix, space, sampler=sampler, m=m, seed=seed)


def folds_or_stop(setup: Setup, scheme: str, k: int, seed: int) -> tuple[Folds, Leakage]:
    """The folds of a setup and what they leak."""
    try:
        folds = _folds(setup.corpus.fingerprint, scheme, k if SCHEMES[scheme].takes_k else None, seed, setup)
        return folds, fold_leakage(folds, setup.space)
    except LeakscopeError as problem:
        refuse(problem)
        st.stop()


@st.cache_resource(scope="session", max_entries=MOST_KEPT, show_spinner=False)
def _folds(fingerprint: str, scheme: str, k: int | None, seed: int, _setup: Setup) -> Folds:
    return make_folds(_setup.corpus, scheme=scheme, k=k or 2, seed=seed)


def evaluations_or_stop(
    jobs: Sequence[tuple[Setup, Folds]], *, task: str, models: Sequence[str], seed: int, vectors_key: str
) -> list[Evaluation]:
    """Every job's evaluation, from the session, from disk, or computed now with a bar; the user is asked first."""
    if not models:
        st.info("Choose at least one model.", icon=":material/info:")
        st.stop()
    kept: dict[tuple[object, ...], Evaluation] = st.session_state.setdefault("kept_runs", {})
    keys = [_key(setup, folds, task, models, seed, vectors_key) for setup, folds in jobs]
    results = ResultStore(shipped=RESULTS)
    choices = {"task": task, "models": models, "seed": seed, "vectors_key": vectors_key, "results": results}
    new = [(key, job) for key, job in zip(keys, jobs, strict=True) if key not in kept]
    missing = sum(missing_runs(setup.corpus, folds, **choices) for _, (setup, folds) in new)
    wanted = f"run:{hash(tuple(keys))}"
    if missing >= ASK_FROM and not st.session_state.get(wanted):
        _ask_to_run(missing, wanted)
    place = st.empty()
    with place.container(border=missing > 0):
        if missing >= ASK_FROM:
            st.button("Stop", icon=":material/stop:", on_click=st.session_state.pop, args=(wanted, None))
        bar = st.progress(0.0, text="Reading results …") if missing else None
        for number, (key, (setup, folds)) in enumerate(new):

            def show(
                done: int, total: int, label: str, left: float | None, number: int = number, name: str = setup.name
            ) -> None:
                if bar is not None:
                    spoken = "" if left is None else f", about {state.spoken_time(left)} left for {name}"
                    bar.progress((number + done / total) / len(new), text=f"{name}: {label}{spoken}")

            evaluation = evaluate(setup.corpus, folds, vectors=setup.vectors, progress=show, **choices)
            while len(kept) >= MOST_KEPT:
                kept.pop(next(iter(kept)))
            kept[key] = evaluation
    place.empty()
    return [kept[key] for key in keys]


def _key(
    setup: Setup, folds: Folds, task: str, models: Sequence[str], seed: int, vectors_key: str
) -> tuple[object, ...]:
    sides = tuple(tuple(fold.test.tolist()) for fold in folds)
    return setup.corpus.fingerprint, folds.scheme, sides, task, tuple(models), seed, vectors_key


def _ask_to_run(missing: int, wanted: str) -> None:
    with st.container(border=True):
        st.markdown(
            f"**{missing:,} runs of a model on a fold are still to be computed.** Each is kept on disk as it is done; "
            "you can stop at any time."
        )
        st.button(
            "Run them",
            type="primary",
            icon=":material/play_arrow:",
            on_click=st.session_state.update,
            args=({wanted: True},),
        )
    st.stop()
