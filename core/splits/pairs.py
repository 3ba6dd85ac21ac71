"""Verification pairs inside folds, pairs of held-out documents, and how much topics give pairs away."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from ..arrays import Bools, Ints, record
from ..corpora import Corpus
from ..errors import SettingError, unknown
from ..formats import counted

_MOST_REDRAWS = 200  # a repeated pair is redrawn in nearly every round; only tiny sides need more than a few
_MIXINGS = 20  # rounds of swaps, each of about half of the places

_MOST_TRIES = 50  # the first will do but on small sides, where a part may have too little to match
_FEWEST = 2  # same-author pairs that a part must have


@record
class Pairs:
    """Pairs of corpus rows with the codes of authors and topics."""

    first: Ints
    second: Ints
    same: Bools  # one author wrote both texts
    first_author: Ints
    second_author: Ints
    first_topic: Ints
    second_topic: Ints
    kind: str  # the pairing
    left_out: int = 0  # pairs for which there were too few texts
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.first)

    @property
    def rows(self) -> Ints:
        """Return every document in some pair, once, sorted."""
        return np.unique(np.concatenate([self.first, self.second]))


@record
class Texts:
    """Rows of a corpus in an order that does not depend on the file, with the codes of their authors and topics."""

    rows: Ints
    authors: Ints
    topics: Ints

    def __len__(self) -> int:
        return len(self.rows)

    def part(self, chosen: Bools) -> "Texts":
        """Return the chosen texts, in the same order."""
        return Texts(self.rows[chosen], self.authors[chosen], self.topics[chosen])


@record
class Draw:
    """Same-author and different-author pairs as indices of texts, each kind with its leads, and how many were left out."""

    same: tuple[Ints, Ints]
    different: tuple[Ints, Ints]
    left_out: int
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pairing:
    """One way to draw pairs."""

    label: str
    about: str
    draw: Callable[[Texts, np.random.Generator], Draw]
    by_topic: bool  # topics decide who is paired with whom
    key: str  # of stored answers; changes when the draw does


def make_pairs(corpus: Corpus, rows: Ints, *, seed: int, kind: str = "matched") -> Pairs:
    """Return the pairs of these texts, drawn as PAIRINGS[kind] says (docs/methods.md, Folds, models and scores).

    No pair comes twice: two texts by an author make one pair, not two. The draw depends on ids and names, not on the
    order of the file. Texts without an author are in no pair.
    """
    if kind not in PAIRINGS:
        raise unknown("kind of pairs", kind, PAIRINGS)
    if corpus.author_names is None or corpus.author_codes is None:
        raise SettingError("The corpus names no authors, and verification pairs need them; choose an author column.")
    if not corpus.has_authors:
        raise SettingError(
            f"Pairs ask whether one author wrote two texts, but this corpus predicts '{corpus.predicts}'. Ask about documents instead."
        )
    rows = np.array(sorted(np.unique(rows).tolist(), key=corpus.ids.__getitem__), dtype=np.int64)
    texts = Texts(rows, corpus.author_codes[rows], corpus.topic_codes[rows])
    notes = []
    known = corpus.known_authors[texts.authors]
    if not known.all():
        notes.append(f"{int((~known).sum()):,} texts without an author are in no pair.")
        texts = texts.part(known)
    sizes = np.bincount(texts.authors)
    if (sizes > 0).sum() < 2:
        raise SettingError(
            f"{counted(len(texts), 'text')} by {counted(int((sizes > 0).sum()), 'author')}: different-author pairs need two authors "
            "on each side of a fold; choose another author column, or, if the corpus has more authors, fewer folds."
        )
    if sizes.max() < 2:
        raise SettingError(
            f"Each of the {len(texts):,} texts has its own author: same-author pairs need an author with two texts on "
            f"each side of a fold; {_suggested_fix(corpus)}."
        )
    alone = int((sizes == 1).sum())
    if alone:
        notes.append(
            f"{alone:,} of {len(texts):,} texts {'has' if alone == 1 else 'have'} no other text by {'its' if alone == 1 else 'their'} author on this side."
        )
    pairs = drawn_pairs(texts, np.random.default_rng(seed), kind=kind, notes=tuple(notes))
    if not len(pairs):
        raise SettingError(
            f"None of {pairs.left_out:,} same-author pairs can be matched: no two authors with several texts wrote on one topic "
            "on this side of the fold. Use fewer folds, or the paper's pairs, which do not match topics."
        )
    return pairs


def _suggested_fix(corpus: Corpus) -> str:
    """Suggest fewer folds, which help only if somebody wrote two texts at all."""
    if most_texts(corpus) < 2:
        return "no author of the corpus wrote two, so choose another author column"
    return "use fewer folds, or choose another author column"


def most_texts(corpus: Corpus) -> int:
    """Return the number of texts by the most frequent author; 0 if no author is known."""
    if corpus.author_codes is None:
        return 0
    return int(np.bincount(corpus.author_codes[corpus.known_authors[corpus.author_codes]], minlength=1).max())


def drawn_pairs(texts: Texts, rng: np.random.Generator, *, kind: str, notes: tuple[str, ...] = ()) -> Pairs:
    """Return the pairs of these texts, lead by lead, the one with the lead's own author first; there may be none."""
    drawn = PAIRINGS[kind].draw(texts, rng)
    first, second = (np.concatenate(each) for each in zip(drawn.same, drawn.different, strict=True))
    same = np.repeat([True, False], [len(drawn.same[0]), len(drawn.different[0])])
    by_lead = np.lexsort((~same, first))
    first, second, same = first[by_lead], second[by_lead], same[by_lead]
    return Pairs(
        texts.rows[first],
        texts.rows[second],
        same,
        first_author=texts.authors[first],
        second_author=texts.authors[second],
        first_topic=texts.topics[first],
        second_topic=texts.topics[second],
        kind=kind,
        left_out=drawn.left_out,
        notes=(*notes, *drawn.notes),
    )


