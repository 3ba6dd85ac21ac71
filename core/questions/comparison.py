"""Two systems side by side: the sentences, figures and tables that several questions share."""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ..arrays import Floats
from ..formats import counted, listed, number, said_p, share
from ..plots import significance as plots
from ..render import Caution, Drawing, Fact, Level, Rows
from ..statistics import (
    FEWEST_SIGNS,
    TESTS,
    Comparison,
    HeadToHead,
    Names,
    Significance,
    power,
    reliable_difference,
    smallest_difference,
    topics_needed,
)
from .settings import choice
from .settings import number as number_setting

QUESTION = "Is A really better than B?"
METHODS = (
    "Every row counts equally. A is better if the exact two-sided sign test over rows that differ gives p ≤ .05. A and B are "
    "equivalent if their mean difference is within the margin at .05 (two one-sided t-tests). Decisions about a topic are not "
    "independent, so tests over single decisions come with their error rate (Yang and Liu 1999; Nadeau and Bengio 2003)."
)
SIGNS = "» or « strong evidence (p ≤ .01), > or < some evidence (p ≤ .05), ~ not significant."
LEVELS: dict[str, Level] = {
    "a": "good",
    "b": "good",
    "equivalent": "neutral",
    "same": "neutral",
    "unclear": "unknown",
    "nothing": "unknown",
}
NO_SPREAD = 1e-12


# Settings


def margin_setting() -> float:
    """Declare the difference that does not matter."""
    found: float = number_setting(
        "Margin of equivalence",
        low=0.001,
        high=None,
        default=0.05,
        step=0.005,
        key="margin",
        help="A difference too small to matter, for the equivalence test. Choose it before you look.",
    )
    return found


def target_setting(*, asked: Any = None) -> float:
    """Declare the difference whose power is shown."""
    found: float = number_setting(
        "Difference worth finding",
        low=0.005,
        high=0.3,
        default=0.05,
        step=0.005,
        key="wished",
        option="",
        help="The true difference whose power the chart shows.",
        asked=asked,
    )
    return found


def test_setting(tests: Callable[[Any, Any], dict[str, str]], *, asked: Any) -> str:
    """Declare the test that compares all pairs."""
    found: str = choice(
        "Test of all pairs",
        tests,
        default=lambda about, chosen: next(iter(tests(about, chosen))),
        key="pair_test",
        option="",
        help="The test that compares every pair of systems.",
        asked=asked,
    )
    return found


def pair_tests(kind: str, *, weighted: bool) -> dict[str, str]:
    """Return the tests that can compare all pairs; tests over single decisions only where there is no other."""
    fitting = [
        test
        for test in TESTS.values()
        if test.kind == kind and not test.needs_sizes and (weighted or not test.needs_weights)
    ]
    return {test.name: test.label for test in fitting if test.error_rate != "clustered"} or {
        test.name: test.label for test in fitting
    }


# Sentences


def headline(found: HeadToHead, names: Names, *, rows: str) -> str:
    """Say in one sentence whether A is better than B; `rows` is what was compared, such as topics."""
    a, b = names
    first, second = names if found.wins >= found.losses else (b, a)
    differ = found.wins + found.losses
    most = max(found.wins, found.losses)
    count = f"{f'all {differ:,}' if most == differ else f'{most:,} of {differ:,}'} {rows} that differ"
    if found.outcome == "nothing":
        return f"{a} and {b} cannot be compared: {found.problem[:1].lower()}{found.problem[1:]}"
    if found.outcome == "same":
        score = "are right on the same" if rows == "decisions" else "score the same on all"
        return f"No. {a} and {b} {score} {found.rows:,} {rows}."
    if found.outcome in ("a", "b"):
        answer = "Yes" if found.outcome == "a" else "No"
        condition = ", if decisions are independent" if rows == "decisions" else ""
        return f"{answer}{condition}. {first} is better than {second}: it is ahead in {count} ({said_p(found.p)})."
    if found.outcome == "equivalent" and found.interval_90 is not None:
        return f"No. {a} and {b} are equivalent: their mean difference is within ±{found.margin:g} (90% CI {_range(found.interval_90)})."
    if differ < FEWEST_SIGNS:
        only = f"{differ} {rows[:-1] if differ == 1 else rows}"
        return (
            f"Inconclusive. {a} and {b} differ on only {only}; at least {FEWEST_SIGNS} are needed to tell them apart."
        )
    if found.wins == found.losses:
        return f"Inconclusive. {a} and {b} are each ahead in {count}."
    return f"Inconclusive. {first} is ahead in {count}, which is not significant ({said_p(found.p)})."


