"""The audit against a small corpus counted by hand, and names that may be one person's."""

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.corpora import UNKNOWN_AUTHOR, audit, largest_author_shares, long_texts, make_corpus
from core.corpora.audit import author_aliases
from core.corpora.readers import read_corpus
from core.errors import SettingError
from tests.conftest import REAL

DATA = REAL

ROWS = [
    ("Cats chase mice; cats sleep all day.", "pets", "ann"),
    ("Dogs chase cats around the garden.", "pets", "bob"),
    ("Dogs chase cats around the garden. ", "pets", "ann"),
    ("Rockets fly to the distant moon.", "space", "cat"),
    ("Dogs chase cats around the garden.", "space", "cat"),
    ("   ", "space", "cat"),
    ("Short.", "<b>law</b>", ""),
]


def corpus(rows=ROWS, authors=True):
    texts, topics, names = zip(*rows, strict=True)
    return make_corpus(texts, topics, authors=names if authors else None, ids=[f"d{row}" for row in range(len(rows))])


def test_counts_by_hand():
    found = audit(corpus())
    assert (found.documents, found.topics, found.authors) == (7, 3, 3)
    assert found.topic_names == ("<b>law</b>", "pets", "space")
    assert found.author_names == ("(unknown)", "ann", "bob", "cat")
    assert found.counts.toarray().tolist() == [[1, 0, 0, 0], [0, 2, 1, 0], [0, 0, 0, 3]]
    assert found.words.tolist() == [7, 6, 6, 6, 6, 0, 1]
    assert found.largest_author_share == pytest.approx([0, 2 / 3, 1])
    assert [row.largest_author for row in found.per_topic] == [None, "ann", "cat"]
    assert [row.median_words for row in found.per_topic] == [1, 6, 6]
    # cats chase mice sleep all day | dogs around the garden | rockets fly to distant moon | short
    assert found.vocabulary == 16


def test_every_warning_has_its_count_examples_and_rows():
    found = {finding.code: finding for finding in audit(corpus(), at_least=2).warnings}
    assert {kind: (finding.count, finding.examples, finding.rows.tolist()) for kind, finding in found.items()} == {
        "empty": (1, ("d5",), [5]),
        "near-empty": (1, ("d6",), [6]),
        "duplicates-within": (1, ("d2",), [2]),
        "duplicates-across": (1, ("d1", "d2", "d4"), [1, 2, 4]),
        "small-topics": (1, ("<b>law</b>",), [6]),
        "one-author-topics": (1, ("space",), [3, 4, 5]),
        "one-topic-authors": (3, ("ann", "bob", "cat"), [0, 1, 2, 3, 4, 5]),
        "unknown-authors": (1, ("d6",), [6]),
    }
    for finding in found.values():
        with pytest.raises(ValueError, match="read-only"):
            finding.rows[0] = 1
    assert found["duplicates-across"].copies == (("d1", "pets"), ("d4", "space"))
    assert (found["near-empty"].limit, found["small-topics"].limit) == (20, 2)
    assert (found["near-empty"].total, found["small-topics"].total, found["one-topic-authors"].total) == (7, 3, 3)


def test_without_authors_nothing_is_said_about_them():
    found = audit(corpus(authors=False))
    assert found.counts.shape == (3, 0) and found.authors == 0 and found.author_names == ()
    assert not {"one-author-topics", "one-topic-authors", "unknown-authors"} & {each.code for each in found.warnings}
    assert found.largest_author_share.tolist() == [0, 0, 0]


def test_a_clean_corpus_has_no_warnings():
    rows = [(f"Another text, number {n}.", topic, author) for n, (topic, author) in enumerate(
        [("a", "u"), ("a", "v"), ("b", "u"), ("b", "v")])]  # fmt: skip
    assert audit(corpus(rows), at_least=2).warnings == ()


