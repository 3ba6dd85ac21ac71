"""The Trust lab's networks: the bundled one and one's own, or made ones with the paper's settings."""

from collections.abc import Mapping

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.formats import percent
from core.plots import trust as plots
from core.report import DrawnNetworks
from core.statistics.simulation import (
    NETWORK_SHARES,
    RESAMPLING,
    NetworkRates,
    Point,
    network_curves,
    network_points,
    rates_when_equal,
    simulated_conclusion,
)
from pages.parts import trust_own_networks
from pages.parts.trust import choose_pair, choose_test
from pages.shared import result_cache, work
from pages.shared.controls import IN_URL
from pages.shared.history import note_drawn
from pages.shared.show import conclude, figure

NODES = (300, 600)  # the paper's two sizes (its figure 4)


def networks(answer: DeltaGenerator) -> None:
    """Which networks: those at hand, one's own, or made ones."""
    sources = {
        "the Courier's": trust_own_networks.bundled,
        "your own": trust_own_networks.own,
        "made networks": made,
    }
    asked = st.segmented_control(
        "Networks", list(sources), default="the Courier's", required=True, key="net_source", bind=IN_URL
    )
    sources[asked](answer)


def made(answer: DeltaGenerator) -> None:
    """Relational classifiers on latent-group networks (Neville et al. 2012, figures 3 and 4)."""
    st.markdown(
        "Two real relational classifiers on made networks whose groups share labels. The better one is handicapped until both "
        "are equally good; then the tests are counted on new networks."
    )
    asks = st.grid(4, min_column_width=200, gap="medium", vertical_alignment="bottom")
    models = choose_pair(asks, key="net")
    test = choose_test(asks, key="net_test")
    nodes = asks.select_slider("Nodes of a network", NODES, NODES[0], key="net_nodes", bind=IN_URL)
    trials = asks.select_slider("Networks per point", [20, 50, 100, 200], 50, key="net_trials", bind=IN_URL)
    labelled = asks.select_slider("Share labelled, for power", NETWORK_SHARES, 0.3, key="net_labelled", bind=IN_URL)
    points = network_points(labelled)
    steps = {(*point, trials, nodes, *models): _trials(point, trials, nodes, models) for point in points}
    missing = sum(not result_cache.cached("networks", key, public=True) for key in steps)
    seconds = missing * trials * nodes / 100 / 300 * 2
    question = work.Question(
        "Run",
        where=asks,
        caption=f"{missing} of {len(points)} points are still to be computed, about {seconds:.0f} seconds of one core. You can "
        "stop at any time; what is done is drawn.",
    )
    done = work.results("networks", steps, name="Growing networks", question=question, spread=True, public=True)
    if done:
        found = {(key[0], key[1], key[2]): record for key, record in done.items()}
        equal = {scheme: found.get((scheme, labelled, 0.0)) for scheme in RESAMPLING}
        when = f"{trials} networks of {nodes} nodes each, of which {percent(labelled)} is labelled."
        note_drawn("networks", DrawnNetworks("made networks", models, test, made=found, labelled=labelled, when=when))
        with answer:
            conclude(simulated_conclusion(equal, test, when))
        _show(found, labelled, test)


def _trials(point: Point, trials: int, nodes: int, models: tuple[str, str]) -> work.Step[NetworkRates]:
    scheme, share, perturbation = point
    return work.step(
        rates_when_equal, scheme, share, trials=trials, seed=1, perturbation=perturbation, models=models, nodes=nodes
    )


def _show(found: Mapping[Point, NetworkRates], labelled: float, test: str) -> None:
    type1, powers = network_curves(found, labelled, test=test)
    charts = st.grid(2, min_column_width=380, gap="medium")
    with charts.cell():
        st.markdown("**Type I error**")
        figure(plots.rejection_rates(type1, across="share labelled", percent=True), key="net_type1")
    with charts.cell():
        st.markdown(f"**Power** ({percent(labelled)} labelled)")
        figure(
            plots.rejection_rates(powers, across="true difference in accuracy", percent=False, level=None),
            key="net_power",
        )
    alike, errors = (
        np.nanmean([getattr(record, name) for record in found.values()])
        for name in ("autocorrelation", "error_correlation")
    )
    st.caption(
        f"Label autocorrelation {alike:.2f} (the paper's networks: .40), error correlation {errors:.2f} (.20). Bars are 95 % "
        "Monte-Carlo intervals. The paper reports about .50 for RRS at 20 % labelled; what was tried to explain the distance is "
        "in docs/findings.md."
    )