def reasons(found: HeadToHead, names: Names, *, rows: str) -> tuple[str, ...]:
    """Say how large the difference is, and what could have been missed."""
    if found.outcome in ("nothing", "same"):
        return ()
    said = []
    if found.outcome != "equivalent":
        first, mean = (names[0], found.mean) if found.wins >= found.losses else (names[1], -found.mean)
        interval = (
            found.interval if first == names[0] or found.interval is None else (-found.interval[1], -found.interval[0])
        )
        by, *ends = _rounded(abs(mean), *(interval or ()))
        shown = f" (95% CI {' to '.join(ends)})" if ends else ""
        outweigh = ": a few large differences outweigh the others" if mean < 0 and found.outcome in ("a", "b") else ""
        side = "ahead" if mean >= 0 else "behind"
        said.append(f"On average, {first} is {side} by {by}{shown if mean >= 0 else ''}{outweigh}.")
    if found.outcome in ("a", "b") and found.within:
        said.append(f"The mean difference is within the margin of {found.margin:g}.")
    if found.outcome == "unclear" and math.isfinite(found.detectable):
        said.append(
            f"With these {found.rows:,} {rows}, a true difference below about {found.detectable:.2g} could be missed (80% power)."
        )
        said.append(f"They are not shown to be equivalent within {found.margin:g} either.")
    return tuple(said)


def cautions(found: HeadToHead, *, rows: str) -> tuple[Caution, ...]:
    """Say what limits the comparison of rows."""
    codes = []
    if found.effective < 0.95 * found.rows:
        codes.append(
            (
                "unequal-rows",
                f"Each of the {found.rows:,} {rows} counts equally. Weighted by documents, they count as {found.effective:.1f} {rows} of equal size.",
            )
        )
    differ = found.wins + found.losses
    if differ < FEWEST_SIGNS and found.outcome == "equivalent":
        codes.append(
            (
                "few-differences",
                f"{counted(differ, rows[:-1])} {'differs' if differ == 1 else 'differ'}. At least {FEWEST_SIGNS} are needed to tell two systems apart.",
            )
        )
    if rows == "decisions" and found.outcome not in ("nothing", "same"):
        codes.append(
            (
                "dependent-decisions",
                "Decisions about one document or topic are not independent, so p may be too small. A table with one row per category avoids this.",
            )
        )
    return tuple(Caution(code, text) for code, text in codes)


def facts(found: HeadToHead, names: Names, *, rows: str) -> tuple[Fact, ...]:
    """Give the comparison's numbers."""
    if found.outcome == "nothing":
        return ()
    interval = "" if found.interval is None else f"95% CI {_range(found.interval)}"
    (first, most), (second, least) = sorted(
        zip(names, (found.wins, found.losses), strict=True), key=lambda side: -side[1]
    )
    ties = "" if most + least == found.rows else f"; {found.rows - most - least:,} tied"
    shown = [
        Fact(f"{rows.capitalize()} won", f"{most:,} of {most + least:,}", f"by {first}, {least:,} by {second}{ties}")
    ]
    if most and rows != "decisions":
        help = f"Two-sided. Each of the {most + least:,} {rows} that differ counts once and is assumed to be independent of the others."
        shown.append(Fact("Exact sign test", said_p(found.p), "the test to trust", help))
    shown.append(Fact("Mean difference", number(found.mean, "+.3f"), interval, f"{names[0]} minus {names[1]}."))
    if math.isfinite(found.detectable):
        help = "The true difference that a paired t-test finds in 80% of studies with this many rows."
        shown.append(Fact("Detectable difference", f"{found.detectable:.3f}", "found in 80% of studies", help))
    return tuple(shown)


