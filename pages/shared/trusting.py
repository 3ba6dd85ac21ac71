"""Three views of the Trust lab: the user's own run, simulated groups, and the theorems."""

import math

import streamlit as st

from core.errors import LeakscopeError
from core.plots import trust as plots
from core.statistics import bridge, simulated_type1
from core.statistics.simulation import (
    SCHEMES,
    Type1,
    correlated_variance,
    observed_variance,
    type1_rates,
    variance_shortfall,
)
from pages.shared import runs, state
from pages.shared.choosing import choose_run, right_answers, two_models
from pages.shared.controls import IN_URL
from pages.shared.rates import QUIET, SHARES, TESTS, point
from pages.shared.saying import literal, refuse

CORRELATIONS = (0.0, 0.2, 0.4, 0.6, 0.8, 0.9)


def own_run() -> None:
    """Topics are the groups: what the user's own errors do to a test over documents."""
    corpus = state.corpus_or_stop()
    runs.authors_or_stop(corpus)
    vectors = state.vectors_or_stop(corpus)
    run = choose_run(corpus, vectors)
    a, b = two_models(run.models)
    (right_a, topics), (right_b, _) = right_answers(run, a), right_answers(run, b)
    try:
        found = bridge(1 - right_a, 1 - right_b, topics)
        simulated = simulated_type1(1 - right_a, 1 - right_b, topics, seed=0)
    except LeakscopeError as problem:
        refuse(problem)
        return
    cards = st.grid(4, min_column_width=190)
    card = {"border": True, "delta_color": "off", "delta_arrow": "off", "height": "stretch"}
    cards.metric("Correlation within topics (φ)", _number(found.phi_difference), "of A's and B's difference", **card)
    cards.metric("Design effect", _number(found.design_effect), f"topics of about {found.group_size:.0f}", **card)
    cards.metric(
        "Effective documents", _number(found.effective_documents, 0), f"of {found.documents:,} questions", **card
    )
    cards.metric("Type I error to expect", _number(found.expected_type1), f"simulated {_number(simulated)}", **card)
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
    test = asks.selectbox("Test", list(TESTS), format_func=TESTS.get, key="trust_test", bind=IN_URL)
    fixed = asks.toggle(
        "Errors stay across folds",
        key="fixed",
        bind=IN_URL,
        help="As a trained model's errors on an instance nearly do.",
    )
    settings = {"error": error, "instances": instances, "groups": number, "trials": trials, "fixed_errors": fixed}
    jobs = [(scheme, share, correlation) for scheme in SCHEMES for share in SHARES]
    jobs += [(scheme, 0.5, value) for scheme in SCHEMES for value in CORRELATIONS]
    found = _simulated(jobs, settings, resamples)
    charts = st.grid(2, min_column_width=380, gap="medium")
    with charts.cell():
        st.markdown("**Against the share labelled**")
        by_share = {
            scheme.upper(): [
                point(found[scheme, share, correlation], share, test)
                for share in SHARES
                if (scheme, share, correlation) in found
            ]
            for scheme in SCHEMES
        }
        st.plotly_chart(
            plots.rejection_rates(by_share, across="share labelled", percent=True),
            key="by_share",
            config=QUIET,
            alt="Type I error against the share of labelled instances",
        )
    with charts.cell():
        st.markdown("**Against the measured correlation of errors** (half labelled)")
        by_phi = {
            scheme.upper(): [
                point(record, record.error_correlation, test)
                for record in (found.get((scheme, 0.5, value)) for value in CORRELATIONS)
                if record is not None and math.isfinite(record.error_correlation)
            ]
            for scheme in SCHEMES
        }
        st.plotly_chart(
            plots.rejection_rates(by_phi, across="φ of errors within groups", percent=False),
            key="by_phi",
            config=QUIET,
            alt="Type I error against measured error correlation",
        )
    notes = dict.fromkeys(note for record in found.values() for note in record.notes)
    st.caption(
        f"{trials:,} trials each; bars are 95 % Monte-Carlo intervals. RRS: random test sets; ERS: every instance equally "
        f"often; NCV: disjoint test folds. {' '.join(notes)}"
    )


def _simulated(
    jobs: list[tuple[str, float, float]], settings: dict[str, object], resamples: int
) -> dict[tuple[str, float, float], Type1]:
    """Every job's rates, with a bar where it takes long; a change of a control stops it, finished jobs are kept.

    A job that cannot be run (an instance in no test set, say) says why and leaves the others alone.
    """
    kept: dict[object, Type1] = st.session_state.setdefault("kept_rates", {})
    if len(kept) > 2_000:
        kept.clear()
    keys = {job: (job, resamples, tuple(sorted(settings.items()))) for job in jobs}
    missing = [job for job in dict.fromkeys(jobs) if keys[job] not in kept]
    bar = st.progress(0.0, text="Simulating …") if missing else None
    problems = []
    for done, job in enumerate(missing):
        scheme, share, correlation = job
        folds = None if scheme == "ncv" else resamples
        try:
            kept[keys[job]] = type1_rates(
                scheme, labelled=share, correlation=correlation, seed=0, folds=folds, **settings
            )
        except LeakscopeError as problem:
            problems.append(f"{scheme.upper()} at {share:.0%}: {problem}")
        if bar is not None:
            bar.progress(
                (done + 1) / len(missing), text=f"{scheme.upper()}, {share:.0%} labelled, correlation {correlation:g}"
            )
    if bar is not None:
        bar.empty()
    for problem in dict.fromkeys(problems):
        st.warning(literal(problem), icon=":material/warning:")
    return {job: kept[keys[job]] for job in jobs if keys[job] in kept}


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
    st.plotly_chart(
        plots.variances(true, variance / n, seen), key="variances", config=QUIET, alt="Three variances compared"
    )
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
