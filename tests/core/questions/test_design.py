"""Design: which split is recommended on planted options, why, and which cautions come with it."""

from dataclasses import replace

import numpy as np
import pytest

from core.corpora import take
from core.errors import SettingError
from core.interface import NotebookStudy
from core.questions import answered, ask, design
from core.questions.cost import LeakageCost
from core.questions.design import Designed, cautions, headline, level_of, reasons
from core.splits import Constraints, Design, Option, recommended
from tests.core.questions.studies import bundled, shuffled
from tests.core.questions.test_verdict import cost
from tests.core.splits.test_design import a_design, an_option

NAN = float("nan")
SAMPLE = an_option("hits", 0.5, m=6, documents=60)
UNEVEN = an_option("least-leakage", 0.4, balance=0.5)


def found(design: Design, *, meaningful: bool = True, chosen: Option | None = None) -> Designed:
    best = recommended(design, meaningful=meaningful)
    return Designed(design, best, chosen or best, Constraints(), meaningful)


def codes(design: Design, *, clear_pairs: int = 3, **more) -> list[str]:
    return [each.code for each in cautions(found(design, **more), clear_pairs)]


def doubtful(random: float, least: float, *others: Option, one: int = 0, twins: int = 0) -> Design:
    """Return a design whose least-leakage folds separate pairs that may be one topic, or may be near twins."""
    design = a_design(random, least, *others)
    split, whole, *rest = design.options
    return replace(design, options=(split, replace(whole, perhaps_one=one, perhaps_twins=twins), *rest))


@pytest.mark.parametrize(
    ("design", "level", "words"),
    [
        (a_design(0.5, 0.4), "good", ("random topic folds",)),
        (a_design(0.8, 0.4), "good", ("least-leakage folds", "all 100 documents", "is 0.40", "random folds: 0.80")),
        (a_design(0.8, 0.5996), "good", ("is 0.5996",)),
        (a_design(0.8, 0.7, SAMPLE), "good", ("Keep the 6 topics HITS selects", "60 of 100 documents")),
        (a_design(0.8, 0.7, UNEVEN), "good", ("uneven least-leakage folds", "up to 50% above", "is 0.40")),
        (a_design(0.8, 0.7), "warning", ("No split into 4 folds",)),
        (doubtful(0.8, 0.5, one=3), "warning", ("Too few documents",)),
        (a_design(0.8, 0.7, replace(SAMPLE, perhaps_one=2)), "warning", ("Too few documents",)),
        (a_design(NAN, NAN), "warning", ("Too little is known",)),
    ],
)
def test_the_headline_names_what_is_recommended(design, level, words):
    said = headline(found(design))
    assert all(each in said for each in words), said
    assert level_of(found(design)) == level and len(said.split()) <= 25


@pytest.mark.parametrize("cost", [LeakageCost(None, "No authors."), cost(content=(0.2, 0.1, 0.3)), None])
def test_random_folds_are_advised_only_where_the_cost_is_shown_to_be_small(cost):
    design = a_design(0.5, 0.4)
    best = recommended(design, cost_small=False)
    given = Designed(design, best, best, Constraints(), True, cost)
    assert "least-leakage folds" in headline(given) and given.named
    assert bool(cost) == ("shown to cost little" in reasons(given)[0])


def test_the_data_names_a_split_only_where_the_sentence_does():
    for each in (a_design(0.8, 0.7), doubtful(0.8, 0.5, one=3), a_design(NAN, NAN)):
        assert not found(each).named
    assert found(a_design(0.8, 0.4)).named and not found(a_design(0.8, 0.4), meaningful=False).named


def test_labels_that_separate_nothing_get_no_recommendation():
    nothing = found(a_design(0.8, 0.4), meaningful=False)
    assert level_of(nothing) == "unknown" and "labels" in headline(nothing)
    assert reasons(nothing) == () and cautions(nothing, 0) == ()


@pytest.mark.parametrize(
    ("design", "words"),
    [
        (a_design(0.5, 0.4), [("1 random splits is 0.50", "begin at 0.60")]),
        (a_design(0.8, 0.4), [("a similarity of 0.60",)]),
        (a_design(0.8, 0.7, SAMPLE), [("is 0.50", "begin at 0.60"), ("at most 20% above", "best possible: 0.70")]),
        (a_design(0.8, 0.7, UNEVEN), [("is 0.40", "begin at 0.60"), ("at most 20% above", "best possible: 0.70")]),
        (doubtful(0.8, 0.5, SAMPLE, one=1), [("is 0.50",), ("one pair of topics that may be one topic",)]),
        (a_design(0.8, 0.7), [("closest", "is 0.70", "begin at 0.60"), ("Fewer folds",)]),
        (replace(a_design(0.8, 0.7), k=2), [("is 0.70",)]),
        (doubtful(0.8, 0.5, one=3), [("is 0.50",), ("3 pairs of topics",), ("More documents",)]),
        (a_design(0.8, 0.7, replace(SAMPLE, perhaps_one=2)), [("is 0.70",), ("More documents",)]),
        (
            a_design(0.8, 0.7, replace(SAMPLE, meets_constraints=False)),
            [("is 0.70",), ("Without your conditions",), ("Fewer folds",)],
        ),
        (a_design(NAN, NAN), []),
    ],
)
def test_the_reasons_hold_the_numbers_that_decide(design, words):
    said = reasons(found(design))
    assert len(said) == len(words) <= 3
    assert all(each in reason for reason, needed in zip(said, words, strict=True) for each in needed), said


