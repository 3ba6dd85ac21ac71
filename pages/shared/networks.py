"""The Trust lab's networks: relational classifiers on latent-group networks."""

from typing import Any

import numpy as np
import streamlit as st

from core.plots import trust as plots
from core.statistics.simulation import PERTURBATIONS, SCHEMES, NetworkRates, calibrate, network_rates
from pages.shared.controls import IN_URL
from pages.shared.rates import QUIET, SHARES, TESTS, point

Job = tuple[str, float, float]  # scheme, share labelled, perturbation


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
    kept: dict[Any, Any] = st.session_state.setdefault("kept_networks", {})
    jobs: list[Job] = [(scheme, share, 0.0) for share in SHARES for scheme in SCHEMES]
    jobs += [(scheme, labelled, step) for step in PERTURBATIONS for scheme in SCHEMES]
    missing = [job for job in jobs if (*job, trials) not in kept]
    wanted = f"networks:{trials}:{labelled}"
    if missing and st.session_state.get(wanted):
        asks.button("Stop", icon=":material/stop:", on_click=st.session_state.pop, args=(wanted, None))
        _compute(missing, trials, kept)
    elif missing:
        run = {"on_click": st.session_state.update, "args": ({wanted: True},)}
        asks.button("Run", type="primary", icon=":material/play_arrow:", **run)
        st.caption(
            f"{len(missing)} of {len(jobs)} points are still to be computed, about two seconds each for 100 networks. "
            "You can stop at any time; what is done is drawn."
        )
    found = {job: kept[*job, trials] for job in jobs if (*job, trials) in kept}
    if found:
        _show(found, labelled, test)


def _compute(missing: list[Job], trials: int, kept: dict[Any, Any]) -> None:
    """Each point is kept as it is done: a click ends the script at the bar's next step."""
    bar = st.progress(0.0, text="Growing networks …")
    for done, (scheme, share, step) in enumerate(missing):
        bar.progress(done / len(missing), text=f"{scheme.upper()}, {share:.0%} labelled, perturbed by {step:g}")
        if ("calibration", share) not in kept:
            kept["calibration", share] = calibrate(share, networks=50, seed=0)
        kept[scheme, share, step, trials] = network_rates(
            scheme, kept["calibration", share], trials=trials, seed=1, perturbation=step
        )
    bar.empty()


def _show(found: dict[Job, NetworkRates], labelled: float, test: str) -> None:
    type1 = {
        scheme.upper(): [
            point(found[scheme, share, 0.0], share, test) for share in SHARES if (scheme, share, 0.0) in found
        ]
        for scheme in SCHEMES
    }
    powers = {
        scheme.upper(): [
            point(found[scheme, labelled, step], found[scheme, labelled, step].difference, test)
            for step in PERTURBATIONS
            if (scheme, labelled, step) in found
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
