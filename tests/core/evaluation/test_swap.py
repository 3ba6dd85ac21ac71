"""The leak swap: an effect where one was made, none where there is none, and a sentence that says no more."""

from math import isnan, nan
from re import fullmatch
from types import SimpleNamespace

import numpy as np
import pytest

from core.corpora import make_corpus
from core.errors import SettingError
from core.evaluation import (
    ResultStore,
    SwapEffect,
    dose_sentence,
    sign_tests,
    swap_effects,
    swap_sentence,
    swap_sentences,
    twins_note,
)
from core.evaluation.swap import _summed_up, resampled_mean
from core.splits import make_swaps
from core.topics import topic_space
from tests.core.topics.similarities import families, space_of


def leaky(seed: int = 0, *, families: int = 4, authors: int = 4, each: int = 3, sign: bool = True):
    """Two sister topics a family; authors have habits (`sign`) that hold within a family and nowhere else."""
    rng = np.random.default_rng(seed)
    words = ["".join(rng.choice(list("bcdfghklmnprst"), 7)) for _ in range(families * authors)]
    texts, topics, names, points = [], [], [], []
    for topic in range(2 * families):
        family = topic // 2
        for author in range(authors):
            for _ in range(each):
                habit = words[family * authors + (author if sign else rng.integers(authors))]
                noise = " ".join(f"word{number}" for number in rng.integers(0, 30, 12))
                texts.append(f"{habit} {habit} topic{topic} {noise}")
                topics.append(f"topic {topic}")
                names.append(f"author {author}")
                points.append(np.eye(families)[family] + 0.3 * rng.normal(size=families) + 0.5)
    corpus = make_corpus(texts, topics, authors=names)
    return corpus, topic_space(np.array(points), corpus.topic_codes, corpus.topic_names)


def test_a_habit_that_only_sisters_share_is_what_the_twin_buys():
    corpus, space = leaky()
    swaps = make_swaps(corpus, space, draws=2)
    assert all(twins[0] == topic ^ 1 for topic, twins in zip(swaps.topics, swaps.twins, strict=True))
    effect = swap_effects(corpus, swaps, task="attribution", models=["char_svm"])["char_svm"]
    assert effect.effect > 0.3 and effect.low > 0.1 and effect.p < 0.05
    assert effect.topics == 8 and effect.by_draw.shape == (8, 2)


def test_without_such_a_habit_it_buys_nothing():
    found = [
        swap_effects(corpus, make_swaps(corpus, space, draws=1), task="attribution", models=["char_svm"])["char_svm"]
        for corpus, space in (leaky(seed, sign=False, each=2) for seed in range(6))
    ]
    assert sum(effect.low <= 0 <= effect.high for effect in found) >= 5


def test_a_second_run_reads_everything_and_says_the_same(tmp_path):
    corpus, space = leaky()
    swaps, results = make_swaps(corpus, space, draws=2), ResultStore(tmp_path)
    effects, said = [], []
    for _ in range(2):
        said.append([])
        found = swap_effects(
            corpus,
            swaps,
            task="verification",
            models=["topic_fit"],
            results=results,
            progress=lambda done, total, label, left: said[-1].append((done, total)),
        )
        effects.append(found["topic_fit"].by_draw)
    np.testing.assert_array_equal(*effects)
    assert said[0] == sorted(said[0]) and said[0][-1] == (24, 24)
    assert len(said[0]) > 20 > len(said[1]), "a run is told of as it begins, and the second time none does"


def test_an_unknown_metric_is_refused():
    corpus, space = leaky(families=3, each=2)
    with pytest.raises(SettingError, match="There is no metric 'luck' here; choose from: accuracy"):
        swap_effects(
            corpus, make_swaps(corpus, space, draws=1), task="attribution", models=["topic_fit"], metric="luck"
        )


@pytest.mark.parametrize("n", [8, 12, 24])
def test_the_interval_of_a_mean_covers_it_as_often_as_it_says(n):
    rng = np.random.default_rng(n)
    covered = 0
    for trial in range(400):
        low, high = resampled_mean(rng.normal(size=n), seed=trial)
        covered += low <= 0 <= high
    assert 0.92 <= covered / 400 <= 0.98
    assert all(isnan(end) for end in resampled_mean(np.linspace(0.1, 0.2, 7)))


def test_topics_without_a_score_take_no_part():
    found = _summed_up(np.array([[0.1, 0.3], [nan, nan], [0.2, nan], [0.0, 0.0]]), seed=0)
    np.testing.assert_allclose(found.by_topic, [0.2, nan, 0.2, 0.0])
    assert found.effect == pytest.approx(0.4 / 3) and found.topics == 3
    assert found.p == pytest.approx(0.5), "two rises, no fall, and one that is neither"
    nothing = _summed_up(np.full((2, 1), nan), seed=0)
    assert isnan(nothing.effect) and isnan(nothing.p) and nothing.topics == 0
    assert _summed_up(np.zeros((4, 1)), seed=0).p == 1.0


def effect(middle: float, low: float, high: float, topics: int = 5) -> SwapEffect:
    return SwapEffect(np.full((topics, 1), middle), middle, low, high, 0.01 if low > 0 or high < 0 else 0.5)


