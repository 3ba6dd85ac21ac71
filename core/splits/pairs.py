"""Verification pairs inside one side of a fold: half of them by one author, half by two."""

import numpy as np

from ..arrays import Bools, Ints, record
from ..corpora import Corpus
from ..errors import SettingError

_MOST_REDRAWS = 200  # a repeated pair is redrawn in nearly every round; only tiny sides need more than a few


@record
class Pairs:
    """Pairs of corpus rows with their author codes; `same[i]` says whether one author wrote both texts of pair i."""

    first: Ints
    second: Ints
    same: Bools
    first_author: Ints
    second_author: Ints
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.first)

    @property
    def rows(self) -> Ints:
        """Every document in some pair, once, sorted."""
        return np.unique(np.concatenate([self.first, self.second]))


def make_pairs(corpus: Corpus, rows: Ints, *, seed: int) -> Pairs:
    """For each text a same-author pair with another text of that author, and a different-author pair (HITS §5.1).

    A text that is its author's only one leads no pair, so that half the pairs have one author, but it may be the
    second text of a different-author pair. No pair comes twice: two texts by an author make one pair, not two.
    The draw hangs on ids and names, not on the order of the file. Texts without an author are left out.
    """
    if corpus.author_names is None or corpus.author_codes is None:
        raise SettingError("The corpus names no authors, and verification pairs need them; choose an author column.")
    rows = np.array(sorted(np.unique(rows).tolist(), key=corpus.ids.__getitem__), dtype=np.int64)
    authors = corpus.author_codes[rows]
    notes = []
    known = corpus.known_authors[authors]
    if not known.all():
        notes.append(f"{int((~known).sum()):,} texts without an author are in no pair.")
        rows, authors = rows[known], authors[known]
    sizes = np.bincount(authors)
    if (sizes > 0).sum() < 2:
        raise SettingError(
            f"{len(rows):,} texts by {int((sizes > 0).sum())} author(s): different-author pairs need two authors "
            "on each side of a fold; use fewer folds, or choose another author column."
        )
    if sizes.max() < 2:
        raise SettingError(
            f"Each of the {len(rows):,} texts has an author of its own: same-author pairs need an author with two "
            "texts on each side of a fold; use fewer folds, or choose another author column."
        )
    alone = int((sizes == 1).sum())
    if alone:
        notes.append(f"{alone:,} of {len(rows):,} texts have no other text by their author on this side.")
    return _drawn(rows, authors, np.random.default_rng(seed), tuple(notes))


def held_out(pairs: Pairs, *, share: float, seed: int) -> tuple[Pairs, Pairs]:
    """Pairs to fit on and pairs to calibrate on, about `share` of the documents in the latter and none in both.

    Each author's texts are dealt out in twos (a last odd one makes three), every 1/share-th going to calibration:
    authors keep their shares, and whoever is dealt to a part still makes same-author pairs in it.
    """
    if not 0 < share < 1:
        raise SettingError(f"A share of {share:g} cannot be held out; choose one between 0 and 1.")
    rng = np.random.default_rng(seed)
    # Splitting the pairs as they stand would leave nearly every calibration text among the texts fitted on, for
    # different-author pairs tie all texts into one web; so the documents are split, and each part is paired anew.
    rows, authors = _documents(pairs)
    unit = _units(authors, rng)
    share_of_units = max(share, 2 / (unit.max() + 1))
    start = rng.random()
    cuts = np.floor((np.arange(unit.max() + 2) + start) * share_of_units)
    chosen = (np.diff(cuts) > 0)[unit]
    parts = [(rows[side], authors[side]) for side in (~chosen, chosen)]
    if all(_can_pair(part_authors) for _, part_authors in parts):
        fit, calibration = (_drawn(*part, rng, ()) for part in parts)
        return fit, calibration
    return _held_out_pairs(pairs, share, rng)


def _held_out_pairs(pairs: Pairs, share: float, rng: np.random.Generator) -> tuple[Pairs, Pairs]:
    """The way out for tiny sides: pairs are split as they stand, and the two parts have texts in common."""
    chosen = np.zeros(len(pairs), dtype=bool)
    for same in (True, False):
        kind = np.flatnonzero(pairs.same == same)
        if len(kind) < 2:
            raise SettingError(
                f"{len(kind)} {'same' if same else 'different'}-author pair(s) in training: too few to hold any out "
                "for calibration; use fewer folds or a larger corpus."
            )
        count = min(max(round(share * len(kind)), 1), len(kind) - 1)
        chosen[rng.choice(kind, count, replace=False)] = True
    note = "Too few texts to calibrate on texts of their own: calibration pairs share texts with the pairs fitted on."
    return _part(pairs, ~chosen, note), _part(pairs, chosen, note)


