"""One way to write each kind of number on paper; a dash where there is none."""

from collections.abc import Iterable
from math import isfinite

ABSENT = "–"


def number(value: float | None, form: str = ".3f") -> str:
    """A number, with a true minus sign."""
    return ABSENT if value is None or not isfinite(value) else format(value, form).replace("-", "−")


def numbers(values: Iterable[float], form: str = ".3f") -> list[str]:
    """Numbers of one column."""
    return [number(float(value), form) for value in values]


def share(value: float) -> str:
    """A share in per cent: 38.1 %."""
    return f"{100 * value:.1f} %" if isfinite(value) else ABSENT


def p_value(value: float | None) -> str:
    """A p-value with four decimals, or that it is smaller than they show."""
    if value is None or not isfinite(value):
        return ABSENT
    return "< 0.0001" if value < 0.0001 else f"{value:.4f}"


def interval(low: float, high: float, form: str = ".3f") -> str:
    """Such as "0.512 to 0.890"."""
    return f"{number(low, form)} to {number(high, form)}" if isfinite(low) and isfinite(high) else ABSENT


def without_marks(sentence: str) -> str:
    """A sentence of ours without the asterisks by which pages set words off; never for text of users."""
    return sentence.replace("*", "")
