"""The forecast: its splits keep families together, its line is least squares, and it is right about families it has not seen."""

from dataclasses import replace
from math import isnan, nan

import numpy as np
import pytest
from scipy.spatial.distance import squareform
from scipy.stats import binom
from sklearn.metrics import silhouette_score

from core.corpora import make_corpus, take
from core.demo import bundled_corpus, bundled_vectors
from core.errors import SettingError
from core.evaluation import (
    ResultStore,
    author_labels,
    family_intervals,
    forecast,
    forecast_plan,
    run_forecast,
    target_similarity,
    topic_families,
)
from core.evaluation.forecast import _kfold_excess, _merged_families, _silhouette_of_distances, _weighted_line
from core.models.attribution import WordSvm
from core.questions.cost import promises_of
from core.study import Study
from core.topics import part_of_space, topic_space
from core.vectors import embed, make_encoder
from tests.core.evaluation.test_curve import small_corpus


def test_families_are_the_blocks_of_the_similarities():
    for sizes in ([2, 3, 4], [1, 1, 5, 2], [2] * 6):
        family = np.repeat(np.arange(len(sizes)), sizes)
        rng = np.random.default_rng(len(family))
        noise = rng.uniform(-0.05, 0.05, (len(family),) * 2)
        similarity = np.where(family[:, None] == family, 0.8, 0.2) + (noise + noise.T) / 2
        assert topic_families(similarity).tolist() == family.tolist()
        order = rng.permutation(len(family))
        found = topic_families(similarity[np.ix_(order, order)])
        assert np.array_equal(found[:, None] == found, family[order][:, None] == family[order])
    assert topic_families(np.full((4, 4), 0.5)).tolist() == [0, 1, 2, 3]
    merged = _merged_families(np.array([[1, 0.9, 0.1], [0.9, 1, 0.2], [0.1, 0.2, 1]]), np.arange(3), np.ones(3), 2)
    assert merged.tolist() == [0, 0, 1]


def test_no_fold_grows_by_chaining():
    weight = np.arange(30) % 5 + 1  # documents of each family; its similarities are to those before it
    chain = np.tril(np.ones((30, 30)) * 0.9 - np.arange(30)[:, None] / 100)
    folds = _merged_families(chain + chain.T, np.arange(30), weight, 6)
    assert folds.max() == 5 and np.bincount(folds, weights=weight).max() <= 2 / 6 * weight.sum()


def test_every_split_tests_every_document_once_and_holds_what_it_says():
    corpus, space = small_corpus(topics=12)
    labels = author_labels(corpus)
    labels[:5] = -1
    plan = forecast_plan(corpus, space, labels, k=4)
    assert plan.families == 6
    for split, fold in plan.folds.items():
        assert ((fold >= 0) == (labels >= 0)).all(), split
    for number in range(4):  # stratified by class, to one document
        counts = np.bincount(labels[plan.folds["random"] == number], minlength=5)
        assert (np.abs(counts - np.bincount(labels[5:]) / 4) <= 1.5).all()
    for split in ("topics", "families"):
        for topic in range(len(space)):
            rows = (corpus.topic_codes == topic) & (labels >= 0)
            fold = np.unique(plan.folds[split][rows])
            assert len(fold) == 1
            trained = np.unique(corpus.topic_codes[(plan.folds[split] != fold[0]) & (labels >= 0)])
            assert plan.nearest[split][topic] == space.similarity[topic, trained].max()
            if split == "families":
                assert not (plan.family[trained] == plan.family[topic]).any()


def test_documents_in_another_order_give_the_same_forecast_and_answers_are_kept(tmp_path):
    corpus, space = small_corpus()
    shuffled = np.random.default_rng(0).permutation(len(corpus))
    other = make_corpus(
        [corpus.texts[row] for row in shuffled],
        [corpus.topics[row] for row in shuffled],
        authors=[corpus.authors[row] for row in shuffled],
    )
    results, found = ResultStore(tmp_path), []
    for each in (corpus, other):
        plan = forecast_plan(each, space, author_labels(each), k=4)
        run = run_forecast(each, plan, {"words": WordSvm()}, results=results)
        found.append((run.fresh, forecast(each, run)))
    assert found[0][0] > 0 and found[1][0] == 0
    one, two = (summary.models["words"] for _, summary in found)
    assert (one.random, one.topic_kfold, one.expected, one.low) == (two.random, two.topic_kfold, two.expected, two.low)
    assert one.random > one.held_out + 0.2  # a habit that only sisters share
    assert one.low <= one.expected <= one.high


