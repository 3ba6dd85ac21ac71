"""Corpora: laws of making, filtering and taking parts, and texts with several topics each."""

import json
from unicodedata import normalize

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.corpora import (
    UNKNOWN_AUTHOR,
    OneTopic,
    audit,
    clean,
    filtered,
    make_corpus,
    make_labelled,
    read_labelled,
    take,
    with_vectors,
)
from core.corpora import corpus as module
from core.corpora.corpus import LONGEST_LABEL, LONGEST_TEXT
from core.corpora.readers import File, parquet, read_corpus
from core.errors import InputError, SettingError
from tests.core.corpora import bombs

labels = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8).filter(str.strip)
documents = st.lists(
    st.tuples(st.text(max_size=30), st.sampled_from(["a", "b", "<b>c</b>"]), labels), min_size=3, max_size=30
).filter(lambda rows: len({topic for _, topic, _ in rows}) > 1)


def corpus_of(rows, ids=None):
    texts, topics, authors = zip(*rows, strict=True)
    return make_corpus(texts, topics, authors=authors, ids=ids or [str(row) for row in range(len(rows))])


@given(documents)
def test_codes_give_back_the_labels(rows):
    corpus = corpus_of(rows)
    assert list(zip(corpus.texts, corpus.topics, corpus.authors, strict=True)) == [
        (text, topic, normalize("NFC", author.strip())) for text, topic, author in rows
    ]
    assert corpus.topic_names == tuple(sorted(set(corpus.topics)))
    assert corpus.topic_sizes.sum() == len(corpus) == len(rows)


@given(documents, st.randoms(use_true_random=False))
def test_shuffling_rows_keeps_topics_and_authors(rows, random):
    shuffled = random.sample(rows, len(rows))
    first, second = corpus_of(rows), corpus_of(shuffled)
    assert first.topic_names == second.topic_names and first.author_names == second.author_names
    assert (first.topic_sizes == second.topic_sizes).all()
    assert (first.fingerprint == second.fingerprint) == (first.texts == second.texts and first.topics == second.topics
                                                         and first.authors == second.authors)  # fmt: skip


@given(documents, st.integers(1, 4), st.integers(1, 4), st.integers(0, 5), st.randoms(use_true_random=False))
@settings(deadline=None)
def test_filtered_keeps_minimum_and_cap_whatever_the_order(rows, at_least, at_most, seed, random):
    ids = [f"d{row}" for row in range(len(rows))]
    order = random.sample(range(len(rows)), len(rows))
    corpus, shuffled = corpus_of(rows, ids), corpus_of([rows[i] for i in order], [ids[i] for i in order])
    sizes = dict(zip(corpus.topic_names, corpus.topic_sizes, strict=True))
    expected = {topic: min(size, at_most) for topic, size in sizes.items() if size >= at_least}
    if len(expected) < 2:
        with pytest.raises(SettingError, match="Lower the minimum"):
            filtered(corpus, at_least=at_least, at_most=at_most, seed=seed)
        return
    kept = filtered(corpus, at_least=at_least, at_most=at_most, seed=seed)
    assert dict(zip(kept.topic_names, kept.topic_sizes, strict=True)) == expected
    assert set(kept.ids) == set(filtered(shuffled, at_least=at_least, at_most=at_most, seed=seed).ids)
    assert list(kept.ids) == sorted(kept.ids, key=ids.index), "the order of the file is kept"
    assert filtered(kept, at_least=1, at_most=at_most, seed=seed).fingerprint == kept.fingerprint


def test_filtered_draws_by_seed_and_refuses_zero():
    corpus = make_corpus([str(row) for row in range(200)], ["a", "b"] * 100)
    draws = {filtered(corpus, at_most=10, seed=seed).fingerprint for seed in range(5)}
    assert len(draws) == 5
    assert filtered(corpus) is corpus
    for choice in ({"at_least": 0}, {"at_most": 0}):
        with pytest.raises(SettingError, match="1 or more"):
            filtered(corpus, **choice)


