"""The size that a corpus allows can be built, whatever the corpus; one that cannot be built says which could."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.corpora import make_corpus
from core.errors import SettingError
from core.evaluation import NamedVectors
from core.splits import PAIRINGS, make_pairs
from core.studies.raven import build_benchmark, workable_size
from core.studies.raven.build import can_pair
from core.topics import topic_space


def a_corpus(sizes, authors, seed=0):
    """Topics of these sizes in random directions, each text by one of so many authors drawn at random."""
    rng = np.random.default_rng(seed)
    codes = np.repeat(np.arange(len(sizes)), sizes)
    vectors = (rng.normal(size=(len(sizes), 8))[codes] + 0.3 * rng.normal(size=(len(codes), 8))).astype(np.float32)
    who = [f"author {each}" for each in rng.integers(0, authors, len(codes))]
    corpus = make_corpus([f"text {row}" for row in range(len(codes))], [f"t{code:02}" for code in codes], authors=who)
    return corpus, vectors, topic_space(vectors, corpus.topic_codes, corpus.topic_names)


def built(corpus, vectors, space, m, k, **more):
    return build_benchmark(corpus, NamedVectors(vectors, "none"), m=m, k=k, space=space, **more)


@pytest.mark.parametrize("pairs", PAIRINGS)
@pytest.mark.parametrize(
    ("sizes", "authors"), [([12] * 24, 6), ([3] * 20, 15), ([30, *[2] * 15], 20), ([4, 4, 4, 4], 3), ([1] * 30, 8)]
)
def test_what_is_workable_is_built(sizes, authors, pairs):
    corpus, vectors, space = a_corpus(sizes, authors)
    found = workable_size(corpus, space, pairs=pairs, random_seeds=(0, 1))
    if found is not None:
        made = built(corpus, vectors, space, *found, pairs=pairs, random_seeds=(0, 1))
        assert {len(setup.folds) for setup in made.setups} == {found[1]}
        assert {len(setup.topics) for setup in made.setups} == {found[0]}
    else:
        with pytest.raises(SettingError):
            built(corpus, vectors, space, max(3, int(space.placed.sum()) // 2), 2, pairs=pairs, random_seeds=(0, 1))


def test_a_roomy_corpus_gets_half_its_topics_in_all_the_folds():
    corpus, _, space = a_corpus([12] * 24, 6)
    assert workable_size(corpus, space) == (12, 6)
    assert workable_size(corpus, space, most_folds=10) == (12, 10)


def test_what_is_given_stays():
    corpus, _, space = a_corpus([12] * 24, 6)
    assert workable_size(corpus, space, m=7, k=3) == (7, 3)
    assert workable_size(corpus, space, m=2, k=3) is None, "more folds than topics"


def test_one_author_and_authors_of_one_text_have_no_benchmark():
    for authors in (1, 100_000):
        corpus, _, space = a_corpus([5] * 8, authors)
        assert workable_size(corpus, space) is None


def test_a_refusal_names_what_can_be_built():
    corpus, vectors, space = a_corpus([3] * 20, 15)
    with pytest.raises(SettingError, match="cannot be paired") as refused:
        built(corpus, vectors, space, 10, 10)
    m, k = map(int, re.search(r"With m = (\d+) and k = (\d+) it can be built\.$", str(refused.value)).groups())
    assert built(corpus, vectors, space, m, k).settings.k == k


@given(st.integers(0, 5_000), st.integers(1, 6), st.integers(1, 5), st.sampled_from(list(PAIRINGS)))
@settings(max_examples=60, deadline=None)
def test_what_can_be_paired_is_paired_by_every_seed(seed, texts, authors, kind):
    corpus, *_ = a_corpus([texts, 2, 1], authors, seed)
    rows = np.arange(len(corpus))
    if can_pair(corpus, rows, kind=kind):
        assert all(len(make_pairs(corpus, rows, seed=draw, kind=kind)) for draw in range(5))
    elif kind == "paper":
        with pytest.raises(SettingError):
            make_pairs(corpus, rows, seed=0, kind=kind)
