"""How often is a test wrong if errors come in groups? Simulated, without a corpus (Neville et al. 2012)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..arrays import Interval
from ..engine import Call
from ..formats import defined, listed, percent
from ..papers.neville_2012 import (
    RESAMPLING,
    SIMULATED_TESTS,
    GroupSettings,
    Point,
    Type1,
    at_point,
    group_curves,
    group_points,
    type1_rates,
)
from ..plots import trust as plots
from ..render import Answer, Caution, Drawing, Level
from .notes import sentences_of
from .settings import Settings as Base
from .settings import choice, integer, number, seed, switch
from .wording import works

NAME, LABEL, QUESTION = "groups", "Simulated groups", "How often is a test wrong if errors come in groups?"
HELP = "Count how often tests call equally good classifiers different."
METHODS = (
    "Two simulated classifiers, equally good, err in groups. Each test is counted by how often it calls them different over many "
    "simulated studies (Neville et al. 2012). This is not about any corpus."
)
HALF = 0.5  # the share labelled that the headline is about
LEVEL, WIDE = 0.05, 0.2  # of a test; an interval that reaches beyond WIDE says nothing about a rate of .05
SCHEMES = (
    "NCV: disjoint folds. RRS: random samples. ERS: balanced samples, in which every instance is tested equally often."
)
TEST_SETS = {"NCV": "disjoint folds", "RRS": "random samples", "ERS": "balanced samples"}
SAID = {"too often": "too high", "as often as it should": "about right", "too rarely": "too low"}
TESTS = {name: test.short for name, test in SIMULATED_TESTS.items()}
PAPER = GroupSettings()

Alarms = Literal["too often", "as often as it should", "too rarely", "too uncertain to tell"]


@dataclass(frozen=True)
class Settings(Base):
    """What is simulated."""

    error: float = number(
        "Error rate", low=0.0, high=0.5, step=0.05, default=PAPER.error, key="error", help="Of both classifiers."
    )
    correlation: float = number(
        "Error correlation",
        low=0.0,
        high=1.0,
        step=0.05,
        default=PAPER.correlation,
        key="correlation",
        help="Within a group.",
    )
    instances: int = integer(
        "Instances",
        low=2,
        high=100_000,
        default=PAPER.instances,
        key="instances",
        steps=tuple(range(50, 1_001, 50)),
        more=True,
        help="In a study.",
    )
    groups: int = integer(
        "Groups",
        low=2,
        high=1_000,
        default=PAPER.groups,
        key="groups",
        steps=(10, 20, 30, 40, 50),
        more=True,
        help="Of instances.",
    )
    trials: int = integer(
        "Trials",
        low=1,
        high=100_000,
        default=300,
        key="trials",
        steps=(100, 300, 1_000, 2_000),
        more=True,
        help="Simulated studies.",
    )
    resamples: int = integer(
        "Resamples (RRS, ERS)", low=2, high=1_000, default=30, key="resamples", option="", steps=tuple(range(5, 51, 5)),
        more=True, help="Test sets per study where they overlap.",
    )  # fmt: skip
    test: str = choice("Test", TESTS, default="paired", key="trust_test", option="", help="The test that is counted.")
    fixed: bool = switch(
        "Errors stay across folds",
        key="fixed",
        option="",
        more=True,
        help="As a trained model's errors on an instance nearly do.",
    )
    seed: int = seed(key="groups_seed")


def resampling_scheme(**more: Any) -> Any:
    """Declare how training and test sets are drawn."""
    schemes = {name: name.upper() for name in RESAMPLING}
    return choice("Resampling scheme", schemes, default=None, help=SCHEMES, **more)


def share_labelled(default: float | None) -> Any:
    """Declare how much of the instances or nodes models learn from."""
    return number("Share labelled", low=0.0, high=1.0, default=default, help="Share labelled, between 0 and 1.")


@dataclass(frozen=True)
class GroupPointSettings(Settings):
    """One point of the charts, as the command line simulates it."""

    trials: int = integer(
        "Trials", low=1, high=100_000, default=1_000, help="Simulated studies. Networks are 50 by default."
    )
    scheme: str = resampling_scheme()
    labelled: float = share_labelled(None)


def calls(settings: Settings) -> dict[Point, Call[Type1]]:
    """Return what computes the rates at every point of the two charts."""
    given = GroupSettings(
        settings.error, settings.correlation, settings.instances, settings.groups, fixed_errors=settings.fixed
    )
    return {
        point: Call(
            type1_rates,
            (point[0],),
            {
                "labelled": point[1],
                "trials": settings.trials,
                "seed": settings.seed,
                "settings": at_point(point, given, settings.resamples),
            },
        )
        for point in group_points(settings.correlation)
    }


def answer(found: Mapping[Point, Type1], settings: Settings) -> Answer:
    """Answer from the points simulated so far."""
    half = {scheme: found[point] for scheme in RESAMPLING if (point := (scheme, HALF, settings.correlation)) in found}
    rates = rates_of(half, settings.test)
    notes = sentences_of(dict.fromkeys(note for each in found.values() for note in each.notes))
    by_share, by_phi = group_curves(found, settings.correlation, test=settings.test)
    figures = (
        Drawing(
            "by_share",
            "False alarms by share labelled",
            lambda: plots.rejection_rates(by_share, across="share labelled", percent=True),
            f"Bars: 95% Monte Carlo intervals of {settings.trials:,} trials each. {SCHEMES}",
            lead=True,
        ),
        Drawing(
            "by_phi",
            "False alarms by measured correlation of errors",
            lambda: plots.rejection_rates(by_phi, across="φ of errors within groups", percent=False),
            "Half of the instances labelled.",
        ),
    )
    return Answer(
        NAME,
        QUESTION,
        level(rates),
        headline(rates, settings.test),
        (*reasons(rates), *(("Half of the instances are labelled.",) if rates else ())),
        tuple(Caution("simulation", note) for note in notes),
        figures=figures if found else (),
        settings=settings.rows(None),
        methods=METHODS,
        references=works("trust"),
        numbers=found,
    )


def answer_at(found: Type1, settings: GroupPointSettings) -> Answer:
    """Answer for one way to resample and one share labelled."""
    rates = rates_of({settings.scheme: found}, settings.test)
    return Answer(
        NAME,
        QUESTION,
        level(rates),
        headline(rates, settings.test),
        reasons(rates),
        tuple(Caution("simulation", note) for note in sentences_of(found.notes)),
        make_data=lambda: {
            **rates_data(found),
            "trials": found.trials,
            "error_correlation": defined(found.error_correlation),
            "notes": list(sentences_of(found.notes)),
        },
        settings=settings.rows(None),
        methods=METHODS,
        references=works("trust"),
        numbers=found,
    )


# Sentences on false alarms, for groups and networks

Rates = dict[str, tuple[float, Interval]]  # by scheme


def rates_of(found: Mapping[str, Any], test: str) -> Rates:
    """Return one test's rate and interval under every scheme that was counted."""
    known = {scheme.upper(): (each.rates[test], each.intervals[test]) for scheme, each in found.items()}
    return {scheme: each for scheme, each in known.items() if np.isfinite(each[0])}