def test_take_drops_what_has_no_documents():
    vectors = np.arange(8, dtype=np.float32).reshape(4, 2)
    corpus = make_corpus(list("wxyz"), ["a", "b", "c", "a"], authors=["u", "v", "w", "u"], vectors=vectors)
    part = take(corpus, np.array([3, 1]))
    assert (part.ids, part.texts, part.topic_names, part.author_names) == (
        ("4", "2"),
        ("z", "x"),
        ("a", "b"),
        ("u", "v"),
    )
    assert part.vectors.tolist() == [[6, 7], [2, 3]]


def test_arrays_are_frozen_and_the_callers_are_not():
    vectors = np.ones((2, 3), dtype=np.float32)
    corpus = make_corpus(["x", "y"], ["a", "b"], authors=["u", "v"], vectors=vectors)
    for array in (corpus.topic_codes, corpus.author_codes, corpus.vectors):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    vectors[0, 0] = 5
    assert corpus.vectors[0, 0] == 1


WHOLE = {
    "name": "one",
    "texts": ["x", "y", "z"],
    "topics": ["a", "b", "a"],
    "authors": ["u", "v", "u"],
    "ids": ["1", "2", "3"],
    "splits": ["train", "test", "test"],
    "vectors": np.ones((3, 2), dtype=np.float32),
}
CHANGES = {
    "name": "two",
    "texts": ["x", "y", "other"],
    "topics": ["a", "other", "a"],
    "topics of documents": ["b", "a", "a"],
    "authors": ["u", "other", "u"],
    "authors of documents": ["v", "u", "u"],
    "no authors": None,
    "ids": ["1", "2", "other"],
    "splits": ["train", "train", "test"],
    "no splits": None,
    "vectors": np.full((3, 2), 2, dtype=np.float32),
    "no vectors": None,
}


@pytest.mark.parametrize("change", CHANGES)
def test_the_fingerprint_sees_every_change(change):
    part = change.removeprefix("no ").removesuffix(" of documents")
    before, after = make_corpus(**WHOLE), make_corpus(**(WHOLE | {part: CHANGES[change]}))
    assert before.fingerprint == make_corpus(**WHOLE).fingerprint != after.fingerprint
    assert (before.content_digest == after.content_digest) == (change == "name"), "the content has no name"


def test_the_fingerprint_sees_that_spellings_were_merged():
    apart = make_corpus(["x", "y", "z"], ["cafe\u0301", "caf\u00e9", "b"])
    together = make_corpus(["x", "y", "z"], ["caf\u00e9", "caf\u00e9", "b"])
    assert apart.content_digest == together.content_digest and apart.fingerprint != together.fingerprint


def test_spellings_that_look_the_same_are_one_label_and_it_is_said():
    texts, authors = ["e\u0301", "\u00e9", "z", "z"], ["Zoe\u0308", "Zo\u00eb", "Al", " Al"]
    corpus = make_corpus(texts, ["cafe\u0301", "caf\u00e9 ", "b", "c"], authors=authors)
    assert corpus.topic_names == ("b", "c", "caf\u00e9") and corpus.author_names == ("Al", "Zo\u00eb")
    assert (corpus.merged_topics, corpus.merged_authors) == (("caf\u00e9",), ("Zo\u00eb",)), "not for white space"
    assert corpus.texts == tuple(texts), "texts are left as they are"
    for same in (filtered(corpus, at_most=5), with_vectors(corpus, np.ones((4, 2), dtype=np.float32))):
        assert (same.merged_topics, same.merged_authors) == (corpus.merged_topics, corpus.merged_authors)
    rest = take(corpus, np.array([2, 3]))
    assert (rest.merged_topics, rest.merged_authors) == ((), ())
    alone = make_corpus(["x", "y"], ["cafe\u0301", "b"])
    assert alone.topic_names == ("b", "caf\u00e9") and alone.merged_topics == ()


