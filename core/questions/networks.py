"""How often is a test wrong on networks? Asked of a network with labels, or of synthetic networks (Neville et al. 2012)."""

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..arrays import Floats, known_mean
from ..engine import Call
from ..errors import SettingError
from ..formats import defined, listed, number, percent
from ..papers.neville_2012 import (
    NETWORK_SHARES,
    PAIR,
    PUBLISHED_NETWORKS,
    RELATIONAL,
    RESAMPLING,
    SIMULATED_TESTS,
    Network,
    NetworkProfile,
    NetworkRates,
    OwnNetwork,
    OwnPoint,
    OwnRates,
    Point,
    network_curves,
    network_points,
    own_curves,
    own_points,
    own_rates,
    rates_when_equal,
)
from ..plots import trust as plots
from ..render import Answer, Caution, Drawing, Level, Rows
from . import groups
from .notes import sentences_of
from .settings import Settings as Base
from .settings import choice, integer, seed, several
from .settings import number as number_setting
from .wording import works

NAME, LABEL, QUESTION = "networks", "Networks", "How often is a test wrong on networks?"
HELP = "Count how often tests call equally good relational classifiers different."
METHODS = (
    "Two relational classifiers are made equally good by handicapping the better one. Each test is counted by how often it calls "
    "them different on resamples (Neville et al. 2012). Networks are not the corpus of this study."
)
QUOTED = 0.3  # the share labelled that a headline is about
NOTICEABLE = 0.05  # a φ below is not worth a warning
TEST = "paired"  # counted unless another is chosen
WAYS = ("labelled neighbours only", "collective")
CLASSIFIERS = {name: kind.label for name, kind in RELATIONAL.items()}
ABOUT = " ".join(f"{kind.label}: {kind.about}" for kind in RELATIONAL.values())


def _pair(side: str, key: str) -> Any:
    return choice(side, CLASSIFIERS, default=PAIR["AB".index(side)], key=key, option="", help=ABOUT)


def _test(key: str) -> Any:
    return choice("Test", groups.TESTS, default=TEST, key=key, option="", help="The test that is counted.")


def _classes_to_find(**more: Any) -> Any:
    return several(
        "Classes to find",
        lambda network, _: {name: name for name in sorted(network.classes)},
        default=lambda network, _: () if network is None else tuple(sorted(network.usual_positive)),
        noun="class",
        repeated=True,
        show=lambda names: listed(list(names)),
        help="The classes the models tell from the others; the largest by default.",
        **more,
    )


def _nodes(**more: Any) -> Any:
    return integer("Nodes of a network", low=20, high=10_000, default=300, help="The paper has 300 and 600.", **more)


def _synthetic(network: OwnNetwork | None, _: Mapping[str, Any]) -> bool:
    return network is None


@dataclass(frozen=True)
class Settings(Base):
    """Which classifiers are compared on a given network."""

    positive: tuple[str, ...] = _classes_to_find(key="{question}_found")
    a: str = _pair("A", "own_a")
    b: str = _pair("B", "own_b")
    test: str = _test("own_test")
    trials: int = integer(
        "Resamplings of each network",
        low=1,
        high=100_000,
        default=20,
        key="own_trials",
        option="",
        steps=(20, 50, 100),
        help="Per point.",
    )
    seed: int = seed(key="own_seed")


@dataclass(frozen=True)
class SyntheticSettings(Base):
    """Which classifiers are compared on which synthetic networks."""

    a: str = _pair("A", "net_a")
    b: str = _pair("B", "net_b")
    test: str = _test("net_test")
    nodes: int = _nodes(key="net_nodes", steps=(300, 600))
    trials: int = integer(
        "Networks per point",
        low=1,
        high=100_000,
        default=50,
        key="net_trials",
        option="",
        steps=(20, 50, 100, 200),
        help="Simulated networks.",
    )
    labelled: float = number_setting(
        "Share labelled, for power",
        low=0.01,
        high=0.99,
        default=QUOTED,
        key="net_labelled",
        option="",
        steps=NETWORK_SHARES,
        help="Where power is shown.",
    )
    seed: int = seed(key="net_seed")


