"""Cleaning: what each step does, twice and in any order, and cells with several topics."""

import json
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.corpora import audit, clean, make_corpus, steps_from_json, steps_to_json
from core.corpora.cleaning import (
    MOST_STEPS,
    STEPS,
    TOPICS_OF_A_LIST,
    DropRepeats,
    DropShared,
    DropShort,
    DropSmallTopics,
    DropTopics,
    MergeAuthors,
    MergeSmallTopics,
    MergeTopics,
    OneTopic,
    separator_of,
    topics_in,
)
from core.corpora.readers import read_corpus
from core.errors import InputError, LeakscopeError, SettingError
from tests.conftest import REAL

EVERY_STEP = [
    DropShort(3), DropRepeats(), DropShared(), DropTopics(("b", "nothing")), DropSmallTopics(3), MergeSmallTopics(3),
    MergeTopics((("a", "b"), ("c", "a; b"))), MergeAuthors((("u", "v"),)), *(OneTopic(choice, ";") for choice in TOPICS_OF_A_LIST),
]  # fmt: skip
rows = st.lists(
    st.tuples(st.sampled_from(["", "x", "one", "two texts", "two texts "]), st.sampled_from(["a", "b", "c", "a; b", "b;a;c", ";"]),
              st.sampled_from(["u", "v", "w", ""])),
    min_size=1, max_size=25,
)  # fmt: skip


def corpus_of(found, ids=None):
    texts, topics, authors = zip(*found, ("a text alone", "d", "u"), ("another alone", "e", "v"), strict=True)
    return make_corpus(texts, topics, authors=authors, ids=ids, splits=["train"] * len(texts),
                       vectors=np.arange(len(texts), dtype=np.float32)[:, None])  # fmt: skip


def documents(corpus):
    return sorted(zip(corpus.texts, corpus.topics, corpus.authors, corpus.vectors[:, 0].tolist(), strict=True))


def test_every_kind_of_step_is_tried():
    assert {step.code for step in EVERY_STEP} == set(STEPS)


@given(rows, st.sampled_from(EVERY_STEP))
@settings(max_examples=80)
def test_a_step_done_twice_does_no_more(found, step):
    corpus = corpus_of(found)
    try:
        once, (effect,) = clean(corpus, [step])
    except SettingError:
        return
    twice, (_, nothing) = clean(corpus, [step, step])
    assert twice.content_digest == once.content_digest
    assert nothing.documents == (len(once), len(once)) and nothing.sentence.endswith("no count changes.")
    assert effect.documents == (len(corpus), len(once)) and effect.topics[1] == len(once.topic_names)
    assert (once.content_digest == corpus.content_digest) or once.fingerprint != corpus.fingerprint


@given(rows, st.lists(st.sampled_from(EVERY_STEP), max_size=4), st.randoms(use_true_random=False))
@settings(max_examples=60)
def test_the_order_of_the_file_makes_no_difference(found, steps, random):
    order = random.sample(range(len(found)), len(found))
    ids = [f"d{number:02}" for number in range(len(found))]
    one = corpus_of(found, [*ids, "y", "z"])
    two = corpus_of([found[place] for place in order], [*(ids[place] for place in order), "y", "z"])
    try:
        first, effects = clean(one, steps)
    except SettingError as problem:
        with pytest.raises(SettingError, match="."):
            clean(two, steps)
        assert str(problem).endswith(".")
        return
    second, again = clean(two, steps)
    assert [effect.sentence for effect in effects] == [effect.sentence for effect in again]
    assert sorted(zip(first.ids, first.texts, first.topics, first.authors, strict=True)) == sorted(
        zip(second.ids, second.texts, second.topics, second.authors, strict=True)
    )
    for effect, following in pairwise(effects):
        assert effect.documents[1] == following.documents[0]
    assert steps_from_json(json.loads(json.dumps(steps_to_json(steps)))) == tuple(steps)


@given(rows)
@settings(max_examples=30)
def test_merging_keeps_every_document_and_dropping_changes_none(found):
    corpus = corpus_of(found)
    for step in EVERY_STEP[:8]:
        try:
            after, _ = clean(corpus, [step])
        except SettingError:
            continue
        if step.code.startswith("merge"):
            assert after.ids == corpus.ids and after.texts == corpus.texts
        else:
            assert set(documents(after)) <= set(documents(corpus))


