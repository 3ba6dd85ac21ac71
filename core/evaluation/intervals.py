"""How sure a score on one test topic is, and the score that tells nothing: what a chart draws round a mark."""

from functools import lru_cache

import numpy as np

from ..arrays import Interval
from ..corpora import Corpus
from ..models import UNANSWERED
from ..statistics import wilson
from .baselines import mean_baselines
from .run import Evaluation

COUNTED = ("accuracy", "c@1")  # metrics that are counts of right answers
DRAWS = 2_000


def topic_intervals(evaluation: Evaluation, corpus: Corpus, *, metric: str) -> dict[tuple[str, int, int], Interval]:
    """A 95 % interval for every model, fold and test topic, as if a topic's questions were independent.

    Wilson's, of right answers; where some were left open, c@1 is resampled. Other metrics have none.
    """
    found: dict[tuple[str, int, int], Interval] = {}
    if metric not in COUNTED:
        return found
    for run, asked, right in evaluation.answered():
        topics = corpus.topic_codes[asked.lead]
        given = topics[right], topics[run.answers == UNANSWERED], topics
        counts = np.stack([np.bincount(each, minlength=len(corpus.topic_names)) for each in given], axis=1)
        for topic in np.unique(topics).tolist():
            found[run.model, run.fold, topic] = share_interval(*counts[topic].tolist())
    return found


@lru_cache(maxsize=100_000)
def share_interval(right: int, unanswered: int, asked: int) -> Interval:
    """Of accuracy, `right` of `asked`; of c@1 where some are unanswered."""
    if not unanswered:
        return wilson(right, asked)
    shares = np.array([right, unanswered, asked - right - unanswered]) / asked
    drawn = np.random.default_rng(0).multinomial(asked, shares, size=DRAWS)
    low, high = np.quantile(drawn[:, 0] / asked * (1 + drawn[:, 1] / asked), (0.025, 0.975))
    return float(low), float(high)


def chance_level(evaluation: Evaluation, corpus: Corpus, *, metric: str) -> float:
    """What one scores without reading: the majority's share for counts of right answers, ½ for AUC, else NaN."""
    if metric in COUNTED:
        return mean_baselines(evaluation, corpus).majority
    return 0.5 if metric == "auc" else float("nan")
