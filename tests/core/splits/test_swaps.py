"""Twins swapped in for strangers: training sides that differ in topic and in nothing else."""

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.corpora import make_corpus, take
from core.errors import SettingError
from core.splits import make_swaps
from core.topics import topic_space


def corpus_and_space(seed: int, topics: int = 6, authors: int = 5, documents: int = 90, unknown: bool = False):
    rng = np.random.default_rng(seed)
    codes = np.concatenate([np.repeat(np.arange(topics), 2), rng.integers(0, topics, documents - 2 * topics)])
    written = rng.integers(0, authors, documents)
    names = ["" if unknown and author == 0 else f"author {author}" for author in written]
    corpus = make_corpus(
        [f"text {row}" for row in range(documents)],
        [f"topic {code}" for code in codes],
        authors=names,
        ids=[f"id {row:03d}" for row in rng.permutation(documents)],
    )
    vectors = rng.normal(size=(topics, 4))[codes] + 0.5 * rng.normal(size=(documents, 4))
    return corpus, topic_space(vectors, corpus.topic_codes, corpus.topic_names), vectors


@given(st.integers(0, 10_000), st.integers(1, 2), st.booleans())
@settings(max_examples=40, deadline=None)
def test_sides_differ_in_topic_alone(seed, nearest, unknown):
    corpus, space, _ = corpus_and_space(seed, unknown=unknown)
    swaps = make_swaps(corpus, space, draws=2, nearest=nearest, seed=seed)
    for number, topic in enumerate(swaps.topics):
        similarity = np.delete(space.similarity[topic], topic)
        assert swaps.similarity[number] == np.nanmax(similarity)
        without, twins = swaps.without.folds[number], swaps.twins[number]
        rest = [code for code in range(len(space)) if code != topic and code not in twins]
        assert min(space.similarity[topic, twins]) >= np.nanmax(space.similarity[topic, rest])
        assert set(without.train) == set(np.flatnonzero(np.isin(corpus.topic_codes, rest)))
        assert set(without.test) == set(np.flatnonzero(corpus.topic_codes == topic))
        for draw, folds in enumerate(swaps.with_twin):
            swapped = folds.folds[number]
            joined, left = set(swapped.train) - set(without.train), set(without.train) - set(swapped.train)
            assert (swapped.test == without.test).all()
            assert len(joined) == len(left) == swaps.swapped[number, draw] >= 2
            assert set(corpus.topic_codes[list(joined)]) <= set(twins)
            # Strangers: nobody of the nearer half of the others gives way.
            known = space.similarity[topic, rest]
            known = np.sort(known[~np.isnan(known)])
            assert space.similarity[topic, corpus.topic_codes[list(left)]].max() <= known[len(known) // 2]
            assert sorted(corpus.author_codes[list(joined)]) == sorted(corpus.author_codes[list(left)])
            assert corpus.known_authors[corpus.author_codes[list(joined)]].all()


def test_every_author_gives_as_many_as_both_sides_have():
    corpus, space, _ = corpus_and_space(3)
    swaps = make_swaps(corpus, space, seed=1)
    for number, topic in enumerate(swaps.topics):
        rest = sorted(
            (code for code in range(len(space)) if code not in (topic, swaps.twins[number][0])),
            key=lambda code: space.similarity[topic, code],
        )
        of_twin = corpus.author_codes[corpus.topic_codes == swaps.twins[number][0]]
        of_far = corpus.author_codes[np.isin(corpus.topic_codes, rest[: len(rest) // 2])]
        counts = (np.bincount(codes, minlength=5) for codes in (of_twin, of_far))
        assert swaps.swapped[number, 0] == np.minimum(*counts).sum()


def test_draws_hang_on_ids_and_seed_and_not_on_the_order_of_the_file():
    corpus, space, vectors = corpus_and_space(5)
    order = np.random.default_rng(0).permutation(len(corpus))
    shuffled = take(corpus, order)
    again = topic_space(vectors[order], shuffled.topic_codes, shuffled.topic_names)

    def trained(corpus, space, seed):
        swaps = make_swaps(corpus, space, seed=seed)
        return [{corpus.ids[row] for row in fold.train} for folds in swaps.with_twin for fold in folds]

    assert trained(corpus, space, 0) == trained(shuffled, again, 0) != trained(corpus, space, 1)
    one, two, three = (folds.folds[0].train for folds in make_swaps(corpus, space, seed=0).with_twin)
    assert len({one.tobytes(), two.tobytes(), three.tobytes()}) > 1, "draws differ"


def test_what_cannot_be_matched_is_named_with_the_reason():
    corpus, space, _vectors = corpus_and_space(2, topics=4, authors=3)
    authors = [f"of {topic}" for topic in corpus.topics]
    mixed = [author if topic == "topic 0" else "one" for author, topic in zip(authors, corpus.topics, strict=True)]
    some = make_swaps(make_corpus(corpus.texts, corpus.topics, authors=mixed), space)
    assert {space.names[topic] for topic, _ in some.unmatched}
    assert all("stand-in by the same author" in reason for _, reason in some.unmatched)
    with pytest.raises(
        SettingError, match=r"its nearest 3 are set apart .* takes 6 topics .* here are 4; swap 1 or fewer"
    ):
        make_swaps(corpus, space, nearest=3)
    apart = [author if row else "of topic 1" for row, author in enumerate(authors)]  # one text of one author elsewhere
    with pytest.raises(
        SettingError, match=r"No topic can be tested .* authors of its texts write on topics far from it"
    ):
        make_swaps(make_corpus(corpus.texts, corpus.topics, authors=apart), space)


@pytest.mark.parametrize(
    ("authors", "sentence"),
    [
        (lambda row, topic: "one", r"by one, so there is nobody to tell apart.*add texts of other authors"),
        (lambda row, topic: f"author {row}", r"Each of 90 authors wrote one text.*merge author names"),
        (lambda row, topic: f"of {topic}", r"None of 6 authors writes on two topics.*merge author names"),
        (lambda row, topic: "", r"No text names its author.*choose an author column"),
    ],
)
def test_authors_who_cannot_be_matched_are_refused_with_what_would_help(authors, sentence):
    corpus, space, _ = corpus_and_space(0)
    written = [authors(row, topic) for row, topic in enumerate(corpus.topics)]
    with pytest.raises(SettingError, match=sentence):
        make_swaps(make_corpus(corpus.texts, corpus.topics, authors=written), space)


def test_a_twin_of_one_document_is_no_twin():
    corpus, _, vectors = corpus_and_space(4)
    lone = make_corpus([*corpus.texts, "one more"], [*corpus.topics, "zebra"], authors=[*corpus.authors, "author 1"])
    at_topic_0 = vectors[corpus.topic_codes == 0].mean(axis=0)
    space = topic_space(np.vstack([vectors, at_topic_0]), lone.topic_codes, lone.topic_names, similarity="plain")
    reasons = dict(make_swaps(lone, space).unmatched)
    assert reasons[0] == (
        "its nearest topic, 'zebra', has one document, and a twin needs two: merge it with another, or leave small topics out"
    )


@pytest.mark.parametrize("topics", [2, 3])
def test_too_few_topics_are_answered_with_how_many_it_takes(topics):
    corpus, space, _ = corpus_and_space(0, topics=topics, authors=3)
    with pytest.raises(SettingError, match=rf"takes 4 topics that can be placed, and here are {topics}; add topics\.$"):
        make_swaps(corpus, space)


def test_topics_that_cannot_be_placed_are_answered_with_what_places_them():
    corpus = make_corpus(["a b", "b c", "c d", "d a"], ["w", "x", "y", "z"], authors=["p", "p", "q", "q"])
    space = topic_space(np.eye(4), corpus.topic_codes, corpus.topic_names)
    with pytest.raises(SettingError, match=r"cannot be placed .* here are 0; give topics two documents or more\.$"):
        make_swaps(corpus, space)


def test_every_dose_tests_the_same_topics_where_it_can():
    corpus, space, _ = corpus_and_space(1, topics=8)
    one, two = (make_swaps(corpus, space, nearest=nearest, most=4) for nearest in (1, 2))
    assert not one.unmatched and not two.unmatched and one.topics.tolist() == two.topics.tolist()


def test_of_many_topics_some_are_tested_by_lot():
    corpus, space, _ = corpus_and_space(1)
    every, some = (make_swaps(corpus, space, most=most) for most in (None, 3))
    assert len(some.topics) == len(some.without) == len(some.similarity) == 3 and set(some.topics) <= set(every.topics)
    assert list(some.topics) == sorted(some.topics) and some.unmatched == every.unmatched
    assert len({tuple(make_swaps(corpus, space, seed=seed, most=3).topics) for seed in range(5)}) > 1
    same = [list(every.topics).index(topic) for topic in some.topics]
    for number, place in enumerate(same):
        assert (some.with_twin[0].folds[number].train == every.with_twin[0].folds[place].train).all()
    with pytest.raises(SettingError, match="1 or more"):
        make_swaps(corpus, space, most=0)


def test_eight_thousand_authors_of_one_text_are_refused_at_once():
    rng = np.random.default_rng(0)
    topics = [f"topic {code}" for code in np.arange(8_000) % 40]
    corpus = make_corpus([f"text {row}" for row in range(8_000)], topics, authors=[f"a{row}" for row in range(8_000)])
    space = topic_space(rng.normal(size=(8_000, 4)) + 1, corpus.topic_codes, corpus.topic_names)
    start = time.process_time()
    with pytest.raises(SettingError, match="Each of 8,000 authors wrote one text"):
        make_swaps(corpus, space)
    assert time.process_time() - start < 2


def test_a_topic_that_cannot_be_placed_is_neither_tested_nor_a_twin():
    corpus, _, vectors = corpus_and_space(4)
    lone = make_corpus(
        [*corpus.texts, "one more"], [*corpus.topics, "zebra"], authors=[*corpus.authors, "author 1"], ids=None
    )
    space = topic_space(np.vstack([vectors, np.ones(4)]), lone.topic_codes, lone.topic_names)
    swaps = make_swaps(lone, space)
    zebra = lone.topic_names.index("zebra")
    assert (zebra, "it cannot be placed among the others") in swaps.unmatched
    assert zebra not in swaps.topics and not any(zebra in twins for twins in swaps.twins)
    assert all(len(lone) - 1 in fold.train for fold in swaps.without), "it stays in training"


@pytest.mark.parametrize("choice", [{"draws": 0}, {"nearest": 0}])
def test_nothing_to_swap_is_refused(choice):
    corpus, space, _ = corpus_and_space(0)
    with pytest.raises(SettingError, match="both must be 1 or more"):
        make_swaps(corpus, space, **choice)


def test_a_corpus_without_authors_is_refused():
    corpus, space, _ = corpus_and_space(0)
    with pytest.raises(SettingError, match="names no authors"):
        make_swaps(make_corpus(corpus.texts, corpus.topics), space)