def test_the_target_is_clipped_to_what_was_observed():
    corpus, space = small_corpus()
    run = run_forecast(corpus, forecast_plan(corpus, space, author_labels(corpus), k=4), {"words": WordSvm()})
    usual = forecast(corpus, run)
    assert usual.target == usual.wanted == usual.held_out and not usual.clipped
    low, high = usual.observed
    for target, used in ((low - 0.5, low), (high + 0.1, high), ((low + high) / 2, (low + high) / 2)):
        found = forecast(corpus, run, target=target)
        assert found.target == used and found.clipped == (used != target)
        line = found.models["words"]
        assert line.expected == pytest.approx(min(max(line.intercept + line.slope * used, 0), 1))


def test_the_line_is_weighted_least_squares():
    rng = np.random.default_rng(0)
    x, y, weights = rng.random(9), rng.random(9), rng.random(9)
    slope, intercept = np.polyfit(x, y, 1, w=np.sqrt(weights))
    assert _weighted_line(x, y, weights) == pytest.approx((intercept, slope))
    assert _weighted_line(np.ones(3), np.array([0.0, 0.5, 1.0]), np.ones(3)) == (0.5, 0.0)


def test_intervals_are_students_t_of_errors_in_angles():
    truth, given = np.array([0.5, 0.75, 0.25, 0.5]), np.full(4, 0.5)  # two errors of π/12 and two of 0
    one, mean = family_intervals(0.5, truth, given)
    scale = 2.353363 * np.pi / 12 / np.sqrt(2)  # t(3), two-sided .90
    angles = np.arcsin(np.sqrt([*one, *mean])) - np.pi / 4
    half = scale * np.sqrt(1.25)
    assert angles == pytest.approx([-half, half, -scale / 2, scale / 2], rel=1e-5)
    wide, _ = family_intervals(0.9, truth, given)
    assert 0 < wide[0] < 0.9 < wide[1] <= 1 and wide[1] - 0.9 < 0.9 - wide[0]  # longer where there is room
    assert all(isnan(end) for ends in family_intervals(0.5, truth[:2], given[:2]) for end in ends)
    assert family_intervals(1.0, np.ones(4), np.ones(4))[0] == pytest.approx((1, 1))


