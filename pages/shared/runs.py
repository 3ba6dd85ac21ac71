"""Models on folds: the controls of a run, what it costs and whether that fits.

Folds & accuracy, Significance and Trust lab share one choice of a run.
"""

from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeVar

import streamlit as st

from core.corpora import Corpus
from core.errors import LeakscopeError
from core.evaluation import (
    FEW_AUTHORS,
    QUICK_TOPICS,
    QUICK_TRAINING,
    TASKS,
    Estimate,
    Proposal,
    no_room,
    quickest_run,
)
from core.formats import listed
from core.questions import (
    FEWEST_SAMPLES,
    RunSettings,
    SampledRuns,
    choices_of,
    curve,
    model_help,
    quickest_samples,
    sample_and_folds,
    sampled_jobs,
    samples_kept,
    slow_models,
    words_of,
)
from core.study import Pending, Study
from pages.shared import history, jobs, show, widgets
from pages.shared.history import RUN, forget_ranges, own_key
from pages.shared.jobs import spoken_time
from pages.shared.session import is_public, limit, result_store, ship
from pages.shared.widgets import assign

WORTH_IT = 0.7  # of the time of the whole curve, at most, or no quick one is offered
ASK_FROM_SECONDS = 3.0  # shorter work is done before a question would be read
LIMITED = (RUN, "ranking")  # pages whose runs can be limited to the most frequent authors
BEGIN = "begin"  # set by the button that starts what was proposed

Offer = Callable[[], bool] | None  # draws what could be run instead; returns whether there is anything
Found = TypeVar("Found")


def question_of(
    pending: Pending, keys: Sequence[Hashable], *, page: str, offer: Offer, public: bool
) -> tuple[bool, jobs.Question | None]:
    """Return whether pending runs fit into memory, and what to ask before they start; draw why not, or what to run instead."""
    costs, task = list(pending.costs), str(pending.task)
    begin = st.session_state.pop(own_key(page, BEGIN), False)
    asked = not begin and _takes_a_while(costs)
    under_way = jobs.under_way_together(pending.kind, keys, public=public)
    instead = asked and not under_way and offer is not None and offer()
    if sum(cost.runs for cost in costs) and not _fits(pending.study.corpus, costs, task=task, page=page):
        return False, None
    question = jobs.Question("Run them", sentences=(_asked(costs, task),), primary=not instead) if asked else None
    return True, question


def _offer(
    models: Sequence[str], where: str, costs: Sequence[Estimate], values: dict[str, Any], *, task: str, page: str
) -> bool:
    """Draw a proposed run with its button, which sets the controls to these values."""
    labels = [TASKS[task].models[name].label for name in models]
    values = values | {own_key(page, f"models_{task}"): list(models)}
    return _quick_start(f"{listed(labels)} on {where}. {_cost(costs, task)}", values, page=page)


def _quick_start(said: str, values: dict[str, Any], *, page: str) -> bool:
    """Draw what is proposed, and the button that sets the controls to these values and starts it."""
    with st.container(border=True):
        st.markdown(f"**Quick start:** {said}")
        st.button(
            "Run this",
            type="primary",
            icon=":material/play_arrow:",
            key=f"quick start of {page}",
            on_click=_begin,
            args=(page, values),
        )
    return True


def offered_curve(study: Study, settings: curve.Settings) -> Offer:
    """Return what draws a quick leakage curve, on some topics and documents; None where limits are chosen.

    It draws nothing where that would take about as long as the whole curve.
    """
    if settings.most_topics or settings.most_training:
        return None

    def draw() -> bool:
        quick = settings.but(models=(), most_topics=QUICK_TOPICS, most_training=QUICK_TRAINING)
        whole, pending = _pending_curve(study, settings), _pending_curve(study, quick)
        if pending is None or (whole is not None and _seconds(pending) > WORTH_IT * _seconds(whole)):
            return False
        said = f"The controls on {QUICK_TOPICS} test topics, with at most {QUICK_TRAINING:,} training documents. "
        values = {own_key(curve.NAME, name): getattr(quick, name) for name in ("most_topics", "most_training")}
        return _quick_start(said + _cost(pending.costs, str(pending.task)), values, page=curve.NAME)

    return draw


def _pending_curve(study: Study, settings: curve.Settings) -> Pending | None:
    """Return the work that a leakage curve waits for; None where it is there or refused, and then the page says why."""
    try:
        curve.answer(study, settings)
    except Pending as pending:
        return pending
    except LeakscopeError:
        pass
    return None


