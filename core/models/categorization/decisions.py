"""Thresholds per category, tuned for F1 on held-out parts of the training documents (SCut; Yang 1999)."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Bools, Floats, record
from .features import Categorizer, Scores

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


@record
class Effectiveness:
    """Micro (all decisions pooled) and macro (mean over categories) recall, precision and F1; error; F1 a category.

    A category with neither a true nor an assigned member has no F1 (NaN in `f1`) and is left out of the macro means
    and of the tests; in the others a ratio without a denominator counts as 0, so that all macro means run over the
    same categories. `true` and `assigned` count yeses, `right` those that are both.
    """

    micro_recall: float
    micro_precision: float
    micro_f1: float
    macro_recall: float
    macro_precision: float
    macro_f1: float
    error: float
    f1: Floats
    true: int
    assigned: int
    right: int
    decisions: int
    undefined: int


def effectiveness(truth: Bools, assigned: Bools) -> Effectiveness:
    """r = TP/(TP+FN), p = TP/(TP+FP), F1 = 2rp/(r+p) = 2TP/(2TP+FP+FN), error = (FP+FN)/decisions."""
    hits, real, said = ((table).sum(axis=0).astype(np.float64) for table in (truth & assigned, truth, assigned))
    f1 = np.divide(2 * hits, real + said, out=np.full(len(hits), np.nan), where=real + said > 0)
    seen = real + said > 0
    wrong = float((truth != assigned).sum())
    right, true, yes = float(hits.sum()), float(real.sum()), float(said.sum())
    return Effectiveness(
        micro_recall=_ratio(right, true),
        micro_precision=_ratio(right, yes),
        micro_f1=_ratio(2 * right, true + yes),
        macro_recall=_mean(_ratios(hits, real)[seen]),
        macro_precision=_mean(_ratios(hits, said)[seen]),
        macro_f1=_mean(f1[seen]),
        error=wrong / truth.size,
        f1=f1,
        true=int(true),
        assigned=int(yes),
        right=int(right),
        decisions=truth.size,
        undefined=int((~seen).sum()),
    )


@record
class FrequencyCurve:
    """Mean F1 of the categories in equal intervals of training-set frequency; NaN where an interval has none."""

    edges: Floats
    categories: NDArray[np.int64]
    f1: dict[str, Floats]


def frequency_curve(
    frequency: NDArray[np.int64], f1: dict[str, Floats], *, highest: int | None = None, intervals: int = 12
) -> FrequencyCurve:
    """Their Figures 4 (`highest` = 60) and 5: (0, highest] cut into equal intervals, F1 averaged in each."""
    top = int(frequency.max()) if highest is None else highest
    edges = np.linspace(0, top, intervals + 1)
    place = np.searchsorted(edges, frequency, side="left") - 1
    inside = (frequency > 0) & (frequency <= top)
    counts = np.bincount(place[inside], minlength=intervals)
    curves = {}
    for name, values in f1.items():
        used = inside & ~np.isnan(values)
        total = np.bincount(place[used], weights=values[used], minlength=intervals)
        number = np.bincount(place[used], minlength=intervals)
        curves[name] = np.divide(total, number, out=np.full(intervals, np.nan), where=number > 0)
    return FrequencyCurve(edges, counts, curves)


def _ratios(part: Floats, whole: Floats) -> Floats:
    result: Floats = np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)
    return result


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole > 0 else float("nan")


def _mean(values: Floats) -> float:
    return float(values.mean()) if len(values) else float("nan")
