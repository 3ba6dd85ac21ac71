"""The style check finds what it is for and leaves quotations alone; `make check` runs it over all texts."""

from pathlib import Path

from tools import voice


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
    assert [line.split() for _, line in voice.prose(file) if line.strip()] == [["Use", ",", "."], ["The", "end."]]


def test_every_headline_reason_and_caution_is_read():
    kinds = {place.split(":")[0] for place, _ in voice.said("[-!")}
    assert len(kinds) == len(voice.SNAPSHOTS)
