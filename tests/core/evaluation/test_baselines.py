"""Baselines beside scores: what one gets without reading, folds that are in no mean, nothing on nonsense; and intervals round
scores: they hold their score, narrow with more questions, agree with statsmodels, and cover."""

import math
from collections import Counter

import numpy as np
import pytest
from statsmodels.stats.proportion import proportion_confint

from core.evaluation import (
    Baselines,
    chance_level,
    evaluate,
    fold_baselines,
    fold_scores,
    mean_baselines,
    skipped_folds,
    summarise,
    topic_intervals,
    topic_scores,
)
from core.evaluation.scores import share_interval
from core.models import accuracy
from core.models.attribution import CLASSIFIERS
from core.models.verification import VERIFIERS
from core.splits import PAIRINGS, Fold, Folds, make_pairs, topic_gap, topic_kfold, topic_oracle_auc
from core.splits.folds import fixed_split, leave_one_topic_out
from tests.core.spies import Log, corpus_of, rows_of, spy_kinds


@pytest.fixture(autouse=True)
def spies(monkeypatch) -> None:
    for registry, kind in zip((VERIFIERS, CLASSIFIERS), spy_kinds(Log()), strict=True):
        monkeypatch.setitem(registry, "spy", kind)


def uneven():
    """Authors who keep to some topics, one of them with a single text, and one text by nobody."""
    rows = rows_of(topics=6, authors=4, each=3)
    rows = [row for row in rows if row["author"] != "author 3" or row["topic"] == "topic 0"]
    rows = [row for row in rows if row["author"] != "author 2" or row["topic"] in ("topic 1", "topic 2", "topic 3")]
    rows[0]["author"], rows[4]["author"] = "once", ""
    return corpus_of(rows)


@pytest.mark.parametrize("kind", PAIRINGS)
def test_verification_has_the_classes_the_authors_and_the_topics_of_its_questions(kind):
    corpus = uneven()
    folds = topic_kfold(corpus, k=3, seed=1)
    found = evaluate(corpus, folds, task="verification", models=["spy"], pairing=kind)
    for number, (fold, each) in enumerate(zip(folds, fold_baselines(found, corpus), strict=True)):
        pairs = make_pairs(corpus, fold.test, seed=number, kind=kind)
        share = pairs.same.mean()
        assert each.majority == pytest.approx(max(share, 1 - share))
        assert each.questions == len(pairs) and each.left_out == pairs.left_out
        assert each.gap == topic_gap(pairs, corpus.topic_codes)
        assert each.topic_oracle_auc == topic_oracle_auc(pairs, corpus.topic_codes)
        names = [[corpus.authors[row] for row in side if corpus.authors[row]] for side in (fold.train, fold.test)]
        known = [
            name for name in names[1] if name != "unknown" and corpus.known_authors[corpus.author_names.index(name)]
        ]
        assert each.seen_authors == pytest.approx(np.mean([name in names[0] for name in known]))
        if kind == "matched":
            assert (each.majority, each.gap, each.topic_oracle_auc) == (0.5, 0, 0.5)
    assert any(each.seen_authors < 1 for each in fold_baselines(found, corpus))


def test_attribution_has_the_author_who_wrote_most_of_training():
    corpus = uneven()
    folds = topic_kfold(corpus, k=3, seed=1)
    found = evaluate(corpus, folds, task="attribution", models=["spy"])
    for fold, questions, each in zip(folds, found.questions, fold_baselines(found, corpus), strict=True):
        counts = Counter(
            code for code in corpus.author_codes[fold.train].tolist() if corpus.known_authors[code]
        ).most_common()
        commonest = min(code for code, count in counts if count == counts[0][1])
        guesses = np.full(len(questions.truth), commonest)
        assert each.majority == pytest.approx(accuracy(questions.truth, guesses))
        assert math.isnan(each.gap) and math.isnan(each.topic_oracle_auc) and each.left_out == 0
        assert each.questions == len(questions.truth)


def test_the_mean_is_what_such_a_guesser_would_score_on_the_same_folds():
    corpus = uneven()
    folds = topic_kfold(corpus, k=3, seed=1)
    found = evaluate(corpus, folds, task="attribution", models=["spy"])
    each = fold_baselines(found, corpus)
    sizes = [len(fold.test) for fold in folds]
    overall = mean_baselines(found, corpus)
    assert len(set(sizes)) > 1
    assert overall.majority == pytest.approx(np.average([one.majority for one in each], weights=sizes))
    assert overall.seen_authors == pytest.approx(np.average([one.seen_authors for one in each], weights=sizes))
    assert overall.questions == sum(one.questions for one in each)
    # As weighted as the scores beside it.
    scores = fold_scores(found, corpus)
    again = summarise(scores, "accuracy")["spy"].mean
    assert again == pytest.approx(np.average([score.values["accuracy"] for score in scores], weights=sizes))


def lame():
    """Topic 0 is by one author alone and topic 1 by authors of one text each: neither can be paired."""
    rows = rows_of(topics=4, authors=3, each=2)
    for number, row in enumerate(rows[:6]):
        row["author"] = "author 0"
        rows[6 + number]["author"] = f"once {number}"
    return corpus_of(rows)