def test_random_splits_that_break_the_conditions_are_told():
    clear = a_design(0.5, 0.4)
    splits = (an_option("random", 0.5, seed=0, meets_constraints=False), an_option("random", 0.55, seed=1))
    second = found(replace(clear, options=(*splits, clear.least_leakage)))
    assert second.best is splits[1] and "2 random splits is 0.55" in reasons(second)[0]
    assert "seed 1" in reasons(second)[1]
    none = found(replace(clear, options=(splits[0], clear.least_leakage)))
    assert none.best is clear.least_leakage and "No random split" in reasons(none)[1]


def test_a_caution_for_every_cost_and_doubt():
    assert codes(a_design(0.8, 0.4)) == codes(a_design(0.5, 0.4), clear_pairs=0) == []
    assert codes(doubtful(0.8, 0.4, twins=2)) == ["possible-twins"]
    assert codes(a_design(0.8, 0.7, replace(SAMPLE, perhaps_twins=1))) == ["possible-twins"]
    assert codes(a_design(0.8, 0.4, seen=0.84)) == ["fewer-known-authors"], "5 points below random splits"
    assert codes(a_design(0.8, 0.4, seen=0.86)) == codes(a_design(0.8, 0.4, seen=NAN)) == []
    assert codes(a_design(0.8, 0.4), clear_pairs=0) == ["no-clear-twins"]
    assert codes(a_design(0.8, 0.7), clear_pairs=0) == [], "nothing clean to warn about"
    assert codes(replace(a_design(0.8, 0.4), notes=("a note",))) == ["folds-note"]
    assert codes(a_design(0.8, 0.4), chosen=replace(SAMPLE, meets_constraints=False)) == ["conditions-unmet"]


def test_cautions_hold_their_numbers():
    (twins,) = cautions(found(doubtful(0.8, 0.4, twins=2)), 3)
    assert twins.text.startswith("2 pairs of topics in different folds")
    (one,) = cautions(found(a_design(0.8, 0.7, replace(SAMPLE, perhaps_twins=1))), 3)
    assert one.text.startswith("Among the topics kept, one pair of topics")
    (authors,) = cautions(found(a_design(0.8, 0.4, seen=0.5)), 3)
    assert authors.text.startswith("50% of test documents") and "90% in random splits" in authors.text


def test_a_choice_changes_facts_and_folds_and_leaves_the_recommendation():
    settings = design.Settings.resolve(bundled(), {"k": 4})
    best, hits = (answered(bundled(), design, settings.but(choice=choice)) for choice in (None, "HITS, m = 8"))
    assert (best.headline, best.reasons, best.level) == (hits.headline, hits.reasons, hits.level)
    facts = [{fact.label: fact.value for fact in answer.facts} for answer in (best, hits)]
    kept = [answer.table("folds").frame["documents"] for answer in (best, hits)]
    for shown, documents in zip(facts, kept, strict=True):
        assert shown["Documents kept"] == f"{documents.sum():,}" and shown["Smallest fold"] == f"{documents.min():,}"
    assert kept[0].sum() == 1_500 > kept[1].sum()
    assert facts[0]["Detectable difference"] < facts[1]["Detectable difference"], "fewer topics, less power"
    assert best.data["options"] == hits.data["options"]
    with pytest.raises(SettingError, match="'HITS, m = 800'"):
        design.Settings.resolve(bundled(), {"k": 4, "choice": "HITS, m = 800"})


def test_shuffled_labels_are_split_at_random():
    nothing = ask(shuffled(), "design", k=4)
    assert nothing.level == "unknown" and nothing.data["recommended"] is None
    assert nothing.numbers.chosen.kind == "random" and nothing.facts[0].value == "1,500"


def test_hits_is_green_only_where_a_clean_split_can_be_found():
    rng, corpus = np.random.default_rng(0), bundled().corpus
    few = np.concatenate([rng.choice(np.flatnonzero(corpus.topic_codes == topic), 3) for topic in range(24)])
    study = NotebookStudy.of(take(corpus, np.unique(few)), encoder="lsa")
    hits, split = study.hits(), study.design()
    assert split.level != "good" and "may be one topic with two labels" in split.headline
    assert hits.level == "warning" and "may-be-one-topic" in hits.caution_codes()
    assert ask(bundled(), "hits").level == ask(bundled(), "design").level == "good"
