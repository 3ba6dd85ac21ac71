"""Compare two models of one run: every test, and how often it errs."""

from collections.abc import Mapping
from math import isfinite

import numpy as np

from ..arrays import Floats, record
from ..corpora import Corpus
from ..errors import LeakscopeError
from ..statistics import (
    TESTS,
    ClusteredComparison,
    HeadToHead,
    Significance,
    chance_phi,
    clustered_comparison,
    compare,
    head_to_head,
    simulated_type1,
    true_rate,
)
from .run import Evaluation, right_answers
from .scores import Score, fold_scores, score_table, topic_scores
from .tasks import TASKS


@record
class ClusteredErrors:
    """How two models' errors cluster within topics."""

    found: ClusteredComparison
    by_chance: float  # the φ that shuffled topics reach
    simulated: float  # how often the naive test rejects on data with these topics and no difference


def clustered_errors(evaluation: Evaluation, corpus: Corpus, a: str, b: str) -> ClusteredErrors:
    """Measure what topics do to a test over single decisions of A and B."""
    (right_a, topics), (right_b, _) = (right_answers(evaluation, corpus, name) for name in (a, b))
    errors = 1 - right_a, 1 - right_b, topics
    by_chance, simulated = chance_phi(*errors, seed=0), simulated_type1(*errors, seed=0)
    return ClusteredErrors(clustered_comparison(*errors), by_chance, simulated)


@record
class ErrorRates:
    """How often the tests over single decisions err on a run."""

    rates: Mapping[str, float]  # by name; none where that is not known
    alike: bool  # decisions are more similar within topics than within shuffled ones


def error_rates(evaluation: Evaluation, corpus: Corpus, a: str, b: str) -> ErrorRates:
    """Return the true rates of the tests of A and B that assume independent decisions."""
    try:
        errors = clustered_errors(evaluation, corpus, a, b)
    except LeakscopeError:  # too few documents or topics, or folds that only one of the two could be run on
        return ErrorRates({}, alike=False)
    rates = {name: true_rate(test, errors.found) for name, test in TESTS.items() if test.error_rate == "clustered"}
    known = {name: rate for name, rate in rates.items() if isfinite(rate)}
    return ErrorRates(known, alike=errors.found.phi_difference > errors.by_chance)


@record
class ComparedModels:
    """Models A and B of a run."""

    names: tuple[str, str]  # labels
    topics: tuple[str, ...]  # that were tested
    documents: tuple[int, ...]  # of each topic
    scores: tuple[Floats, Floats]  # by topic
    tests: Mapping[str, Significance]  # by name
    errors: ErrorRates  # of the tests over single decisions
    outcome: HeadToHead  # over topics
    share_texts: bool  # decisions are about pairs, which share texts

    @property
    def difference(self) -> Floats:
        """Return A − B by topic; NaN where one of them has no score."""
        return np.asarray(self.scores[0] - self.scores[1])


def compared_models(
    evaluation: Evaluation, corpus: Corpus, a: str, b: str, *, metric: str, margin: float, errors: ErrorRates
) -> ComparedModels:
    """Run every test that a run has rows for: single decisions, test topics weighted by documents, and folds.

    `errors` is what `error_rates` returns for A and B.
    """
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
    return ComparedModels(
        names=names,
        topics=tuple(corpus.topic_names[score.topics[0]] for score in own),
        documents=documents,
        scores=scores,
        tests=tests,
        errors=errors,
        outcome=head_to_head(*scores, margin=margin, sizes=documents),
        share_texts=task.asks_pairs,
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
    """Run the tests made for resamples; the others would treat folds that share training documents as independent."""
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
    """Return the scores of A and of B."""
    table = dict(zip(evaluation.models, score_table(scores, metric), strict=True))
    return table[two[0]], table[two[1]]
