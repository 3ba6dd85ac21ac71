"""The author-adjusted slope: statsmodels as oracle for both steps, laws, and silence where nothing can be told."""

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import SettingError
from core.statistics import AdjustedSlope, adjusted_slope, slope_sentence


def answers(seed, *, topics=10, authors=5, documents=200, slope=0.0):
    rng = np.random.default_rng(seed)
    topic, author = rng.integers(0, topics, documents), rng.integers(0, authors, documents)
    similarity = rng.uniform(0.2, 0.9, topics)
    chance = 0.3 + 0.1 * rng.random(authors)[author] + slope * (similarity[topic] - 0.2)
    right = (rng.random(documents) < chance).astype(float)
    return right, author, rng.integers(5, 50, documents).astype(float), topic, similarity


def oracle(right, authors, training, topics, similarity):
    """Least squares on a column an author and the training documents; then weighted least squares over topics."""
    columns = np.column_stack([authors[:, None] == np.unique(authors), training])
    left = sm.OLS(right, columns).fit().resid
    present = np.unique(topics)
    means = [left[topics == topic].mean() for topic in present]
    weights = np.sqrt([np.sum(topics == topic) for topic in present])
    return sm.WLS(means, sm.add_constant(similarity[present]), weights=weights).fit()


@given(st.integers(0, 10_000), st.integers(4, 14), st.integers(1, 8))
@settings(deadline=None, max_examples=30)
def test_both_steps_are_those_of_statsmodels(seed, topics, authors):
    given_answers = answers(seed, topics=topics, authors=authors)
    found, expected = adjusted_slope(*given_answers), oracle(*given_answers)
    assert (found.intercept, found.slope) == pytest.approx(tuple(expected.params), abs=1e-9)
    assert found.p == pytest.approx(expected.pvalues[1], abs=1e-9)
    assert (found.low, found.high) == pytest.approx(tuple(expected.conf_int()[1]), abs=1e-9)
    assert found.topics == len(found.similarity) == topics
    assert found.worth(0.2) == pytest.approx((0.2 * found.slope, 0.2 * found.low, 0.2 * found.high))
    assert found.worth() == found.worth(0.1)
    assert found.problem == ""


def test_what_authors_explain_is_not_similaritys():
    """One author is always right and writes on the similar topics: the raw slope is steep, the adjusted one has nothing."""
    rng = np.random.default_rng(0)
    similarity = np.linspace(0.1, 0.9, 12)
    topics = np.repeat(np.arange(12), 60)
    authors = (rng.random(len(topics)) < similarity[topics]).astype(int)
    right = (rng.random(len(topics)) < np.where(authors == 1, 0.9, 0.3)).astype(float)
    raw = np.polyfit(similarity, [right[topics == topic].mean() for topic in range(12)], 1)[0]
    found = adjusted_slope(right, authors, np.full(len(topics), 10.0), topics, similarity)
    assert raw > 0.4
    assert found.low <= 0 <= found.high and abs(found.slope) < 0.15


def test_order_and_names_of_authors_do_not_matter():
    right, authors, training, topics, similarity = answers(3)
    shuffle = np.random.default_rng(1).permutation(len(right))
    again = adjusted_slope(right[shuffle], 7 - authors[shuffle], training[shuffle], topics[shuffle], similarity)
    first = adjusted_slope(right, authors, training, topics, similarity)
    assert (first.slope, first.p, first.low) == pytest.approx((again.slope, again.p, again.low))
    assert not first.residual.flags.writeable


def test_topics_without_answers_or_similarity_are_left_out():
    right, authors, training, topics, similarity = answers(3)
    longer = np.append(similarity, [0.5, np.nan])
    assert adjusted_slope(right, authors, training, topics, longer).p == pytest.approx(
        adjusted_slope(right, authors, training, topics, similarity).p
    )
    unknown = similarity.copy()
    unknown[2] = np.nan
    assert adjusted_slope(right, authors, training, topics, unknown).topics == 9


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"topics": 3}, "3 topic"),
        ({"similarity": 0.4}, "equally similar"),
        ({"right": 1.0}, "all answers are alike"),
        ({"authors": "topic"}, "each author has one topic"),
        ({"documents": 0}, "0 topic"),
    ],
)
def test_where_too_little_varies_it_says_why(changed, words):
    right, authors, training, topics, similarity = answers(
        1, topics=changed.get("topics", 10), documents=changed.get("documents", 200)
    )
    if "similarity" in changed:
        similarity = np.full(10, 0.4)
    if "right" in changed:
        right = np.ones(200)
    if "authors" in changed:
        authors, training = topics, np.full(200, 30.0)
    found = adjusted_slope(right, authors, training, topics, similarity)
    assert words in found.problem
    assert np.isnan([found.slope, found.intercept, found.low, found.high, found.p]).all()


@pytest.mark.parametrize("authors", [1, 8_000])
def test_one_author_or_very_many_give_a_number_or_a_reason(authors):
    found = adjusted_slope(*answers(5, authors=authors, documents=9_000))
    assert found.problem == "" and 0 <= found.p <= 1 and found.low < found.slope < found.high