@pytest.mark.parametrize(
    ("found", "twins", "sentence"),
    [
        (effect(0.1, 0.02, 0.2), 1, "The nearest topic in training buys X +10.0 points of accuracy (from +2.0 to +20.0, 5 topics)."),
        (effect(0.1, 0.02, 0.2), 4, "The nearest 4 topics in training buy X +10.0 points of accuracy (from +2.0 to +20.0, 5 topics)."),
        (effect(-0.1, -0.2, -0.02), 1, "The nearest topic in training costs X 10.0 points of accuracy (from 2.0 to 20.0, 5 topics); it does not help."),
        (effect(-0.1, -0.2, -0.02), 2, "The nearest 2 topics in training cost X 10.0 points of accuracy (from 2.0 to 20.0, 5 topics); they do not help."),
        (effect(0.1, -0.02, 0.2), 1, "The nearest topic in training buys X nothing that can be told from chance: +10.0 points of accuracy (from −2.0 to +20.0, 5 topics)."),
        (effect(0.1, nan, nan, 2), 1, "The nearest topic in training, X: +10.0 points of accuracy over 2 topics, too few for an interval."),
        (effect(0.1, nan, nan, 1), 1, "The nearest topic in training, X: +10.0 points of accuracy over 1 topic, too few for an interval."),
        (effect(nan, nan, nan), 1, "X: no topic could be scored with and without its nearest; attribution needs test topics whose authors write on others too, and verification several texts of two authors in each."),
        (effect(0.0, nan, nan, 9), 1, "The nearest topic in training changed no score of X on any of 9 topics: what changed places was too little to tell what it buys."),
    ],
)  # fmt: skip
def test_the_sentence_says_what_the_interval_allows(found, twins, sentence):
    assert swap_sentence("X", found, metric="accuracy", twins=twins) == sentence


def test_the_sign_test_is_quoted_where_it_does_not_agree_with_the_interval():
    up, down = np.array([[0.5], [0.4], [-0.1], [-0.1], [0.0]]), np.array([[0.1]] * 9 + [[-0.9]])
    said = swap_sentence("X", SwapEffect(up, 0.14, 0.01, 0.3, 1.0), metric="accuracy")
    assert said.endswith("; but 2 topics gain and 2 lose, which chance does as well (sign test, p = 1).")
    said = swap_sentence("X", SwapEffect(down, 0.0, -0.2, 0.1, 0.021), metric="accuracy")
    assert said.endswith("; but 9 topics gain and 1 lose, which is more than chance does (sign test, p = 0.021).")
    said = swap_sentence("X", SwapEffect(-up, -0.14, -0.3, -0.01, 0.051), metric="accuracy")
    assert said.endswith(
        "it does not help; but 2 topics gain and 2 lose, which chance does as well (sign test, p = 0.051)."
    )
    assert "sign test" not in swap_sentence("X", SwapEffect(up, 0.14, 0.01, 0.3, 0.05), metric="accuracy")


def test_of_several_models_the_sentence_quotes_the_corrected_sign_test():
    """One p of .03 is more than chance does; the least of three is not, and the caption beside the chart says so too."""
    up = np.array([[0.1]] * 10 + [[-0.1]] * 2)
    one = SwapEffect(up, 0.07, 0.01, 0.1, 0.03)
    others = SwapEffect(up, 0.0, -0.1, 0.1, 0.6)
    assert "sign test" not in swap_sentence("X", one, metric="accuracy")
    assert swap_sentences({"X": one}, metric="accuracy") == [swap_sentence("X", one, metric="accuracy")]
    every = {"X": one, "Y": others, "Z": others}
    first, second, _ = swap_sentences(every, metric="accuracy")
    assert sign_tests(every)["X"] == pytest.approx(0.09)
    assert first.endswith("lose, which chance does as well (sign test, p = 0.09 after Holm).")
    assert "sign test" not in second


def test_a_nearest_topic_is_called_a_near_twin_only_past_the_line():
    similarity = families([2, 1, 1], inside=0.9, outside=0.2)  # the line: (1 + .2)/2
    space = space_of(similarity)

    def note(*nearest: float) -> str:
        return twins_note(SimpleNamespace(similarity=np.array(nearest)), space)

    assert note(0.9, 0.9, 0.2, 0.2) == "2 of the 4 nearest topics are near twins (similarity 0.60 or more)."
    assert note(0.6, 0.59) == "1 of the 2 nearest topics is a near twin (similarity 0.60 or more)."
    assert note(0.2, 0.3) == "None of the 2 nearest topics are near twins (similarity 0.60 or more would be one)."


def dosed(middle: float, spread: float = 0.0, topics: int = 12) -> SwapEffect:
    return SwapEffect(middle + spread * np.linspace(-1, 1, topics)[:, None], middle, nan, nan, 0.5)


@pytest.mark.parametrize(
    ("least", "greatest", "sentence"),
    [
        (dosed(0.01), dosed(0.1, 0.02), r"X, points: \+1.0 with the nearest 1, \+10.0 with the nearest 2; more of them buy more \(from \+8.\d to \+9.\d more than with the nearest 1\)\."),
        (dosed(0.1, 0.2), dosed(0.01, 0.21), r"X, points: \+10.0 with the nearest 1, \+1.0 with the nearest 2; more of them buy less \(from −9.\d to −8.\d .*"),
        (dosed(0.05, 0.2), dosed(0.1, -0.2), r"X, .*; that more of them buy more cannot be told from chance \(from −.* to \+.* more than with the nearest 1\)\."),
        (dosed(0.05, 0.1, topics=5), dosed(0.1, topics=5), r"X, .*; too few topics to tell whether more of them buy more\."),
        (dosed(nan), dosed(nan), r"X: no topic could be scored\."),
    ],
)  # fmt: skip
def test_whether_more_buys_more_is_told_topic_by_topic(least, greatest, sentence):
    """The second case's effects scatter far more than they differ: only topic by topic does it show."""
    topics = np.arange(len(least.by_draw))
    doses = {dose: SimpleNamespace(topics=order) for dose, order in ((1, topics), (2, topics[::-1]))}
    greatest = SwapEffect(greatest.by_draw[::-1], greatest.effect, nan, nan, 0.5)  # tested in another order
    assert fullmatch(sentence, dose_sentence("X", [least, greatest], doses))
