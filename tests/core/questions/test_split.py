"""Check a split: which leak the headline names on planted audits, its reasons and cautions, and what fixes it."""

from dataclasses import replace

import numpy as np
import pytest

from core.corpora import make_corpus
from core.errors import SettingError
from core.notes import Note
from core.questions import ask
from core.questions.split import cautions, fix_sentence, headline, level_of, reasons
from core.splits import FixedSplit, SplitAudit, TestTopic
from core.splits.audit import HitsInstead, TopicChange
from core.splits.duplicates import NearDuplicates, NeighbourLeakage
from tests.core.questions.studies import bundled, tiny_topics

NAN = float("nan")
CLEAN = TestTopic("clean", 4, False, "other", 0.1, False, False, 0.1, 0)
SHARED = replace(CLEAN, name="both", shared=True)
TWIN = replace(CLEAN, name="twin", nearest="sister", similarity=0.91, twin=True)
DOUBTFUL = replace(CLEAN, name="doubtful", similarity=0.7, doubtful=True)
UNKNOWN = replace(CLEAN, name="small", nearest=None, similarity=NAN)
COPIED = replace(CLEAN, name="copied", duplicates=2)


def audit(*topics: TestTopic, notes: tuple[str, ...] = ()) -> SplitAudit:
    """Return an audit of these test topics, each of four documents, beside 20 training documents."""
    rows, copies = np.arange(4 * len(topics)), sum(topic.duplicates for topic in topics)
    share = np.full(len(rows), 0.5)
    return SplitAudit(
        20,
        len(rows),
        0.6,
        0.2,
        max((topic.similarity for topic in topics), default=NAN),
        topics,
        NearDuplicates(0.5, rows[:copies], rows[:copies] + 100, np.ones(copies), 0),
        NeighbourLeakage(10, rows, share, share, share, 0.5, 0.6),
        HitsInstead(("clean", "other"), 8, 1, 0.1, 0.1, 0.5),
        notes,
    )


@pytest.mark.parametrize(
    ("topics", "level", "words"),
    [
        ((SHARED, TWIN, COPIED), "bad", "1 of 3 test topics is also in training"),
        ((SHARED, SHARED), "bad", "All 2 test topics are also in training"),
        ((TWIN, CLEAN, COPIED), "bad", "1 of 3 test topics has a near twin"),
        ((TWIN, TWIN), "bad", "2 of 2 test topics have a near twin"),
        ((COPIED, DOUBTFUL), "bad", "2 of 8 test documents have a near duplicate"),
        ((replace(COPIED, duplicates=1),), "bad", "1 of 4 test documents has a near duplicate"),
        ((DOUBTFUL, UNKNOWN), "warning", "1 of 2 test topics may have a near twin"),
        ((CLEAN, UNKNOWN), "good", "No near twins or near duplicates"),
        ((UNKNOWN, UNKNOWN), "unknown", "too few documents to compare"),
    ],
)
def test_the_headline_names_the_worst_leak(topics, level, words):
    found = audit(*topics)
    said = headline(found, meaningful=True)
    assert words in said and len(said.split()) <= 25
    assert said.startswith({"bad": "Yes. ", "warning": "Possibly. "}.get(level, "No "))
    assert level_of(found, meaningful=True) == level


def test_labels_that_separate_nothing_leave_only_near_duplicates():
    found = audit(TWIN, DOUBTFUL, UNKNOWN, COPIED)
    assert level_of(found, meaningful=False) == "unknown"
    assert headline(found, meaningful=False).endswith("2 of 16 test documents have a near duplicate in training.")
    assert not any("twins" in reason for reason in reasons(found, meaningful=False))
    assert cautions(found, meaningful=False) == ()


def test_reasons_name_what_leaks_the_worst_first():
    found = audit(SHARED, TWIN, COPIED, replace(COPIED, name="more", duplicates=3))
    both, twins, copies = reasons(found, meaningful=True)
    assert both.endswith(": both.") and twins.endswith(": twin and sister (0.91).")
    assert copies.endswith(": more (3) and copied (2).")
    assert reasons(audit(CLEAN, DOUBTFUL, UNKNOWN), meaningful=True) == ()