def _matched(texts: Texts, rng: np.random.Generator) -> Draw:
    """Pair each text with another by its author and with one by somebody else, so that neither topics nor counts tell.

    The seconds of different-author pairs are a permutation, within each topic, of those of same-author pairs. So both
    classes have the same firsts, the same seconds and the same pairs of topics, and every text comes equally often. Where
    one author wrote most of a topic, chance leaves out the texts of theirs that nobody else's can take the place of.
    """
    shuffled = rng.permutation(len(texts))
    asked = len(_ring(texts.authors, shuffled)[0])
    leads, mates, groups = _permutable_rings(texts, shuffled)
    places = _permuted(leads, mates, groups, texts.authors, rng)
    stay = _unrepeated(leads, mates, groups, texts.authors, places)
    leads, others, mates = leads[stay], mates[places][stay], mates[stay]
    missing = asked - len(leads)
    notes = (
        f"{missing:,} of {asked:,} same-author pairs are left out: too few other authors wrote on the second text's topic.",
    )
    return Draw((leads, mates), (leads, others), missing, notes if missing else ())


def _permutable_rings(texts: Texts, shuffled: Ints) -> tuple[Ints, Ints, Ints]:
    """Return leads and mates of rings, and the group each mate is permuted in, where nobody has more than half of a group.

    A group is a topic. Of an author with two texts one only leads and the other only follows, so that these seconds form
    groups of their own: beside the others, how often a text comes would tell. Texts beyond half of a group are left out,
    which shortens rings, until all groups hold. Tiny sides that keep no text so keep the pairs that topics alone allow.
    """
    remaining = shuffled
    while len(remaining):
        leads, mates = _ring(texts.authors, remaining)
        authors = texts.authors[mates]
        groups = texts.topics[mates] * 2 + (np.bincount(authors, minlength=1)[authors] == 1)
        stay = np.isin(remaining, np.concatenate([leads, mates])) & ~np.isin(
            remaining, mates[_beyond_half(groups, authors)]
        )
        if stay.all():
            return leads, mates, groups
        remaining = remaining[stay]
    leads, mates = _ring(texts.authors, shuffled)
    stay = ~_beyond_half(texts.topics[mates], texts.authors[mates])
    return leads[stay], mates[stay], texts.topics[mates[stay]]


def _beyond_half(groups: Ints, authors: Ints) -> Bools:
    """Return a mask of what an author has in a group beyond as much as all others have there."""
    order = np.lexsort((authors, groups))
    starts, sizes, block = _stretches(groups[order], authors[order])
    others = np.bincount(groups, minlength=1)[groups[order]] - sizes[block]
    beyond = np.zeros(len(groups), dtype=np.bool_)
    beyond[order] = np.arange(len(order)) - starts[block] >= others
    return beyond


