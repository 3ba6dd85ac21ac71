"""The Trust lab's networks: relational classifiers on latent-group networks."""

from collections.abc import Callable
from typing import Any

import numpy as np
import streamlit as st

from core.plots import trust as plots
from core.simulate.network_trials import PERTURBATIONS, NetworkRates, calibrate, network_rates
from core.simulate.schemes import SCHEMES
from pages.shared.controls import IN_URL
from pages.shared.rates import QUIET, SHARES, TESTS, point


def networks() -> None:
    """Relational classifiers on latent-group networks (Neville et al. 2012, figures 3 and 4)."""
    st.markdown(
        "Two real relational classifiers, wvRN and nBC, on made networks whose groups share labels. The better one is "
        "handicapped until both are equally good; then the tests are counted on new networks."
    )
    asks = st.grid(4, min_column_width=200, gap="medium", vertical_alignment="bottom")
    trials = asks.select_slider("Networks per point", [20, 50, 100, 200], 50, key="net_trials", bind=IN_URL)
    test = asks.selectbox("Test", list(TESTS), format_func=TESTS.get, key="net_test", bind=IN_URL)
    labelled = asks.select_slider("Share labelled, for power", SHARES, 0.3, key="net_labelled", bind=IN_URL)
    wanted = f"networks:{trials}:{labelled}"
    if not st.session_state.get(wanted):
        asks.button(
            "Run",
            type="primary",
            icon=":material/play_arrow:",
            on_click=st.session_state.update,
            args=({wanted: True},),
        )
        st.caption("A run takes about a minute; it can be stopped, and points already drawn are kept.")
        return
    asks.button("Stop", icon=":material/stop:", on_click=st.session_state.pop, args=(wanted, None))
    found = _networks_found(trials, labelled)
    type1 = {
        scheme.upper(): [
            point(found[scheme, share, 0.0], share, test) for share in SHARES if (scheme, share, 0.0) in found
        ]
        for scheme in SCHEMES
    }
    powers = {
        scheme.upper(): [
            point(record, record.difference, test)
            for record in (found.get((scheme, labelled, step)) for step in PERTURBATIONS)
            if record is not None
        ]
        for scheme in SCHEMES
    }
    charts = st.grid(2, min_column_width=380, gap="medium")
    with charts.cell():
        st.markdown("**Type I error**")
        st.plotly_chart(
            plots.rejection_rates(type1, across="share labelled", percent=True),
            key="net_type1",
            config=QUIET,
            alt="Type I error on networks",
        )
    with charts.cell():
        st.markdown(f"**Power** ({labelled:.0%} labelled)")
        st.plotly_chart(
            plots.rejection_rates(powers, across="true difference in accuracy", percent=False, level=None),
            key="net_power",
            config=QUIET,
            alt="Power on networks against the true difference",
        )
    alike = np.nanmean([record.autocorrelation for record in found.values()])
    st.caption(
        f"Label autocorrelation {alike:.2f} (the paper's networks: about .40). Bars are 95 % Monte-Carlo intervals."
    )


def _networks_found(trials: int, labelled: float) -> dict[tuple[str, float, float], NetworkRates]:
    """Rates for every scheme, share and perturbation asked for; each is kept as it is done."""
    kept: dict[Any, Any] = st.session_state.setdefault("kept_networks", {})
    jobs = [(scheme, share, 0.0) for share in SHARES for scheme in SCHEMES]
    jobs += [(scheme, labelled, step) for step in PERTURBATIONS for scheme in SCHEMES]
    bar = st.progress(0.0, text="Growing networks …")
    for done, (scheme, share, step) in enumerate(jobs):
        bar.progress(done / len(jobs), text=f"{scheme.upper()}, {share:.0%} labelled, perturbed by {step:g}")
        fitted = _kept(kept, ("calibration", share), lambda share=share: calibrate(share, networks=50, seed=0))
        _kept(
            kept,
            (scheme, share, step, trials),
            lambda fitted=fitted, scheme=scheme, step=step: network_rates(
                scheme, fitted, trials=trials, seed=1, perturbation=step
            ),
        )
    bar.empty()
    return {job: kept[(*job, trials)] for job in jobs}


def _kept(kept: dict[Any, Any], key: object, make: Callable[[], object]) -> object:
    if key not in kept:
        kept[key] = make()
    return kept[key]
