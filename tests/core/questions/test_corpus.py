"""Corpus: the headline's counts, what is a problem and what a note, and words for every code."""

import re

import pytest

from core.corpora import audit, make_corpus
from core.questions.corpus import WARNINGS, audit_answer, read_in_part
from tests.conftest import ROOT

CLEAN = [
    (f"Another text, number {n}.", topic, author)
    for n, (topic, author) in enumerate([("a", "u"), ("a", "v"), ("b", "u"), ("b", "v")])
]
MESSY = [
    ("Dogs chase cats around the garden.", "pets", "ann"),
    ("Dogs chase cats around the garden. ", "pets", "Ann"),
    ("Dogs chase cats around the garden.", "Pets", "cat"),
    ("   ", "space", "unknown"),
    ("Short.", "nan", ""),
    ("word " * 300, "space; pets", "John Smith"),
    ("word " * 301, "space; pets", "J. Smith"),
    ("word " * 302, "space", "cat"),
    ("word " * 303, "space", "cat"),
    ("word " * 304, "space", "cat"),
    ("word " * 305, "space", "cat"),
]


def answer_of(rows, *, at_least=1, authors=True, **more):
    texts, topics, names = zip(*rows, strict=True)
    corpus = make_corpus(texts, topics, authors=names if authors else None)
    return audit_answer(corpus, audit(corpus, at_least=at_least), **more)


def test_a_clean_corpus_is_good():
    answer = answer_of(CLEAN)
    assert (answer.level, answer.headline) == ("good", "No problems found.")
    assert not answer.reasons and answer.facts[1].note == "2 documents each"
    assert answer_of(CLEAN, authors=False).facts[2].value == "none"


@pytest.mark.parametrize(("short", "said"), [(0, "All 4 texts are longer"), (1, "At least 3 of 4 texts are longer")])
def test_all_texts_are_not_at_least_all_texts(short, said):
    rows = [(text * (1 if row < short else 90), topic, author) for row, (text, topic, author) in enumerate(CLEAN)]
    (found,) = [caution for caution in answer_of(rows).cautions if caution.code == "long-texts"]
    assert found.text.startswith(said)


def test_notes_are_no_problems():
    answer = answer_of([(text, topic, "u") for text, topic, _ in CLEAN])
    assert answer.level == "good" and answer.headline == "No problems found, 1 note."


def test_problems_are_counted_and_named():
    answer = answer_of([*CLEAN, ("", "a", "u"), ("a", "b", "u")], at_least=5)
    assert answer.level == "warning" and answer.headline == "3 problems to fix."
    assert answer.reasons[0] == ("Fix before evaluating: blank texts, very short texts and topics with few documents.")
    assert answer.caution_codes() == ["empty", "near-empty", "small-topics"]


@pytest.mark.parametrize("command", [False, True])
def test_sentences_about_a_messy_corpus_are_short(command):
    answer = answer_of(MESSY, at_least=3, command=command)
    assert len(answer.cautions) >= 10
    said = [answer.headline, *answer.reasons, *(each.text for each in answer.cautions)]
    for text in (*said, *answer.table("warnings").frame["why it matters"]):
        for sentence in re.split(r"(?<=[.!?]) ", text):
            assert len(sentence.split()) <= 25, sentence
    assert ("--min-documents" in str(answer)) is command


def test_every_code_has_words_and_all_words_have_a_code():
    source = (ROOT / "core" / "corpora" / "audit.py").read_text(encoding="utf-8")
    for code, words in WARNINGS.items():
        assert f'"{code}"' in source
        assert words.why.endswith(".") and words.fix.endswith(".") and not words.short.endswith(".")
    found = {each.code for rows in (MESSY, CLEAN) for each in answer_of(rows, at_least=3).numbers.warnings}
    assert found <= set(WARNINGS)


def test_data_names_options_of_the_command_line():
    (warning,) = answer_of(CLEAN, at_least=5).data["warnings"]
    assert warning["code"] == "small-topics" and warning["text"] == "2 of 2 topics have fewer than 5 documents."
    assert "--min-documents" in warning["remedy"]


def test_a_reading_caution_only_where_most_texts_are_long():
    assert read_in_part(make_corpus(["word " * 300, "word " * 301, "short"], ["a", "b", "b"])) is not None
    assert read_in_part(make_corpus(["word " * 300, "two", "short"], ["a", "b", "b"])) is None
