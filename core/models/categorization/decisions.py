"""From scores to yes or no: a threshold a category, tuned for F1 on held-out parts of the training documents (SCut; Yang
1999), and how good the decisions are."""

from typing import Any

import numpy as np

from ...arrays import Bools, Floats, Ints, record
from .categorizers import Categorizer

FOLDS = 5
# A threshold that does no better than this on held-out documents has learned nothing but where an outlier lies.
LEAST_F1 = 0.1


@record
class Effectiveness:
    """Recall, precision and F1 of all decisions pooled (micro), the mean F1 over categories (macro), error, F1 a category.

    A category with neither a true nor an assigned member has no F1 (NaN in `f1`) and is left out of the macro mean
    and of the tests. `true` and `assigned` count yeses.
    """

    micro_recall: float
    micro_precision: float
    micro_f1: float
    macro_f1: float
    error: float
    f1: Floats
    true: int
    assigned: int
    decisions: int
    undefined: int


@record
class FrequencyCurve:
    """Mean F1 of the categories in equal intervals of training-set frequency; NaN where an interval has none."""

    edges: Floats
    categories: Ints
    f1: dict[str, Floats]


def tuned_thresholds(model: Categorizer, counts: Any, labels: Bools, *, seed: int) -> tuple[Floats, int]:
    """Return a threshold per category, and how many categories share one.

    Every training document is scored once, by a model fitted without it, with words chosen again. Where a category has fewer
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


def held_out_scores(model: Categorizer, counts: Any, labels: Bools, *, seed: int) -> Floats:
    """Return each document's scores by the model fitted on the other folds; the seed splits documents into folds."""
    n = counts.shape[0]
    folds = np.random.default_rng(seed).permutation(n) % min(FOLDS, n)
    scores = np.zeros(labels.shape)
    for fold in range(folds.max() + 1):
        out = folds == fold
        if not out.all():
            scores[out] = model.fit(counts[~out], labels[~out], seed=seed).scores(counts[out])
    return scores


def best_threshold(scores: Floats, members: Bools) -> tuple[float, float]:
    """Return the midpoint between neighbouring scores with the highest F1 = 2·TP/(assigned + members), and that F1.

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


def single_labels(scores: Floats) -> Bools:
    """Return each document's highest category and no other; none where no category has a vote. Of equals the first."""
    assigned = np.zeros(scores.shape, dtype=np.bool_)
    assigned[np.arange(len(scores)), scores.argmax(axis=1)] = scores.max(axis=1) > 0
    return assigned


def effectiveness(truth: Bools, assigned: Bools) -> Effectiveness:
    """Compute r = TP/(TP+FN), p = TP/(TP+FP), F1 = 2rp/(r+p) = 2TP/(2TP+FP+FN) and error = (FP+FN)/decisions."""
    hits, real, said = (table.sum(axis=0).astype(np.float64) for table in (truth & assigned, truth, assigned))
    f1 = np.divide(2 * hits, real + said, out=np.full(len(hits), np.nan), where=real + said > 0)
    seen = real + said > 0
    wrong = float((truth != assigned).sum())
    right, true, yes = float(hits.sum()), float(real.sum()), float(said.sum())
    return Effectiveness(
        micro_recall=_ratio(right, true),
        micro_precision=_ratio(right, yes),
        micro_f1=_ratio(2 * right, true + yes),
        macro_f1=float(f1[seen].mean()) if seen.any() else float("nan"),
        error=wrong / truth.size,
        f1=f1,
        true=int(true),
        assigned=int(yes),
        decisions=truth.size,
        undefined=int((~seen).sum()),
    )


def frequency_curve(
    frequency: Ints, f1: dict[str, Floats], *, highest: int | None = None, intervals: int = 12
) -> FrequencyCurve:
    """Compute figures 4 (`highest` = 60) and 5 of Yang & Liu 1999: (0, highest] cut into equal intervals, F1 averaged in each."""
    top = int(frequency.max()) if highest is None else highest
    edges = np.linspace(0, top, intervals + 1)
    interval = np.searchsorted(edges, frequency, side="left") - 1
    inside = (frequency > 0) & (frequency <= top)
    counts = np.bincount(interval[inside], minlength=intervals)
    curves = {}
    for name, values in f1.items():
        used = inside & ~np.isnan(values)
        total = np.bincount(interval[used], weights=values[used], minlength=intervals)
        number = np.bincount(interval[used], minlength=intervals)
        curves[name] = np.divide(total, number, out=np.full(intervals, np.nan), where=number > 0)
    return FrequencyCurve(edges, counts, curves)


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole > 0 else float("nan")