def test_two_topics_that_are_each_others_twins_are_one_pair():
    pairs = (("a", "b", 0.8), ("b", "a", 0.8), ("c", "d", 0.9))
    topics = [replace(TWIN, name=name, nearest=other, similarity=value) for name, other, value in pairs]
    (said,) = reasons(audit(*topics), meaningful=True)
    assert said.endswith(": c and d (0.90) and a and b (0.80).")


def test_many_topics_are_counted():
    (said,) = reasons(audit(*(replace(SHARED, name=f"t{number}") for number in range(9))), meaningful=True)
    assert said.endswith(": t0, t1, t2 and 6 more.")


@pytest.mark.parametrize(
    ("topics", "codes"),
    [
        ((CLEAN,), []),
        ((DOUBTFUL, CLEAN), []),
        ((DOUBTFUL, TWIN), ["possible-twins"]),
        ((CLEAN, UNKNOWN), ["too-few-documents"]),
        ((SHARED, DOUBTFUL, UNKNOWN), ["possible-twins", "too-few-documents"]),
    ],
)
def test_cautions_for_what_is_in_doubt_or_unknown(topics, codes):
    found = cautions(audit(*topics), meaningful=True)
    assert [each.code for each in found] == codes
    assert all(each.text.startswith("1 ") and f"of {len(topics)} test topics" in each.text for each in found)
    assert [each.code for each in cautions(audit(*topics, notes=("n",)), meaningful=True)] == [*codes, "split-note"]


def fixed(*changes: TopicChange, copies: int = 0, remaining: tuple[Note, ...] = (), **more) -> FixedSplit:
    """Return a fix that leaves six training and four test documents."""
    corpus = make_corpus(["a text"] * 10, ["t0"] * 6 + ["t1"] * 4, splits=["train"] * 6 + ["test"] * 4)
    return FixedSplit(
        corpus, changes, tuple(f"d{copy}" for copy in range(copies)), remaining, **{"smallest": True} | more
    )


MOVED, DROPPED = TopicChange("t1", "test", 5, True), TopicChange("t2", "test", 3, False)


@pytest.mark.parametrize(
    ("fix", "said"),
    [
        (fixed(MOVED), "Move 5 documents. That leaves 6 training and 4 test documents. No smaller change would do."),
        (
            fixed(replace(MOVED, documents=1), DROPPED, smallest=False),
            "Move 1 document and drop 3 documents. That leaves",
        ),
        (fixed(MOVED, DROPPED, copies=2), "Move 5 documents and drop 5 documents (2 near duplicates among them)."),
        (fixed(copies=1), "Drop 1 near duplicate. That leaves 6 training and 4 test documents."),
        (fixed(), "Nothing needs to be changed."),
        (
            fixed(remaining=(Note("topic crosses", ("t1",)),)),
            "Nothing could be changed. Still crossing: 't1' on both sides.",
        ),
        (fixed(doubtful=1), "Nothing needs to be changed. One pair of topics"),
        (fixed(doubtful=12), "Nothing needs to be changed. 12 pairs of topics"),
    ],
)
def test_a_fix_is_said_with_its_numbers(fix, said):
    assert fix_sentence(fix).startswith(said)
    assert ("No smaller change" in fix_sentence(fix)) == (fix.smallest and bool(fix.changes)), "only where it is proven"


def test_the_bundled_split_leaks_and_its_fix_is_in_the_data():
    plain, fixed = ask(bundled(), "split"), ask(bundled(), "split", fix=True)
    assert plain.level == "bad" and plain.data["level"] == "leaks" and "mended" not in plain.data
    facts = {fact.label: fact.value for fact in plain.facts}
    assert (facts["Topics on both sides"], facts["Near twins in training"]) == ("1 of 9", "5 of 9")
    assert facts["Near duplicates"] == "0"
    assert fixed.headline == plain.headline
    assert fixed.next_steps[1:] == (plain.next_steps[0].replace("Split", "Or split", 1),), (
        "after the fix, the other way"
    )
    changes = fixed.data["mended"]["changes"]
    assert sum(each["documents"] for each in changes if each["moved"]) == fixed.data["mended"]["moved"] > 0
    assert fixed.table("split_changes").frame["documents"].sum() == sum(each["documents"] for each in changes)


def test_a_corpus_without_a_split_is_refused():
    with pytest.raises(SettingError, match="no split of its own"):
        ask(tiny_topics(), "split")
