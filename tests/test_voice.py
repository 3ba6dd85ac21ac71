"""The style check finds what it is for and leaves quotations alone; `make check` runs it over all texts."""

import ast
from pathlib import Path

from core.corpora import make_corpus
from core.render import Answer, Caution
from tools import read_aloud, voice


def test_avoided_words_are_found_as_words():
    found = [
        problem.split(":")[0] for problem in voice.avoided("It leans on topic beyond doubt: 95 % of it is dealt anew.")
    ]
    assert sorted(found) == ["'5 %'", "'anew'", "'beyond doubt'", "'dealt'", "'leans on'"]
    assert list(voice.avoided("A clear recommendation: measure surely, amend nothing, 95% of dealings.")) == []
    assert list(voice.avoided('Old links with "Least maximum" still work.')) == []


def test_code_and_formulas_are_not_prose(tmp_path: Path):
    file = tmp_path / "text.md"
    file.write_text("Use `--mend`, $anew$.\n\n    leans on\n\n```\ndealt\n```\nThe end.\n", encoding="utf-8")
    assert [line.split() for _, line in voice.prose(file) if line.strip()] == [["Use", "Code,", "."], ["The", "end."]]


def test_every_headline_reason_and_caution_is_read():
    kinds = {place.split(":")[0] for place, _ in voice.said("[-!")}
    assert len(kinds) == len(voice.SNAPSHOTS)


def test_strings_of_code_are_read_whole():
    code = 'def a():\n    """Say what is so."""\n    return f"dealt {1} anew", "one", "by lot or not"\n'
    found = sorted(text for _, text in voice.code_texts(ast.parse(code)))
    assert found == ["Say what is so.", "by lot or not", "dealt … anew"]


def test_reading_aloud_marks_long_sentences_and_leaves_no_text_out():
    long = "Word " + "word " * 25 + "end."
    answer = Answer("name", "Why?", "good", "Yes.", ("Short. " + long,), (Caution("code", "Take care."),))
    assert list(read_aloud.lines_of(answer)) == ["[good] Yes.", f"- Short. <<27>> {long}", "! code: Take care."]


def test_a_shuffled_sample_keeps_texts_and_labels():
    whole = make_corpus(list("abcdefgh"), list("uuuuvvvv"), authors=list("xyxyxyxy"))
    part = read_aloud.altered(whole, sample=6, shuffle=True)
    assert len(part) == 6 and set(part.texts) < set(whole.texts) and set(part.topic_names) == {"u", "v"}
    assert read_aloud.altered(whole, sample=None, shuffle=False) is whole


def test_docstrings_that_start_without_a_verb_are_named(tmp_path: Path, monkeypatch):
    file = tmp_path / "code.py"
    starts = {"Return the name.": False, "The name.": True, "An id.": True, "`x` as text.": True, "Answer it.": False}
    code = [f'def f{index}():\n    """{start}"""' for index, start in enumerate(starts)]
    file.write_text("\n".join(code), encoding="utf-8")
    monkeypatch.setattr(voice, "CODE", [file])
    monkeypatch.setattr(voice, "ROOT", tmp_path)
    found = list(voice.docstrings_without_a_verb())
    assert [each.split(":")[1] for each in found] == ["3", "5", "7"] and all("code.py" in each for each in found)
    assert sum(starts.values()) == len(found)


def test_a_percent_sign_has_no_space_before_it_in_formats_either():
    assert [list(voice.avoided(text)) != [] for text in ("… % of it", "%d %%", "%d %B", "95%", "{share:.0%}")] == [
        True,
        True,
        False,
        False,
        False,
    ]


def test_strings_of_scripts_are_read(tmp_path: Path, monkeypatch):
    file = tmp_path / "part.js"
    file.write_text('const alike = 5 % 2;\nsay("drawn anew", `${share} % kept`);\n', encoding="utf-8")
    monkeypatch.setattr(voice, "SCRIPTS", [file])
    monkeypatch.setattr(voice, "ROOT", tmp_path)
    assert [each.split(": ")[1] for each in voice.words_in_scripts()] == ["'anew'", "'… %'"]


def test_names_and_comments_are_read(tmp_path: Path, monkeypatch):
    file = tmp_path / "code.py"
    file.write_text("dealt = 1  # anew\n\n\ndef so_many(alike): ...\n", encoding="utf-8")
    monkeypatch.setattr(voice, "CODE", [file])
    monkeypatch.setattr(voice, "OTHER_CODE", [])
    monkeypatch.setattr(voice, "ROOT", tmp_path)
    assert sorted(each.split(" in the name ")[1] for each in voice.words_in_names()) == ["alike", "dealt", "so_many"]
    assert [each.split(": ")[1] for each in voice.words_in_comments()] == ["'anew'"]


def test_long_sentences_of_docs_and_labels_are_named(tmp_path: Path, monkeypatch):
    long = "This is " + "word " * 25 + "long."
    text, code = tmp_path / "text.md", tmp_path / "code.py"
    text.write_text(f"# Title\n\nShort.\n{long}\n\n- Item.\n\n| {long} |\n", encoding="utf-8")
    code.write_text(f'"""Docstring: {long}"""\n\nHELP = "{long}"\n', encoding="utf-8")
    monkeypatch.setattr(voice, "DOCS", [text])
    monkeypatch.setattr(voice, "CODE", [code])
    monkeypatch.setattr(voice, "ROOT", tmp_path)
    assert [each.split(": ")[0] for each in voice.long_sentences_in_docs()] == ["text.md:3"]
    assert [each.split(": ")[0] for each in voice.long_sentences_in_code()] == ["code.py:3"]


def test_a_list_is_no_sentence_and_a_source_ends_none():
    assert list(voice.too_long("here", "They are " + " · ".join("abcdefghijklmnopqrstuvwxyz") + ".")) == []
    assert voice.sentences("As in Neville et al. (2012). A ρ. t is") == ["As in Neville et al. (2012).", "A ρ.", "t is"]