def test_what_each_step_does_by_hand():
    corpus = make_corpus(
        ["long enough", "long enough", "long enough", "  ", "brief", "something else"],
        ["a", "a", "b", "a", "b", "c"],
        authors=["u", "v", "w", "u", "nan", "w"],
        ids=list("fabcde"),
    )
    expected = {
        DropShort(6): "fabe",
        DropShort(1): "fabde",
        DropRepeats(): "abcde",
        DropShared(): "cde",
        DropSmallTopics(2): "fabcd",
        DropTopics(("a", "nowhere")): "bde",
    }
    for step, ids in expected.items():
        assert "".join(clean(corpus, [step])[0].ids) == ids, step
    merged, (effect,) = clean(corpus, [MergeSmallTopics(2)])
    assert merged.topic_names == ("a", "b", "other") and effect.sentence == (
        "Merge topics under 2 documents into 'other': no count changes."
    )
    nobody, (effect,) = clean(corpus, [MergeAuthors((("(unknown)", "nan"),))])
    assert effect.authors == (4, 3) and nobody.author_names == ("(unknown)", "u", "v", "w")
    _, (first, second) = clean(corpus, [DropShort(6), DropRepeats()])
    assert first.sentence == "Drop texts under 6 characters: 2 documents fewer, 1 author fewer."
    assert second.documents == (4, 3)


def test_small_topics_join_a_topic_that_is_called_other_already():
    corpus = make_corpus(["x", "y", "z", "w", "v"], ["other", "tiny", "big", "big", "small"])
    merged, _ = clean(corpus, [MergeSmallTopics(2)])
    assert merged.topics == ["other", "other", "big", "big", "other"]


def test_what_would_leave_nothing_is_refused_and_says_so():
    corpus = corpus_of([("one", "a", "u")])
    with pytest.raises(SettingError, match="Drop texts under 99 characters: this would leave 0 documents of 0 topics"):
        clean(corpus, [DropShort(99)])
    with pytest.raises(SettingError, match="this would leave 3 documents of 1 topic. Keep at least 2"):
        clean(corpus, [MergeTopics((("a", "d", "e"),))])
    with pytest.raises(SettingError, match="'a' is merged into both 'a' and 'b'"):
        clean(corpus, [MergeTopics((("a", "d"), ("b", "a")))])
    with pytest.raises(SettingError, match="the limit is 50"):
        clean(corpus, [DropRepeats()] * (MOST_STEPS + 1))
    for step in (DropShort(0), DropSmallTopics(-1), MergeSmallTopics(0)):
        with pytest.raises(SettingError, match="Choose 1 or more"):
            clean(corpus, [step])
    for step in (OneTopic("second", ";"), OneTopic("first", "tab")):
        with pytest.raises(SettingError, match="Choose one of"):
            clean(corpus, [step])


@pytest.mark.parametrize(
    "found",
    [
        None, {}, "drop-short", [3], [{"step": "drop-everything"}], [{"step": "drop-short"}],
        [{"step": "drop-short", "characters": 0}], [{"step": "drop-short", "characters": True}],
        [{"step": "drop-topics", "topics": "all"}], [{"step": "merge-authors", "groups": [["a"], []]}],
        [{"step": "merge-authors", "groups": [["x" * 301]]}], [{"step": "one-topic", "choice": 1, "separator": ";"}],
        [{"step": "drop-repeats"}] * (MOST_STEPS + 1), [{"step": ["drop-short"]}],
    ],
)  # fmt: skip
def test_what_is_no_step_is_refused(found):
    with pytest.raises(InputError, match="Cleaning"):
        steps_from_json(found)


def test_a_corpus_that_waits_for_topics_can_be_cleaned():
    corpus = make_corpus(["", "one text", "another"], None)
    cleaned, _ = clean(corpus, [DropShort(1)])
    assert len(cleaned) == 2
    with pytest.raises(LeakscopeError, match="0 documents"):
        clean(corpus, [DropShort(100)])


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
