"""Which model of one run is ahead, and two set against each other: every test, how often it errs, and what may be said."""

from collections.abc import Mapping, Sequence
from math import isfinite

import numpy as np

from ..arrays import Floats, record
from ..corpora import Corpus
from ..errors import LeakscopeError
from ..formats import counted
from ..statistics import (
    TESTS,
    ClusteredComparison,
    Conclusion,
    Significance,
    chance_phi,
    clustered_comparison,
    compare,
    comparison_conclusion,
    decisions_caution,
    lead,
    rank_models,
    simulated_type1,
    true_rate,
)
from .run import Evaluation, right_answers
from .scores import Score, fold_scores, score_table, topic_scores
from .tasks import TASKS


@record
class ClusteredErrors:
    """How two models' errors cluster within topics, how much they do where topics are shuffled, and how often the naive
    test rejects on data with these topics and no difference."""

    found: ClusteredComparison
    by_chance: float
    simulated: float


def clustered_errors(evaluation: Evaluation, corpus: Corpus, a: str, b: str) -> ClusteredErrors:
    """What topics do to a test over single decisions of A and B."""
    (right_a, topics), (right_b, _) = (right_answers(evaluation, corpus, name) for name in (a, b))
    errors = 1 - right_a, 1 - right_b, topics
    by_chance, simulated = chance_phi(*errors, seed=0), simulated_type1(*errors, seed=0)
    return ClusteredErrors(clustered_comparison(*errors), by_chance, simulated)


@record
class ErrorRates:
    """How often the tests over single decisions err on this run, by name (none where that cannot be told), and whether
    decisions are more alike within topics than shuffled topics make them."""

    rates: Mapping[str, float]
    alike: bool


def error_rates(evaluation: Evaluation, corpus: Corpus, a: str, b: str) -> ErrorRates:
    """The true rates of the tests of A and B that take decisions for independent."""
    try:
        errors = clustered_errors(evaluation, corpus, a, b)
    except LeakscopeError:  # too few documents or topics, or folds that only one of the two could be run on
        return ErrorRates({}, alike=False)
    rates = {name: true_rate(test, errors.found) for name, test in TESTS.items() if test.error_rate == "clustered"}
    known = {name: rate for name, rate in rates.items() if isfinite(rate)}
    return ErrorRates(known, alike=errors.found.phi_difference > errors.by_chance)


@record
class ComparedModels:
    """Models A and B of a run: their labels, the test topics with their documents, the scores on them, every test by
    name, how often those over single decisions err, and what may be said."""

    names: tuple[str, str]
    topics: tuple[str, ...]
    documents: tuple[int, ...]
    scores: tuple[Floats, Floats]
    tests: Mapping[str, Significance]
    rates: Mapping[str, float]
    said: Conclusion

    @property
    def difference(self) -> Floats:
        """A − B, topic by topic; NaN where one of them has no score."""
        return np.asarray(self.scores[0] - self.scores[1])


def compared_models(
    evaluation: Evaluation, corpus: Corpus, a: str, b: str, *, metric: str, margin: float, errors: ErrorRates
) -> ComparedModels:
    """Every test that a run has rows for: single decisions, test topics with their documents as weights, and folds with
    the mean sizes of their two sides. `errors` is what `error_rates` says of A and B."""
    task, two = TASKS[evaluation.task], (a, b)
    names = task.models[a].label, task.models[b].label
    by_topic = topic_scores(evaluation, corpus)
    own = [score for score in by_topic if score.model == a]
    documents = tuple(score.documents for score in own)
    scores = _columns(evaluation, by_topic, two, metric)
    answers = [right_answers(evaluation, corpus, name)[0] for name in two]
    tests = {
        **compare(*answers, kind="decisions", names=names, margin=margin),
        **compare(*scores, kind="scores", names=names, margin=margin, weights=documents),
        **_over_folds(evaluation, corpus, two, names=names, metric=metric, margin=margin),
    }
    found = comparison_conclusion(*scores, names=names, margin=margin, sizes=documents)
    decided = decisions_caution(tests["s"], rate=errors.rates.get("s"), alike=errors.alike, share_texts=task.asks_pairs)
    return ComparedModels(
        names=names,
        topics=tuple(corpus.topic_names[score.topics[0]] for score in own),
        documents=documents,
        scores=scores,
        tests=tests,
        rates=errors.rates,
        said=Conclusion(found.answer, (*found.cautions, decided)),
    )


def _over_folds(
    evaluation: Evaluation,
    corpus: Corpus,
    two: tuple[str, str],
    *,
    names: tuple[str, str],
    metric: str,
    margin: float,
) -> dict[str, Significance]:
    """The tests made for resamples; the others would take folds that share training documents for independent."""
    by_fold, folds = fold_scores(evaluation, corpus), evaluation.folds.folds
    tests = compare(
        *_columns(evaluation, by_fold, two, metric),
        kind="scores",
        names=names,
        margin=margin,
        train=float(np.mean([len(fold.train) for fold in folds])),
        test=float(np.mean([len(fold.test) for fold in folds])),
        weights=[score.documents for score in by_fold if score.model == two[0]],
    )
    return {name: test for name, test in tests.items() if TESTS[name].needs_sizes}


def _columns(evaluation: Evaluation, scores: list[Score], two: tuple[str, str], metric: str) -> tuple[Floats, Floats]:
    """The scores of A and of B."""
    table = dict(zip(evaluation.models, score_table(scores, metric), strict=True))
    return table[two[0]], table[two[1]]


def standing_sentence(
    scores: Floats, means: Sequence[float], models: Sequence[str], *, metric: str, majority: float = float("nan")
) -> str:
    """`scores` has a row a model and a column a fold; `means` are over folds, weighted by their documents. `majority` is
    what always giving the commonest answer scores, where the metric is a share of right answers."""
    folds = int(np.isfinite(scores).any(axis=0).sum())
    beside = f"; always giving the commonest answer has {majority:.3f}" if np.isfinite(majority) else ""
    if len(models) == 1:
        return f"{models[0]} has a mean {metric} of {means[0]:.3f} over {counted(folds, 'fold')}{beside}."
    ahead = lead(rank_models(scores)).models
    if len(ahead) == 1:
        (best,) = ahead
        return f"{models[best]} is ahead by {metric}, {means[best]:.3f} on average over {folds} folds{beside}."
    listed = ", ".join(f"{models[model]} {means[model]:.3f}" for model in ahead)
    few = " (fewer than six name no winner)" if folds < 6 else ""
    return f"Too close to call by {metric} over {counted(folds, 'fold')}{few}: {listed}{beside}."