def test_merged_spellings_are_a_warning_of_their_own():
    rows = [("one text", "cafe\u0301", "ann"), ("another", "caf\u00e9", "bob"), ("third", "b", "Zoe\u0308"),
            ("fourth", "b", "Zo\u00eb"), ("fifth", "b", "ann")]  # fmt: skip
    found = {finding.code: finding for finding in audit(corpus(rows)).warnings}["merged-spellings"]
    assert (found.count, found.examples, found.rows.tolist()) == (2, ("caf\u00e9", "Zo\u00eb"), [0, 1, 2, 3])
    assert "merged-spellings" not in {finding.code for finding in audit(corpus()).warnings}
    nobody = audit(corpus(rows, authors=False)).warnings
    assert [each.rows.tolist() for each in nobody if each.code == "merged-spellings"] == [[0, 1]]


def codes(rows, **more):
    return {finding.code: finding for finding in audit(corpus(rows, **more), at_least=1).warnings}


def test_words_for_missing_values_are_neither_topics_nor_authors():
    rows = [
        ("one text", "None", "ann"),
        ("another", "NaN", "Unknown"),
        ("third", "sport", "null"),
        ("fourth", "none", "bob"),
    ]
    found = codes(rows)
    assert found["missing-topics"].count == 3 and found["missing-topics"].rows.tolist() == [0, 1, 3]
    assert found["missing-authors"].examples == ("Unknown", "null")
    assert found["missing-authors"].steps[0].groups == ((UNKNOWN_AUTHOR, "Unknown", "null"),)
    assert "author-spellings" not in found, "nobody is nobody's other name"


def test_numbers_as_topics_are_said_and_one_word_among_them_is_not():
    rows = [("one text", "1", "ann"), ("another", "2.5", "bob"), ("third", "-3", "ann")]
    assert codes(rows)["numeric-topics"].count == 3
    assert "numeric-topics" not in codes([*rows, ("fourth", "sport", "bob")])


def test_topics_in_several_spellings_go_to_the_one_with_most_documents():
    rows = [
        ("one text", "Sport", "ann"),
        ("another", "sport", "bob"),
        ("third", "sport", "ann"),
        ("fourth", "law", "bob"),
    ]
    assert codes(rows)["topic-spellings"].steps[0].groups == (("sport", "Sport"),)


def test_one_text_everywhere_is_said_as_such():
    rows = [("the same", topic, author) for topic, author in ("au", "bv", "av")]
    found = codes(rows)
    assert "all-equal" in found and not {"duplicates-within", "duplicates-across"} & set(found)


def test_texts_longer_than_the_window_are_counted_where_they_are_most():
    rows = [("word " * words, topic, "u") for words, topic in ((255, "a"), (254, "b"), (400, "b"))]
    assert (codes(rows)["long-texts"].count, codes(rows)["long-texts"].total) == (2, 3)
    assert long_texts(corpus(rows)).tolist() == [0, 2]
    read_whole = {each.code for each in audit(corpus(rows), window=False).warnings}
    assert "small-topics" in read_whole and "long-texts" not in read_whole, "an encoder without a window reads them all"
    rows += [("short", "a", "u"), ("short too", "a", "u")]
    assert "long-texts" not in codes(rows)


def test_settings_are_checked():
    for choice in ({"at_least": 0}, {"near_empty": 0}):
        with pytest.raises(SettingError, match="1 or more"):
            audit(corpus(), **choice)


@given(st.lists(st.tuples(st.sampled_from(["x", "a longer text of words", ""]), st.sampled_from("ab"),
                          st.sampled_from(["u", "v", "w", ""])), max_size=20), st.randoms(use_true_random=False))  # fmt: skip
def test_laws_of_the_counts(rows, random):
    rows = [*rows, ("x", "a", "u"), ("y", "b", "v")]
    first, second = audit(corpus(rows)), audit(corpus(random.sample(rows, len(rows))))
    assert first.counts.sum() == first.documents == len(rows) == sum(row.documents for row in first.per_topic)
    assert (first.counts.toarray() == second.counts.toarray()).all()
    assert first.per_topic == second.per_topic and first.vocabulary == second.vocabulary
    assert sorted(first.words) == sorted(second.words)
    assert ((first.largest_author_share >= 0) & (first.largest_author_share <= 1)).all()
    assert [(each.code, each.count) for each in first.warnings] == [(each.code, each.count) for each in second.warnings]


