"""Every split by what it keeps and leaks: none is drawn past what there is to keep."""

import pytest

from core.demo import bundled_corpus, bundled_vectors
from core.plots import design as plots
from core.splits import design_options
from core.topics import topic_space
from core.vectors import make_encoder


@pytest.fixture(scope="module")
def figure():
    corpus = bundled_corpus()
    vectors = bundled_vectors(corpus, make_encoder("sbert")).matrix
    space = topic_space(vectors, corpus.topic_codes, corpus.topic_names)
    return plots.options(design_options(corpus, space, k=6, seed=3, random=4), None, kind=space.kind)


def test_topic_k_fold_is_marked_as_the_baseline(figure):
    (random,) = [trace for trace in figure.data if trace.marker.opacity == 0.45]
    (note,) = [each for each in figure.layout.annotations if "baseline" in each.text]
    assert note.y == max(random.y)


def test_no_split_is_drawn_past_all_documents_and_random_splits_lie_apart(figure):
    assert all(max(trace.x) <= len(bundled_corpus()) for trace in figure.data)
    (random,) = [trace for trace in figure.data if trace.marker.opacity == 0.45]
    assert len(set(random.x)) == len(random.x) and min(random.x) > 0.95 * len(bundled_corpus())
