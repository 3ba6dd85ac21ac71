"""Trust lab: how often is this test wrong?"""

from collections.abc import Hashable, Mapping
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.demo import bundled_network
from core.engine import Call
from core.errors import LeakscopeError
from core.papers.neville_2012 import Network, OwnNetwork, OwnPoint, OwnRates, network_profile, read_network
from core.questions import groups, networks, overlap, trust
from core.render import Answer
from pages.shared import jobs, render, show, state, widgets
from pages.shared.history import note_drawn
from pages.shared.runs import RUN, ask_run, offered
from pages.shared.studies import answer_or_stop, run_or_stop, study_or_stop
from pages.shared.upload import file_key, read_strictly
from pages.shared.widgets import IN_URL, encoder_notes, header

PACE = 250_000  # nodes × folds that one core resamples in a second, measured

header(
    trust.QUESTION,
    "A test at .05 should call equally good models different in 5% of studies. If errors cluster by topic, or test sets overlap, it "
    "does so far more often.",
    section="How far to trust a comparison",
)


def own_run(place: DeltaGenerator) -> None:
    """Show what topics do to a test over single answers of two models."""
    study = study_or_stop()
    state.authors_or_stop(study.corpus)
    chosen = ask_run(study, asks_metric=False)
    if len(chosen.models) > 1:
        with place:
            run_or_stop(study, chosen, page=RUN, offer=offered(study, chosen))
    given = {name: getattr(chosen, name) for name in chosen.controls()}
    settings = widgets.ask(trust.Settings, study, question=trust.NAME, given=given)
    with place:
        answer = answer_or_stop(study, trust, settings)
        render.headline(answer)
    render.figures(answer)
    render.facts(answer)
    encoder_notes(study.vectors.notes)


def simulated_groups(place: DeltaGenerator) -> None:
    """Simulate classifiers that err in groups (Neville et al. 2012, figures 2a and 2b)."""
    row = st.container(horizontal=True, vertical_alignment="bottom", gap="medium")
    test = {"test": row.container(width="content")}
    said = ("instances", "groups", "trials")
    settings = widgets.ask(
        groups.Settings, None, question=groups.NAME, place=row, places=test, given={"seed": 0}, said=said
    )
    # Every test is counted at once, so which one is shown is no part of what is kept.
    calls = {(point, settings.but(test="")): call for point, call in groups.calls(settings).items()}
    found = jobs.results("simulations", calls, name="Simulating", complain=show.warn, spread=True, public=True)
    if found:
        _draw(groups.answer({key[0]: each for key, each in found.items()}, settings), place, "groups")


def _draw(answer: Answer, place: DeltaGenerator, section: str) -> None:
    """Draw an answer and note it for a report."""
    note_drawn(answer)
    with place:
        render.headline(answer)
    render.figures(answer)
    render.tables(answer)


def on_networks(place: DeltaGenerator) -> None:
    """Ask which networks: the bundled one, the user's own, or synthetic ones."""
    sources = {"the Courier's": _bundled, "your own": _uploaded, "synthetic networks": _synthetic}
    asked = st.segmented_control(
        "Networks", list(sources), default="the Courier's", required=True, key="net_source", bind=IN_URL
    )
    sources[asked](place)


def _bundled(place: DeltaGenerator) -> None:
    st.markdown(
        "Articles of the Courier, each linked with the next four by the same reporter: six volumes, six networks. The task is to tell "
        "some families of topics from the others by what neighbours are about. The corpus is synthetic."
    )
    _look(bundled_network(), place, prefix="net", public=True)


def _uploaded(place: DeltaGenerator) -> None:
    st.markdown(
        "Two tables: links with the columns `source` and `target`, and nodes with the columns `node` and `label`. With a third column "
        "`part`, each part is its own network (several schools, say), and one is held out at a time."
    )
    files = st.grid(2, min_column_width=280, gap="medium")
    links = files.file_uploader("Links", type=["csv", "tsv", "jsonl", "parquet"], key="net_links")
    labels = files.file_uploader("Nodes and labels", type=["csv", "tsv", "jsonl", "parquet"], key="net_labels")
    content = file_key("own networks", links, labels)
    network: OwnNetwork | None = None
    if links is not None and labels is not None and content is not None:
        network = read_strictly("own networks", content[0], read_network, links, labels)
    elif content is not None:
        network = jobs.available_result("own networks", content[0])
        if network is not None:
            st.caption(f"From {show.escaped(content[1])}, loaded before.")
    if network is None and (links is None or labels is None):
        st.caption("For example `a,b` under `source,target`, and `a,smokes` under `node,label`. Up to 10,000 nodes.")
    if network is not None:
        _look(network, place, prefix="own", public=False)


