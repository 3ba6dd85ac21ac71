"""Three views of the Trust lab: the user's own run, simulated groups, and the theorems."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.errors import LeakscopeError
from core.evaluation import right_answers
from core.plots import trust as plots
from core.progress import Progress
from core.statistics import (
    clustered_comparison,
    correlated_variance,
    observed_variance,
    simulated_type1,
    variance_shortfall,
)
from core.statistics.simulation import RESAMPLING, SIMULATED_TESTS, GroupSettings, NetworkRates, Type1, type1_rates
from pages.shared import state, work
from pages.shared.controls import IN_URL, choose_run, two_models
from pages.shared.show import card, figure, refuse, warn

SHARES = (0.1, 0.3, 0.5, 0.7, 0.9)
CORRELATIONS = (0.0, 0.2, 0.4, 0.6, 0.8, 0.9)

Point = tuple[str, float, float]  # a scheme, the share labelled, the correlation of errors


def own_run() -> None:
    """Topics are the groups: what the user's own errors do to a test over documents."""
    corpus = state.corpus_or_stop()
    state.authors_or_stop(corpus)
    vectors = state.vectors_or_stop(corpus)
    run = choose_run(corpus, vectors)
    a, b = two_models(run.models)
    right_a, topics = right_answers(run.evaluation, run.setup.corpus, a)
    right_b, _ = right_answers(run.evaluation, run.setup.corpus, b)
    try:
        found = clustered_comparison(1 - right_a, 1 - right_b, topics)
        simulated = simulated_type1(1 - right_a, 1 - right_b, topics, seed=0)
    except LeakscopeError as problem:
        refuse(problem)
        return
    cards = st.grid(4, min_column_width=190)
    card(cards, "Correlation within topics (φ)", _number(found.phi_difference), "of A's and B's difference")
    card(cards, "Design effect", _number(found.design_effect), f"topics of about {found.group_size:.0f}")
    card(cards, "Effective documents", _number(found.effective_documents, 0), f"of {found.documents:,} questions")
    card(cards, "Type I error to expect", _number(found.expected_type1), f"simulated {_number(simulated)}")
    ahead, behind = (a, b) if found.difference >= 0 else (b, a)
    st.markdown(
        f"{run.models[ahead]} is right {abs(found.difference):.1%} more often than {run.models[behind]}. A test that treats all "
        f"{found.documents:,} questions as independent gives **p {_p(found.naive_p)}**; counting the {found.topics} topics as "
        f"what they are, **p {_p(found.corrected_p)}**. Were the two models equally good, the first would still find a "
        f"difference in about **{_percent(found.expected_type1)}** of such studies instead of 5 %."
    )
    st.caption(
        f"Within topics, errors of {run.models[a]} correlate by {_number(found.phi_a)}, of {run.models[b]} by "
        f"{_number(found.phi_b)}. {' '.join(found.notes)}"
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
    _group_charts(found, correlation, test)
    notes = dict.fromkeys(note for record in found.values() for note in record.notes)
    st.caption(
        f"{trials:,} trials each; bars are 95 % Monte-Carlo intervals. RRS: random test sets; ERS: every instance equally "
        f"often; NCV: disjoint test folds. {' '.join(notes)}"
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
    found = work.results("simulations", steps, start="Simulating …", complain=warn)
    return {point: found[key] for point, key in keys.items() if key in found}


def _simulation(point: Point, settings: GroupSettings, resamples: int, trials: int) -> work.Step[Type1]:
    scheme, share, correlation = point
    folds = None if RESAMPLING[scheme].disjoint else resamples
    wanted = replace(settings, correlation=correlation, folds=folds)

    def compute(progress: Progress) -> Type1:
        try:
            return type1_rates(scheme, labelled=share, trials=trials, seed=0, settings=wanted)
        except LeakscopeError as problem:
            raise LeakscopeError(f"{scheme.upper()} at {share:.0%}: {problem}") from problem

    return work.Step(compute, f"{scheme.upper()}, {share:.0%} labelled, correlation {correlation:g}")


def theorems() -> None:
    """How correlation raises the variance and overlap hides it."""
    asks = st.grid(4, min_column_width=200, gap="medium")
    n = asks.slider("Instances in a sample (n)", 10, 1_000, 300, 10, key="n", bind=IN_URL)
    shared = asks.slider("Shared by all samples (share of n)", 0.0, 1.0, 0.9, 0.05, key="shared", bind=IN_URL)
    correlation = asks.slider("Error correlation (ρ)", 0.0, 1.0, 0.2, 0.05, key="rho", bind=IN_URL)
    size = asks.slider("Group size (g)", 1, 100, 30, 1, key="g", bind=IN_URL)
    c, variance = round(shared * n), 0.09
    true = correlated_variance(variance, n, correlation=correlation, group_size=size)
    seen = observed_variance(variance, n, shared=c, correlation=correlation, group_size=size)
    missed = variance_shortfall(variance, n, shared=c, correlation=correlation, group_size=size)
    figure(plots.variances(true, variance / n, seen), key="variances", alt="Three variances compared")
    st.latex(
        r"\mathrm{Var} = \frac{\sigma^2}{n}\bigl(1 + \rho(g-1)\bigr) \qquad \mathrm{Var}_{obs} = \frac{\sigma^2}{n}\Bigl(1-\frac{c}{n}\Bigr)\Bigl(1+\rho(g-1)\bigl(1-\tfrac{c}{n-1}\bigr)\Bigr)"
    )
    st.markdown(
        f"With errors of variance σ² = {variance} the mean error truly varies by **{true:.3g}**, while samples that share "
        f"{c:,} of {n:,} instances show **{seen:.3g}**: a *t*-test misses **{missed:.3g}** of it, and its standard error is "
        f"{math.sqrt(true / seen):.1f} times too small."
        if seen > 0
        else "All instances are shared: samples show no variance at all."
    )


def _number(value: float, digits: int = 3) -> str:
    return f"{value:,.{digits}f}" if math.isfinite(value) else "undefined"


def _p(value: float) -> str:
    if not math.isfinite(value):
        return "undefined"
    return "< 0.0001" if value < 0.0001 else f"= {value:.4f}"


def _percent(value: float) -> str:
    return f"{value:.0%}" if math.isfinite(value) else "an unknown share"
