"""Samples as corpora of their own, whose vectors stay with their documents."""

from dataclasses import replace

import numpy as np
import pytest

from core.corpora import make_corpus
from core.errors import SettingError
from core.topics import (
    POLICIES,
    RANDOM_SEEDS,
    SAMPLERS,
    hits_path,
    make_sample,
    make_setup,
    merged_space,
    random_path,
    sampled_documents,
    topic_space,
)
from tests.core.spies import corpus_of, rows_of

TOPICS = 8


@pytest.fixture
def case():
    rows = rows_of(topics=TOPICS)
    corpus = corpus_of([rows[row] for row in np.random.default_rng(0).permutation(len(rows))])
    rng = np.random.default_rng(1)
    centres = rng.random((TOPICS, 6))
    vectors = (centres[corpus.topic_codes] + 0.2 * rng.random((len(corpus), 6))).astype(np.float32)
    return corpus, vectors, topic_space(vectors, corpus.topic_codes, corpus.topic_names)


@pytest.mark.parametrize("m", [1, 2, 5, TOPICS])
@pytest.mark.parametrize("sampler", ["hits", "least-maximum", "random"])
def test_a_setup_is_the_sampled_topics_with_their_own_vectors_and_similarities(case, sampler, m):
    corpus, vectors, space = case
    setup = make_setup(corpus, vectors, space, sampler=sampler, m=m)
    assert len(setup.corpus.topic_names) == len(setup.space) == m
    assert setup.space.names == setup.corpus.topic_names
    rows = [corpus.ids.index(identity) for identity in setup.corpus.ids]
    assert rows == sorted(rows)
    assert set(rows) == {row for row, topic in enumerate(corpus.topics) if topic in setup.corpus.topic_names}
    assert setup.corpus.texts == tuple(corpus.texts[row] for row in rows)
    assert setup.corpus.authors == [corpus.authors[row] for row in rows]
    assert (setup.vectors == vectors[rows]).all()
    kept = [corpus.topic_names.index(name) for name in setup.space.names]
    assert setup.space.similarity == pytest.approx(space.similarity[np.ix_(kept, kept)], abs=1e-9)


def test_hits_keeps_the_first_of_its_path_whatever_the_seed(case):
    corpus, vectors, space = case
    order = hits_path(space.similarity).order
    for m in range(1, TOPICS + 1):
        for seed in (0, 9):
            setup = make_setup(corpus, vectors, space, sampler="hits", m=m, seed=seed)
            assert set(setup.corpus.topic_names) == {corpus.topic_names[topic] for topic in order[:m]}
            assert setup.name == "HITS"


def test_random_samples_hang_on_their_seed_alone(case):
    corpus, vectors, space = case
    samples = {}
    for seed in RANDOM_SEEDS:
        one, two = (make_setup(corpus, vectors, space, sampler="random", m=4, seed=seed) for _ in range(2))
        assert one.corpus.fingerprint == two.corpus.fingerprint
        assert one.name == f"random {seed}"
        samples[seed] = one.corpus.topic_names
    assert len(set(samples.values())) > 1
    larger = make_setup(corpus, vectors, space, sampler="random", m=6, seed=2)
    assert set(samples[2]) < set(larger.corpus.topic_names)


def test_all_topics_are_the_corpus_as_it_is(case):
    corpus, vectors, space = case
    setup = make_setup(corpus, vectors, space, sampler="none", m=3)
    assert setup.corpus is corpus and setup.vectors is vectors and setup.space is space
    for sampler in SAMPLERS:
        assert make_setup(corpus, vectors, space, sampler=sampler).corpus.fingerprint == corpus.fingerprint


def test_refusals(case):
    corpus, vectors, space = case
    with pytest.raises(SettingError, match="Did you mean 'hits'"):
        make_setup(corpus, vectors, space, sampler="hit")
    for m in (0, TOPICS + 1):
        with pytest.raises(SettingError, match=f"choose m from 1 to {TOPICS}"):
            make_setup(corpus, vectors, space, sampler="random", m=m)
    for other in (make_corpus(["x", "y"], ["a", "b"]), corpus_of(rows_of(topics=TOPICS, each=1))):
        with pytest.raises(SettingError, match="of other documents"):
            make_setup(other, vectors, space, sampler="none")


@pytest.mark.parametrize(("policy", "threshold"), [("grouping", 0.0), ("hybrid", 0.9), ("hybrid", 2.0)])
@pytest.mark.parametrize("sampler", ["hits", "random"])
def test_grouping_is_relabelling(case, sampler, policy, threshold):
    corpus, vectors, space = case
    setup = make_setup(corpus, vectors, space, sampler=sampler, m=3, seed=1, policy=policy, threshold=threshold)
    path = hits_path(space.similarity) if sampler == "hits" else random_path(space.similarity, seed=1)
    sample = make_sample(space.similarity, path.order[:3], policy=policy, threshold=threshold)
    rows, homes = sampled_documents(corpus, sample)
    assert setup.corpus.ids == tuple(corpus.ids[row] for row in rows)
    assert (setup.vectors == vectors[rows]).all()
    by_hand = make_corpus(
        [corpus.texts[row] for row in rows],
        homes,
        authors=[corpus.authors[row] for row in rows],
        ids=[corpus.ids[row] for row in rows],
    )
    assert setup.corpus.fingerprint == by_hand.fingerprint
    merged = merged_space(space, sample.assigned)
    assert setup.space.names == merged.names == setup.corpus.topic_names
    assert (setup.space.sizes == merged.sizes).all()
    assert setup.space.similarity == pytest.approx(merged.similarity, abs=1e-6)
    if policy == "grouping":
        assert len(setup.corpus) == len(corpus)