def _look(network: OwnNetwork, place: DeltaGenerator, *, prefix: str, public: bool) -> None:
    """Measure errors along links, and resample the network when asked."""
    settings = widgets.ask(networks.Settings, network, question=prefix, given={"seed": 0})
    try:
        parts = network.networks(settings.positive)
        calls = networks.own_calls(parts, settings)
    except LeakscopeError as problem:
        show.refuse(problem)
        return
    digests = {name: networks.network_digest(part) for name, part in zip(network.parts, parts, strict=True)}
    named = {digests[name]: part for name, part in zip(network.parts, parts, strict=True)}
    profiled = jobs.results(
        "network profiles",
        {digest: Call(network_profile, (part,), {"seed": 0}) for digest, part in named.items()},
        name="Measuring errors along links",
        spread=True,
        public=public,
    )
    if len(profiled) < len(named):
        return
    rates = _resampled(calls, parts, tuple(digests.values()), settings, public=public)
    profiles = {name: profiled[digest] for name, digest in digests.items()}
    _draw(networks.answer(network, profiles, rates, settings), place, "networks")


def _resampled(
    calls: Mapping[OwnPoint, Call[OwnRates]],
    parts: tuple[Network, ...],
    digests: tuple[str, ...],
    settings: networks.Settings,
    *,
    public: bool,
) -> dict[OwnPoint, OwnRates]:
    """Return the rates counted so far."""
    models = settings.a, settings.b
    keyed = {(digests, point, models, settings.trials): call for point, call in calls.items()}
    seconds = 2 * 10 * (settings.trials + 10) * sum(len(part) for part in parts) / PACE
    done = jobs.results(
        "own network rates",
        keyed,
        name="Resampling networks",
        question=_question("Resample", "own network rates", keyed, seconds, key="run_own_networks", public=public),
        spread=True,
        public=public,
    )
    return {key[1]: each for key, each in done.items()}


def _synthetic(place: DeltaGenerator) -> None:
    st.markdown(
        "Two relational classifiers on synthetic networks whose groups share labels. The better one is handicapped until both are "
        "equally good; then the tests are counted on new networks."
    )
    settings = widgets.ask(networks.SyntheticSettings, None, question="net", given={"seed": 1})
    try:
        calls = networks.synthetic_calls(settings)
    except LeakscopeError as problem:
        show.refuse(problem)
        return
    keyed = {(*point, settings.trials, settings.nodes, settings.a, settings.b): call for point, call in calls.items()}
    done = jobs.results(
        "networks",
        keyed,
        name="Simulating networks",
        question=_question("Run", "networks", keyed, settings.trials * settings.nodes / 100 / 300 * 2, public=True),
        spread=True,
        public=True,
    )
    if done:
        found = {(key[0], key[1], key[2]): each for key, each in done.items()}
        _draw(networks.answer_synthetic(found, settings), place, "networks")


def _question(
    button: str, kind: str, calls: Mapping[Any, Hashable], seconds: float, *, key: str | None = None, public: bool
) -> jobs.Question:
    """Ask before points are computed; `seconds` are those of one point."""
    missing = sum(not jobs.cached(kind, each, public=public) for each in calls)
    about = f"{missing} of {len(calls)} points to compute, about {missing * seconds:.0f} seconds on one core. You can stop at any time."
    return jobs.Question(button, key=key, caption=about)


def theorems(place: DeltaGenerator) -> None:
    """Show how correlation raises the variance and overlap hides it."""
    answer = overlap.answer(None, widgets.ask(overlap.Settings, None, question=overlap.NAME))
    with place:
        render.headline(answer)
    render.figures(answer)
    for formula in overlap.FORMULAS:  # one below the other: side by side they would be cut on a telephone
        st.latex(formula)


VIEWS = {
    "your own run": own_run,
    "simulated groups": simulated_groups,
    "networks": on_networks,
    "three theorems": theorems,
}
place, body, others = st.container(), st.container(), st.container()
with others:
    st.subheader("Simulations", anchor=False)
    st.markdown(
        "Simulations know the truth: both models are equally good by design, so every difference a test reports is a false alarm."
    )
    view = st.segmented_control("Look at", list(VIEWS), default="your own run", required=True, key="view", bind=IN_URL)
with body:
    VIEWS[view](place)
