"""The Trust lab's theorems: how correlation raises the variance of a mean error, and overlap hides it."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.plots import trust as plots
from core.statistics import (
    Conclusion,
    correlated_variance,
    observed_variance,
    overlap_sentence,
    variance_shortfall,
)
from pages.shared.conclusions import conclude
from pages.shared.controls import IN_URL
from pages.shared.show import figure


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
