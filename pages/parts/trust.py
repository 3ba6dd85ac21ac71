"""Two views of the Trust lab: the user's own run, and simulated groups."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.errors import LeakscopeError
from core.evaluation import TASKS, right_answers
from core.plots import trust as plots
from core.statistics import (
    ClusteredComparison,
    chance_phi,
    clustered_comparison,
    simulated_type1,
)
from core.statistics.simulation import RESAMPLING, SIMULATED_TESTS, GroupSettings, NetworkRates, Type1, type1_rates
from pages.shared import encoding, state, work
from pages.shared.controls import IN_URL, encoder_notes
from pages.shared.run_controls import choose_run, two_models
from pages.shared.show import card, figure, refuse, warn

SHARES = (0.1, 0.3, 0.5, 0.7, 0.9)
CORRELATIONS = (0.0, 0.2, 0.4, 0.6, 0.8, 0.9)

Point = tuple[str, float, float]  # a scheme, the share labelled, the correlation of errors


def own_run() -> None:
    """Topics are the groups: what the user's own errors do to a test over documents."""
    corpus = state.corpus_or_stop()
    state.authors_or_stop(corpus)
    vectors = encoding.vectors_or_stop(corpus)
    run = choose_run(corpus, vectors)
    a, b = two_models(run.models)
    right_a, topics = right_answers(run.evaluation, run.setup.corpus, a)
    right_b, _ = right_answers(run.evaluation, run.setup.corpus, b)
    try:
        found = clustered_comparison(1 - right_a, 1 - right_b, topics)
        simulated = simulated_type1(1 - right_a, 1 - right_b, topics, seed=0)
        by_chance = chance_phi(1 - right_a, 1 - right_b, topics, seed=0)
    except LeakscopeError as problem:
        refuse(problem)
        return
    with st.container(border=True):
        st.subheader(_how_often(found, by_chance), anchor=False)
        st.markdown(_two_readings(found, run.models[a], run.models[b]))
    if not math.isfinite(found.expected_type1):
        return
    cards = st.grid(4, min_column_width=190)
    beside = "counts as 0" if found.phi_difference < 0 else f"topics shuffled: up to {by_chance:.3f}"
    card(cards, "Correlation within topics (φ)", _number(found.phi_difference), beside)
    card(cards, "Design effect", _number(found.design_effect), f"topics of about {found.group_size:.0f} questions")
    card(cards, "Effective questions", _number(found.effective_documents, 0), f"of {found.documents:,}")
    card(cards, "Type I error to expect", _number(found.expected_type1), f"simulated {_number(simulated)}")
    shared = (
        "pairs of texts also share texts and authors"
        if TASKS[run.evaluation.task].asks_pairs
        else "texts also share authors"
    )
    st.caption(
        f"Within topics, errors of {run.models[a]} correlate by {_number(found.phi_a)}, of {run.models[b]} by "
        f"{_number(found.phi_b)}. {' '.join(found.notes)} Questions are clustered by topic only; {shared}, which no number "
        "here counts in, so that even the corrected p may be too small."
    )
    encoder_notes(vectors.notes)


def _how_often(found: ClusteredComparison, by_chance: float) -> str:
    """The page's answer: how often a test that takes questions for independent finds what is not there."""
    if not math.isfinite(found.expected_type1):
        return (
            "There is nothing to test: the two models are right on the very same questions."
            if found.difference == 0
            else "There is nothing to test: one model is right and the other wrong on every question."
        )
    test = f"test that takes these {found.documents:,} questions for independent"
    if not found.phi_difference > by_chance:
        return (
            f"As far as topics go, nothing shows that a {test} errs more often than it should: φ is no larger than shuffled "
            "topics make it."
        )
    return (
        f"A {test} would find a difference between two equally good models in about {100 * found.expected_type1:.0f} % of studies "
        "instead of 5 %."
    )


def _two_readings(found: ClusteredComparison, a: str, b: str) -> str:
    """Who is ahead by how many percentage points, and the two p-values."""
    ahead, behind = (a, b) if found.difference >= 0 else (b, a)
    points = 100 * abs(found.difference)
    said = f"{a} and {b} are right equally often." if points == 0 else ""
    said = said or f"{ahead} is right on more of the questions than {behind}, by {points:.1f} percentage points."
    if not math.isfinite(found.naive_p):
        return said
    return (
        f"{said} Taking all questions for independent gives **p {_p(found.naive_p)}**; counting the {found.topics} topics as "
        f"what they are, **p {_p(found.corrected_p)}**."
    )