def _seconds(pending: Pending) -> float:
    return sum(cost.seconds for cost in pending.costs)


def _begin(page: str, values: dict[str, Any]) -> None:
    """Set the controls to what was proposed, and start it."""
    assign(values)
    st.session_state[own_key(page, BEGIN)] = True


def _takes_a_while(costs: Sequence[Estimate]) -> bool:
    return sum(cost.most_seconds for cost in costs) > ASK_FROM_SECONDS


def _asked(costs: Sequence[Estimate], task: str) -> str:
    """Say how many runs are needed, what they cost, and that they can be left alone."""
    return (
        f"**{sum(cost.runs for cost in costs):,} model runs needed.** {_cost(costs, task)} They continue while you look at other "
        "pages. You can stop them at any time, and what is done is kept."
    )


def _cost(costs: Sequence[Estimate], task: str) -> str:
    """Return time and memory, such as "About 4 min, 1.2 GB."; say where the time is unknown or nothing is left to run."""
    if not sum(cost.runs for cost in costs):
        return "Its answers are kept, so it takes a moment."
    memory = f"{max(cost.memory for cost in costs) / 1e9:.1f} GB"
    if new := dict.fromkeys(name for cost in costs for name in cost.unmeasured):
        labels = listed([TASKS[task].models[name].label for name in new])
        have = "has" if len(new) == 1 else "have"
        return (
            f"About {memory}. {labels} {have} not run on this machine yet; you'll see an estimate after the first fold."
        )
    return f"About {spoken_time(sum(cost.seconds for cost in costs))}, {memory}."


def _fits(corpus: Corpus, costs: Sequence[Estimate], *, task: str, page: str) -> bool:
    """Return whether there is room; refuse what would take more memory than a job may, with what would fit as buttons."""
    cost = max(costs, key=lambda cost: cost.memory)
    found = no_room(corpus, cost, task=task, allowed=limit("JOB_MEMORY") * 1e6)
    if found is None:
        return True
    kinds = TASKS[task].models
    show.refuse(f"{found.sentence}.", icon=":material/memory:")
    with st.container(horizontal=True):
        if found.fewer_authors:
            of_run = page in LIMITED and len(corpus.author_names or ()) > FEW_AUTHORS  # else a filter of the whole app
            authors = own_key(page, "authors") if of_run else "most_authors"
            label = words_of(f"Only the {found.fewer_authors} authors with most texts", corpus)
            _suggestion(label, **{authors: found.fewer_authors})
        if found.two_texts and st.session_state.get("author_docs", 1) < 2:
            _suggestion(words_of("Only authors with two texts or more", corpus), author_docs=2)
        if found.light:
            _suggestion(
                f"Without {listed([kinds[name].label for name in found.heavy])}",
                **{own_key(page, f"models_{task}"): list(found.light)},
            )
    return False


def _suggestion(label: str, **changed: Any) -> None:
    st.button(label, on_click=assign, args=(changed,), icon=":material/build:")


def offered_samples(study: Study, settings: Any, *, page: str, samples_key: str, task: str, control: str = "") -> Offer:
    """Return what draws a quick run on HITS and random samples; None where models or few samples are chosen.

    A test that needs a `control` has it in its run.
    """
    if settings.models or settings.samples <= FEWEST_SAMPLES:
        return None

    def draw() -> bool:
        given = {name: getattr(settings, name) for name in ("m", "k", "pairs", "calibration")}
        allowed = limit("JOB_MEMORY") * 1e6
        found = quickest_samples(
            study,
            task=task,
            control=control,
            most=settings.samples,
            allowed=allowed,
            author_limits=page in LIMITED,
            **given,
        )
        whole = found is not None and found.samples == settings.samples and set(found.models) == set(study.models(task))
        if found is None or (whole and not found.authors):
            return False
        where = f"HITS and {found.samples} random samples, with {settings.k} topic folds each"
        values = {samples_key: found.samples}
        if found.authors:
            values[own_key(page, "authors")] = found.authors
            where += words_of(f" and the {found.authors} most frequent authors", study.corpus)
        return _offer(found.models, where, found.costs, values, task=task, page=page)

    return draw


