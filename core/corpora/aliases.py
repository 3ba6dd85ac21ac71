"""Author names that may be one person's: the same words, initials, or a letter apart. Suggestions, never certainties."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from ..arrays import Ints

MOST_OF_A_SURNAME = 100  # names compared with each other; more Smiths than this are not looked into
MOST_FOR_SLIPS = 20_000  # names; every one of them is spelt some thirty times with a letter left out
SHORTEST_SLIP = 5  # letters: in shorter words one letter is the difference between two names
_WORDS = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Aliases:
    """Names that may be one author's, the one with most texts first; `sure`: they differ in spelling only."""

    names: tuple[str, ...]
    sure: bool


def author_aliases(names: Sequence[str], texts: Ints) -> tuple[Aliases, ...]:
    """Groups of names with the same words (case, accents, marks and order aside), then those of like names.

    Like are a name and its initials where these fit no third name, and names whose words are the same but for one slip of
    a letter. `texts` says how many texts each name has.
    """
    by_words: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for index, name in enumerate(names):
        if words := _words(name):
            by_words[tuple(sorted(words))].append(index)
    classes = list(by_words.values())
    written = [_words(names[members[0]]) for members in classes]
    pairs = [*_initials(written), *_slips(written)]

    def group(members: list[int], *, sure: bool) -> Aliases:
        ordered = sorted(members, key=lambda index: (-texts[index], names[index]))
        return Aliases(tuple(names[index] for index in ordered), sure)

    certain = [group(members, sure=True) for members in classes if len(members) > 1]
    likely = [group([index for each in part for index in classes[each]], sure=False) for part in _joined(pairs)]
    return (*sorted(certain, key=lambda each: each.names), *sorted(likely, key=lambda each: each.names))


def _words(name: str) -> list[str]:
    """The words of a name without case and accents, the surname last: what stands before a comma goes to the end."""
    plain = "".join(
        letter for letter in unicodedata.normalize("NFKD", name.casefold()) if not unicodedata.combining(letter)
    )
    surname, comma, given = plain.partition(",")
    return _WORDS.findall(f"{given} {surname}" if comma else plain)


def _initials(written: Sequence[list[str]]) -> Iterator[tuple[int, int]]:
    """Pairs such as 'J. Smith' and 'John Smith', where all names that might be meant are like each other."""
    by_surname: dict[str, list[int]] = defaultdict(list)
    for index, words in enumerate(written):
        if len(words) > 1 and len(words[-1]) > 1:
            by_surname[words[-1]].append(index)
    for block in by_surname.values():
        if len(block) > MOST_OF_A_SURNAME:
            continue
        alike = {pair for pair in combinations(block, 2) if _fits(written[pair[0]], written[pair[1]])}
        for part in _joined(alike):
            if all(pair in alike for pair in combinations(sorted(part), 2)):
                yield from combinations(sorted(part), 2)


def _fits(one: list[str], two: list[str]) -> bool:
    """Given names in order, each the other's or its first letter."""
    return all(a == b or (min(len(a), len(b)) == 1 and a[0] == b[0]) for a, b in zip(one[:-1], two[:-1], strict=False))


def _slips(written: Sequence[list[str]]) -> Iterator[tuple[int, int]]:
    """Pairs whose words are the same but for one letter of one long word, left out, put in, changed or swapped."""
    if len(written) > MOST_FOR_SLIPS:
        return
    spelt: dict[tuple[str, ...], list[tuple[int, str]]] = defaultdict(list)
    for index, words in enumerate(written):
        for number, word in enumerate(words):
            if len(words) < 2 or len(word) < SHORTEST_SLIP or not word.isalpha():
                continue
            rest = sorted(words[:number] + words[number + 1 :])
            for shorter in {word, *(word[:at] + word[at + 1 :] for at in range(len(word)))}:
                spelt[(shorter, *rest)].append((index, word))
    for entries in spelt.values():
        for (one, first), (two, second) in combinations(entries[:MOST_OF_A_SURNAME], 2):
            if one != two and _one_slip(first, second):
                yield one, two


def _one_slip(one: str, two: str) -> bool:
    """Whether words that share all letters but one each differ by a single slip."""
    if len(one) != len(two):
        return True
    differ = [at for at, (a, b) in enumerate(zip(one, two, strict=True)) if a != b]
    swapped = len(differ) == 2 and differ[1] - differ[0] == 1 and one[differ[0]] == two[differ[1]]
    return len(differ) == 1 or (swapped and one[differ[1]] == two[differ[0]])


def _joined(pairs: Iterable[tuple[int, int]]) -> list[list[int]]:
    """The indices that pairs connect, group by group, each sorted."""
    above: dict[int, int] = {}

    def top(index: int) -> int:
        while above.setdefault(index, index) != index:
            index = above[index]
        return index

    for one, two in pairs:
        above[top(two)] = top(one)
    groups: dict[int, list[int]] = defaultdict(list)
    for index in sorted(above):
        groups[top(index)].append(index)
    return list(groups.values())
