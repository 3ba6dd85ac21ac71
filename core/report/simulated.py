"""The sections of the Trust lab's simulations: classifiers that err in groups, and networks."""

from collections.abc import Mapping
from dataclasses import field
from operator import itemgetter
from typing import Any

import numpy as np

from ..arrays import known_mean, record
from ..demo import bundled_network
from ..engine import each
from ..errors import SettingError, unknown
from ..formats import number, numbers, percent
from ..plots import trust as plots
from ..statistics.simulation import (
    PAIR,
    PUBLISHED_NETWORKS,
    RELATIONAL,
    RESAMPLING,
    SIMULATED_TESTS,
    GroupSettings,
    NetworkProfile,
    NetworkRates,
    OwnPoint,
    OwnRates,
    Point,
    Type1,
    at_point,
    group_curves,
    group_points,
    network_curves,
    network_profile,
    own_conclusion,
    own_curves,
    own_points,
    own_rates,
    simulated_conclusion,
    type1_rates,
)
from .subject import Drawing, MissingRuns, ReportTable, Section, Subject, table

WAYS = ("labelled neighbours only", "collective")
TRIALS = 20  # resamplings of each network, as the page opens


@record
class DrawnNetworks:
    """Networks as the Trust lab shows them: those that have links and labels of their own by `profiles` and, where they were
    resampled, `rates`; or `made` ones, with the share that is labelled for power, and of how many and how large they are."""

    source: str
    models: tuple[str, str]
    test: str
    profiles: Mapping[str, NetworkProfile] = field(default_factory=dict)
    rates: Mapping[OwnPoint, OwnRates] = field(default_factory=dict)
    made: Mapping[Point, NetworkRates] = field(default_factory=dict)
    labelled: float = 0.0
    when: str = ""


def groups(
    subject: Subject,
    *,
    error: float = 0.1,
    correlation: float = 0.9,
    instances: int = 300,
    groups: int = 10,
    trials: int = 300,
    resamples: int = 30,
    test: str = "paired",
    fixed: bool = False,
) -> Section:
    """How often a test lies where classifiers err in groups (Neville et al. 2012, figures 2a and 2b)."""
    _known_test(test)
    settings = GroupSettings(error=error, instances=instances, groups=groups, fixed_errors=fixed)
    found: Mapping[Point, Type1] | None = subject.held.get("groups")
    if found is None:
        _wanted(subject, "Its simulations have not been run yet")
        points = group_points(correlation)
        tasks = [(point, at_point(point, settings, resamples), trials) for point in points]
        found = {points[index]: rates for index, rates in sorted(each(_simulated, tasks), key=itemgetter(0))}
    half = {scheme: found.get((scheme, 0.5, correlation)) for scheme in RESAMPLING}
    said = simulated_conclusion(half, test, "Half of the instances labelled.")
    notes = dict.fromkeys(note for rates in found.values() for note in rates.notes)
    return Section(
        "groups",
        "How often does a test lie where errors come in groups?",
        said.answer,
        (*said.cautions, *notes),
        drawings=_group_drawings(found, correlation, test, trials),
        settings=(
            ("Error rate", f"{error:g}"),
            ("Error correlation", f"{correlation:g}"),
            ("Instances", f"{instances:,}"),
            ("Groups", str(groups)),
            ("Trials", f"{trials:,}"),
            ("Resamples (RRS, ERS)", str(resamples)),
            ("Errors stay across folds", "yes" if fixed else "no"),
            ("Test", SIMULATED_TESTS[test].label),
            ("Seed", "0"),
        ),
    )


def _group_drawings(
    found: Mapping[Point, Type1], correlation: float, test: str, trials: int
) -> tuple[Drawing, Drawing]:
    by_share, by_phi = group_curves(found, correlation, test=test)
    schemes = "RRS: random test sets; ERS: every instance equally often; NCV: disjoint test folds."
    return (
        Drawing(
            "Against the share labelled",
            plots.rejection_rates(by_share, across="share labelled", percent=True),
            f"Bars: 95 % Monte-Carlo intervals of {trials:,} trials each. {schemes}",
        ),
        Drawing(
            "Against the measured correlation of errors, half labelled",
            plots.rejection_rates(by_phi, across="φ of errors within groups", percent=False),
        ),
    )


def _simulated(shared: None, task: tuple[Point, GroupSettings, int]) -> Type1:
    (scheme, labelled, _), settings, trials = task
    return type1_rates(scheme, labelled=labelled, trials=trials, seed=0, settings=settings)


def _known_test(test: str) -> None:
    if test not in SIMULATED_TESTS:
        raise unknown("test", test, SIMULATED_TESTS)


def _wanted(subject: Subject, sentence: str) -> None:
    if not subject.compute:
        raise MissingRuns(sentence)