def offer_slow_models(study: Study, runs: SampledRuns, settings: Any, *, samples_key: str) -> None:
    """Offer the slow models on as many random samples as their answers are kept for, unless models were chosen."""
    task = runs.evaluations[0].task
    slow = {name: label for name, label in slow_models(study, task).items() if name not in runs.models}
    if not slow or settings.models:
        return
    kept = samples_kept(
        study,
        sampled_jobs(study, m=settings.m, k=settings.k, samples=settings.samples),
        task=task,
        seed=0,
        pairing=settings.pairs,
        calibration=settings.calibration,
    )
    if kept < FEWEST_SAMPLES:
        return
    names = listed(list(slow.values()))
    st.caption(
        f"{names} train for minutes per fold. Their answers are ready for HITS and {kept} random samples, not for {settings.samples}."
    )
    st.button(f"Add {names}, with {kept} random samples", on_click=assign, args=({samples_key: kept},))


KEPT = "run_kept"  # in the session: what was chosen last, for the next page that asks
KEPT_ON = "kept_run_page"  # the page on which that was


def ask_run(study: Study, *, asks_metric: bool = True) -> RunSettings:
    """Draw the controls of a run and return what is chosen; a choice made on one page holds on the others."""
    _restore()
    row = st.container(horizontal=True, vertical_alignment="bottom", gap="medium")
    task = row.container(width="content")
    more = row.popover("More", icon=":material/tune:", help="Folds, models, topics, pairs, calibration and seed")
    names = tuple(name for name in RunSettings.controls() if asks_metric or name != "metric")
    places = {name: task if name == "task" else more.container() for name in names}
    said = ("scheme", "k", *(("metric",) if asks_metric else ()))
    settings = widgets.ask(RunSettings, study, question=RUN, place=row, places=places, only=names, said=said)
    more.caption(model_help(study, settings.task))
    _keep()
    return _with_shipped(study, settings)


def _restore() -> None:
    """Put back what another page chose.

    Streamlit forgets the controls of a page that is left, and on the next page has their values for one run, unused.
    """
    state, page = st.session_state, st.session_state.get(history.NOW)
    moved = state.get(KEPT_ON) != page
    state[KEPT_ON] = page
    for key, value in state.get(KEPT, {}).items():
        if value is not None and key not in st.query_params and (moved or key not in state):
            state[key] = value


def _keep() -> None:
    started = own_key(RUN, BEGIN)  # a button's mark, for one run only
    st.session_state[KEPT] = {
        key: value
        for key, value in st.session_state.items()
        if str(key).startswith(f"{RUN}_") and key not in (KEPT, started)
    }


def forget_run() -> None:
    """Forget what was chosen, before a page is opened with a run of its own."""
    st.session_state.pop(KEPT, None)
    forget_ranges(RUN)


def _with_shipped(study: Study, settings: RunSettings) -> RunSettings:
    """Add the slow models whose answers to this run ship with the bundled corpus, where no model was chosen by hand."""
    if st.session_state.get(own_key(RUN, f"models_{settings.task}")) or not is_public(study.corpus):
        return settings
    slow = [name for name in study.models(settings.task, by_choice=True) if name not in settings.models]
    job = sample_and_folds(study, settings)
    choices = choices_of(settings) | {"vectors_key": study.vectors.encoder_key}
    del choices["models"]
    kept = [name for name in slow if ship(job, [name], **choices)]
    return settings.but(models=(*settings.models, *kept))


def offered(study: Study, settings: RunSettings) -> Callable[[], bool] | None:
    """Return what draws the quickest sensible run with its button; None where the visitor has chosen a run."""
    if any(key.startswith(f"{RUN}_") for key in st.query_params):
        return None
    corpus: Corpus = study.corpus
    choices: dict[str, Any] = choices_of(settings) | {"vectors_key": study.vectors.encoder_key}
    choices["models"] = [name for name in settings.models if name not in study.own]
    if not choices["models"]:
        return None

    def draw() -> bool:
        found = quickest_run(corpus, results=result_store(public=is_public(corpus)), **choices)
        return found is not None and _offer_folds(corpus, found, settings.task)

    return draw


def _offer_folds(corpus: Corpus, found: Proposal, task: str) -> bool:
    """Draw a proposed run on topic folds."""
    values, where = {own_key(RUN, "k"): found.k}, f"{found.k} topic folds"
    if found.authors:
        values[own_key(RUN, "authors")] = found.authors
        where += words_of(f", with the {found.authors} most frequent authors", corpus)
    return _offer(found.models, where, [found.estimate], values, task=task, page=RUN)
