"""Several topics a document: spellings, lists as everywhere else, limits; see also tests/core/studies/test_categorization.py."""

import json

import pandas as pd
import pytest

from core.corpora import OneTopic, audit, clean, make_labelled, read_labelled
from core.corpora.readers import File, parquet, read_corpus
from core.errors import InputError
from tests.core.corpora import bombs


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
        with pytest.raises(InputError, match=f"column 'topics' holds {holds}"):
            read_labelled(written(tmp_path, topics, name="c.parquet"))
    rows = [json.dumps({"text": "a", "topics": [number], "split": side}) for number, side in enumerate(SPLIT)]
    with pytest.raises(InputError, match="column 'topics' holds numbers"):
        read_labelled(File("c.jsonl", "\n".join(rows).encode()))


def test_parquet_obeys_the_limits_of_every_corpus(tmp_path, monkeypatch):
    with pytest.raises(InputError, match="rows; draw a sample first"):
        read_labelled(bombs.equal_rows())
    file = written(tmp_path, [["a"], ["b"], ["a"]], name="c.parquet")
    monkeypatch.setattr(parquet, "_refuse_above", lambda most, name, total: (_ for _ in ()).throw(MemoryError()))
    with pytest.raises(MemoryError):  # which says nothing against the file
        read_labelled(file)