@dataclass(frozen=True)
class NetworkPointSettings(Base):
    """One share labelled, as the command line counts it: on a given network, or without one on synthetic networks."""

    scheme: str | None = groups.resampling_scheme()  # None: all of them
    labelled: float = groups.share_labelled(QUOTED)
    trials: int = integer(
        "Trials", low=1, high=100_000, default=50, help="Synthetic networks, or resamplings of the given one."
    )
    models: tuple[str, str] = several(
        "Classifiers",
        CLASSIFIERS,
        default=PAIR,
        noun="relational classifier",
        size=2,
        help="The two that are compared.",
    )
    positive: tuple[str, ...] = _classes_to_find(asked=lambda network, _: network is not None)
    nodes: int = _nodes(asked=_synthetic)
    perturbation: float = number_setting(
        "Perturbation",
        low=0.0,
        high=1.0,
        default=0.0,
        asked=_synthetic,
        help="Share of the worse model's predictions to flip on synthetic networks, for power.",
    )
    seed: int = seed()

    @property
    def schemes(self) -> list[str]:
        """Return the resampling schemes that are counted."""
        return list(RESAMPLING) if self.scheme is None else [self.scheme]


def check_pair(a: str, b: str) -> tuple[str, str]:
    """Return the two classifiers, or refuse one against itself."""
    if a == b:
        raise SettingError("A and B are the same classifier. Choose two different ones.")
    return a, b


# Synthetic networks


def synthetic_calls(settings: SyntheticSettings) -> dict[Point, Call[NetworkRates]]:
    """Return what computes the rates at every point of the two charts."""
    models = check_pair(settings.a, settings.b)
    return {
        point: Call(
            rates_when_equal,
            point[:2],
            {"trials": settings.trials, "seed": 1, "perturbation": point[2], "models": models, "nodes": settings.nodes},
        )
        for point in network_points(settings.labelled)
    }


def answer_synthetic(found: Mapping[Point, NetworkRates], settings: SyntheticSettings) -> Answer:
    """Answer from the points simulated so far."""
    equal = {scheme: found[point] for scheme in RESAMPLING if (point := (scheme, settings.labelled, 0.0)) in found}
    rates = groups.rates_of(equal, settings.test)
    type1, power = network_curves(found, settings.labelled, test=settings.test)
    labels, errors = (
        float(known_mean(np.array([getattr(each, name) for each in found.values()]))) if found else math.nan
        for name in ("autocorrelation", "error_correlation")
    )
    about = (
        f"Label autocorrelation {number(labels, '.2f')} (the paper: .40), error correlation {number(errors, '.2f')} (.20). Bars: 95% Monte "
        "Carlo intervals. The paper reports about 50% for RRS at 20% labelled; docs/findings.md discusses the difference."
    )
    figures = (
        Drawing(
            "net_type1",
            "False alarms",
            lambda: plots.rejection_rates(type1, across="share labelled", percent=True),
            about,
            lead=True,
        ),
        Drawing(
            "net_power",
            f"Power at {percent(settings.labelled)} labelled",
            lambda: plots.rejection_rates(power, across="true difference in accuracy", percent=False, level=None),
        ),
    )
    when = f"{settings.trials:,} networks of {settings.nodes:,} nodes, with {percent(settings.labelled)} labelled."
    return Answer(
        NAME,
        QUESTION,
        groups.level(rates),
        groups.headline(rates, settings.test),
        (*groups.reasons(rates), *((when,) if rates else ())),
        _notes(found.values()),
        figures=figures if found else (),
        settings=(("Networks", "synthetic"), *settings.rows(None)),
        methods=METHODS,
        references=works("trust"),
        numbers=found,
    )


def answer_synthetic_at(found: Mapping[str, NetworkRates], settings: NetworkPointSettings) -> Answer:
    """Answer for one share labelled, by scheme; with a perturbation, how often a true difference is found."""
    first, rates = next(iter(found.values())), groups.rates_of(found, TEST)
    said, why, how = groups.headline(rates, TEST), groups.reasons(rates), groups.level(rates)
    if settings.perturbation:
        said = f"The {SIMULATED_TESTS[TEST].label} finds a true difference of {100 * first.difference:.1f} points in {groups.shares(rates)}."
        why, how = (), "neutral"

    def data() -> dict[str, Any]:
        return {
            "nodes": settings.nodes,
            "labelled": settings.labelled,
            "models": list(settings.models),
            "schemes": {
                scheme: groups.rates_data(each)
                | {"difference": each.difference, "error_correlation": defined(each.error_correlation)}
                for scheme, each in found.items()
            },
            "autocorrelation": defined(first.autocorrelation),
            "trials": settings.trials,
            "notes": list(sentences_of(dict.fromkeys(note for each in found.values() for note in each.notes))),
        }

    return Answer(
        NAME, QUESTION, how, said, why, _notes(found.values()), make_data=data, settings=settings.rows(None), methods=METHODS,
        references=works("trust"), numbers=found,
    )  # fmt: skip


