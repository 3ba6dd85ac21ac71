"""The Trust lab's theorems: how correlation raises the variance of a mean error, and overlap hides it."""

import math

import streamlit as st

from core.plots import trust as plots
from core.statistics import correlated_variance, observed_variance, variance_shortfall
from pages.shared.controls import IN_URL
from pages.shared.show import figure


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
    st.subheader(
        _too_small(math.sqrt(true / seen) if seen > 0 else math.inf, f"{c:,} of {n:,} instances"), anchor=False
    )
    st.markdown(
        f"With errors of variance σ² = {variance} the mean error truly varies by **{true:.3g}**, while such samples show "
        f"**{seen:.3g}**: a *t*-test misses **{missed:.3g}** of it."
    )
    figure(plots.variances(true, variance / n, seen), key="variances", alt="Three variances compared")
    st.latex(
        r"\mathrm{Var} = \frac{\sigma^2}{n}\bigl(1 + \rho(g-1)\bigr) \qquad \mathrm{Var}_{obs} = \frac{\sigma^2}{n}\Bigl(1-\frac{c}{n}\Bigr)\Bigl(1+\rho(g-1)\bigl(1-\tfrac{c}{n-1}\bigr)\Bigr)"
    )


def _too_small(ratio: float, shared: str) -> str:
    """How far the standard error that overlapping samples show is from the true one."""
    if math.isinf(ratio):
        return f"Samples that share {shared} show no variance at all."
    if ratio < 1.05:
        return f"Samples that share {shared} show the standard error nearly as it is."
    return f"Samples that share {shared} show a standard error {ratio:.1f} times too small."
