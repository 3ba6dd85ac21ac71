"""Do a system's scores follow topic? Its scores against the topical similarity of the two texts it compares."""

from collections.abc import Mapping, Sequence

import numpy as np

from ..arrays import Bools, Floats, Ints, record
from ..models import UNANSWERED
from .shortcut import Asked, System

KINDS = {"all": "all pairs", "same": "same-author pairs", "different": "different-author pairs"}
QUARTILES = 4
FEWEST = 4  # pairs of a kind in a fold below which a rank correlation means nothing


@record
class Reliance:
    """One system: Spearman's ρ of score and similarity by kind of pair, and accuracy by quartile of similarity.

    ρ over all pairs also rises because same-author pairs are more alike; within one kind nothing but topic and chance
    is left. `folds[kind]` holds each fold's ρ and `rho` their means; accuracies are of answered pairs, `answered` of
    which there are.
    """

    name: str
    rho: Mapping[str, float]
    folds: Mapping[str, Floats]
    accuracy: Mapping[str, Floats]
    answered: Mapping[str, Ints]


@record
class TopicalReliance:
    """Every system's reliance; `edges` are the three similarities between quartiles, the same for all systems."""

    edges: Floats
    systems: tuple[Reliance, ...]


def topical_reliance(asked: Sequence[Asked], systems: Sequence[System], *, group: str | None = None) -> TopicalReliance:
    """Scores against the cosine of the two texts' vectors, fold by fold, in one group of setups or in all.

    Folds are not pooled for ρ: each fold's model has a scale of its own.
    """
    chosen = [place for place, each in enumerate(asked) if group in (None, each.group)]
    folds = [asked[place] for place in chosen]
    similarities = np.concatenate([each.similarity for each in folds]) if folds else np.empty(0)
    edges = np.quantile(similarities, [0.25, 0.5, 0.75]) if len(similarities) else np.full(3, np.nan)
    edges.setflags(write=False)
    kinds = [_kinds(each) for each in folds]
    ranks = [
        {kind: _centred_ranks(each.similarity[here]) for kind, here in found.items()}
        for each, found in zip(folds, kinds, strict=True)
    ]
    quartile = [np.searchsorted(edges, each.similarity, side="left") for each in folds]
    found = tuple(
        _reliance(system.name, [system.answers[place] for place in chosen], folds, kinds, ranks, quartile)
        for system in systems
    )
    return TopicalReliance(edges, found)


def _reliance(
    name: str,
    answers: Sequence[Floats | None],
    folds: Sequence[Asked],
    kinds: Sequence[Mapping[str, Bools]],
    ranks: Sequence[Mapping[str, Floats]],
    quartile: Sequence[Ints],
) -> Reliance:
    rho = {kind: np.full(len(folds), np.nan) for kind in KINDS}
    right = {kind: np.zeros(QUARTILES) for kind in KINDS}
    answered = {kind: np.zeros(QUARTILES, dtype=np.int64) for kind in KINDS}
    for place, scores in enumerate(answers):
        if scores is None:
            continue
        said = scores != UNANSWERED
        correct = said & ((scores > UNANSWERED) == folds[place].same)
        for kind, here in kinds[place].items():
            rho[kind][place] = _correlation(ranks[place][kind], _centred_ranks(scores[here]))
            right[kind] += np.bincount(quartile[place][here & correct], minlength=QUARTILES)
            answered[kind] += np.bincount(quartile[place][here & said], minlength=QUARTILES)
    means = {
        kind: float(values[~np.isnan(values)].mean()) if not np.isnan(values).all() else np.nan
        for kind, values in rho.items()
    }
    accuracy = {
        kind: np.divide(right[kind], answered[kind], out=np.full(QUARTILES, np.nan), where=answered[kind] > 0)
        for kind in KINDS
    }
    for record in (rho, accuracy, answered):
        for array in record.values():
            array.setflags(write=False)
    return Reliance(name, means, rho, accuracy, answered)


def _kinds(each: Asked) -> dict[str, Bools]:
    return dict(zip(KINDS, (np.ones(len(each), dtype=np.bool_), each.same, ~each.same), strict=True))


def _centred_ranks(values: Floats) -> Floats:
    from scipy.stats import rankdata

    return np.asarray(rankdata(values) - (len(values) + 1) / 2, dtype=np.float64)


def _correlation(a: Floats, b: Floats) -> float:
    """Pearson's correlation of centred ranks; NaN for few pairs, or where one side does not vary."""
    size = float(np.sqrt((a @ a) * (b @ b)))
    return float(a @ b) / size if len(a) >= FEWEST and size > 0 else float("nan")