def test_half_a_surrogate_pair_in_a_topic_is_filtered_like_any_other():
    corpus = make_corpus(list("uvwxyz"), ["\ud800 topic", "b"] * 3, authors=["\udfff"] * 6)
    assert filtered(corpus, at_most=2).topic_sizes.tolist() == [2, 2]


def test_a_draw_is_the_same_as_ever():
    corpus = make_corpus([str(row) for row in range(40)], ["a", "b"] * 20)
    assert filtered(corpus, at_most=3, seed=7).ids == ("1", "4", "21", "34", "37", "38")


def test_known_authors_are_all_but_the_one_without_a_name():
    corpus = make_corpus(list("xyz"), list("aab"), authors=["ann", "", "bob"])
    assert dict(zip(corpus.author_names, corpus.known_authors, strict=True)) == {
        UNKNOWN_AUTHOR: False, "ann": True, "bob": True,
    }  # fmt: skip
    assert make_corpus(list("xyz"), list("aab")).known_authors.shape == (0,)


def test_moving_text_between_columns_changes_the_fingerprint():
    assert make_corpus(["ab", "c"], ["x", "y"]).fingerprint != make_corpus(["a", "bc"], ["x", "y"]).fingerprint


def test_markup_in_labels_comes_through_and_blank_authors_get_a_name():
    topics, authors = ["<script>alert(1)</script>", "**bold** & $x$"], ["<i>u</i>", "  "]
    corpus = make_corpus(["x", "y"], topics, authors=authors)
    assert corpus.topics == topics and corpus.authors == ["<i>u</i>", "(unknown)"]


TWO = (["x", "y"], ["a", "b"])


@pytest.mark.parametrize(
    ("texts", "topics", "more", "words"),
    [
        ([], [], {}, ["no rows"]),
        (["x", "y"], ["a", " "], {}, ["Row 2", "no topic", "Fill it in or delete"]),
        (["x", "y"], ["a"], {}, ["2 texts", "1 values of 'topic'"]),
        (["x", "x" * (LONGEST_TEXT + 1)], ["a", "b"], {}, ["Row 2", "1,000,001 characters", "Split"]),
        (["x", "y"], ["a", "b" * (LONGEST_LABEL + 1)], {}, ["Row 2", "topic", "another column"]),
        (["x", "y"], ["a", "a "], {}, ["'a'", "at least 2 topics"]),
        (*TWO, {"authors": ["u", "v" * (LONGEST_LABEL + 1)]}, ["Row 2", "author"]),
        (*TWO, {"ids": ["1", "1"]}, ["Rows 1 and 2", "'1'"]),
        (*TWO, {"ids": ["1", " "]}, ["Row 2", "no id"]),
        (*TWO, {"ids": ["1", "2" * (LONGEST_LABEL + 1)]}, ["Row 2", "id"]),
        (*TWO, {"vectors": np.ones((3, 2))}, ["(3, 2)", "one row per document"]),
        (*TWO, {"vectors": np.ones((2, 0))}, ["(2, 0)"]),
        (*TWO, {"vectors": np.array([[1.0, 2.0], [1e300, 0.0]])}, ["document 2", "finite"]),
    ],
)
def test_refusals_say_row_and_fix(texts, topics, more, words):
    with pytest.raises(InputError) as error:
        make_corpus(texts, topics, **more)
    assert [word for word in words if word not in str(error.value)] == []


def test_limits_on_documents_and_topics(monkeypatch):
    monkeypatch.setattr(module, "MOST_DOCUMENTS", 2)
    monkeypatch.setattr(module, "MOST_TOPICS", 1)
    with pytest.raises(InputError, match="3 documents; the limit is 2"):
        make_corpus(list("xyz"), list("abc"))
    with pytest.raises(InputError, match="2 topics; the limit is 1"):
        make_corpus(*TWO)