@pytest.mark.skipif(not DATA.exists(), reason="../shared/data is not on this machine")
def test_twenty_newsgroups_takes_seconds():
    start = time.process_time()
    newsgroups = read_corpus(DATA / "20newsgroups.parquet")
    read = time.process_time()
    found = audit(newsgroups)
    assert read - start < 8 and time.process_time() - read < 8, "a few seconds, with room for a slow machine"
    assert (found.documents, found.topics) == (18_846, 20)
    kinds = {finding.code: finding.count for finding in found.warnings}
    assert kinds["empty"] + kinds["near-empty"] == 625, "as the data's README counts them"
    assert np.median(found.words) > 50


def test_the_largest_authors_alone_are_as_in_the_audit():
    for found in (corpus(), corpus(authors=False)):
        assert largest_author_shares(found).tolist() == audit(found).largest_author_share.tolist()


def suggested(*names, texts=None):
    found = author_aliases(names, np.array(texts or [1] * len(names)))
    return {group.names: group.certain for group in found}


@pytest.mark.parametrize(
    "names",
    [
        ("John Smith", "john smith"), ("John Smith", "Smith, John"), ("J.-P. Müller", "j p muller"),
        ("anne-marie", "Anne Marie"), ("Ольга Ёлкина", "ольга елкина"), ("O'Brien, Pat", "Pat O’Brien"),
    ],
)  # fmt: skip
def test_spellings_are_certain(names):
    assert suggested(*names) == {tuple(sorted(names)): True}


@pytest.mark.parametrize(
    "names",
    [
        ("J. Smith", "John Smith"), ("John A. Smith", "John Smith"), ("J. Smith", "John Smith", "Smith, J. A."),
        ("Jonathan Smith", "Jonathon Smith"), ("Elisabeth Hale", "Elizabeth Hale"), ("Roberts Ann", "Robetrs Ann"),
    ],
)  # fmt: skip
def test_initials_and_slips_are_likely(names):
    assert suggested(*names) == {tuple(sorted(names)): False}


@pytest.mark.parametrize(
    "names",
    [
        ("J. Smith", "John Smith", "Jane Smith"), ("John A. Smith", "John B. Smith"), ("John Smith", "Jane Smith"),
        ("author 11", "author 12"), ("Author Number 1", "Author Number 2"), ("ud37613d0d6", "ud37613d0d7"),
        ("Ann Lee", "Ann Lea"), ("Margaret Hale", "Margaret Halle"), ("smithson", "smithsen"), ("Prince", "P"), ("...", "---"), ("Jonathan Smith", "Jonahtna Smith"),
    ],
)  # fmt: skip
def test_others_are_not_suggested(names):
    assert suggested(*names) == {}


def test_the_name_with_most_texts_stays():
    assert suggested("J. Smith", "John Smith", "john smith", texts=[5, 1, 3]) == {
        ("john smith", "John Smith"): True,
        ("J. Smith", "john smith", "John Smith"): False,
    }


@given(
    st.lists(st.text("aAbB. ,", min_size=1, max_size=12), unique=True, max_size=12), st.randoms(use_true_random=False)
)
def test_groups_part_the_names_whatever_their_order(names, random):
    first = suggested(*names)
    assert suggested(*random.sample(names, len(names))) == first
    for certain in (True, False):
        members = [name for group, is_certain in first.items() if is_certain is certain for name in group]
        assert len(members) == len(set(members)) and set(members) <= set(names)
        assert all(len(group) > 1 for group in first)


def test_eight_thousand_random_names_have_nothing_in_common():
    rng = np.random.default_rng(0)
    names = [f"u{value:010x}" for value in rng.integers(0, 2**40, 8_000)]
    assert author_aliases(names, np.ones(8_000, dtype=np.int64)) == ()