def _permuted(leads: Ints, mates: Ints, groups: Ints, author_of: Ints, rng: np.random.Generator) -> Ints:
    """Return for every place the place in its group whose second text it takes, always another author's.

    Authors in a row, shifted by as much as the largest of them has, keep that law; random swaps that keep it mix them, and
    more of them take apart pairs that come twice.
    """
    authors = author_of[mates]
    mixed = rng.permutation(len(mates))
    shuffled = rng.permutation(author_of.max(initial=0) + 1)[authors]  # which author comes first is chance
    order = mixed[np.lexsort((shuffled[mixed], groups[mixed]))]
    starts, sizes, block = _stretches(groups[order])
    own_starts, own_sizes, _ = _stretches(groups[order], shuffled[order])
    largest = np.zeros(len(starts), dtype=np.int64)
    np.maximum.at(largest, block[own_starts], own_sizes)
    shift = rng.integers(largest, sizes - largest + 1)
    places = np.empty(len(mates), dtype=np.int64)
    places[order] = order[starts[block] + (np.arange(len(order)) - starts[block] + shift[block]) % sizes[block]]
    anywhere = np.ones(len(mates), dtype=np.bool_)
    for _ in range(_MIXINGS):
        places = _swapped(places, groups, authors, anywhere, rng)
    for _ in range(_MOST_REDRAWS):
        repeated = _repeated(leads, mates[places])
        if not repeated.any():
            break
        places = _swapped(places, groups, authors, repeated, rng)
    return places