def networks(subject: Subject, *, test: str = "paired") -> Section:
    """How often a test lies where nodes of a network are wrong together: as the page shows it, or of the Courier's network."""
    _known_test(test)
    drawn: DrawnNetworks | None = subject.held.get("networks")
    if drawn is None:
        _wanted(subject, "Its networks have not been looked at yet")
        drawn = _bundled(test)
    return _made(drawn) if drawn.made else _own(drawn)


def _bundled(test: str) -> DrawnNetworks:
    network = bundled_network()
    parts = network.networks(network.usual_positive)
    profiles = dict(zip(network.parts, (network_profile(part, seed=0) for part in parts), strict=True))
    points = own_points()
    rates = {points[index]: found for index, found in sorted(each(_resampled, points, shared=parts), key=itemgetter(0))}
    return DrawnNetworks(network.name, PAIR, test, profiles=profiles, rates=rates)


def _resampled(parts: Any, point: OwnPoint) -> OwnRates:
    return own_rates(parts, *point, models=PAIR, trials=TRIALS, seed=0)


def _own(drawn: DrawnNetworks) -> Section:
    if not drawn.profiles:
        raise SettingError("No network is there to be looked at.")
    said = own_conclusion(list(drawn.profiles.values()), drawn.rates, drawn.test)
    drawings = [
        Drawing(
            "Errors and labels along links",
            plots.error_correlations(drawn.profiles, PUBLISHED_NETWORKS),
            "Grey: the networks of Neville et al. (2012), their Table 5.",
        )
    ]
    if drawn.rates:
        held_out = next(iter(drawn.rates.values())).held_out
        drawings.append(
            Drawing(
                "Type I error when resampled",
                plots.rejection_rates(own_curves(drawn.rates, test=drawn.test), across="share labelled", percent=True),
                plots.own_caption(held_out=held_out),
            )
        )
    notes = dict.fromkeys(note for rates in drawn.rates.values() for note in rates.notes)
    return _section(drawn, said.answer, (*said.cautions, *notes), tuple(drawings), (_profiles(drawn.profiles),))


def _profiles(profiles: Mapping[str, NetworkProfile]) -> ReportTable:
    rows = [
        (name, found, model, way, *(means[row, column] for means in found.means))
        for name, found in profiles.items()
        for row, model in enumerate(found.models)
        for column, way in enumerate(WAYS)
    ]
    columns = {
        "network": [name for name, *_ in rows],
        "nodes": [f"{found.nodes:,}" for _, found, *_ in rows],
        "links": [f"{found.links:,}" for _, found, *_ in rows],
        "autocorrelation": numbers(found.autocorrelation for _, found, *_ in rows),
        "classifier": [RELATIONAL[model].label for _, _, model, *_ in rows],
        "inference": [way for *_, way, _, _ in rows],
        "accuracy": numbers(accuracy for *_, accuracy, _ in rows),
        "error correlation (φ)": numbers(phi for *_, phi in rows),
    }
    return table("Every network and classifier, averaged over the shares labelled", columns)


def _made(drawn: DrawnNetworks) -> Section:
    equal = {scheme: drawn.made.get((scheme, drawn.labelled, 0.0)) for scheme in RESAMPLING}
    said = simulated_conclusion(equal, drawn.test, drawn.when)
    type1, power = network_curves(drawn.made, drawn.labelled, test=drawn.test)
    alike, errors = (
        float(known_mean(np.array([getattr(rates, name) for rates in drawn.made.values()])))
        for name in ("autocorrelation", "error_correlation")
    )
    drawings = (
        Drawing(
            "Type I error",
            plots.rejection_rates(type1, across="share labelled", percent=True),
            f"Label autocorrelation {number(alike, '.2f')}, error correlation {number(errors, '.2f')}. Bars are 95 % "
            "Monte-Carlo intervals.",
        ),
        Drawing(
            f"Power, {percent(drawn.labelled)} labelled",
            plots.rejection_rates(power, across="true difference in accuracy", percent=False, level=None),
        ),
    )
    return _section(drawn, said.answer, said.cautions, drawings, ())


def _section(
    drawn: DrawnNetworks,
    answer: str,
    cautions: tuple[str, ...],
    drawings: tuple[Drawing, ...],
    tables: tuple[ReportTable, ...],
) -> Section:
    settings = (
        ("Networks", drawn.source),
        ("Classifiers", " and ".join(RELATIONAL[model].label for model in drawn.models)),
        ("Test", SIMULATED_TESTS[drawn.test].label),
        ("Seed", "1" if drawn.made else "0"),
    )
    title = "How often does a test lie on networks?"
    return Section("networks", title, answer, cautions, drawings=drawings, tables=tables, settings=settings)
