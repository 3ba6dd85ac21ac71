"""`evaluate` refuses what does not fit before anything runs, with the options to type; with these it fits."""

from pathlib import Path

import pytest

from core.__main__ import main

CORES, ALLOWED = 2, 1_800  # megabytes; a process takes 400


def write(path, *, prolific_topics):
    """Authors of one text write on eight topics, authors of two on this many of these."""
    rows = ["text,topic,author"]
    for author in range(400):
        texts, topics = (1, 8) if author < 200 else (2, prolific_topics)
        for text in range(texts):
            words = " ".join(f"word{(author * 7 + text * 5 + number) % 3000}" for number in range(75))
            rows.append(f"{words},topic {(author + text) % topics},author {author:03}")
    Path(path).write_text("\n".join(rows), encoding="utf-8")


@pytest.fixture
def many(tmp_path, monkeypatch):
    """A file of 400 authors of one or two texts, on a machine of little memory; models must not be run."""
    monkeypatch.setattr("core.evaluation.run.cores", lambda: CORES)
    monkeypatch.setenv("LEAKSCOPE_JOB_MEMORY", str(ALLOWED))
    write(tmp_path / "many.csv", prolific_topics=8)
    monkeypatch.setattr("core.cli.evaluate.evaluate", _must_not_run)
    return str(tmp_path / "many.csv")


class Ran(Exception):
    """Raised in place of running models."""


def _must_not_run(*_args, **_choices):
    raise Ran


def refused(capsys, *arguments: str) -> str:
    assert main([*arguments]) == 2
    return capsys.readouterr().err.strip().splitlines()[-1]


def test_what_does_not_fit_is_refused_with_options_that_do(capsys, many):
    said = refused(capsys, "evaluate", many, "--task", "attribution", "--k", "8")
    assert "Maximum entropy keeps weights for every word and each of 400 authors" in said
    assert said.endswith(". Add --models char_svm,topic_fit or --author-documents 2 or --most-authors 200.")
    for options in (["--models", "char_svm,topic_fit"], ["--author-documents", "2"], ["--most-authors", "200"]):
        with pytest.raises(Ran):
            main(["evaluate", many, "--task", "attribution", "--k", "8", *options])


def test_options_that_leave_fewer_topics_than_folds_name_folds_that_fit(capsys, many):
    write(many, prolific_topics=3)
    said = refused(capsys, "evaluate", many, "--task", "attribution", "--k", "8")
    assert said.endswith("or --author-documents 2 --k 3 or --most-authors 200 --k 3.")
    with pytest.raises(Ran):
        main(["evaluate", many, "--task", "attribution", "--author-documents", "2", "--k", "3"])


def test_where_nothing_would_fit_no_option_is_promised(capsys, many, monkeypatch):
    monkeypatch.setenv("LEAKSCOPE_JOB_MEMORY", "100")
    said = refused(capsys, "evaluate", many, "--task", "attribution", "--k", "8")
    assert said.endswith(". Choose fewer --models or --most-authors, or use a machine with more memory.")
