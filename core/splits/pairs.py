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

_MOST_DEALS = 50  # the first will do but on small sides, where a part may have too little to match
_FEWEST = 2  # same-author pairs that a part must have


@record
class Pairs:
    """Pairs of corpus rows with authors' and topics' codes; `same[i]` says whether one author wrote both texts of pair i.

    `kind` names the pairing; `left_out` counts the pairs it asks for that there were no texts for.
    """

    first: Ints
    second: Ints
    same: Bools
    first_author: Ints
    second_author: Ints
    first_topic: Ints
    second_topic: Ints
    kind: str
    left_out: int = 0
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.first)

    @property
    def rows(self) -> Ints:
        """Every document in some pair, once, sorted."""
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
        """The chosen texts, in the same order."""
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
    """One way to draw pairs; `by_topic` says whether topics decide who is paired with whom."""

    label: str
    about: str
    draw: Callable[[Texts, np.random.Generator], Draw]
    by_topic: bool


def make_pairs(corpus: Corpus, rows: Ints, *, seed: int, kind: str = "matched") -> Pairs:
    """The pairs of these texts, drawn as PAIRINGS[kind] says (docs/methods.md, Folds, models and scores).

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
            f"Each of the {len(texts):,} texts has an author of its own: same-author pairs need an author with two texts on "
            f"each side of a fold; {_remedy(corpus)}."
        )
    alone = int((sizes == 1).sum())
    if alone:
        notes.append(
            f"{alone:,} of {len(texts):,} texts {'has' if alone == 1 else 'have'} no other text by {'its' if alone == 1 else 'their'} author on this side."
        )
    pairs = drawn_pairs(texts, np.random.default_rng(seed), kind=kind, notes=tuple(notes))
    if not len(pairs):
        raise SettingError(
            f"None of {pairs.left_out:,} same-author pairs can be matched: on the second text's topic nobody else wrote "
            "on this side of the fold; use fewer folds, or the paper's pairs, which do not match topics."
        )
    return pairs


def _remedy(corpus: Corpus) -> str:
    """Fewer folds help only where somebody wrote two texts at all."""
    if most_texts(corpus) < 2:
        return "no author of the corpus wrote two, so choose another author column"
    return "use fewer folds, or choose another author column"


def most_texts(corpus: Corpus) -> int:
    """How many texts the author with most of them wrote; 0 where no author is known."""
    if corpus.author_codes is None:
        return 0
    return int(np.bincount(corpus.author_codes[corpus.known_authors[corpus.author_codes]], minlength=1).max())


def drawn_pairs(texts: Texts, rng: np.random.Generator, *, kind: str, notes: tuple[str, ...] = ()) -> Pairs:
    """The pairs of these texts, lead by lead, the one with the lead's own author first; there may be none."""
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
    """For each same-author pair (x, y) the pair (x, z), z on y's topic and by another author: topics tell nothing.

    Where there is no such z, or none that makes a new pair, both are left out.
    """
    leads, mates = _ring(texts.authors, rng)
    # In the order of topics and, within them, of authors: all of a topic is one stretch, all of an author in it another.
    order = np.lexsort((texts.authors, texts.topics))
    by_topic = texts.topics[order]
    by_both = by_topic * (texts.authors.max() + 1) + texts.authors[order]
    wanted, own = texts.topics[mates], texts.topics[mates] * (texts.authors.max() + 1) + texts.authors[leads]
    start, own_start = np.searchsorted(by_topic, wanted), np.searchsorted(by_both, own)
    own_size = np.searchsorted(by_both, own, "right") - own_start
    room = np.searchsorted(by_topic, wanted, "right") - start - own_size
    possible = np.flatnonzero(room > 0)

    def draw(again: Ints) -> Ints:
        # A number below the count of foreign texts, moved past the author's own: no draw is ever rejected.
        chosen = possible[again]
        drawn = start[chosen] + rng.integers(0, room[chosen])
        return np.asarray(order[drawn + np.where(drawn >= own_start[chosen], own_size[chosen], 0)])

    others = _all_different(leads[possible], draw, len(texts), rng)
    found, others = possible[others >= 0], others[others >= 0]
    missing = len(leads) - len(found)
    notes = (
        f"{missing:,} of {len(leads):,} same-author pairs are left out: there is no text by somebody else on the second "
        "text's topic to set beside them.",
    )
    return Draw((leads[found], mates[found]), (leads[found], others), missing, notes if missing else ())


def _as_in_paper(texts: Texts, rng: np.random.Generator) -> Draw:
    """Every text with another of its author, if there is one, and with a text of somebody else: first who, then which."""
    same = _ring(texts.authors, rng)
    order, block, starts, sizes = by_author(texts.authors, rng)
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


def by_author(authors: Ints, rng: np.random.Generator) -> tuple[Ints, Ints, Ints, Ints]:
    """Texts author by author, each one's shuffled; of every place in that order its author's number; and of every
    author where the stretch starts and how long it is."""
    shuffled = rng.permutation(len(authors))
    order = shuffled[np.argsort(authors[shuffled], kind="stable")]
    block, sizes = np.unique(authors[order], return_inverse=True, return_counts=True)[1:]
    return order, block, np.cumsum(sizes) - sizes, sizes


