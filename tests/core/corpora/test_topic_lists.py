"""Cells with several topics: which are lists, and the one topic that is taken of each."""

import pytest

from core.corpora import OneTopic, audit, clean, make_corpus
from core.corpora.readers import read_corpus
from core.corpora.topic_lists import separator_of, topics_in
from tests.conftest import REAL


@pytest.mark.parametrize(
    ("cells", "separator"),
    [
        (["crime; courts", "courts", "crime"], ";"),
        (["crime|courts", "courts|trade", "trade|crime"], "|"),
        (["crime, courts", "courts", "crime"], ","),
        (['["crime", "courts"]', '["courts"]'], "json"),
        (['["crime"]', "courts"], None),
        (["law, order and the like", "sport", "trade, industry"], None),
        (["a; b", "c; d"], None),
        (["sport", "trade"], None),
        (["[no list", "sport"], None),
        ([], None),
    ],
)
def test_what_separates_topics(cells, separator):
    assert separator_of(cells) == separator


def test_the_parts_of_a_cell():
    assert topics_in(" b ;a;; b", ";") == ("b", "a")
    assert topics_in('["b", "a", " "]', "json") == ("b", "a")
    assert topics_in("[]", "json") == ()
    for cell in ("plain; text", '["a", 1]', '[["a"]]', '["[x]"]', "[" * 5_000):
        assert topics_in(cell, "json") == (cell,)


def corpus():
    return make_corpus(
        ["one", "two", "three", "four"], ["b; a", "b", "b; c", "a"], ids=["1", "2", "3", "1 (a)"], authors=list("uvwx")
    )


def test_one_topic_of_several():
    taken = {
        choice: clean(corpus(), [OneTopic(choice, ";")])[0] for choice in ("first", "rarest", "each", "combination")
    }
    assert taken["first"].topics == ["b", "b", "b", "a"]
    assert taken["rarest"].topics == ["a", "b", "c", "a"], "a stands twice, b three times"
    assert taken["combination"].topics == ["a + b", "b", "b + c", "a"]
    each = taken["each"]
    assert list(zip(each.texts, each.topics, strict=True)) == [
        ("one", "b"), ("one", "a"), ("two", "b"), ("three", "b"), ("three", "c"), ("four", "a"),
    ]  # fmt: skip
    assert each.ids == ("1 (b)", "1 (a)'", "2", "3 (b)", "3 (c)", "1 (a)"), "ids stay unique"
    assert "duplicates-across" in {finding.code for finding in audit(each).warnings}, (
        "the same text in two topics leaks"
    )


def test_a_document_without_any_topic_is_dropped_and_counted():
    texts = make_corpus(["one", "two", "three"], ['["a", "b"]', "[]", '["b"]'])
    cleaned, (effect,) = clean(texts, [OneTopic("first", "json")])
    assert cleaned.topics == ["a", "b"] and "1 document fewer" in effect.sentence


@pytest.mark.skipif(not REAL.exists(), reason="../shared/data is not on this machine")
def test_reuters_comes_with_its_lists():
    found = read_corpus(REAL / "reuters_aptemod.parquet", topic="topics")
    (finding,) = [each for each in audit(found).warnings if each.code == "several-topics"]
    assert [step.separator for step in finding.steps] == ["json"] * 4
    cleaned, _ = clean(found, [OneTopic("rarest", "json")])
    assert len(cleaned) == 10_789 and len(cleaned.topic_names) <= 90
