"""Thresholds per category, tuned for F1 on held-out parts of the training documents (SCut; Yang 1999)."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.categorize.base import Bools, Categorizer, Scores

Floats = NDArray[np.float64]

FOLDS = 5
# A threshold that does no better than this on held-out documents has learned nothing but where an outlier lies.
LEAST_F1 = 0.1


def tuned_thresholds(model: Categorizer, counts: Any, labels: Bools, *, seed: int) -> tuple[Floats, int]:
    """A threshold a category, and how many categories share one.

    Every training document is scored once, by a model fitted without it, words chosen anew. Where a category has fewer
    members than there are folds, or its best held-out F1 is below 0.1, tuning it alone goes wrong: one member with a
    low score, and everything is assigned. All such categories share the threshold that is best for their decisions
    pooled; where even that stays below 0.1, the highest of their held-out scores, as in Yang 2001 (SCutFBR.1).
    """
    scores = held_out_scores(model, counts, labels, seed=seed)
    tuned = [best_threshold(scores[:, category], labels[:, category]) for category in range(labels.shape[1])]
    thresholds, reached = (np.array(values) for values in zip(*tuned, strict=True))
    shared = (labels.sum(axis=0) < FOLDS) | (reached < LEAST_F1)
    if shared.any():
        common, pooled = best_threshold(scores[:, shared].ravel(), labels[:, shared].ravel())
        thresholds[shared] = common if pooled >= LEAST_F1 else scores[:, shared].max()
    return thresholds, int(shared.sum())


def held_out_scores(model: Categorizer, counts: Any, labels: Bools, *, seed: int) -> Scores:
    """Each document's scores by the model fitted on the other folds; the seed deals documents into folds."""
    n = counts.shape[0]
    folds = np.random.default_rng(seed).permutation(n) % min(FOLDS, n)
    scores = np.zeros(labels.shape)
    for fold in range(folds.max() + 1):
        out = folds == fold
        if not out.all():
            scores[out] = model.fit(counts[~out], labels[~out], seed=seed).scores(counts[out])
    return scores


def best_threshold(scores: Floats, members: Bools) -> tuple[float, float]:
    """The midpoint between neighbouring scores with the highest F1 = 2·TP/(assigned + members), and that F1.

    Of equals the highest. Assigning everything is no choice; where nothing else finds a member, nothing is assigned (∞).
    """
    order = np.argsort(-scores, kind="stable")
    ranked, hits = scores[order], np.cumsum(members[order])
    borders = np.flatnonzero(ranked[:-1] > ranked[1:])
    if not len(borders) or not hits[borders[-1]]:
        return float("inf"), 0.0
    f1 = 2 * hits[borders] / (borders + 1 + int(members.sum()))
    best = int(np.argmax(f1))
    return float((ranked[borders[best]] + ranked[borders[best] + 1]) / 2), float(f1[best])