# A given network


def own_calls(parts: Sequence[Network], settings: Settings) -> dict[OwnPoint, Call[OwnRates]]:
    """Return what computes the rates at every point of the chart."""
    models = check_pair(settings.a, settings.b)
    given = {"models": models, "trials": settings.trials, "seed": settings.seed}
    return {point: Call(own_rates, (parts, *point), given) for point in own_points()}


def network_digest(network: Network) -> str:
    """Return a fingerprint of a network's labels and links."""
    return hashlib.sha256(network.labels.tobytes() + network.links.tobytes()).hexdigest()


def answer(
    network: OwnNetwork,
    profiles: Mapping[str, NetworkProfile],
    rates: Mapping[OwnPoint, OwnRates],
    settings: Settings,
) -> Answer:
    """Answer whether linked nodes are wrong together and, from the points resampled so far, how often a test is wrong."""
    check_pair(settings.a, settings.b)
    quoted = {scheme: rates[scheme, QUOTED] for scheme in RESAMPLING if (scheme, QUOTED) in rates}
    return Answer(
        NAME,
        QUESTION,
        _level(list(profiles.values())),
        profile_headline(list(profiles.values())),
        (*own_reasons(quoted, settings.test), *_profile_reasons(list(profiles.values()))),
        (
            *_held_out_caution(quoted),
            *_notes(rates.values()),
            *(Caution("network-read", note) for note in network.notes),
        ),
        figures=_own_figures(profiles, rates, settings),
        tables=(_profile_table(profiles),),
        settings=(("Networks", network.name), *settings.rows(network)),
        methods=METHODS,
        references=works("trust"),
        numbers=profiles,
    )


def answer_at(
    network: OwnNetwork,
    profiles: Mapping[str, NetworkProfile],
    found: Mapping[str, OwnRates],
    settings: NetworkPointSettings,
) -> Answer:
    """Answer for one share labelled, by scheme."""
    notes = list(dict.fromkeys([*network.notes, *sentences_of(note for each in found.values() for note in each.notes)]))

    def named(values: Floats) -> dict[str, float]:
        return {part: float(value) for part, value in zip(network.parts, values, strict=True)}

    def data() -> dict[str, Any]:
        return {
            "nodes": len(network),
            "links": len(network.links),
            "classes": list(network.classes),
            "positive": list(settings.positive),
            "labelled": settings.labelled,
            "models": list(settings.models),
            "networks": {name: _profile_data(each) for name, each in profiles.items()},
            "schemes": {
                scheme: groups.rates_data(each)
                | {"by_network": named(each.by_network[TEST]), "difference": named(each.difference)}
                for scheme, each in found.items()
            },
            "held_out": next(iter(found.values())).held_out,
            "trials": settings.trials,
            "notes": notes,
        }

    return Answer(
        NAME,
        QUESTION,
        _level(list(profiles.values())),
        profile_headline(list(profiles.values())),
        (*own_reasons(found, TEST), *_profile_reasons(list(profiles.values()))),
        (*_held_out_caution(found), *(Caution("network-read", note) for note in notes)),
        tables=(_profile_table(profiles),),
        make_data=data,
        settings=(("Networks", network.name), *settings.rows(network)),
        methods=METHODS,
        references=works("trust"),
        numbers=profiles,
    )


def _mean(profiles: Sequence[NetworkProfile], name: str) -> float:
    return float(known_mean(np.array([getattr(each, name) for each in profiles])))


def _level(profiles: Sequence[NetworkProfile]) -> Level:
    phi = _mean(profiles, "error_correlation")
    if not math.isfinite(phi):
        return "unknown"
    return "good" if phi < NOTICEABLE else "warning"


def profile_headline(profiles: Sequence[NetworkProfile]) -> str:
    """Say whether linked nodes are wrong together."""
    phi = _mean(profiles, "error_correlation")
    if not math.isfinite(phi):
        return (
            "Unknown. There are no errors, or no two linked nodes are tested, so errors along links cannot be measured."
        )
    if phi < NOTICEABLE:
        return f"About as often as it should be. Errors hardly correlate along links (φ = {phi:.2f})."
    return f"Probably too often. Linked nodes are wrong together: their errors correlate (φ = {phi:.2f})."


