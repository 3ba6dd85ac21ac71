"""Bad input of folds, evaluate and score is one line on stderr and exit code 2."""

import pytest

from core.__main__ import main
from tests.core.command_runs import ATTRIBUTION, VERIFICATION, written


def refused(capsys, *arguments: str) -> str:
    code = main([*arguments, "--json"])
    out, err = capsys.readouterr()
    assert (code, out) == (2, "")
    return err.strip().splitlines()[-1]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["folds", "{file}", "--encoder", "lsa", "--k", "7"], "choose k from 2 to 6"),
        (["folds", "{file}", "--encoder", "lsa", "--sampler", "hits", "--m", "3", "--k", "4"], "choose k from 2 to 3"),
        (["folds", "{file}", "--encoder", "lsa", "--k", "1"], "at least 2 folds"),
        (["folds", "{file}", "--encoder", "lsa", "--sampler", "random", "--m", "7"], "choose m from 1 to 6"),
        (["folds", "{file}", "--encoder", "lsa", "--sampler", "hits", "--m", "1"], "choose m from 2 to 6"),
        (["folds", "{file}", "--sampler", "hit"], "Did you mean 'hits'?"),
        (["folds", "{file}", "--scheme", "k-fold"], "Did you mean 'kfold'?"),
        (["folds", "{file}", "--encoder", "lsa", "--scheme", "kfold", "--k", "99"], "no author has more than 12"),
        (["folds", "{nobody}", "--encoder", "lsa", "--scheme", "kfold", "--k", "2"], "names no authors"),
        (
            ["evaluate", "{file}", "--task", "verificaton"],
            "No task is called 'verificaton'. Did you mean 'verification'?",
        ),
        (["evaluate", "{file}", "--task", "attribution", "--models", "char_smv"], "Did you mean 'char_svm'?"),
        (["evaluate", "{file}", "--task", "attribution", "--models", "ppm"], "No attribution model is called 'ppm'"),
        (["evaluate", "{file}", "--task", "attribution", "--models", ","], "names no model"),
        (
            ["evaluate", "{file}", "--task", "verification", "--models", "luar", "--luar-weights", "nowhere"],
            "nowhere is no folder; name one that holds config.json, model.safetensors, tokenizer.json",
        ),
        (["evaluate", "{nobody}", *ATTRIBUTION, "--k", "2"], "names no authors"),
        (["evaluate", "{nobody}", *VERIFICATION, "--k", "2"], "names no authors"),
        (["evaluate", "{one}", *ATTRIBUTION, "--k", "2"], "attribution needs two or more"),
        (["evaluate", "{one}", *VERIFICATION, "--k", "2"], "No fold could be run. The test side cannot be paired"),
        (
            ["evaluate", "{file}", *VERIFICATION, "--k", "3", "--sampler", "hits", "--encoder", "lsaa"],
            "Did you mean 'lsa'?",
        ),
        (["score", "nowhere.jsonl", "{file}"], "nowhere.jsonl: there is no such file"),
        (["score", "{file}", "{file}"], "line 1 is not JSON"),
        (["score", "{file}", "{file}", "{file}"], "given twice"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(capsys, tmp_path, arguments, words):
    files = {
        "{file}": written(tmp_path),
        "{nobody}": written(tmp_path, column="writer"),
        "{one}": written(tmp_path, authors=1),
    }
    assert words in refused(capsys, *[files.get(argument, argument) for argument in arguments])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["folds", "demo", "--seed", "-1"], "choose one from 0"),
        (["folds", "demo", "--k", "two"], "argument --k"),
        (["evaluate", "demo"], "--task"),
        (["score", "truth.jsonl"], "ANSWERS"),
        (["fold", "demo"], "folds"),
    ],
)
def test_bad_options_are_one_line_too(capsys, arguments, words):
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    (line,) = capsys.readouterr().err.splitlines()
    assert stopped.value.code == 2
    assert words in line
