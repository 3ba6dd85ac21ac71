"""Do a system's scores follow topic? Its scores against the topical similarity of the two texts it compares."""

from collections.abc import Mapping, Sequence

import numpy as np

from ..arrays import Bools, Floats, Ints, known_mean, record
from ..models import UNANSWERED, answered_right
from ..statistics import rank_correlation
from .shortcut import SystemAnswers, TestPairs

PAIR_KINDS = {"all": "all pairs", "same": "same-author pairs", "different": "different-author pairs"}
QUARTILES = 4


@record
class Reliance:
    """One system: Spearman's ρ of score and similarity by kind of pair, and accuracy by quartile of similarity.

    ρ over all pairs also rises because same-author pairs are more alike; within one kind nothing but topic and chance
    is left. `rho` are means over folds; accuracies are of answered pairs, `answered` of which there are. Quartiles are
    the same for all systems.
    """

    name: str
    rho: Mapping[str, float]
    accuracy: Mapping[str, Floats]
    answered: Mapping[str, Ints]

    def __post_init__(self) -> None:
        for values in (*self.accuracy.values(), *self.answered.values()):
            values.setflags(write=False)


@record
class _Fold:
    """What one fold's pairs are compared with, the same for every system: which pairs are of each kind, how alike the two
    texts of each pair are, and every pair's quartile."""

    same: Bools
    kinds: Mapping[str, Bools]
    similarity: Floats
    quartile: Ints


def topical_reliance(pairs: Sequence[TestPairs], systems: Sequence[SystemAnswers]) -> tuple[Reliance, ...]:
    """Every system's scores against the cosine of the two texts' vectors, fold by fold.

    Folds are not pooled for ρ: each fold's model has a scale of its own.
    """
    edges = np.quantile(np.concatenate([each.similarity for each in pairs]), [0.25, 0.5, 0.75])
    folds = []
    for each in pairs:
        everything = np.ones(len(each), dtype=np.bool_)
        kinds = dict(zip(PAIR_KINDS, (everything, each.same, ~each.same), strict=True))
        quartile = np.searchsorted(edges, each.similarity, side="left")
        folds.append(_Fold(each.same, kinds, each.similarity, quartile))
    return tuple(_reliance(system, folds) for system in systems)


def _reliance(system: SystemAnswers, folds: Sequence[_Fold]) -> Reliance:
    rho: dict[str, list[float]] = {kind: [] for kind in PAIR_KINDS}
    right = {kind: np.zeros(QUARTILES) for kind in PAIR_KINDS}
    answered = {kind: np.zeros(QUARTILES, dtype=np.int64) for kind in PAIR_KINDS}
    for fold, scores in zip(folds, system.answers, strict=True):
        if scores is None:
            continue
        said, correct = scores != UNANSWERED, answered_right(fold.same, scores)
        for kind, here in fold.kinds.items():
            rho[kind].append(rank_correlation(fold.similarity[here], scores[here]))
            right[kind] += np.bincount(fold.quartile[here & correct], minlength=QUARTILES)
            answered[kind] += np.bincount(fold.quartile[here & said], minlength=QUARTILES)
    accuracy = {
        kind: np.divide(right[kind], count, out=np.full(QUARTILES, np.nan), where=count > 0)
        for kind, count in answered.items()
    }
    means = {kind: float(known_mean(np.array(values))) for kind, values in rho.items()}
    return Reliance(system.name, means, accuracy, answered)