def _profile_reasons(profiles: Sequence[NetworkProfile]) -> tuple[str, ...]:
    similar, degree = (
        _mean(profiles, "autocorrelation"),
        float(np.mean([2 * each.links / each.nodes for each in profiles])),
    )
    labels = (
        f"Labels correlate along links ({similar:.2f})" if math.isfinite(similar) else "Labels do not vary along links"
    )
    return (f"{labels}, and a node has {degree:.1f} links on average.",)


def own_reasons(found: Mapping[str, OwnRates], test: str) -> tuple[str, ...]:
    """Say how often the test calls models different that were made equal."""
    if not found:
        return ()
    first, label = next(iter(found.values())), SIMULATED_TESTS[test].label
    rates = groups.rates_of(found, test)
    if not first.held_out:
        return (groups.headline(rates, test), *groups.reasons(rates))
    spread = listed(
        [
            f"{100 * low:.0f}–{percent(high)} with {groups.TEST_SETS[scheme]}"
            for scheme, (_, (low, high)) in rates.items()
        ]
    )
    count = len(first.difference)
    return (
        f"On a held-out network, the {label} gives a false alarm in {groups.shares(rates, 'samplings')}.",
        f"Over the {count} networks, each held out in turn, the rate is {spread}.",
    )


def _held_out_caution(found: Mapping[Any, OwnRates]) -> tuple[Caution, ...]:
    if not found or next(iter(found.values())).held_out:
        return ()
    text = "The models were made equal on this very network, so this says nothing about other networks. Give several parts to see that."
    return (Caution("one-network", text),)


def _notes(found: Any) -> tuple[Caution, ...]:
    notes = dict.fromkeys(note for each in found for note in each.notes)
    return tuple(Caution("simulation", note) for note in sentences_of(notes))


def _own_figures(
    profiles: Mapping[str, NetworkProfile], rates: Mapping[OwnPoint, OwnRates], settings: Settings
) -> tuple[Drawing, ...]:
    along = Drawing(
        "net_phi",
        "Correlation of errors and labels along links",
        lambda: plots.error_correlations(profiles, PUBLISHED_NETWORKS),
        "Grey: the networks of Neville et al. (2012), Table 5.",
        lead=True,
    )
    if not rates:
        return (along,)
    held_out = next(iter(rates.values())).held_out
    about = (
        "Bars run from the network with the lowest rate to the one with the highest."
        if held_out
        else "Bars: 95% Monte Carlo intervals, for this network alone."
    )
    curves = own_curves(rates, test=settings.test)
    drawn = Drawing(
        "own_type1",
        "False alarms on resamples",
        lambda: plots.rejection_rates(curves, across="share labelled", percent=True),
        about,
    )
    return (along, drawn)


def _profile_table(profiles: Mapping[str, NetworkProfile]) -> Rows:
    def make() -> pd.DataFrame:
        return pd.DataFrame(
            [
                {
                    "network": name,
                    "nodes": each.nodes,
                    "links": each.links,
                    "share to find": each.positives / each.nodes,
                    "autocorrelation": each.autocorrelation,
                    "classifier": RELATIONAL[model].label,
                    "inference": way,
                    "accuracy": each.means[0][row, column],
                    "error correlation (φ)": each.means[1][row, column],
                }
                for name, each in profiles.items()
                for row, model in enumerate(each.models)
                for column, way in enumerate(WAYS)
            ]
        )

    theirs = " · ".join(
        f"{each.network} ({each.task}) {each.autocorrelation:.2f}, {each.error_correlation:.2f}"
        for each in PUBLISHED_NETWORKS
    )
    note = (
        "Means over 10, 30, 50, 70 and 90% labelled, as in Table 5 of Neville et al. (2012). φ is the correlation of errors over "
        f"linked pairs of unlabelled nodes. Theirs, with labels and errors: {theirs}."
    )
    return Rows("networks", "Every network and classifier", make, note)


def _profile_data(each: NetworkProfile) -> dict[str, Any]:
    accuracy, phi = each.means
    return {
        "nodes": each.nodes,
        "links": each.links,
        "positives": each.positives,
        "autocorrelation": defined(each.autocorrelation),
        "error_correlation": defined(each.error_correlation),
        "classifiers": {
            name: {
                way: {
                    "accuracy": defined(float(accuracy[row, column])),
                    "error_correlation": defined(float(phi[row, column])),
                }
                for column, way in enumerate(("alone", "collective"))
            }
            for row, name in enumerate(each.models)
        },
    }