def test_the_files_own_labels_and_vectors_follow_a_merged_document(case):
    corpus, vectors, space = case
    labels = ["test" if row % 3 else "train" for row in range(len(corpus))]
    own = make_corpus(
        corpus.texts, corpus.topics, authors=corpus.authors, ids=corpus.ids, splits=labels, vectors=vectors
    )
    kept = make_setup(own, vectors, space, sampler="hits", m=2, policy="grouping").corpus
    assert kept.ids == own.ids and kept.splits == own.splits
    assert (kept.vectors == own.vectors).all()


def test_policies_that_merge_nothing_are_cutting(case):
    corpus, vectors, space = case
    cut = make_setup(corpus, vectors, space, sampler="hits", m=4)
    assert cut.name == "HITS"
    strict = make_setup(corpus, vectors, space, sampler="hits", m=4, policy="hybrid", threshold=1.5)
    assert strict.corpus.fingerprint == cut.corpus.fingerprint
    assert strict.name == "HITS, hybrid 1.5"
    everything = make_setup(corpus, vectors, space, sampler="hits", policy="grouping")
    assert everything.corpus.fingerprint == corpus.fingerprint
    assert everything.name == "HITS, grouped"


def test_policies_refused(case):
    corpus, vectors, space = case
    with pytest.raises(SettingError, match="Did you mean 'grouping'"):
        make_setup(corpus, vectors, space, sampler="hits", m=3, policy="groupin")
    with pytest.raises(SettingError, match="keep at least 2 topics"):
        make_setup(corpus, vectors, space, sampler="hits", m=1, policy="grouping")


def test_setups_know_their_sampler_and_seed(case):
    corpus, vectors, space = case
    made = {name: make_setup(corpus, vectors, space, sampler=name, m=3, seed=7) for name in SAMPLERS}
    assert {name: (setup.name, setup.sampler, setup.seed, setup.key) for name, setup in made.items()} == {
        "none": ("all topics", "none", None, "none"),
        "hits": ("HITS", "hits", None, "hits"),
        "least-maximum": ("least maximum", "least-maximum", None, "least-maximum"),
        "random": ("random 7", "random", 7, "random-7"),
    }


def test_a_sampler_is_one_line_of_the_registry(case, monkeypatch):
    corpus, vectors, space = case
    backwards = replace(
        SAMPLERS["random"], label="last", path=lambda similarity, seed: random_path(similarity, seed=seed + 1)
    )
    monkeypatch.setitem(SAMPLERS, "toy", backwards)
    setup = make_setup(corpus, vectors, space, sampler="toy", m=3, seed=1)
    expected = {space.names[topic] for topic in random_path(space.similarity, seed=2).order[:3]}
    assert set(setup.corpus.topic_names) == expected and setup.name == "last 1"


def test_what_a_choice_takes_is_what_it_hangs_on(case):
    assert {name: sampler.takes_seed for name, sampler in SAMPLERS.items()} == {
        "none": False,
        "hits": False,
        "least-maximum": False,
        "random": True,
    }
    assert [name for name, sampler in SAMPLERS.items() if not sampler.takes_m] == ["none"]
    assert [name for name, policy in POLICIES.items() if policy.takes_threshold] == ["hybrid"]
    similarity = np.array([[1, 0.2, -0.3], [0.2, 1, 0.1], [-0.3, 0.1, 1]])
    for threshold, expected in ((0.0, [0, 0, -1]), (-0.5, [0, 0, 0])):
        found = make_sample(similarity, np.array([0]), policy="hybrid", threshold=threshold)
        assert found.assigned.tolist() == expected
    assert make_sample(similarity, np.array([0]), policy="hybrid").assigned.tolist() == [0, 0, -1]  # 0 unless told
    corpus, vectors, space = case
    for choice in ({"sampler": "random", "m": 4}, {"sampler": "hits", "m": 4, "policy": "hybrid"}):
        plain = make_setup(corpus, vectors, space, **choice)
        assert (
            plain.corpus.fingerprint
            == make_setup(corpus, vectors, space, seed=0, threshold=0.0, **choice).corpus.fingerprint
        )
        assert plain.name in ("random 0", "HITS, hybrid 0")


def test_vectors_or_similarities_of_other_documents_are_refused(case):
    corpus, vectors, space = case
    with pytest.raises(SettingError, match="of other documents"):
        make_setup(corpus, vectors[:-1], space, sampler="hits", m=3)
    with pytest.raises(SettingError, match="of other documents"):
        make_setup(corpus, vectors, replace(space, names=tuple(reversed(space.names))), sampler="hits", m=3)