def test_the_silhouette_is_scikit_learns():
    rng = np.random.default_rng(0)
    for count, clusters in ((3, 2), (24, 7), (24, 23), (40, 12)):
        distance = squareform(rng.random(count * (count - 1) // 2))
        label = rng.permutation(np.append(np.arange(clusters), rng.integers(0, clusters, count - clusters)))
        expected = silhouette_score(distance, label, metric="precomputed")
        assert _silhouette_of_distances(distance, label) == pytest.approx(expected, abs=1e-12)


def test_intervals_hold_new_families_as_often_as_they_say():
    rng, held, covered = np.random.default_rng(0), [], []
    for _ in range(600):
        families = rng.normal(0.5, 0.8, 9)  # log odds, the last one new
        truth = rng.binomial(150, 1 / (1 + np.exp(-families))) / 150
        others = (truth[:8].sum() - truth[:8]) / 7  # forecast of each by the mean of the rest
        one, mean = family_intervals(truth[:8].mean(), truth[:8], others)
        held.append(one[0] <= truth[8] <= one[1])
        covered.append(mean[0] <= np.mean(1 / (1 + np.exp(-rng.normal(0.5, 0.8, 500)))) <= mean[1])
    assert np.mean(held) > 0.87 and np.mean(covered) > 0.87


def test_topic_kfold_is_compared_family_by_family_where_training_is_about_as_large():
    fold = np.repeat([0, 1, 2, 3, -1], [4, 4, 4, 8, 2])  # the last family has two fifths of the documents
    right = {"topics": np.ones(22), "families": np.r_[np.zeros(2), np.ones(7), np.zeros(3), np.zeros(10)]}
    found, half = _kfold_excess(right, fold), 4.302653 * np.sqrt(7 / 48 / 3)  # t(2), two-sided .95
    assert found.values.tolist() == [0.5, 0.0, 0.75]
    assert (found.mean, found.low, found.high) == pytest.approx((5 / 12, 5 / 12 - half, 5 / 12 + half))
    assert _kfold_excess(right, np.where(fold == 3, 2, fold)) is None  # two families are left
    most = np.r_[np.full(12, 3), 0, 1, 2, np.full(7, 3)]  # three are left, with three documents
    assert _kfold_excess(right, most) is None


def test_topics_without_families_are_not_one_family_and_a_stray():
    rng = np.random.default_rng(0)
    noise = rng.uniform(0, 0.05, (20, 20))
    similarity = 0.3 + (noise + noise.T) / 2
    similarity[0, 1:] = similarity[1:, 0] = 0.1  # a stray
    np.fill_diagonal(similarity, 1.0)
    assert 3 * np.bincount(topic_families(similarity)).max() <= 2 * 20


def test_a_target_of_its_own_topics_is_as_similar_as_they_are():
    corpus, space = small_corpus()
    half = np.arange(len(corpus)) % 2 == 0
    vectors = np.random.default_rng(0).random((len(corpus), 4)) + np.eye(8)[corpus.topic_codes][:, :4]
    for kind in ("corrected", "plain"):
        spaces = [
            topic_space(vectors[rows], corpus.topic_codes[rows], corpus.topic_names, similarity=kind)
            for rows in (half, ~half, slice(None))
        ]
        whole = spaces[2]
        own = target_similarity(whole, part_of_space(whole, np.array([0, 3])))
        assert own == pytest.approx([1.0, 1.0])  # each is its own nearest, cut at 1
        assert (target_similarity(spaces[0], spaces[1]) <= 1).all()
    with pytest.raises(SettingError, match="same for both"):
        target_similarity(spaces[0], space)


def test_what_cannot_be_forecast_is_refused_or_left_open():
    corpus, space = small_corpus()
    labels = author_labels(corpus)
    with pytest.raises(SettingError, match="needs 9 or more"):
        forecast_plan(corpus, space, labels, k=9)
    with pytest.raises(SettingError, match="same author, so there is nothing to predict"):
        forecast_plan(corpus, space, np.zeros(len(corpus), dtype=np.int64))
    with pytest.raises(SettingError, match="None of the 8 authors occurs in two topics, so nothing can be matched"):
        forecast_plan(corpus, space, corpus.topic_codes, k=4)
    one_topic = make_corpus(corpus.texts, corpus.topics, authors=corpus.topics)  # every author writes on one topic
    study = Study(one_topic, embed(one_topic, make_encoder("lsa")))
    assert "nothing can be matched" in promises_of(study).reason
    classes = make_corpus(corpus.texts, corpus.topics, authors=corpus.authors, predicts="sentiment")
    with pytest.raises(SettingError, match="the same class"):
        forecast_plan(classes, space, np.zeros(len(corpus), dtype=np.int64))
    plan = forecast_plan(corpus, space, labels, k=4)
    found = run_forecast(corpus, plan, {"none": WordSvm(only=())})
    assert "no feature" in found.problems["none"]
    summary = forecast(corpus, found).models["none"]
    assert isnan(summary.expected) and isnan(summary.low) and isnan(summary.random)
    unknown = replace(space, similarity=np.where(np.arange(8)[:, None] * np.arange(8) == 0, nan, space.similarity))
    assert (forecast_plan(corpus, unknown, labels, k=4).family == -1).sum() == 1


def test_guessing_is_the_largest_class_of_training():
    corpus, space = small_corpus()
    labels = np.where(np.arange(len(corpus)) % 4 == 0, 1, 0)
    plan = forecast_plan(corpus, space, labels, k=4)
    summary = forecast(corpus, run_forecast(corpus, plan, {"all": WordSvm()}))
    part = labels[plan.order]
    assert summary.guessing == pytest.approx((part == 0).mean())
    assert summary.guessing_high == binom(len(part), (part == 0).mean()).ppf(0.95) / len(part)


def test_the_bundled_corpus_promises_more_than_a_new_family_gives():
    corpus = bundled_corpus()
    space = topic_space(bundled_vectors(corpus, make_encoder("sbert")).matrix, corpus.topic_codes, corpus.topic_names)
    plan = forecast_plan(corpus, space, author_labels(corpus))
    assert plan.families == 8
    found = forecast(corpus, run_forecast(corpus, plan, {"words": WordSvm()}))
    words = found.models["words"]
    assert words.random > words.topic_kfold > words.expected > 0.5
    assert words.excess.units == 8 and words.excess.low > 0
    assert words.topic_kfold - words.expected > 0.08 and abs(words.expected - words.held_out) < 0.06
    assert found.topic_kfold == pytest.approx(0.70, abs=0.03) and found.held_out < 0.45
    # One family left out for good: the forecast from the others is nearer to the truth than topic k-fold's promise.
    held = plan.family == 2
    rest = take(corpus, np.flatnonzero(~held[corpus.topic_codes]))
    target = np.mean(space.similarity[np.ix_(np.flatnonzero(held), np.flatnonzero(~held))].max(axis=1))
    run = run_forecast(
        rest,
        forecast_plan(rest, part_of_space(space, np.flatnonzero(~held)), author_labels(rest)),
        {"words": WordSvm()},
    )
    assert forecast(rest, run, target=float(target)).models["words"].expected < words.topic_kfold