def _swapped(places: Ints, groups: Ints, authors: Ints, wanted: Bools, rng: np.random.Generator) -> Ints:
    """Return the permutation after swaps between random neighbours in a group, one of them wanted, where authors still differ."""
    mixed = rng.permutation(len(places))
    order = mixed[np.argsort(groups[mixed], kind="stable")][int(rng.integers(2)) :]
    one, two = order[: len(order) // 2 * 2 : 2], order[1::2]
    allowed = (groups[one] == groups[two]) & (wanted[one] | wanted[two])
    allowed &= (authors[one] != authors[places[two]]) & (authors[two] != authors[places[one]])
    one, two = one[allowed], two[allowed]
    swapped = places.copy()
    swapped[one], swapped[two] = places[two], places[one]
    return swapped


def _repeated(one: Ints, two: Ints) -> Bools:
    """Return a mask of the unordered pairs of texts that come more than once."""
    keys = np.minimum(one, two) * (max(one.max(initial=0), two.max(initial=0)) + 1) + np.maximum(one, two)
    _, index, times = np.unique(keys, return_inverse=True, return_counts=True)
    return np.asarray(times[index] > 1)


def _unrepeated(leads: Ints, mates: Ints, groups: Ints, author_of: Ints, places: Ints) -> Bools:
    """Return a mask of the places that stay where swaps left a pair twice, which tiny sides alone do.

    A place leaves with its whole cycle of the permutation, so that both classes keep the same seconds. One exchange of two
    authors' seconds is never a repeat, and is what stays in place of nothing.
    """
    stay = np.ones(len(places), dtype=np.bool_)
    while len(repeated := np.flatnonzero(stay)[_repeated(leads[stay], mates[places][stay])]):
        place = int(repeated[-1])
        while stay[place]:
            stay[place] = False
            place = int(places[place])
    if len(places) and not stay.any():
        authors = author_of[mates]
        other = int(np.flatnonzero((groups == groups[0]) & (authors != authors[0]))[0])
        places[[0, other]], stay[[0, other]] = (other, 0), True
    return stay


def _stretches(*columns: Ints) -> tuple[Ints, Ints, Ints]:
    """Return where each stretch of equal rows in sorted columns starts, how long it is, and every row's stretch."""
    new = np.ones(len(columns[0]), dtype=np.bool_)
    new[1:] = np.any([column[1:] != column[:-1] for column in columns], axis=0)
    starts = np.flatnonzero(new)
    return starts, np.diff(np.append(starts, len(new))), np.cumsum(new) - 1


def _as_in_paper(texts: Texts, rng: np.random.Generator) -> Draw:
    """Pair every text with another of its author, if there is one, and with one of somebody else: first who, then which."""
    same = _ring(texts.authors, rng.permutation(len(texts)))
    order, block, starts, sizes = by_author(texts.authors, rng.permutation(len(texts)))
    leads = np.arange(len(texts))

    def draw(again: Ints) -> Ints:
        other = rng.integers(0, len(sizes) - 1, size=len(again))
        other += other >= block[again]
        return starts[other] + rng.integers(0, sizes[other])

    others = _all_different(leads, draw, len(texts), rng)
    found, missing = others >= 0, int((others < 0).sum())
    notes = (
        (f"{missing:,} texts lead no different-author pair: every one they could lead is taken.",) if missing else ()
    )
    return Draw(same, (order[leads[found]], order[others[found]]), missing, notes)


def by_author(authors: Ints, shuffled: Ints) -> tuple[Ints, Ints, Ints, Ints]:
    """Return the shuffled texts author by author; of every place in that order its author's number; and of every author
    where the stretch starts and how long it is."""
    order = shuffled[np.argsort(authors[shuffled], kind="stable")]
    block, sizes = np.unique(authors[order], return_inverse=True, return_counts=True)[1:]
    return order, block, np.cumsum(sizes) - sizes, sizes


def _ring(authors: Ints, shuffled: Ints) -> tuple[Ints, Ints]:
    """Pair each of the shuffled texts with the next of its author, the last with the first: a ring repeats no pair if it has
    three texts; a ring of two would, so only its first text leads."""
    order, block, starts, sizes = by_author(authors, shuffled)
    within = np.arange(len(order)) - starts[block]
    leads = np.flatnonzero((sizes[block] > 2) | ((sizes[block] == 2) & (within == 0)))
    mates = starts[block[leads]] + (within[leads] + 1) % sizes[block[leads]]
    return order[leads], order[mates]


def _all_different(leads: Ints, draw: Callable[[Ints], Ints], count: int, rng: np.random.Generator) -> Ints:
    """Return a partner for each lead such that no unordered pair repeats; −1 where none was found.

    `draw` takes places in `leads` and gives a partner for each; partners are numbered as leads are, below `count`.
    """
    partners = np.empty(len(leads), dtype=np.int64)
    again = np.arange(len(leads))
    for _ in range(_MOST_REDRAWS):
        partners[again] = draw(again)
        # Which of two equal pairs is redrawn must be chance, or a text whose every partner chose it could never move.
        mixed = rng.permutation(len(leads))
        keys = np.minimum(leads, partners) * count + np.maximum(leads, partners)
        keep = np.unique(keys[mixed], return_index=True)[1]
        again = np.sort(np.delete(mixed, keep))
        if not len(again):
            break
    partners[again] = -1
    return partners


PAIRINGS: dict[str, Pairing] = {
    "matched": Pairing(
        "Matched topics",
        "Pairs by one author and pairs by two have the same first texts, the same second texts and the same topics. So neither "
        "topics nor counts of texts tell them apart.",
        _matched,
        by_topic=True,
        key="matched: permuted",
    ),
    "paper": Pairing(
        "As in the paper",
        "Every text with another by its author and with one by somebody else, whatever their topics (HITS, section 5.1). "
        "Topics and counts of texts partly give the answer away.",
        _as_in_paper,
        by_topic=False,
        key="paper",
    ),
}


class Paired(Protocol):
    """Pairs of corpus rows, and whether one author wrote both texts."""

    @property
    def first(self) -> Ints: ...
    @property
    def second(self) -> Ints: ...
    @property
    def same(self) -> Bools: ...


def topic_gap(pairs: Paired, topic_codes: Ints) -> float:
    """Return P(same topic | same author) − P(same topic | different authors); NaN where one kind of pair is missing.

    0 where topic says nothing about the author, 1 where it says all (docs/methods.md, Folds, models and scores).
    """
    if pairs.same.all() or not pairs.same.any():
        return float("nan")
    one_topic = topic_codes[pairs.first] == topic_codes[pairs.second]
    return float(one_topic[pairs.same].mean() - one_topic[~pairs.same].mean())


def topic_oracle_auc(pairs: Paired, topic_codes: Ints) -> float:
    """Return AUC of a judge whose score is the share of same-author pairs among those with the same two topics, in any order.

    AUC = Σ_g s_g (Σ_{p_h < p_g} d_h + ½ Σ_{p_h = p_g} d_h) / (S·D), s and d the same- and different-author pairs of a
    pair of topics, p = s/(s + d). The judge has seen the answers to these very pairs, so this is the most that topics
    could give here, and above ½ by chance too where pairs of topics are many; matched pairs leave exactly ½. NaN where
    one kind of pair is missing.
    """
    if pairs.same.all() or not pairs.same.any():
        return float("nan")
    topics = np.sort(np.stack([topic_codes[pairs.first], topic_codes[pairs.second]]), axis=0)
    group = np.unique(topics[0] * (topics.max() + 1) + topics[1], return_inverse=True)[1]
    same, all_pairs = np.bincount(group, weights=pairs.same), np.bincount(group)
    share = np.unique(same / all_pairs, return_inverse=True)[1]
    of_same, of_all = np.bincount(share, weights=same), np.bincount(share, weights=all_pairs)
    different = of_all - of_same
    below = np.cumsum(different) - different
    return float((of_same * (below + different / 2)).sum() / (of_same.sum() * different.sum()))


def held_out(pairs: Pairs, *, share: float, seed: int) -> tuple[Pairs, Pairs]:
    """Return pairs to fit on and pairs to calibrate on, about `share` of the documents in the latter and none in both.

    Each author's texts are taken in twos (a last odd one makes three), every 1/share-th going to calibration:
    authors keep their shares, and whoever is in a part still makes same-author pairs in it. Both parts are paired
    as `pairs` were.
    """
    if not 0 < share < 1:
        raise SettingError(f"A share of {share:g} cannot be held out; choose one between 0 and 1.")
    rng = np.random.default_rng(seed)
    # Splitting the pairs as they stand would leave nearly every calibration text among the texts fitted on, for
    # different-author pairs tie all texts into one web; so the documents are split, and each part is paired again.
    texts = _texts_of_pairs(pairs)
    for _ in range(_MOST_TRIES):
        chosen = _calibration_texts(texts.authors, share, rng)
        parts = texts.part(~chosen), texts.part(chosen)
        if all(_can_pair(part.authors) for part in parts):
            fit, calibration = (drawn_pairs(part, rng, kind=pairs.kind) for part in parts)
            if min(fit.same.sum(), calibration.same.sum()) >= _FEWEST:
                return fit, calibration
    return _held_out_leads(pairs, share, rng)


def _held_out_leads(pairs: Pairs, share: float, rng: np.random.Generator) -> tuple[Pairs, Pairs]:
    """Split tiny sides: a lead's pairs stay together, and the two parts share texts."""
    leads = np.intersect1d(pairs.first[pairs.same], pairs.first[~pairs.same])
    if len(leads) < 2:
        raise SettingError(
            f"{counted(len(leads), 'text')} in training {'leads' if len(leads) == 1 else 'lead'} a same-author and a different-author pair: too few to hold any out "
            "for calibration; use fewer folds or a larger corpus."
        )
    # Rows are numbered as in the file; the order in which leads come up is one of ids.
    leads = pairs.first[pairs.same & np.isin(pairs.first, leads)]
    count = min(max(round(share * len(leads)), 1), len(leads) - 1)
    chosen = np.isin(pairs.first, rng.choice(leads, count, replace=False))
    note = "Too few texts to calibrate on texts of their own: calibration pairs share texts with the pairs fitted on."
    return _pairs_chosen(pairs, ~chosen, note), _pairs_chosen(pairs, chosen, note)


def _texts_of_pairs(pairs: Pairs) -> Texts:
    """Return the texts in some pair, in the order they first come up, which is one of ids."""
    columns = (
        np.stack(two, axis=1).ravel()
        for two in (
            (pairs.first, pairs.second),
            (pairs.first_author, pairs.second_author),
            (pairs.first_topic, pairs.second_topic),
        )
    )
    rows, authors, topics = columns
    once = np.sort(np.unique(rows, return_index=True)[1])
    return Texts(rows[once], authors[once], topics[once])


def _calibration_texts(authors: Ints, share: float, rng: np.random.Generator) -> Bools:
    """Return which texts go to calibration: those of every 1/share-th unit from a random one on, two units at least."""
    unit = _units_of_authors(authors, rng)
    share_of_units = max(share, 2 / (unit.max() + 1))
    cuts = np.floor(np.arange(unit.max() + 2) * share_of_units + rng.random())
    return np.asarray((np.diff(cuts) > 0)[unit])


def _units_of_authors(authors: Ints, rng: np.random.Generator) -> Ints:
    """Return each text's unit of two or three texts by one author; units are numbered author by author."""
    order, block, starts, sizes = by_author(authors, rng.permutation(len(authors)))
    within = np.arange(len(order)) - starts[block]
    units = np.maximum(sizes // 2, 1)
    unit = np.empty(len(order), dtype=np.int64)
    unit[order] = (np.cumsum(units) - units)[block] + np.minimum(within // 2, units[block] - 1)
    return unit


def _can_pair(authors: Ints) -> bool:
    sizes = np.unique(authors, return_counts=True)[1]
    return len(sizes) >= 2 and bool(sizes.max() >= 2)


def _pairs_chosen(pairs: Pairs, chosen: Bools, note: str) -> Pairs:
    columns = ("first", "second", "same", "first_author", "second_author", "first_topic", "second_topic")
    part: dict[str, Any] = {name: getattr(pairs, name)[chosen] for name in columns}
    return replace(pairs, **part, left_out=0, notes=(note,))
