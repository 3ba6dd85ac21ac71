"""The Trust lab's networks of one's own: labels and errors along links, and tests on resamples."""

import hashlib
from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.corpora.readers import File
from core.demo import bundled_network
from core.errors import LeakscopeError
from core.plots import trust as plots
from core.report import DrawnNetworks
from core.statistics.simulation import (
    PUBLISHED_NETWORKS,
    RELATIONAL,
    Network,
    NetworkProfile,
    OwnPoint,
    OwnRates,
    network_profile,
    own_conclusion,
    own_curves,
    own_points,
    own_rates,
)
from core.studies import OwnNetwork, read_network
from pages.parts.trust import choose_pair, choose_test
from pages.shared import result_cache, show, work
from pages.shared.controls import IN_URL
from pages.shared.history import file_key, note_drawn
from pages.shared.show import conclude

WAYS = ("labelled neighbours only", "collective")
PACE = 250_000  # nodes × folds that one core resamples in a second, measured

Rates = dict[OwnPoint, OwnRates]


def bundled(answer: DeltaGenerator) -> None:
    """The network that comes with Leakscope."""
    network = bundled_network()
    st.markdown(
        "Pieces of the Courier, each linked with the next four by the same reporter: six volumes, six networks. The task is to "
        "tell some families of topics from the others by what neighbours are about. (The corpus is made up, and so is this.)"
    )
    positive = st.multiselect(
        "Families to be found", sorted(network.classes), sorted(network.usual_positive), key="net_found", bind=IN_URL
    )
    _look(network, positive, answer, public=True)


def own(answer: DeltaGenerator) -> None:
    """A network from two tables."""
    st.markdown(
        "Two tables: links with the columns `source` and `target`, and nodes with the columns `node` and `label`. A third column "
        "`part` makes each part a network by itself, as several schools are: then one is held out at a time."
    )
    files = st.grid(2, min_column_width=280, gap="medium")
    links = files.file_uploader("Links", type=["csv", "tsv", "jsonl", "parquet"], key="net_links")
    labels = files.file_uploader("Nodes and labels", type=["csv", "tsv", "jsonl", "parquet"], key="net_labels")
    content = file_key("own networks", links, labels)
    network: OwnNetwork | None = None
    if links is not None and labels is not None and content is not None:
        network = work.result(
            "own networks",
            content[0],
            work.step(read_network, File(links.name, links.getvalue()), File(labels.name, labels.getvalue())),
            name="Reading the network",
        )
    elif content is not None:
        network = result_cache.of_a_file("own networks", content[0])
        if network is not None:
            st.caption(f"From {show.escaped(content[1])}, loaded before.")
    if network is None and (links is None or labels is None):
        st.caption("For example `a,b` under `source,target`, and `a,smokes` under `node,label`. Up to 10,000 nodes.")
    if network is None:
        return
    show.notes(network.notes)
    positive = st.multiselect(
        "Classes to be found", list(network.classes), list(network.usual_positive), key="own_found", bind=IN_URL
    )
    _look(network, positive, answer, public=False)


def _look(network: OwnNetwork, positive: Sequence[str], answer: DeltaGenerator, *, public: bool) -> None:
    asks = st.grid(3, min_column_width=200, gap="medium", vertical_alignment="bottom")
    models = choose_pair(asks, key="own")
    test = choose_test(asks, key="own_test")
    try:
        parts = network.networks(positive)
    except LeakscopeError as problem:
        show.refuse(problem)
        return
    named = dict(zip(network.parts, parts, strict=True))
    keys = {name: _digest(part) for name, part in named.items()}
    steps = {keys[name]: work.step(network_profile, part, seed=0) for name, part in named.items()}
    found = work.results("network profiles", steps, name="Looking along links", spread=True, public=public)
    if len(found) < len(set(keys.values())):
        return
    profiles = {name: found[key] for name, key in keys.items()}
    said = answer.container()
    charts = st.grid(2, min_column_width=380, gap="medium")
    with charts.cell():
        st.markdown("**Errors and labels along links**")
        show.figure(plots.error_correlations(profiles, PUBLISHED_NETWORKS), key="net_phi")
    with charts.cell():
        st.markdown("**Type I error when resampled**")
        rates = _rates(list(named.values()), tuple(keys.values()), models, public=public)
        if rates:
            _draw_rates(rates, test)
    note_drawn("networks", DrawnNetworks(network.name, models, test, profiles=profiles, rates=rates))
    with said:
        conclude(own_conclusion(list(profiles.values()), rates, test))
    _table(profiles)


def _rates(parts: Sequence[Network], keys: tuple[str, ...], models: tuple[str, str], *, public: bool) -> Rates:
    trials = st.select_slider("Resamplings of each network", [20, 50, 100], 20, key="own_trials", bind=IN_URL)
    points = own_points()
    steps = {
        (keys, point, models, trials): work.step(own_rates, parts, *point, models=models, trials=trials, seed=0)
        for point in points
    }
    missing = sum(not result_cache.cached("own network rates", key, public=public) for key in steps)
    seconds = missing * 2 * 10 * (trials + 10) * sum(len(part) for part in parts) / PACE
    question = work.Question(
        "Resample",
        key="run_own_networks",
        caption=f"{missing} of {len(points)} points are still to be computed, about {seconds:.0f} seconds of one core. You can stop at any "
        "time; what is done is drawn.",
    )
    done = work.results(
        "own network rates", steps, name="Resampling networks", question=question, spread=True, public=public
    )
    return {key[1]: record for key, record in done.items()}


def _draw_rates(rates: Rates, test: str) -> None:
    show.figure(
        plots.rejection_rates(own_curves(rates, test=test), across="share labelled", percent=True), key="own_type1"
    )
    st.caption(plots.own_caption(held_out=next(iter(rates.values())).held_out))
    show.notes(dict.fromkeys(note for each in rates.values() for note in each.notes))


def _table(profiles: Mapping[str, NetworkProfile]) -> None:
    st.markdown("**Every network and classifier**, averaged over 10, 30, 50, 70 and 90 % labelled")
    rows = []
    for name, each in profiles.items():
        accuracy, phi = each.means
        for row, model in enumerate(each.models):
            for column, way in enumerate(WAYS):
                rows.append(
                    {
                        "network": name,
                        "nodes": each.nodes,
                        "links": each.links,
                        "share to be found": each.positives / each.nodes,
                        "autocorrelation": each.autocorrelation,
                        "classifier": RELATIONAL[model].label,
                        "inference": way,
                        "accuracy": accuracy[row, column],
                        "error correlation (φ)": phi[row, column],
                    }
                )
    show.table(
        pd.DataFrame(rows),
        precision=3,
        alt="Autocorrelation, accuracy and error correlation of every network and classifier",
        csv=show.Csv("Networks as CSV", "networks.csv", "networks_csv"),
    )
    st.caption(
        "As in Neville et al.'s Table 5: φ of 0–1 errors over linked pairs of which neither is labelled. Theirs, averaged over classifiers: "
        + "; ".join(
            f"{each.network} ({each.task}) labels {each.autocorrelation:.2f}, errors {each.error_correlation:.2f}"
            for each in PUBLISHED_NETWORKS
        )
        + "."
    )


def _digest(network: Network) -> str:
    return hashlib.sha256(network.labels.tobytes() + network.links.tobytes()).hexdigest()