def rates_data(found: Any) -> dict[str, Any]:
    """Return every test's rate and interval as `--json` prints them."""
    return {
        "rates": {name: defined(rate) for name, rate in found.rates.items()},
        "intervals": {name: list(interval) for name, interval in found.intervals.items()},
    }


def readings(rates: Rates) -> dict[str, Alarms]:
    """Return for every scheme whether the test rejects too often."""

    def read(interval: Interval) -> Alarms:
        low, high = interval
        if low > LEVEL:
            return "too often"
        if high < LEVEL:
            return "too rarely"
        return "too uncertain to tell" if high > WIDE else "as often as it should"

    return {scheme: read(interval) for scheme, (_, interval) in rates.items()}


def level(rates: Rates) -> Level:
    """Return how bad the false alarms are."""
    found = set(readings(rates).values())
    if "too often" in found:
        return "bad"
    return "unknown" if not found or "too uncertain to tell" in found else "good"


def shares(rates: Rates, of: str = "studies") -> str:
    """Return text such as "45% of studies with random samples and 5% with disjoint folds"."""
    parts = [f"{percent(rate)} with {TEST_SETS[scheme]}" for scheme, (rate, _) in rates.items()]
    return listed([parts[0].replace("%", f"% of {of}", 1), *parts[1:]])


def headline(rates: Rates, test: str) -> str:
    """Say how often a test calls equally good models different."""
    if not rates:
        return "Nothing has been simulated yet."
    return f"The {SIMULATED_TESTS[test].label} gives a false alarm in {shares(rates)}."


def reasons(rates: Rates) -> tuple[str, ...]:
    """Say with which test sets that is too often."""
    found = readings(rates)
    groups: dict[Alarms, list[str]] = {}
    for scheme, reading in found.items():
        groups.setdefault(reading, []).append(scheme)
    said = listed(
        [
            f"{SAID.get(reading, reading)} with {listed([TEST_SETS.get(each, each) for each in schemes])}"
            for reading, schemes in groups.items()
        ]
    )
    return (f"The rate should be 5%. It is {said}.",) if said else ()
