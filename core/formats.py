"""One way to write each kind of number and several names, on pages and on paper; a dash where there is none."""

from collections.abc import Iterable, Sequence
from math import isfinite

ABSENT = "–"


def number(value: float | None, form: str = ".3f") -> str:
    """A number, with a true minus sign."""
    return ABSENT if value is None or not isfinite(value) else format(value, form).replace("-", "−")


def numbers(values: Iterable[float], form: str = ".3f") -> list[str]:
    """Numbers of one column."""
    return [number(float(value), form) for value in values]


def rank(value: float) -> str:
    """A rank, or a mean of ranks, with at most one decimal: 4, 2.5."""
    return f"{value:.1f}".removesuffix(".0") if isfinite(value) else ABSENT


def share(value: float) -> str:
    """A share in per cent with one decimal: 38.1 %."""
    return f"{100 * value:.1f} %" if isfinite(value) else ABSENT


def percent(value: float) -> str:
    """A share in whole per cent: 38 %."""
    return f"{100 * value:.0f} %" if isfinite(value) else ABSENT


def p_value(value: float | None) -> str:
    """A p-value with four decimals, or that it is smaller than they show."""
    if value is None or not isfinite(value):
        return ABSENT
    return "< 0.0001" if value < 0.0001 else f"{value:.4f}"


def interval(low: float, high: float, form: str = ".3f") -> str:
    """Such as "0.512 to 0.890"; one without width would say too much, and is said to have none."""
    if not isfinite(low):
        return "unknown"
    return "no spread" if low == high else f"{number(low, form)} to {number(high, form)}"


def counted(number: int, what: str) -> str:
    """Such as "1 page" and "1,200 pages"."""
    return f"{number:,} {what}{'s' * (number != 1)}"


def listed(names: Sequence[str]) -> str:
    """Such as "a, b and c"; nothing where there is no name."""
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)


def first_few(names: Sequence[str], most: int, *, between: str = "") -> str:
    """Such as "a, b and 3 more"; all of them where they are no more than `most`. `between` stands for the commas."""
    more = len(names) - most
    if more > 0:
        return f"{(between or ', ').join(names[:most])} and {more:,} more"
    return between.join(names) if between else listed(names)
