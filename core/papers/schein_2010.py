"""Schein et al.'s two tables for any corpus: ordinary folds beside unseen topics, and topics by authors (2010, Tables 3, 5–7)."""

from collections.abc import Mapping, Sequence

import numpy as np

from ..arrays import Floats, Ints, record
from ..corpora import Corpus
from ..errors import SettingError
from ..evaluation import Evaluation, Score, fold_scores, metric_labels, score_table, summarise, topic_scores
from ..statistics import WeightedSummary

ONE_AUTHOR = 0.9  # of a topic's documents: as good as written by one hand, and so easy or hard as that hand


@record
class NovelTopics:
    """Every model and measure in ordinary folds and on unseen topics; and every topic's documents, author by author.

    `ordinary[model][metric]` is over folds, `novel` over test topics, each counting by its documents. `counts` are
    [topic, author] of named authors; `scores[model]` one value a topic, by `metric`; topics are in the order of `topics`.
    """

    models: tuple[str, ...]
    metrics: Mapping[str, str]
    ordinary: Mapping[str, Mapping[str, WeightedSummary]]
    novel: Mapping[str, Mapping[str, WeightedSummary]]
    metric: str
    topics: tuple[str, ...]
    authors: tuple[str, ...]
    documents: Ints
    counts: Ints
    scores: Mapping[str, Floats]

    @property
    def largest_share(self) -> Floats:
        """Return the share of each topic's documents that its most frequent author wrote; NaN where no author is named."""
        known = self.counts.sum(axis=1)
        largest = self.counts.max(axis=1, initial=0)
        return np.asarray(np.divide(largest, known, out=np.full(len(known), np.nan), where=known > 0))

    @property
    def one_author(self) -> tuple[str, ...]:
        """List topics that one author wrote nearly alone: their score shows how easy that author is, and little of the topic."""
        return tuple(name for name, share in zip(self.topics, self.largest_share, strict=True) if share >= ONE_AUTHOR)


def novel_topics(corpus: Corpus, novel: Evaluation, ordinary: Evaluation, *, metric: str) -> NovelTopics:
    """Compare the same models on the same documents, in folds that hold topics out and in folds that do not."""
    if corpus.author_names is None or corpus.author_codes is None:
        raise SettingError("The corpus names no authors; topics cannot be counted by them.")
    labels = metric_labels(novel, corpus)
    by_topic, by_fold = topic_scores(novel, corpus), fold_scores(ordinary, corpus)
    models = tuple(dict.fromkeys(score.model for score in by_topic))
    first = [score for score in by_topic if score.model == models[0]]
    tested = np.array([score.topics[0] for score in first])
    counts = np.zeros((len(corpus.topic_names), len(corpus.author_names)), dtype=np.int64)
    np.add.at(counts, (corpus.topic_codes, corpus.author_codes), 1)
    named = np.flatnonzero(corpus.known_authors)
    table = score_table(by_topic, metric)
    return NovelTopics(
        models,
        labels,
        _by_model(by_fold, labels, models),
        _by_model(by_topic, labels, models),
        metric,
        tuple(corpus.topic_names[topic] for topic in tested),
        tuple(corpus.author_names[column] for column in named),
        np.array([score.documents for score in first]),
        counts[tested][:, named],
        dict(zip(models, table, strict=True)),
    )


def _by_model(
    scores: Sequence[Score], labels: Mapping[str, str], models: tuple[str, ...]
) -> dict[str, dict[str, WeightedSummary]]:
    found = {metric: summarise(scores, metric) for metric in labels}
    return {model: {metric: found[metric][model] for metric in labels} for model in models}
