"""Samples: random ones, policies, setups, and what is kept at every m as at one."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.corpora import make_corpus
from core.errors import SettingError
from core.topics import (
    POLICIES,
    RANDOM_SEEDS,
    SAMPLERS,
    EveryM,
    checked_m,
    hits_path,
    make_sample,
    make_setup,
    merged_space,
    pair_similarities,
    pair_summary,
    random_band,
    random_path,
    sample_at_every_m,
    sample_counts,
    sampled_documents,
    sampling,
    topic_points,
    topic_space,
    unlike_samplers,
)
from tests.core.spies import corpus_of, rows_of
from tests.core.topics.similarities import WORKED, similarities, similarity_of

TOPICS = 8


@given(similarities, st.integers(0, 100))
@settings(deadline=None)
def test_random_paths_are_seeded_permutations(similarity, seed):
    path = random_path(similarity, seed=seed)
    assert sorted(path.order) == list(range(len(similarity)))
    assert path.order.tolist() == random_path(similarity, seed=seed).order.tolist()


@given(similarities, st.integers(0, 100))
@settings(deadline=None, max_examples=30)
def test_a_random_path_carries_the_similarities_of_its_prefixes(similarity, seed):
    path = random_path(similarity, seed=seed)
    assert np.isnan([path.leakage[0], path.mean[0], path.max[0]]).all()
    for m in range(2, len(similarity) + 1):
        chosen = path.order[:m]
        pairs = pair_similarities(similarity[np.ix_(chosen, chosen)])
        assert (path.mean[m - 1], path.max[m - 1]) == pytest.approx((pairs.mean(), pairs.max()), abs=1e-12)
        before = similarity[chosen[-1], chosen[:-1]]
        assert path.leakage[m - 1] == pytest.approx(before.mean() * before.max(), abs=1e-12)


def test_random_samples_have_the_mean_similarity_of_the_whole_corpus_on_average():
    similarity = similarity_of(3, 12, shift=0.5)
    means = np.stack([random_path(similarity, seed=seed).mean for seed in range(3_000)])
    expected = pair_similarities(similarity).mean()
    error = means[:, 1:].std(axis=0) / np.sqrt(len(means))
    assert (np.abs(means[:, 1:].mean(axis=0) - expected) <= 4 * error + 1e-12).all()


def test_random_band_holds_the_quantiles_of_its_paths():
    similarity = similarity_of(3, 12, shift=0.5)
    path = hits_path(similarity)
    band = random_band(similarity, path, samples=20, seed=5)
    paths = [random_path(similarity, seed=5 + draw) for draw in range(20)]
    assert np.isnan(band.mean[:, 0]).all()
    assert np.isnan(band.max[:, 0]).all()
    np.testing.assert_allclose(band.max[1, 4], np.median([path.max[4] for path in paths]))
    np.testing.assert_allclose(band.mean[2, 4], np.quantile([path.mean[4] for path in paths], 0.95))
    assert (band.mean[0, 1:] <= band.mean[2, 1:]).all()
    assert band.mean_rank[4] == sum(each.mean[4] <= path.mean[4] for each in paths)
    assert band.max_rank[4] == sum(each.max[4] <= path.max[4] for each in paths)
    assert band.mean_rank[-1] == band.max_rank[-1] == 20  # all topics: all samples are one
    # With every topic taken, chance has nothing left to choose.
    np.testing.assert_allclose(band.mean[:, -1], pair_similarities(similarity).mean())


def test_random_samples_take_every_topic_equally_often():
    similarity = similarity_of(3, 6)
    firsts = np.bincount([random_path(similarity, seed=seed).order[0] for seed in range(6_000)], minlength=6)
    assert (np.abs(firsts - 1_000) < 150).all()


@given(similarities, st.data())
@settings(deadline=None)
def test_policies_keep_the_selected_and_send_the_rest_to_their_nearest(similarity, data):
    m = data.draw(st.integers(1, len(similarity)))
    threshold = data.draw(st.floats(-1, 1))
    selected = hits_path(similarity).order[:m]
    cut = make_sample(similarity, selected, policy="cutting")
    grouped = make_sample(similarity, selected, policy="grouping")
    hybrid = make_sample(similarity, selected, policy="hybrid", threshold=threshold)
    for sample in (cut, grouped, hybrid):
        assert (sample.assigned[selected] == selected).all()
        assert set(sample.assigned) <= {-1, *selected.tolist()}
    assert (np.flatnonzero(cut.assigned >= 0) == np.sort(selected)).all()
    assert (grouped.assigned >= 0).all()
    for topic in range(len(similarity)):
        best = similarity[topic, selected].max()
        if topic not in selected:
            assert similarity[topic, grouped.assigned[topic]] == best
            assert (hybrid.assigned[topic] >= 0) == (best >= threshold)


def test_sampled_documents_count_under_the_topic_they_were_merged_into():
    corpus = make_corpus(["a", "b", "c", "d"], ["w", "x", "y", "z"])
    similarity = np.array([[1, 0.1, 0.9, 0.2], [0.1, 1, 0.2, 0.7], [0.9, 0.2, 1, 0.1], [0.2, 0.7, 0.1, 1]])
    selected = np.array([0, 1])
    rows, topics = sampled_documents(corpus, make_sample(similarity, selected, policy="hybrid", threshold=0.8))
    assert rows.tolist() == [0, 1, 2]
    assert topics == ["w", "x", "w"]


def test_wrong_choices_are_named():
    with pytest.raises(SettingError, match="Did you mean 'grouping'"):
        make_sample(WORKED, np.array([0]), policy="groupin")
    with pytest.raises(SettingError, match="m = 9, but the corpus has 5 topics"):
        checked_m(9, 5)


def test_a_topic_exactly_as_similar_as_the_threshold_is_merged_and_ties_go_to_the_first_name():
    similarity = np.array([[1, 0.2, 0.5, 0.5], [0.2, 1, 0.5, 0.3], [0.5, 0.5, 1, 0.1], [0.5, 0.3, 0.1, 1]])
    sample = make_sample(similarity, np.array([1, 0]), policy="hybrid", threshold=0.5)
    assert sample.assigned.tolist() == [0, 1, 0, 0]
    assert make_sample(similarity, np.array([1, 0]), policy="hybrid", threshold=0.51).assigned.tolist() == [
        0,
        1,
        -1,
        -1,
    ]
    assert sample.selected.tolist() == [1, 0]
    assert sample.steps.tolist() == [2, 1, 0, 0]


def test_documents_and_authors_that_stay_are_counted():
    corpus = make_corpus(list("uvwxyz"), list("abcabc"), authors=["x", "y", "z", "x", "y", "x"])
    path = hits_path(np.eye(3))
    for m in (1, 2, 3):
        for policy in POLICIES:
            counts = sample_counts(corpus, make_sample(np.eye(3), path.order[:m], policy=policy))
            rows, _ = sampled_documents(corpus, make_sample(np.eye(3), path.order[:m], policy=policy))
            assert counts.documents == len(rows) and counts.authors == len({corpus.authors[row] for row in rows})
    alone = sample_counts(corpus, make_sample(np.eye(3), np.array([1])))
    assert (alone.documents, alone.authors) == (2, 1)


def test_without_authors_none_are_counted():
    corpus = make_corpus(["one", "two"], ["a", "b"])
    counts = sample_counts(corpus, make_sample(np.eye(2), np.array([0])))
    assert (counts.documents, counts.authors) == (1, None)


def test_m_from_one_to_all_topics_is_taken():
    assert [checked_m(1, 5), checked_m(5, 5)] == [1, 5]
    for m in (0, 6):
        with pytest.raises(SettingError, match=f"m = {m}, but the corpus has 5 topics; choose m from 1 to 5"):
            checked_m(m, 5)


def with_incomparable() -> np.ndarray:
    similarity = similarity_of(3, 6, shift=0.5).copy()
    similarity[2], similarity[:, 2] = np.nan, np.nan
    similarity[4], similarity[:, 4] = np.nan, np.nan
    return similarity


def test_topics_that_have_too_few_documents_are_taken_last_and_join_nothing():
    similarity = with_incomparable()
    known = np.array([0, 1, 3, 5])
    for path, alone in (
        (hits_path(similarity), hits_path(similarity[np.ix_(known, known)])),
        (random_path(similarity, seed=1), random_path(similarity[np.ix_(known, known)], seed=1)),
    ):
        assert path.order.tolist() == [*known[alone.order].tolist(), 2, 4] and path.comparable == 4
        np.testing.assert_array_equal(path.max[:4], alone.max)
        np.testing.assert_array_equal(path.mean[:4], alone.mean)
        assert path.max[4] == path.max[5] == alone.max[-1] and path.mean[5] == alone.mean[-1]
        assert np.isnan(path.leakage[4:]).all()
    sample = make_sample(similarity, hits_path(similarity).order[:2], policy="grouping")
    assert sample.assigned[[2, 4]].tolist() == [-1, -1] and (sample.assigned[known] >= 0).all()
    nothing = hits_path(np.full((3, 3), np.nan))
    assert nothing.order.tolist() == [0, 1, 2] and nothing.comparable == 0


def test_the_band_spans_nine_tenths_of_chance_and_starts_at_seed_0():
    similarity = similarity_of(3, 12, shift=0.5)
    path = hits_path(similarity)
    band = random_band(similarity, path, samples=40)
    paths = [random_path(similarity, seed=seed) for seed in range(40)]
    for m in (2, 5, 9):
        shares = [0.05, 0.5, 0.95]
        np.testing.assert_allclose(band.mean[:, m - 1], np.quantile([each.mean[m - 1] for each in paths], shares))
        np.testing.assert_allclose(band.max[:, m - 1], np.quantile([each.max[m - 1] for each in paths], shares))
    assert band.samples == 40 and len(RANDOM_SEEDS) == 5 and tuple(range(5)) == RANDOM_SEEDS


def test_a_topic_joins_the_nearest_that_is_known_even_beside_one_that_is_not():
    similarity = with_incomparable()
    sample = make_sample(similarity, np.array([0, 2]), policy="grouping")
    assert sample.assigned.tolist() == [0, 0, 2, 0, -1, 0]


@given(similarities, st.integers(0, 100))
@settings(deadline=None, max_examples=20)
def test_a_random_path_of_many_topics_read_row_by_row_is_the_same(similarity, seed):
    whole = random_path(similarity, seed=seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sampling, "MOST_AT_ONCE", 1)
        by_row = random_path(similarity, seed=seed)
    for field in ("order", "leakage", "mean", "max"):
        np.testing.assert_allclose(getattr(by_row, field), getattr(whole, field), atol=1e-12)


def test_unlike_topics_are_chosen_by_those_that_leave_some_out_and_draw_nothing():
    assert unlike_samplers() == ["hits", "minimax"]


def test_a_sample_is_drawn_with_seed_0_unless_told():
    chosen = SAMPLERS["random"].selected(np.eye(30), 30)
    assert chosen.tolist() == random_path(np.eye(30), seed=0).order.tolist()
    assert chosen.tolist() != random_path(np.eye(30), seed=1).order.tolist()


@pytest.mark.parametrize("name", SAMPLERS)
def test_several_sizes_at_once_are_the_samples_of_each(name):
    similarity = similarity_of(4, 9, shift=0.5)
    similarity[3, :] = similarity[:, 3] = np.nan  # a topic that cannot be compared
    sampler, sizes = SAMPLERS[name], [2, 5, 8]
    told: list[str] = []
    together = sampler.at_each(similarity, sizes, progress=lambda done, total, label, left: told.append(label))
    assert [topics.tolist() for topics, _ in together] == [sampler.selected(similarity, m).tolist() for m in sizes]
    assert bool(told) == (sampler.choose_each is not None)


@pytest.fixture
def case():
    rows = rows_of(topics=TOPICS)
    corpus = corpus_of([rows[row] for row in np.random.default_rng(0).permutation(len(rows))])
    rng = np.random.default_rng(1)
    centres = rng.random((TOPICS, 6))
    vectors = (centres[corpus.topic_codes] + 0.2 * rng.random((len(corpus), 6))).astype(np.float32)
    return corpus, vectors, topic_space(vectors, corpus.topic_codes, corpus.topic_names)


@pytest.mark.parametrize("m", [1, 2, 5, TOPICS])
@pytest.mark.parametrize("sampler", ["hits", "minimax", "random"])
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


def test_random_samples_depend_on_their_seed_alone(case):
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


@pytest.mark.parametrize("policy", ["cutting", "grouping"])
def test_found_topics_stay_found_topics(case, policy):
    corpus, vectors, space = case
    for found in (True, False):
        setup = make_setup(replace(corpus, found=found), vectors, space, sampler="hits", m=2, policy=policy)
        assert setup.corpus.found is found


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
        "minimax": ("minimax", "minimax", None, "minimax"),
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


def test_what_a_choice_takes_is_what_it_depends_on(case):
    assert {name: sampler.takes_seed for name, sampler in SAMPLERS.items()} == {
        "none": False,
        "hits": False,
        "minimax": False,
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


def made(seed: int, topics: int, *, authors: bool = True):
    """Topics of one to five documents in few dimensions: some are similar, some tie, some cannot be compared."""
    rng = np.random.default_rng(seed)
    codes = np.repeat(np.arange(topics), rng.integers(1, 6, topics))
    vectors = (rng.integers(0, 2, (topics, 3))[codes] + rng.integers(0, 2, (len(codes), 3))).astype(np.float32)
    names = [f"t{code:02d}" for code in codes]
    writers = [f"a{rng.integers(6)}" for _ in codes] if authors else None
    corpus = make_corpus([f"text {row}" for row in range(len(codes))], names, authors=writers, name="made")
    space = topic_space(vectors, corpus.topic_codes, corpus.topic_names)
    return corpus, vectors, space, hits_path(space.similarity)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 9), st.sampled_from(sorted(POLICIES)), st.sampled_from([0.0, 0.5, 0.9]))
def test_every_m_is_the_sample_of_m(seed, topics, policy, threshold):
    corpus, _, space, path = made(seed, topics)
    kept = sample_at_every_m(corpus, space, path, policy=policy, threshold=threshold)
    assert len(kept.documents) == len(kept.mean) == path.comparable
    for m in range(1, path.comparable + 1):
        sample = make_sample(space.similarity, path.order[:m], policy=policy, threshold=threshold)
        counts, similarity = sample_counts(corpus, sample), pair_summary(space, sample)
        assert (kept.documents[m - 1], kept.authors[m - 1]) == (counts.documents, counts.authors)
        for found, expected in ((kept.mean[m - 1], similarity["mean"]), (kept.max[m - 1], similarity["max"])):
            assert np.isnan(found) if expected is None else found == pytest.approx(expected, abs=1e-12)
        np.testing.assert_array_equal((kept.since > 0) & (kept.since <= m), sample.assigned >= 0)
        assigned = np.full(topics, -1)
        for topic, since, target in kept.moves.tolist():
            if since <= m:
                assigned[topic] = target
        assigned[path.order[:m]] = path.order[:m]
        np.testing.assert_array_equal(assigned, sample.assigned)


def test_totals_are_the_corpus_and_authors_may_be_unknown():
    corpus, _, space, path = made(1, 8, authors=False)
    kept = sample_at_every_m(corpus, space, path)
    assert kept.authors is None and kept.totals == (8, len(corpus), None)
    assert kept.documents[-1] == space.sizes[space.comparable].sum()


def test_where_merged_topics_are_too_many_their_similarity_is_left_open(monkeypatch):
    monkeypatch.setattr("core.topics.sampling.MOST_MERGED", 3)
    corpus, _, space, path = made(2, 9)
    assert path.comparable > 3
    grouped = sample_at_every_m(corpus, space, path, policy="grouping")
    assert np.isnan(grouped.mean).all() and np.isnan(grouped.max).all() and len(grouped.mean) == path.comparable
    cut = sample_at_every_m(corpus, space, path)
    assert np.isfinite(cut.mean[1:]).all(), "nothing is merged by cutting"


def test_points_without_pairs_can_be_cut_and_not_merged():
    corpus, vectors, space, path = made(3, 7)
    points = topic_points(vectors, corpus.topic_codes, corpus.topic_names)
    np.testing.assert_array_equal(
        sample_at_every_m(corpus, points, path).documents, sample_at_every_m(corpus, space, path).documents
    )
    with pytest.raises(SettingError, match="too many to merge; choose cutting"):
        sample_at_every_m(corpus, points, path, policy="grouping")


@pytest.mark.parametrize(
    ("highest", "most"),
    [([], 1), ([0.9], 1), ([0.5], 1), ([0.4], 2), ([0.4, 0.9, 0.2], 4), ([np.nan], None), ([np.nan] * 3, None),
     ([0.4, np.nan], 2), ([0.9, 0.9], 1)],
)  # fmt: skip
def test_the_most_topics_below_the_threshold_whatever_lies_between(highest, most):
    maximum = np.array([np.nan, *highest])
    nothing = np.empty((0, 3), dtype=np.int64)
    sizes = np.arange(len(maximum))
    assert EveryM((9, 9, None), sizes, None, maximum, maximum, sizes, nothing).largest_without_twins(0.5) == most


def test_paths_and_all_topics_search_nothing_and_so_come_to_their_end():
    for name in ("hits", "none"):
        assert [done for _, done in SAMPLERS[name].at_each(WORKED, [2, 3])] == [True, True]


def test_moves_are_in_order_of_topic_and_then_m():
    corpus, _, space, path = made(4, 9)
    moves = sample_at_every_m(corpus, space, path, policy="grouping").moves
    assert moves[:, :2].tolist() == sorted(moves[:, :2].tolist()) and len(set(moves[:, 0])) > 1
    assert sample_at_every_m(corpus, space, path).moves.shape == (0, 3)


def test_without_a_threshold_every_similarity_from_0_on_joins():
    corpus, _, space, path = made(4, 9)
    default, none = (
        sample_at_every_m(corpus, space, path, policy="hybrid", **more) for more in ({}, {"threshold": 0.0})
    )
    np.testing.assert_array_equal(default.moves, none.moves)
    assert len(default.moves) > len(sample_at_every_m(corpus, space, path, policy="hybrid", threshold=1.0).moves)


def test_merged_topics_are_compared_up_to_as_many_as_are_tried(monkeypatch):
    corpus, _, space, path = made(2, 9)
    monkeypatch.setattr("core.topics.sampling.MOST_MERGED", path.comparable)
    assert np.isfinite(sample_at_every_m(corpus, space, path, policy="grouping").max[1]).all()