def test_folds_that_could_not_be_run_are_named_with_the_reason_and_in_no_mean():
    corpus = lame()
    found = evaluate(corpus, leave_one_topic_out(corpus), task="verification", models=["spy", "char_ngram"])
    skipped = skipped_folds(found)
    assert [(each.fold, each.models) for each in skipped] == [(0, ("spy", "char_ngram")), (1, ("spy", "char_ngram"))]
    assert "1 author" in skipped[0].reason and "its own author" in skipped[1].reason
    each, overall = fold_baselines(found, corpus), mean_baselines(found, corpus)
    assert all(math.isnan(one.majority) and math.isnan(one.gap) and one.questions == 0 for one in each[:2])
    assert overall.questions == each[2].questions + each[3].questions
    assert overall.majority == 0.5 and overall.gap == 0
    assert overall.seen_authors == pytest.approx((each[2].seen_authors + each[3].seen_authors) / 2)


def test_a_fold_that_one_model_alone_could_not_be_run_on_is_named_with_that_model():
    corpus = corpus_of(rows_of())
    folds = topic_kfold(corpus, k=2, seed=0)
    found = evaluate(corpus, folds, task="verification", models=["sbert_cosine", "spy"])
    assert [(each.fold, each.models) for each in skipped_folds(found)] == [
        (0, ("sbert_cosine",)),
        (1, ("sbert_cosine",)),
    ]
    assert mean_baselines(found, corpus).questions == sum(len(each.truth) for each in found.questions)
    fine = evaluate(corpus, folds, task="verification", models=["spy"])
    assert skipped_folds(fine) == ()


def test_where_nothing_could_be_run_nothing_is_claimed():
    rows = rows_of(topics=3)
    for row in rows:
        row["author"] = "author 0"
    corpus = corpus_of(rows)
    found = evaluate(corpus, leave_one_topic_out(corpus), task="verification", models=["spy"])
    assert len(skipped_folds(found)) == 3
    overall = mean_baselines(found, corpus)
    assert overall.questions == overall.left_out == 0
    assert all(math.isnan(getattr(overall, name)) for name in ("majority", "seen_authors", "gap", "topic_oracle_auc"))


def test_a_training_side_by_nobody_has_no_majority():
    rows = rows_of(topics=2)
    labels = ["train" if row["topic"] == "topic 0" else "test" for row in rows]
    for row in rows[:6]:
        row["author"] = ""
    corpus = corpus_of(rows)
    found = evaluate(corpus, fixed_split(corpus, labels=labels), task="attribution", models=["topic_fit"])
    (only,) = fold_baselines(found, corpus)
    assert math.isnan(only.majority) and only.seen_authors == 0


def test_shuffled_topics_leave_the_papers_pairs_no_gap():
    rng = np.random.default_rng(0)
    rows = rows_of(topics=6, authors=8, each=20)
    topics = rng.permutation([row["topic"] for row in rows])
    corpus = corpus_of([row | {"topic": topic} for row, topic in zip(rows, topics, strict=True)])
    everything = np.arange(len(corpus))
    fold = Fold(everything, everything, np.unique(corpus.topic_codes), np.unique(corpus.topic_codes))
    folds = Folds("made", corpus.topic_names, (fold,))
    found = evaluate(corpus, folds, task="verification", models=["spy"], pairing="paper")
    (only,) = fold_baselines(found, corpus)
    assert isinstance(only, Baselines)
    assert abs(only.gap) < 0.05 and only.majority == 0.5
    assert only.topic_oracle_auc < 0.56, "in-sample, so a little above one half"


@pytest.mark.parametrize(("right", "asked"), [(0, 3), (3, 3), (7, 20), (50, 100)])
def test_wilson_is_statsmodels(right, asked):
    assert share_interval(right, 0, asked) == pytest.approx(proportion_confint(right, asked, method="wilson"))


@pytest.mark.parametrize("unanswered", [0, 4, 10])
def test_an_interval_holds_its_score_and_narrows(unanswered):
    widths = []
    for times in (1, 4, 16):
        right, left, asked = 8 * times, unanswered * times, 20 * times
        low, high = share_interval(right, left, asked)
        score = right / asked * (1 + left / asked)
        assert 0 <= low <= score <= high <= 1
        widths.append(high - low)
    assert widths[0] > widths[1] > widths[2]


def test_the_interval_covers_as_often_as_it_says():
    rng, shares, asked = np.random.default_rng(1), np.array([0.5, 0.2, 0.3]), 60
    true = shares[0] * (1 + shares[1])
    drawn = rng.multinomial(asked, shares, size=400)
    bounds = [share_interval(int(right), int(left), asked) for right, left, _ in drawn]
    assert 0.90 < np.mean([low <= true <= high for low, high in bounds]) < 0.99


@pytest.fixture(scope="module")
def run():
    corpus = corpus_of(rows_of(topics=5, authors=3, each=3))
    return corpus, evaluate(corpus, topic_kfold(corpus, k=3, seed=0), task="attribution", models=["topic_fit"])


def test_every_scored_topic_has_one_for_counts_and_none_otherwise(run):
    corpus, evaluation = run
    found = topic_intervals(evaluation, corpus, metric="accuracy")
    scores = {(score.model, score.fold, score.topics[0]): score for score in topic_scores(evaluation, corpus)}
    assert set(found) == {key for key, score in scores.items() if score.questions}
    assert all(low <= scores[key].values["accuracy"] <= high for key, (low, high) in found.items())
    assert topic_intervals(evaluation, corpus, metric="macro_f1") == {}


def test_without_reading_one_scores_the_majority(run):
    corpus, evaluation = run
    assert chance_level(evaluation, corpus, metric="accuracy") == mean_baselines(evaluation, corpus).majority
    assert np.isnan(chance_level(evaluation, corpus, metric="macro_f1"))
    assert chance_level(evaluation, corpus, metric="auc") == 0.5
