"""The shortcut test's answer: readings and levels on planted scores, cautions, and what every reading is shown to rest on."""

import numpy as np
import pytest

from core.evaluation import Reliance, TestPairs, shortcut_test
from core.papers.hits_2024 import BenchmarkAnswers
from core.questions import ask
from core.questions.shortcut import answer_of_files, by_similarity, headline, level_of, pairs_cautions, reasons, why
from tests.core.evaluation.test_shortcut import FALLS, LEVEL, NOISE, RISES, pairs, played, read, right, system
from tests.core.questions.studies import bundled


@pytest.mark.parametrize(
    ("systems", "level", "said"),
    [
        ({"TopicFit": FALLS, "a": FALLS, "b": LEVEL}, "warning", "a relies on topic"),
        ({"TopicFit": FALLS, "a": FALLS, "b": FALLS}, "warning", "a and b rely on topic"),
        ({"TopicFit": FALLS, "a": LEVEL}, "good", "No system relies on topic"),
        ({"TopicFit": FALLS, "a": LEVEL, "b": NOISE}, "neutral", "No system clearly relies on topic"),
        ({"TopicFit": NOISE, "a": FALLS}, "warning", "a relies on topic"),
        ({"TopicFit": NOISE, "a": LEVEL}, "unknown", "Inconclusive. Even TopicFit"),
        ({"a": FALLS, "b": LEVEL}, "warning", "a relies on topic"),
        ({"a": LEVEL}, "unknown", "Inconclusive. No system scores significantly lower"),
    ],
)
def test_levels_and_headlines_on_planted_scores(systems, level, said):
    test = read(**systems)
    assert level_of(test) == level
    assert headline(test).startswith(said) and len(headline(test).split()) <= 25
    assert len(reasons(test)) <= 3


def test_every_reading_has_its_reason():
    test = read(TopicFit=FALLS, falls=FALLS, rises=RISES, noise=NOISE, level=LEVEL)
    said = [why(each, test) for each in test.results]
    assert said[1] == "scores .500 lower under HITS" and said[2].startswith("scores .500 higher")
    assert said[3].startswith("the interval contains 0") and said[4] == "the difference is within the margin"
    assert any("so the test can detect reliance on topic here" in each for each in reasons(test))
    assert any("inconclusive for rises and noise" in each for each in reasons(test))
    blind = read(TopicFit=NOISE, falls=FALLS, level=LEVEL)
    control, falls, level = (why(each, blind) for each in blind.results)
    assert control == level == "the control itself does not score significantly lower under HITS"
    assert falls == "scores .500 lower under HITS"
    assert any("cannot show that a system ignores topic here" in each for each in reasons(blind))
    assert why(read(level=LEVEL).results[0], read(level=LEVEL)) == "within the margin, but without a control"
    one = shortcut_test(pairs(seeds=1), [system("TopicFit", 1, 2, 4, 3)], metric="c@1")
    assert why(one.results[0], one) == "one random sample shows no variation between samples"


def test_answers_from_files_carry_the_numbers_of_the_test():
    where, systems = played(a=FALLS, b=LEVEL)
    found = BenchmarkAnswers(where, tuple(systems), (), "matched")
    answer = answer_of_files(found, metric="c@1")
    assert answer.caution_codes() == ["no-control"]
    assert answer.data["models"]["a"]["reading"] == "leans" and answer.data["power"] is None
    assert list(answer.table("shortcut_test").frame["relies on topic?"]) == ["yes", "inconclusive"]


def test_the_large_number_is_what_the_headline_says():
    def shown(**systems):
        where, answers = played(**systems)
        hero = answer_of_files(BenchmarkAnswers(where, tuple(answers), (), "matched"), metric="c@1").hero
        return hero and (hero.label, hero.value, hero.note)

    assert shown(TopicFit=FALLS, a=FALLS, b=LEVEL) == ("Systems that rely on topic", "1 of 2", "")
    assert shown(TopicFit=FALLS, b=LEVEL, c=NOISE) == ("Systems that rely on topic", "0 of 2", "1 inconclusive")
    label, value, note = shown(TopicFit=NOISE, a=LEVEL, b=NOISE)
    assert (label, note) == ("Change of the control", "TopicFit, under HITS") and value[0] in "+−0"
    assert shown(a=LEVEL, b=NOISE, c=NOISE) == ("Inconclusive", "3 of 3", "systems")
    assert shown(a=FALLS, b=LEVEL) == ("Systems that rely on topic", "1 of 2", "1 inconclusive")
    assert shown(TopicFit=FALLS) is None


def test_pairs_that_topic_separates_better_under_hits_are_cautioned_about():
    (caution,) = pairs_cautions(0.2, 0.1)
    assert caution.code == "topic-tells-pairs" and "(gap 0.20) than at random (0.10)" in caution.text
    for hits, random in ((0.1, 0.1), (0.104, 0.1), (0.0, 0.2), (float("nan"), 0.1)):
        assert pairs_cautions(hits, random) == []


def test_lines_below_chance_are_said_to_tell_of_a_threshold():
    quarters = np.array([100, 100, 100, 100])
    low = Reliance("X", {}, {"different": np.array([0.1, 0.05, 0.0, np.nan])}, {"different": quarters * [1, 1, 1, 0]})
    high = Reliance("Y", {}, {"different": np.array([0.9, 0.8, 0.7, 0.6])}, {"different": quarters.copy()})
    assert "Below chance" not in by_similarity([high], "different").caption
    said = by_similarity([low, high], "different").caption
    assert "Below chance: X." in said and "“same author”" in said


def test_the_control_decides_on_the_bundled_corpus():
    answer = ask(bundled(), "shortcut")
    table = answer.table("shortcut_test").frame.set_index("system")
    if not table.loc["TopicFit", "to"] < 0:
        assert "no" not in set(table["relies on topic?"])
    told = answer.table("shortcut_pairs").frame
    assert list(told["sample"]) == ["hits", *(f"random-{seed}" for seed in range(5))]
    assert (told["gap"] == 0).all() and (told["topic oracle AUC"] == 0.5).all(), "pairs are matched"


def test_undefined_folds_are_counted():
    where = pairs()
    one = system("one", 4, 4, 2, 2, 2, 2)
    found = BenchmarkAnswers(where, (type(one)("one", (None, right(4), *one.answers[2:])),), (), "matched")
    answer = answer_of_files(found, metric="c@1")
    assert list(answer.table("shortcut_test").frame["folds"]) == ["5 of 6"]
    assert "folds-missing" in answer.caution_codes()
    (missing,) = (each.text for each in answer.cautions if each.code == "folds-missing")
    assert missing == "one has no score in some folds. Ranks are over the 5 of 6 folds that every system has."
    assert isinstance(where[0], TestPairs)
