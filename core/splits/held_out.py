"""Pairs to fit on and pairs to calibrate on, made of one side's texts."""

from dataclasses import replace
from typing import Any

import numpy as np

from ..arrays import Bools, Ints
from ..errors import SettingError
from ..formats import counted
from .pairs import Pairs, Texts, by_author, drawn_pairs

_MOST_DEALS = 50  # the first will do but on small sides, where a part may have too little to match
_FEWEST = 2  # same-author pairs that a part must have


def held_out(pairs: Pairs, *, share: float, seed: int) -> tuple[Pairs, Pairs]:
    """Pairs to fit on and pairs to calibrate on, about `share` of the documents in the latter and none in both.

    Each author's texts are dealt out in twos (a last odd one makes three), every 1/share-th going to calibration:
    authors keep their shares, and whoever is dealt to a part still makes same-author pairs in it. Both parts are paired
    as `pairs` were.
    """
    if not 0 < share < 1:
        raise SettingError(f"A share of {share:g} cannot be held out; choose one between 0 and 1.")
    rng = np.random.default_rng(seed)
    # Splitting the pairs as they stand would leave nearly every calibration text among the texts fitted on, for
    # different-author pairs tie all texts into one web; so the documents are split, and each part is paired anew.
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
