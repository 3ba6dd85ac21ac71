"""`report`: the file, its JSON, and what is refused before anything takes long."""

import json

import pytest

from core.__main__ import main
from tests.core.command_runs import written
from tests.core.made_corpora import Page


def refused(capsys, *arguments):
    assert main(["report", *arguments]) == 2
    return capsys.readouterr().err.strip().splitlines()[-1]


def test_the_file_is_written_and_described(capsys, tmp_path):
    target = tmp_path / "r.html"
    command = ["report", written(tmp_path), "--encoder", "lsa", "--out", str(target), "--k", "2", "--m", "3"]
    assert main([*command, "--pages", "overview,hits", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert list(answer["answers"]) == ["overview", "hits"] and answer["out"] == str(target)
    assert answer["bytes"] == target.stat().st_size < 8_000_000 and answer["figures"] == 5
    page = target.read_text(encoding="utf-8")
    assert "Folds of topics (k): 2" in page and "Topics to keep (m): 3" in page


def test_what_is_wrong_is_said_in_a_line(capsys, tmp_path):
    file = written(tmp_path)
    assert "end its name in .html" in refused(capsys, file, "--out", str(tmp_path / "r.pdf"))
    assert "No page is called 'hit'. Did you mean 'hits'?" in refused(capsys, file, "--out", "r.html", "--pages", "hit")
    assert "--pages names no page" in refused(capsys, file, "--out", "r.html", "--pages", ", ,")
    assert "there is no folder" in refused(capsys, file, "--out", str(tmp_path / "none" / "r.html"))


def test_one_topic_is_a_sentence(capsys, tmp_path):
    file = tmp_path / "one.csv"
    file.write_text("text,topic\na b c,x\nd e f,x\n")
    assert "at least 2 topics" in refused(capsys, str(file), "--out", str(tmp_path / "r.html"))
    assert not (tmp_path / "r.html").exists()


@pytest.mark.parametrize("pages", ["all"])
def test_all_is_every_page_and_says_what_is_missing(capsys, tmp_path, pages):
    target = tmp_path / "r.html"
    assert (
        main(["report", written(tmp_path), "--encoder", "lsa", "--out", str(target), "--pages", pages, "--json"]) == 0
    )
    answer = json.loads(capsys.readouterr().out)
    assert {"overview", "corpus", "topic_map", "hits", "design", "accuracy"} <= set(answer["answers"])
    assert answer["left_out"]["Check a split"].startswith("This corpus has no split")


def test_filters_of_authors_are_among_its_settings(capsys, tmp_path):
    target = tmp_path / "r.html"
    command = ["report", written(tmp_path), "--encoder", "lsa", "--out", str(target), "--pages", "corpus"]
    assert main([*command, "--author-documents", "2", "--most-authors", "3"]) == 0
    page = Page(target.read_text(encoding="utf-8")).text
    assert "Minimum documents per author2" in page and "Most frequent authors3" in page