def hero(shown: tuple[Fact, ...]) -> Fact | None:
    """Return the rows won, which the headline is about."""
    return shown[0] if shown else None


def reading(test: Significance, names: Names, *, margin: float | None = None) -> str:
    """Say in plain words what one test shows two-sided, as the headline does, or why it does not apply."""
    test = test.two_sided
    if test.p is None or test.effect is None:
        return test.problem
    if test.claim == "equality":
        interval = "" if test.interval_90 is None else f" (90% CI {_range(test.interval_90)})"
        within = "within" if test.verdict == "=" else "not shown to be within"
        return f"The mean difference is {number(test.effect, '+.3g')}{interval}, {within} the margin{'' if margin is None else f' of {margin:g}'} ({said_p(test.p)})."
    if test.name in ("s", "S"):
        rows = "decisions" if test.name == "s" else "rows"
        first, share = (names[0], test.effect) if test.direction >= 0 else (names[1], 1 - test.effect)
        fact = f"{first} is ahead in {round(share * test.n):,} of {test.n:,} {rows} that differ"
    else:
        interval = "" if test.interval is None else f" (95% CI {_range(test.interval)})"
        fact = f"{test.effect_name.capitalize()} {number(test.effect, '+.3g')}{interval}"
    winner = names[0] if test.direction >= 0 else names[1]
    verdict = test.verdict or "~"
    evidence = (
        "not significant"
        if verdict == "~"
        else f"{'strong' if verdict in '»«' else 'some'} evidence that {winner} is better"
    )
    return f"{fact}: {evidence} ({said_p(test.p)})."


def _rounded(*values: float) -> list[str]:
    """Return numbers with as many decimals as give the largest two digits, and show none as 0 that is not."""
    largest = max(map(abs, values))
    places = 0 if largest >= 9.95 else 1 if largest >= 0.995 else 2 if largest >= 0.0995 else 3
    while places < 3 and any(value and not float(f"{value:.{places}f}") for value in values):
        places += 1
    return [number(value, f",.{places}f") for value in values]


def _range(interval: tuple[float, float]) -> str:
    return " to ".join(number(end, ".1f" if max(map(abs, interval)) >= 10 else ".3f") for end in interval)


# Figures and tables


def differences(
    labels: Sequence[str], d: Floats, sizes: Sequence[int] | None, names: Names, *, metric: str, per: str
) -> tuple[Drawing, ...]:
    """Draw A − B row by row; `per` is what a row is, such as a topic."""
    known = np.isfinite(d)
    if not known.any():
        return ()
    shown = [label for label, keep in zip(labels, known, strict=True) if keep]
    kept = None if sizes is None else [size for size, keep in zip(sizes, known, strict=True) if keep]
    about = [] if sizes is None else [f"Documents in brackets; darker bars are larger {per}s."]
    if known.sum() > plots.MOST_BARS:
        about.append(f"The {plots.MOST_BARS} largest of {int(known.sum()):,} differences.")
    draw = partial(plots.differences, shown, d[known], kept, a=names[0], b=names[1])
    return (Drawing("differences", f"Difference in {metric} by {per}", draw, " ".join(about), lead=True),)


def tests_table(
    tests: Mapping[str, Significance],
    names: Names,
    *,
    per: str,
    margin: float,
    rates: Mapping[str, float] | None = None,
) -> Rows:
    """Return every test; one that does not apply shows why instead of a p-value."""

    def make() -> pd.DataFrame:
        return pd.DataFrame(
            [
                {
                    "test": TESTS[name].label,
                    "verdict": test.verdict or "–",
                    "p": test.p,
                    "false alarms": _rate(TESTS[name].rate_in(rates or {})),
                    "what it shows": reading(test, names, margin=margin),
                    "assumes": test.assumption,
                    "statistic": test.statistic,
                    "n": test.n,
                    "effect": test.effect,
                    "95% from": test.interval[0] if test.interval else None,
                    "95% to": test.interval[1] if test.interval else None,
                }
                for name, test in ((name, test.two_sided) for name, test in tests.items())
            ]
        )

    return Rows(
        "tests", "Every test", make, _about_tests(tests, per=per, measured=bool(rates)), 4, {"p": ".2g"}, lead=True
    )