def _drawn(rows: Ints, authors: Ints, rng: np.random.Generator, notes: tuple[str, ...]) -> Pairs:
    """The pairs of these texts, which come in an order of their own that does not hang on the file."""
    shuffled = rng.permutation(len(rows))
    order = shuffled[np.argsort(authors[shuffled], kind="stable")]  # author by author, each one's texts shuffled
    block, sizes = np.unique(authors[order], return_inverse=True, return_counts=True)[1:]
    starts = np.cumsum(sizes) - sizes
    within = np.arange(len(rows)) - starts[block]
    # Each text with the next of its author, the last with the first: a ring names no pair twice if it has three texts;
    # a ring of two would, so only its first text leads.
    leads = np.flatnonzero((sizes[block] > 2) | ((sizes[block] == 2) & (within == 0)))
    mates = starts[block[leads]] + (within[leads] + 1) % sizes[block[leads]]
    others = _others(leads, block, starts, sizes, rng)
    first, second = order[np.concatenate([leads, leads])], order[np.concatenate([mates, others])]
    same = np.repeat([True, False], len(leads))
    by_lead = np.lexsort((~same, first))
    first, second, same = first[by_lead], second[by_lead], same[by_lead]
    return Pairs(rows[first], rows[second], same, authors[first], authors[second], notes)


def _others(leads: Ints, block: Ints, starts: Ints, sizes: Ints, rng: np.random.Generator) -> Ints:
    """A text of another author for each lead, uniformly, and no unordered pair twice."""
    count = len(block)
    others = np.empty(len(leads), dtype=np.int64)
    again = np.arange(len(leads))
    for _ in range(_MOST_REDRAWS):
        blocks = block[leads[again]]
        # A number below the count of foreign texts, moved past the author's own block: no draw is ever rejected.
        drawn = rng.integers(0, count - sizes[blocks])
        others[again] = drawn + np.where(drawn >= starts[blocks], sizes[blocks], 0)
        # Which of two equal pairs is redrawn must be chance, or a text whose every partner chose it could never move.
        mixed = rng.permutation(len(leads))
        keys = np.minimum(leads, others) * count + np.maximum(leads, others)
        keep = np.unique(keys[mixed], return_index=True)[1]
        again = np.sort(np.delete(mixed, keep))
        if not len(again):
            break
    return others


def _documents(pairs: Pairs) -> tuple[Ints, Ints]:
    """The texts in some pair and their authors, in the order they first come up, which is one of ids."""
    rows = np.stack([pairs.first, pairs.second], axis=1).ravel()
    authors = np.stack([pairs.first_author, pairs.second_author], axis=1).ravel()
    once = np.sort(np.unique(rows, return_index=True)[1])
    return rows[once], authors[once]


def _units(authors: Ints, rng: np.random.Generator) -> Ints:
    """Each text's unit of two or three texts by one author; units are numbered author by author."""
    shuffled = rng.permutation(len(authors))
    order = shuffled[np.argsort(authors[shuffled], kind="stable")]
    block, sizes = np.unique(authors[order], return_inverse=True, return_counts=True)[1:]
    within = np.arange(len(order)) - (np.cumsum(sizes) - sizes)[block]
    units = np.maximum(sizes // 2, 1)
    unit = np.empty(len(order), dtype=np.int64)
    unit[order] = (np.cumsum(units) - units)[block] + np.minimum(within // 2, units[block] - 1)
    return unit


def _can_pair(authors: Ints) -> bool:
    sizes = np.unique(authors, return_counts=True)[1]
    return len(sizes) >= 2 and bool(sizes.max() >= 2)


def _part(pairs: Pairs, chosen: Bools, note: str) -> Pairs:
    first_author, second_author = pairs.first_author[chosen], pairs.second_author[chosen]
    return Pairs(pairs.first[chosen], pairs.second[chosen], pairs.same[chosen], first_author, second_author, (note,))