def test_spellings_that_look_the_same_are_one_topic_and_it_is_said():
    topics = [["cafe\u0301", "b"], ["caf\u00e9"], ["cafe\u0301"]]
    corpus = make_labelled(["x", "y", "z"], topics, ["train", "train", "test"])
    assert corpus.categories == ("b", "caf\u00e9")
    assert corpus.labels.tolist() == [[True, True], [False, True], [False, True]]
    assert len(corpus.notes) == 1 and corpus.notes[0].startswith("1 topic in two spellings")
    assert make_labelled(["x", "y"], [["cafe\u0301"], ["cafe\u0301"]], ["train", "test"]).notes == ()


def test_arrays_cannot_be_changed():
    corpus = make_labelled(["x", "y"], [["a"], ["a"]], ["train", "test"])
    assert not corpus.labels.flags.writeable and not corpus.training.flags.writeable


SPLIT = ("train", "train", "test")


def written(folder, topics, *, name="c.csv"):
    frame = pd.DataFrame({"text": ["one", "two", "three"], "topics": topics, "split": SPLIT})
    (frame.to_csv if name.endswith("csv") else frame.to_parquet)(folder / name, index=False)
    return folder / name


@pytest.mark.parametrize(
    ("topics", "expected"),
    [
        (["law, order", "sport", "law, order"], ("law, order", "sport")),
        (["law, order; sport", "sport", "law, order"], ("law, order", "sport")),
        (["crime|courts", "courts", "crime"], ("courts", "crime")),
        (["trade, industry", "trade", "industry"], ("industry", "trade")),
        (['["law, order", "sport"]', '["sport"]', '["law, order"]'], ("law, order", "sport")),
    ],
)
def test_a_column_holds_the_topics_that_the_corpus_page_finds_in_it(tmp_path, topics, expected):
    file = written(tmp_path, topics)
    corpus = read_corpus(file, topic="topics")
    steps = [finding.steps for finding in audit(corpus).warnings if finding.code == "several-topics"]
    if steps:
        corpus, _ = clean(corpus, [OneTopic("each", steps[0][0].separator)])
    assert read_labelled(file).categories == corpus.topic_names == expected


@pytest.mark.parametrize("lists", [[["a"], ["b"], []], [["a", "b"], None, ["b"]], [["a, b"], ["a"], ["b"]]])
def test_lists_of_parquet_are_the_topics_themselves(tmp_path, lists):
    found, expected = read_labelled(written(tmp_path, lists, name="c.parquet")), [each or [] for each in lists]
    assert [[name for name, has in zip(found.categories, row, strict=True) if has] for row in found.labels] == [
        [name for name in names if name in found.categories] for names in expected
    ]
    assert set(found.categories) == {name for names in expected[:2] for name in names}


def test_a_column_that_is_no_text_is_named(tmp_path):
    for topics, holds in (([[1.0], [2.0], [3.0]], "numbers"), ([{"a": 1}, {"a": 2}, {"a": 3}], "nested values")):
        with pytest.raises(InputError, match=f"column 'topics' has {holds}"):
            read_labelled(written(tmp_path, topics, name="c.parquet"))
    rows = [json.dumps({"text": "a", "topics": [number], "split": side}) for number, side in enumerate(SPLIT)]
    with pytest.raises(InputError, match="column 'topics' has numbers"):
        read_labelled(File("c.jsonl", "\n".join(rows).encode()))


def test_parquet_obeys_the_limits_of_every_corpus(tmp_path, monkeypatch):
    with pytest.raises(InputError, match="rows, the limit"):
        read_labelled(bombs.equal_rows())
    file = written(tmp_path, [["a"], ["b"], ["a"]], name="c.parquet")
    monkeypatch.setattr(parquet, "_refuse_above", lambda most, name, total: (_ for _ in ()).throw(MemoryError()))
    with pytest.raises(InputError, match="more memory"):  # which does not mean that the file is damaged
        read_labelled(file)