def test_points_on_a_line_leave_no_error_to_judge_by():
    topics, similarity = np.repeat(np.arange(5), 10), np.arange(5) / 10
    right = (np.tile(np.arange(10), 5) < 2 * topics).astype(float)  # shares 0, .2, …, .8
    found = adjusted_slope(right, np.zeros(50, dtype=int), np.ones(50), topics, similarity)
    assert "lie on a line" in found.problem and np.isnan(found.p)


def test_bad_input():
    right, authors, training, topics, similarity = answers(1)
    with pytest.raises(SettingError, match="give one of each a question"):
        adjusted_slope(right[:-1], authors, training, topics, similarity)
    for wrong in (2.0, np.nan, -1.0):
        with pytest.raises(SettingError, match=r"not from 0 \(wrong\) to 1"):
            adjusted_slope(np.append(right[:-1], wrong), authors, training, topics, similarity)
    with pytest.raises(SettingError, match="training count is no number"):
        adjusted_slope(right, authors, np.append(training[:-1], np.nan), topics, similarity)
    for index in (-1, 10):
        with pytest.raises(SettingError, match="no index into 10 similarities"):
            adjusted_slope(right, authors, training, np.append(topics[:-1], index), similarity)
    with pytest.raises(SettingError, match="no index into 10 similarities"):
        adjusted_slope(right, authors, training, topics.astype(float), similarity)
    with pytest.raises(SettingError, match="give one of each a question"):
        adjusted_slope(right[:, None], authors[:, None], training[:, None], topics[:, None], similarity)


def test_a_topic_with_a_single_answer_counts():
    right, authors, training, topics, similarity = answers(3)
    one_more = [np.append(column, value) for column, value in ((right, 1), (authors, 2), (training, 9.0), (topics, 10))]
    found = adjusted_slope(*one_more[:3], one_more[3], np.append(similarity, 0.6))
    expected = oracle(*one_more, np.append(similarity, 0.6))
    assert found.topics == 11 and found.weight[-1] == 1
    assert (found.slope, found.p) == pytest.approx((expected.params[1], expected.pvalues[1]), abs=1e-9)


def shares(per_topic, similarity):
    """One answer a topic, by one author with as many training documents each: what is left is the share itself."""
    n = len(per_topic)
    return adjusted_slope(per_topic, np.zeros(n, dtype=int), np.ones(n), np.arange(n), similarity)


@pytest.mark.parametrize(("noise", "on_a_line"), [(1e-11, True), (1e-6, False)])
def test_points_are_on_a_line_up_to_rounding(noise, on_a_line):
    similarity = np.arange(6) / 10
    found = shares(0.2 + similarity / 2 + noise * np.array([1, -1, 0, 1, -1, 0]), similarity)
    assert ("lie on a line" in found.problem) == on_a_line
    assert on_a_line or found.slope == pytest.approx(0.5, abs=1e-4)


@pytest.mark.parametrize(("apart", "varies"), [(0.5e-9, False), (1e-9, False), (1.5e-9, True)])
def test_similarities_a_billionth_apart_do_not_vary(apart, varies):
    found = shares(np.array([0.2, 0.9, 0.4, 0.6]), np.array([0.0, apart, 0.0, apart]))
    assert ("equally similar" in found.problem) != varies


@pytest.mark.parametrize(("apart", "varies"), [(0.5e-9, False), (1.5e-9, True)])
def test_shares_a_billionth_apart_do_not_vary(apart, varies):
    found = shares(np.array([0.0, apart, 0.0, apart]), np.array([0.1, 0.5, 0.3, 0.9]))
    assert ("Nothing is left to explain" in found.problem) != varies


@pytest.mark.parametrize(
    ("low", "high", "sentence"),
    [
        (0.1, 0.5, "Authors taken out, 0.1 of similarity is worth X +3.0 points of right answers (+1.0 to +5.0, 9 topics)."),
        (-0.5, -0.1, "Authors taken out, X is right less often where training is more alike: −3.0 points of right answers (−5.0 to −1.0, 9 topics) for 0.1 of similarity."),
        (-0.2, 0.8, "Authors taken out, nothing can be told of X: 0.1 of similarity goes with +3.0 points of right answers (−2.0 to +8.0, 9 topics)."),
    ],
)  # fmt: skip
def test_the_sentence_says_what_the_interval_allows(low, high, sentence):
    points = np.zeros(9)
    found = AdjustedSlope(9, (low + high) / 2, 0.0, low, high, 0.01, points, points, points)
    assert slope_sentence("X", found) == sentence


@pytest.mark.parametrize(("low", "high"), [(0.0, 0.5), (-0.5, 0.0)])
def test_an_interval_that_ends_at_0_holds_it_and_tells_nothing(low, high):
    found = AdjustedSlope(9, (low + high) / 2, 0.0, low, high, 0.05, *np.zeros((3, 9)))
    assert slope_sentence("X", found).startswith("Authors taken out, nothing can be told of X: ")


def test_the_sentence_gives_the_reason_where_there_is_no_slope():
    found = adjusted_slope(*answers(0, topics=2))
    assert slope_sentence("X", found).startswith("X: 2 topics with answers")