def groups() -> None:
    """Simulated classifiers that err in groups (Neville et al. 2012, figures 2a and 2b)."""
    asks = st.grid(4, min_column_width=200, gap="medium")
    error = asks.slider("Error rate", 0.05, 0.5, 0.1, 0.05, key="error", bind=IN_URL)
    correlation = asks.slider("Error correlation", 0.0, 1.0, 0.9, 0.05, key="correlation", bind=IN_URL)
    instances = asks.slider("Instances", 50, 1_000, 300, 50, key="instances", bind=IN_URL)
    number = asks.slider("Groups", 10, 50, 10, 10, key="groups", bind=IN_URL)
    trials = asks.select_slider("Trials", [100, 300, 1_000, 2_000], 300, key="trials", bind=IN_URL)
    resamples = asks.slider("Resamples (RRS, ERS)", 5, 50, 30, 5, key="resamples", bind=IN_URL)
    test = choose_test(asks, key="trust_test")
    fixed = asks.toggle(
        "Errors stay across folds",
        key="fixed",
        bind=IN_URL,
        help="As a trained model's errors on an instance nearly do.",
    )
    settings = GroupSettings(error=error, instances=instances, groups=number, fixed_errors=fixed)
    points = [(scheme, share, correlation) for scheme in RESAMPLING for share in SHARES]
    points += [(scheme, 0.5, value) for scheme in RESAMPLING for value in CORRELATIONS]
    found = _simulated(points, settings, resamples, trials)
    _groups_answer({scheme: found.get((scheme, 0.5, correlation)) for scheme in RESAMPLING}, test)
    _group_charts(found, correlation, test)
    notes = dict.fromkeys(note for record in found.values() for note in record.notes)
    st.caption(
        f"{trials:,} trials each; bars are 95 % Monte-Carlo intervals. RRS: random test sets; ERS: every instance equally "
        f"often; NCV: disjoint test folds. {' '.join(notes)}"
    )


def _groups_answer(found: Mapping[str, Type1 | None], test: str) -> None:
    """How often the test errs under every scheme, half labelled."""
    known = {scheme: record.rates[test] for scheme, record in found.items() if record is not None}
    rates = ", ".join(
        f"{100 * rate:.0f} % under {scheme.upper()}" for scheme, rate in known.items() if math.isfinite(rate)
    )
    if rates:
        short = SIMULATED_TESTS[test].short
        st.subheader(
            f"Half of the instances labelled, {short} at .05 calls two equally good models different: in {rates} of studies.",
            anchor=False,
        )


def choose_test(asks: DeltaGenerator, *, key: str) -> str:
    """One of the tests that simulations count."""
    return asks.selectbox(
        "Test", list(SIMULATED_TESTS), format_func=lambda name: SIMULATED_TESTS[name].short, key=key, bind=IN_URL
    )


def rate(record: Type1 | NetworkRates, x: float, test: str) -> tuple[float, float, float, float]:
    """x, the rate of one test, and its Monte-Carlo interval: a point of a chart."""
    low, high = record.intervals[test]
    return x, record.rates[test], low, high


def _group_charts(found: Mapping[Point, Type1], correlation: float, test: str) -> None:
    by_share = {
        scheme.upper(): [
            rate(found[scheme, share, correlation], share, test)
            for share in SHARES
            if (scheme, share, correlation) in found
        ]
        for scheme in RESAMPLING
    }
    half = {scheme: [found.get((scheme, 0.5, value)) for value in CORRELATIONS] for scheme in RESAMPLING}
    by_phi = {
        scheme.upper(): [
            rate(record, record.error_correlation, test)
            for record in records
            if record is not None and math.isfinite(record.error_correlation)
        ]
        for scheme, records in half.items()
    }
    halves = st.grid(2, min_column_width=380, gap="medium")
    with halves.cell():
        st.markdown("**Against the share labelled**")
        figure(
            plots.rejection_rates(by_share, across="share labelled", percent=True),
            key="by_share",
            alt="Type I error against the share of labelled instances",
        )
    with halves.cell():
        st.markdown("**Against the measured correlation of errors** (half labelled)")
        figure(
            plots.rejection_rates(by_phi, across="φ of errors within groups", percent=False),
            key="by_phi",
            alt="Type I error against measured error correlation",
        )


def _simulated(points: Sequence[Point], settings: GroupSettings, resamples: int, trials: int) -> dict[Point, Type1]:
    """The rates at every point; one that cannot be had (an instance in no test set, say) says why and is left out."""
    keys = {point: (point, resamples, trials, settings) for point in points}
    steps = {keys[point]: _simulation(point, settings, resamples, trials) for point in keys}
    found = work.results("simulations", steps, name="Simulating", complain=warn, spread=True, public=True)
    return {point: found[key] for point, key in keys.items() if key in found}


def _simulation(point: Point, settings: GroupSettings, resamples: int, trials: int) -> work.Step[Type1]:
    scheme, share, correlation = point
    folds = None if RESAMPLING[scheme].disjoint else resamples
    wanted = replace(settings, correlation=correlation, folds=folds)
    return work.step(type1_rates, scheme, labelled=share, trials=trials, seed=0, settings=wanted)


def _number(value: float, digits: int = 3) -> str:
    return f"{value:,.{digits}f}" if math.isfinite(value) else "undefined"


def _p(value: float) -> str:
    if not math.isfinite(value):
        return "undefined"
    return "< 0.0001" if value < 0.0001 else f"= {value:.4f}"
