"""Found topics: what is shown at each level, on planted numbers."""

import numpy as np
import pytest

from core.corpora import make_corpus
from core.questions import found_topics
from core.study import Study
from core.topics import Clusters, FoundTopics
from core.topics.discovery import Tried
from core.vectors import embed, make_encoder


def planted(
    stability: float, *, silhouette: float = 0.5, without: int = 0, agreement: float | None = None, tried=(3,)
) -> Study:
    """Return a study of 30 documents in which these topics are found."""
    codes = np.array([0, 1, 2] * 10 + [-1] * without)
    clusters = Clusters(
        codes, silhouette, 0.2, tuple(Tried(k, silhouette, np.full(10, stability)) for k in tried), stability
    )
    corpus = make_corpus([f"text {row}" for row in range(len(codes))], None)
    vectors = embed(corpus, make_encoder("precomputed", vectors=np.ones((len(codes), 2), dtype=np.float32)))
    found = FoundTopics("k-means", ("a", "b", "c"), codes, clusters, agreement)
    return Study(corpus, vectors, work=lambda pending: dict.fromkeys(pending.calls, found))


def answer(study: Study):
    return found_topics.answer(study, found_topics.Settings.resolve(study))


@pytest.mark.parametrize(
    ("stability", "silhouette", "level", "words"),
    [
        (0.9, 0.5, "good", "nearly the same topics (adjusted Rand index 0.90"),
        (0.5, 0.5, "warning", "partly different topics (adjusted Rand index 0.50"),
        (0.1, 0.5, "bad", "gives other groups"),
        (0.9, 0.1, "bad", "random points without any clusters"),
    ],
)
def test_each_level_gives_its_reason(stability, silhouette, level, words):
    found = answer(planted(stability, silhouette=silhouette))
    assert found.level == level and words in found.reasons[0]
    assert found.headline.startswith("No clear topics" if level == "bad" else "3 topics found in 30 documents")


def test_documents_without_a_topic_and_agreement_are_reported():
    found = answer(planted(0.9, without=4, agreement=0.31))
    assert found.caution_codes() == ["without-topic"] and "4 documents belong" in found.cautions[0].text
    assert found.reasons[1] == "Agreement with the given topics is 0.31."
    assert not answer(planted(0.9)).cautions and len(answer(planted(0.9)).reasons) == 1


def test_the_end_of_the_range_is_warned_about():
    assert answer(planted(0.9, tried=(2, 3))).caution_codes() == ["end-of-range"]
    assert not answer(planted(0.9, tried=(2, 3, 4))).cautions
