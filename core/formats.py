"""One way to write each kind of number and several names, on pages and on paper; a dash where there is none."""

import re
from collections.abc import Iterable, Sequence
from itertools import accumulate, takewhile
from math import isfinite
from unicodedata import category

ABSENT = "–"
# They turn the order of what follows them about, so that a name could pass for another on a terminal.
TURNING = re.compile("[\u202a-\u202e\u2066-\u2069]")


def number(value: float | None, form: str = ".3f") -> str:
    """Return a number, with a true minus sign."""
    return ABSENT if value is None or not isfinite(value) else format(value, form).replace("-", "−")


def defined(value: float) -> float | None:
    """Return the value, or None (null in JSON) where it is undefined."""
    return float(value) if value == value else None


def numbers(values: Iterable[float]) -> list[str]:
    """Return numbers of one column."""
    return [number(float(value)) for value in values]


def rank(value: float) -> str:
    """Return a rank, or a mean of ranks, with at most one decimal: 4, 2.5."""
    return f"{value:.1f}".removesuffix(".0") if isfinite(value) else ABSENT


def share(value: float) -> str:
    """Return a share as a percentage with one decimal: 38.1%."""
    return f"{100 * value:.1f}%" if isfinite(value) else ABSENT


def percent(value: float) -> str:
    """Return a share as a whole percentage: 38%."""
    return f"{100 * value:.0f}%" if isfinite(value) else ABSENT


def interval(low: float, high: float, form: str = ".3f") -> str:
    """Return text such as "0.512 to 0.890", or a dash for an interval without width."""
    if not isfinite(low):
        return "unknown"
    return "no spread" if low == high else f"{number(low, form)} to {number(high, form)}"


_LONG_WORD = 14  # letters


def shortened(names: Sequence[str], longest: int) -> list[str]:
    """Return the names cut to `longest` letters, no two different ones to the same.

    Where cutting the ends would do that, names keep a beginning and, after an ellipsis, what tells them apart.
    """
    whole = [" ".join(name.split()) for name in names]
    labels = {name: _cut_short(name, longest) for name in whole}
    _tell_apart(labels, list(labels), longest, known=0)
    _make_unique(labels, longest)
    return [labels[name] for name in whole]


def _cut_short(name: str, longest: int) -> str:
    return name if len(name) <= longest else f"{name[: longest - 1].rstrip()}…"


def _head(name: str, longest: int, share: float = 0.45) -> str:
    return _cut_short(name, max(2, int(share * longest)))


def _cut_joined(head: str, rest: str, longest: int) -> str:
    return _cut_short(head + rest, longest).replace("……", "…")


def _make_unique(labels: dict[str, str], longest: int) -> None:
    """Change later names that are still the same: they show another of their words, or a number."""
    taken: set[str] = set()
    for name, label in labels.items():
        if label in taken:
            words = [at + 1 for at, letter in enumerate(name) if letter == " "]
            tries = (_cut_joined(_head(name, longest), name[word:], longest) for word in words)
            numbers = (
                f"{_cut_short(name, longest - len(str(count)) - 3)} ({count})" for count in range(2, len(labels) + 2)
            )
            labels[name] = next(each for each in (*tries, *numbers) if each not in taken)
        taken.add(labels[name])


def _tell_apart(labels: dict[str, str], names: Sequence[str], longest: int, *, known: int) -> None:
    """Give names that have the same label others; `known` is how many letters all are known to begin with."""
    same_label: dict[str, list[str]] = {}
    for name in names:
        same_label.setdefault(labels[name], []).append(name)
    for group in same_label.values():
        shared = len(list(takewhile(lambda letters: len(set(letters)) == 1, zip(*group, strict=False))))
        if len(group) == 1 or shared <= known:  # nothing more to show, or no room for it
            continue
        start = from_word = _word_before(group[0], shared)
        rest = max(len(name) for name in group) - start
        head = _head(group[0], longest, share=0.25 if 0.55 < rest / longest <= 0.75 else 0.45)
        while from_word >= len(head) and all(len(head) + len(name) - from_word <= longest for name in group):
            start, from_word = from_word, _word_before(group[0], from_word - 1)
        for name in group:
            labels[name] = _cut_joined(head, name[start:], longest)
        _tell_apart(labels, group, longest, known=shared)


def _word_before(name: str, letter: int) -> int:
    """Return where the word that a letter is in begins; of a long one, the letter before."""
    start = name.rfind(" ", 0, max(letter, 0)) + 1
    return letter - 1 if letter - start > _LONG_WORD else start


def counted(number: int, what: str, does: str = "", do: str = "") -> str:
    """Return text such as "1 page" and "1,200 pages"; with a verb "1 page is" and "1,200 pages are"."""
    verb = does if number == 1 else do
    return f"{number:,} {what}{'s' * (number != 1)}{f' {verb}' if verb else ''}"


def choose(what: str, low: int, high: int) -> str:
    """Return text such as "choose k from 2 to 6", and "choose k = 2" where there is no other."""
    return f"choose {what} = {low}" if low == high else f"choose {what} from {low:,} to {high:,}"


def told_apart(value: float, threshold: float) -> tuple[str, str]:
    """Return two numbers with as many decimals as show that they differ, where they do."""
    for places in (2, 3, 4):
        shown = f"{value:.{places}f}", f"{threshold:.{places}f}"
        if shown[0] != shown[1] or value == threshold:
            break
    return shown


def some_or_all(some: int, of: int, which: str, what: str) -> str:
    """Return text such as "the 24 largest of 153 topics", "all 24 topics" and "the one topic"."""
    if some < of:
        return f"the {some:,} {which} of {counted(of, what)}"
    return f"all {of:,} {what}s" if of > 1 else f"the one {what}"


def listed(names: Sequence[str]) -> str:
    """Return text such as "a, b and c"; nothing where there is no name."""
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)


def first_few(names: Sequence[str], most: int, *, between: str = "", of: int | None = None) -> str:
    """Return text such as "a, b and 3 more", or all names where they are no more than `most`.

    between: replaces the commas
    of: how many there are, where `names` has not all
    """
    more = (len(names) if of is None else of) - min(most, len(names))
    if more > 0 and names:
        return f"{(between or ', ').join(names[:most])} and {more:,} more"
    return between.join(names) if between else listed(names)


def first_that_fit(names: Sequence[str], most: int, *, longest: int, between: str = "") -> str:
    """Return the first names as `first_few` does: at most this many, and no more than these characters hold, but one at least."""
    fitting = sum(length <= longest for length in accumulate(len(name) + 3 for name in names[:most]))
    return first_few(names, max(fitting, 1), between=between)


def in_sentence(name: str) -> str:
    """Return a topic's name as a sentence holds it: in quotes where it has several words."""
    return f"'{name}'" if len(name.split()) > 1 else name


def one_line(text: str) -> str:
    """Return a text on a terminal: no end of a line, no escape sequence and no half character of it, for names are other people's."""
    blanks = " ".join(TURNING.sub("", text).split())
    return blanks if blanks.isprintable() else "".join(each for each in blanks if category(each) not in ("Cc", "Cs"))


def said_p(value: float) -> str:
    """Return text such as "p = .02" and "p < .001"; three decimals where two would hide a side of .05 or .01."""
    if value < 0.001:
        return "p < .001"
    places = 3 if value < 0.01 or 0.045 <= value < 0.055 else 2
    return f"p = {value:.{places}f}".replace("0.", ".")