def _rate(rate: float | None) -> str:
    return "unknown" if rate is None else share(rate)


def _about_tests(tests: Mapping[str, Significance], *, per: str, measured: bool) -> str:
    decisions = [name for name in tests if TESTS[name].error_rate == "clustered"]
    said = [SIGNS, "All ask one question, so do not pick the smallest p."]
    if "S" in tests:
        said.append(
            "The headline reports the exact sign test. S approximates it by a normal curve (Yang and Liu 1999), which gives a smaller p "
            "where few rows differ."
        )
    if len(decisions) < len(tests):
        said.append(f"Macro tests and t-tests compare one score per {per}.")
    if weighted := [TESTS[name].label for name in tests if TESTS[name].needs_weights]:
        said.append(f"Weighted by documents: {listed(weighted)}.")
    said.append("p is two-sided. False alarms: how often it is at most .05 if both are equally good.")
    if decisions:
        how = "measured on this run" if measured else "not known here"
        said.append(f"For tests over single decisions (s, p), the rate is {how}.")
    return " ".join(said)


def pair_matrix(systems: Sequence[str], pairs: Sequence[Comparison], test: str) -> tuple[Drawing, ...]:
    """Draw every pair of systems under one test; nothing where there are only two."""
    if len(systems) < 3 or not pairs:
        return ()
    about = "Row against column, p after Holm's correction for the number of pairs."
    if TESTS[test].error_rate == "clustered":
        about += " This test treats decisions about one topic as independent, so it finds too much."
    if TESTS[test].claim == "equality":
        about += " = within the margin (p ≤ .05), ~ not shown to be."
    return (
        Drawing(
            "all_pairs", f"All pairs: {TESTS[test].label}", partial(plots.pair_matrix, systems, pairs, test), about
        ),
    )


def power_figure(d: Floats, target: float, *, per: str) -> tuple[Drawing, ...]:
    """Draw how many rows it takes to find a difference; nothing where the differences do not vary."""
    d = d[np.isfinite(d)]
    sd = float(d.std(ddof=1)) if len(d) > 2 else 0.0
    if sd < NO_SPREAD:
        return ()
    needed = topics_needed(target, sd, paired=True, sides=2)
    just, reliably = (found(sd, len(d), paired=True, sides=2) for found in (smallest_difference, reliable_difference))
    about = (
        f"With {len(d):,} {per}s, a difference must reach {just:.3f} to be significant in a t-test. A true difference of "
        f"{reliably:.3f} is found in 80% of studies. Finding one of {target:g} that often takes {needed:,} {per}s."
    )

    def draw() -> go.Figure:
        top = int(min(max(2 * needed, 2 * len(d), 20), 2_000))
        grid = np.unique(np.linspace(2, top, 80).astype(int))
        powers = np.array([float(power(target, sd, int(n), paired=True, sides=2)) for n in grid])
        return plots.power_curve(grid.tolist(), powers, len(d), 0.8)

    return (Drawing("power", f"Power by number of {per}s", draw, about),)


def test_data(test: Significance, names: Names, *, margin: float) -> dict[str, object]:
    """Return one test as `--json` prints it."""
    data: dict[str, object] = {
        "statistic": test.statistic,
        "p": test.p,
        "n": test.n,
        "verdict": test.verdict,
        "effect": test.effect,
        "interval": None if test.interval is None else list(test.interval),
        "interval_confidence": None if test.interval is None else 0.95,
        "sides": test.sides,
        "reading": reading(test, names, margin=margin),
    }
    if test.interval_90 is not None:  # the one that the reading of an equivalence test goes by
        data["interval_90"] = list(test.interval_90)
    return data | ({"problem": test.problem} if test.problem else {})
