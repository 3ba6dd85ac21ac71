"""Three views of the Trust lab: the user's own run, simulated groups, and the theorems on correlated errors."""

import math
from collections.abc import Mapping, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.errors import LeakscopeError
from core.evaluation import TASKS, clustered_errors
from core.formats import number, share
from core.plots import trust as plots
from core.statistics import (
    Conclusion,
    correlated_variance,
    error_conclusion,
    observed_variance,
    overlap_sentence,
    variance_shortfall,
)
from core.statistics.simulation import (
    PAIR,
    RELATIONAL,
    RESAMPLING,
    SIMULATED_TESTS,
    GroupSettings,
    Point,
    Type1,
    at_point,
    group_curves,
    group_points,
    simulated_conclusion,
    type1_rates,
)
from pages.shared import corpus_vectors, state, work
from pages.shared.controls import IN_URL, encoder_notes
from pages.shared.history import note_drawn
from pages.shared.run_controls import choose_run, two_models
from pages.shared.show import card, conclude, escaped, figure, refuse, warn

HALF = "Half of the instances labelled."


def own_run(answer: DeltaGenerator) -> None:
    """Topics are the groups: what the user's own errors do to a test over documents."""
    corpus = state.corpus_or_stop()
    state.authors_or_stop(corpus)
    vectors = corpus_vectors.vectors_or_stop(corpus)
    run = choose_run(corpus, vectors, page="trust", answer=answer, asks_metric=False)
    a, b = two_models(run.models, page="trust")
    names = run.models[a], run.models[b]
    try:
        errors = clustered_errors(run.evaluation, run.setup.corpus, a, b)
    except LeakscopeError as problem:
        refuse(problem)
        return
    found, by_chance, simulated = errors.found, errors.by_chance, errors.simulated
    with answer:
        conclude(error_conclusion(found, by_chance=by_chance, simulated=simulated, names=names))
    if not math.isfinite(found.expected_type1):
        return
    cards = st.grid(4, min_column_width=150)
    beside = "counts as 0" if found.phi_difference < 0 else f"topics shuffled: up to {by_chance:.3f}"
    card(cards, "Correlation within topics (φ)", _number(found.phi_difference), beside)
    card(cards, "Design effect", f"{found.design_effect:.1f}", f"topics of about {found.group_size:.0f} questions")
    card(cards, "Effective questions", f"{found.effective_documents:,.0f}", f"of {found.documents:,}")
    card(cards, "Type I error to expect", share(found.expected_type1), f"simulated {share(simulated)}")
    shared = (
        "pairs of texts also share texts and authors"
        if TASKS[run.evaluation.task].asks_pairs
        else "texts also share authors"
    )
    st.caption(
        f"Within topics, errors of {escaped(names[0])} correlate by {_number(found.phi_a)}, of {escaped(names[1])} by "
        f"{_number(found.phi_b)}. {' '.join(found.notes)} Questions are clustered by topic only; {shared}, which no number "
        "here counts in, so that even the corrected p may be too small."
    )
    encoder_notes(vectors.notes)


def groups(answer: DeltaGenerator) -> None:
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
    found = _simulated(group_points(correlation), settings, resamples, trials)
    half = {scheme: found.get((scheme, 0.5, correlation)) for scheme in RESAMPLING}
    if any(half.values()):
        note_drawn("groups", found)
        with answer:
            conclude(simulated_conclusion(half, test, HALF))
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


def choose_pair(asks: DeltaGenerator, *, key: str) -> tuple[str, str]:
    """Two different relational classifiers; says so and ends the page where they are one."""
    labels = {name: kind.label for name, kind in RELATIONAL.items()}
    about = " ".join(f"{kind.label}: {kind.about}" for kind in RELATIONAL.values())
    chosen = [
        asks.selectbox(
            side, list(labels), list(labels).index(usual), format_func=labels.__getitem__, key=f"{key}_{side.lower()}",
            bind=IN_URL, help=about,
        )
        for side, usual in zip("AB", PAIR, strict=True)
    ]  # fmt: skip
    if chosen[0] == chosen[1]:
        st.info("Choose two different classifiers.", icon=":material/info:")
        st.stop()
    return chosen[0], chosen[1]


def _group_charts(found: Mapping[Point, Type1], correlation: float, test: str) -> None:
    if not found:  # the card of the job says how far it is
        return
    by_share, by_phi = group_curves(found, correlation, test=test)
    halves = st.grid(2, min_column_width=380, gap="medium")
    with halves.cell():
        st.markdown("**Against the share labelled**")
        figure(plots.rejection_rates(by_share, across="share labelled", percent=True), key="by_share")
    with halves.cell():
        st.markdown("**Against the measured correlation of errors** (half labelled)")
        figure(plots.rejection_rates(by_phi, across="φ of errors within groups", percent=False), key="by_phi")


def _simulated(points: Sequence[Point], settings: GroupSettings, resamples: int, trials: int) -> dict[Point, Type1]:
    """The rates at every point; one that cannot be had (an instance in no test set, say) says why and is left out."""
    keys = {point: (point, resamples, trials, settings) for point in points}
    steps = {keys[point]: _simulation(point, settings, resamples, trials) for point in keys}
    found = work.results("simulations", steps, name="Simulating", complain=warn, spread=True, public=True)
    return {point: found[key] for point, key in keys.items() if key in found}


def _simulation(point: Point, settings: GroupSettings, resamples: int, trials: int) -> work.Step[Type1]:
    wanted = at_point(point, settings, resamples)
    return work.step(type1_rates, point[0], labelled=point[1], trials=trials, seed=0, settings=wanted)


def _number(value: float) -> str:
    return number(value) if math.isfinite(value) else "undefined"


def theorems(answer: DeltaGenerator) -> None:
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
    with answer:
        said = (
            f"With errors of variance σ² = {variance} the mean error truly varies by {true:.3g}, while such samples show "
            f"{seen:.3g}: a t-test misses {missed:.3g} of it."
        )
        conclude(Conclusion(overlap_sentence(true, seen, shared=c, n=n), (said,)))
    figure(plots.variances(true, variance / n, seen), key="variances", alt="Three variances compared")
    st.latex(
        r"\mathrm{Var} = \frac{\sigma^2}{n}\bigl(1 + \rho(g-1)\bigr) \qquad \mathrm{Var}_{obs} = \frac{\sigma^2}{n}\Bigl(1-\frac{c}{n}\Bigr)\Bigl(1+\rho(g-1)\bigl(1-\tfrac{c}{n-1}\bigr)\Bigr)"
    )
