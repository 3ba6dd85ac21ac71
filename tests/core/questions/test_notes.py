"""Every note that core makes has a sentence, with a place for each of its values."""

import ast
from inspect import signature

from core.notes import Note
from core.questions import sentences_of
from core.questions.notes import SENTENCES
from tests.conftest import ROOT


def test_every_note_has_a_sentence_and_every_sentence_a_note():
    made: dict[str, set[int]] = {}
    for file in (ROOT / "core").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Note":
                code, values = node.args[0], node.args[1] if len(node.args) > 1 else ast.Tuple([])
                assert isinstance(code, ast.Constant) and isinstance(values, ast.Tuple), ast.unparse(node)
                made.setdefault(str(code.value), set()).add(len(values.elts))
    assert made == {code: {len(signature(words).parameters)} for code, words in SENTENCES.items()}


def test_sentences_count_and_name():
    cases = {
        Note("rare authors", (1, 3, 5)): "1 of 3 authors has fewer than 5 documents, so not every fold tests them.",
        Note("lone authors", (2,)): "2 authors have one document each, tested without any of theirs in training.",
        Note(
            "topics on both sides", (1, 7)
        ): "1 of 7 topics is in training and test of one fold; a topic against itself counts with a similarity of 1.",
        Note(
            "large topics", (("a", "b"), 28)
        ): "'a' and 'b' have more than the 28 documents a fold may hold, so each is a fold of its own.",
        Note(
            "large cluster", (("a",), 0.8, 0.4, 3, 2, "")
        ): "'a' has 80% of the documents; one of 3 folds holds at most 40%.",
        Note(
            "large cluster", (("a", "b", "c"), 0.8, 0.4, 3, 1, "b")
        ): "3 topics form one near-twin cluster with 80% of the "
        "documents ('a', 'b' and 'c'). A fold holds at most 40%, so some near twins are separated. Kept together, they leave room "
        "for 1 other fold at most. Drop 'b', choose fewer folds, or allow less even ones.",
    }
    assert dict(zip(cases, sentences_of(cases), strict=True)) == cases
    assert sentences_of(["what a file says of itself"]) == ("what a file says of itself",)