def _ring(authors: Ints, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Each text with the next of its author, the last with the first: a ring names no pair twice if it has three texts;
    a ring of two would, so only its first text leads."""
    order, block, starts, sizes = by_author(authors, rng)
    within = np.arange(len(authors)) - starts[block]
    leads = np.flatnonzero((sizes[block] > 2) | ((sizes[block] == 2) & (within == 0)))
    mates = starts[block[leads]] + (within[leads] + 1) % sizes[block[leads]]
    return order[leads], order[mates]


def _all_different(leads: Ints, draw: Callable[[Ints], Ints], count: int, rng: np.random.Generator) -> Ints:
    """A partner for each lead such that no unordered pair comes twice; −1 where chance found none.

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
        "Beside each pair by one author stands one by two authors with the same lead and the same two topics, so that "
        "topics cannot tell them apart.",
        _matched,
        by_topic=True,
    ),
    "paper": Pairing(
        "As in the paper",
        "Every text with another by its author and with one by somebody else, whatever their topics (HITS, section 5.1).",
        _as_in_paper,
        by_topic=False,
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
    """P(same topic | same author) − P(same topic | different authors); NaN where one kind of pair is missing.

    0 where topic says nothing about the author, 1 where it says all (docs/methods.md, Folds, models and scores).
    """
    if pairs.same.all() or not pairs.same.any():
        return float("nan")
    one_topic = topic_codes[pairs.first] == topic_codes[pairs.second]
    return float(one_topic[pairs.same].mean() - one_topic[~pairs.same].mean())


def topic_oracle_auc(pairs: Paired, topic_codes: Ints) -> float:
    """AUC of a judge whose score is the share of same-author pairs among those with the same two topics, in any order.

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
    """Pairs to fit on and pairs to calibrate on, about `share` of the documents in the latter and none in both.

    Each author's texts are taken in twos (a last odd one makes three), every 1/share-th going to calibration:
    authors keep their shares, and whoever is in a part still makes same-author pairs in it. Both parts are paired
    as `pairs` were.
    """
    if not 0 < share < 1:
        raise SettingError(f"A share of {share:g} cannot be held out; choose one between 0 and 1.")
    rng = np.random.default_rng(seed)
    # Splitting the pairs as they stand would leave nearly every calibration text among the texts fitted on, for
    # different-author pairs tie all texts into one web; so the documents are split, and each part is paired again.
    texts = _texts(pairs)
    for _ in range(_MOST_DEALS):
        chosen = _dealt(texts.authors, share, rng)
        parts = texts.part(~chosen), texts.part(chosen)
        if all(_can_pair(part.authors) for part in parts):
            fit, calibration = (drawn_pairs(part, rng, kind=pairs.kind) for part in parts)
            if min(fit.same.sum(), calibration.same.sum()) >= _FEWEST:
                return fit, calibration
    return _held_out_leads(pairs, share, rng)


def _held_out_leads(pairs: Pairs, share: float, rng: np.random.Generator) -> tuple[Pairs, Pairs]:
    """The way out for tiny sides: a lead's pairs stay together as they are, and the two parts have texts in common."""
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
    return _part(pairs, ~chosen, note), _part(pairs, chosen, note)


def _texts(pairs: Pairs) -> Texts:
    """The texts in some pair, in the order they first come up, which is one of ids."""
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


def _dealt(authors: Ints, share: float, rng: np.random.Generator) -> Bools:
    """Which texts go to calibration: those of every 1/share-th unit from a random one on, two units at least."""
    unit = _units(authors, rng)
    share_of_units = max(share, 2 / (unit.max() + 1))
    cuts = np.floor(np.arange(unit.max() + 2) * share_of_units + rng.random())
    return np.asarray((np.diff(cuts) > 0)[unit])


def _units(authors: Ints, rng: np.random.Generator) -> Ints:
    """Each text's unit of two or three texts by one author; units are numbered author by author."""
    order, block, starts, sizes = by_author(authors, rng)
    within = np.arange(len(order)) - starts[block]
    units = np.maximum(sizes // 2, 1)
    unit = np.empty(len(order), dtype=np.int64)
    unit[order] = (np.cumsum(units) - units)[block] + np.minimum(within // 2, units[block] - 1)
    return unit


def _can_pair(authors: Ints) -> bool:
    sizes = np.unique(authors, return_counts=True)[1]
    return len(sizes) >= 2 and bool(sizes.max() >= 2)


def _part(pairs: Pairs, chosen: Bools, note: str) -> Pairs:
    columns = ("first", "second", "same", "first_author", "second_author", "first_topic", "second_topic")
    part: dict[str, Any] = {name: getattr(pairs, name)[chosen] for name in columns}
    return replace(pairs, **part, left_out=0, notes=(note,))
