"""Which model is ahead over the folds of one run, in a sentence that names a winner only where one can be told."""

from collections.abc import Sequence

import numpy as np

from ..arrays import Floats
from ..statistics import lead, rank_models


def standing_sentence(
    scores: Floats, means: Sequence[float], models: Sequence[str], *, metric: str, majority: float = float("nan")
) -> str:
    """`scores` has a row a model and a column a fold; `means` are over folds, weighted by their documents. `majority` is
    what always giving the commonest answer scores, where the metric is a share of right answers."""
    folds = int(np.isfinite(scores).any(axis=0).sum())
    beside = f"; always giving the commonest answer has {majority:.3f}" if np.isfinite(majority) else ""
    if len(models) == 1:
        return f"{models[0]} has a mean {metric} of {means[0]:.3f} over {folds} fold(s){beside}."
    ahead = lead(rank_models(scores)).models
    if len(ahead) == 1:
        (best,) = ahead
        return f"{models[best]} is ahead by {metric}, {means[best]:.3f} on average over {folds} folds{beside}."
    listed = ", ".join(f"{models[model]} {means[model]:.3f}" for model in ahead)
    few = " (fewer than six name no winner)" if folds < 6 else ""
    return f"Too close to call by {metric} over {folds} fold(s){few}: {listed}{beside}."
