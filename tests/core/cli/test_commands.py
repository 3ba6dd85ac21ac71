"""The commands on folds, models and answers: contract keys, values as core gives them, and seeds."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from core.__main__ import main, parser
from core.cli import COMMANDS
from core.demo import bundled_corpus, bundled_vectors
from core.evaluation import TASKS, evaluate, fold_scores, mean_baselines, summarise
from core.models import METRICS
from core.splits import fold_leakage, make_folds
from core.topics import make_setup, topic_space
from core.vectors import make_encoder
from tests.core.command_runs import ATTRIBUTION, TOPICS, VERIFICATION, answered, written
from tests.core.questions.studies import bundled


@pytest.fixture
def small(tmp_path) -> str:
    return written(tmp_path)


def watch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make stderr a terminal, the only place where progress is shown."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)


def demo_setup(sampler: str, m: int, seed: int):
    corpus = bundled_corpus()
    vectors = bundled_vectors(corpus, make_encoder("sbert"))
    space = topic_space(vectors.matrix, corpus.topic_codes, corpus.topic_names)
    return make_setup(corpus, vectors.matrix, space, sampler=sampler, m=m, seed=seed)


def test_every_command_is_in_the_registry_and_documented():
    assert list(parser()._subparsers._group_actions[0].choices) == list(COMMANDS)
    assert {name: command.load().run.__doc__ for name, command in COMMANDS.items()} == {
        name: command.about for name, command in COMMANDS.items()
    }


@pytest.mark.parametrize("sampler", ["hits", "random"])
def test_folds_gives_what_core_gives(capsys, sampler):
    answer, _ = answered(capsys, "folds", "demo", "--sampler", sampler, "--m", "9", "--k", "4", "--seed", "3")
    setup = demo_setup(sampler, 9, 3)
    folds = make_folds(setup.corpus, scheme="topic-kfold", k=4, seed=3)
    leakage = fold_leakage(folds, setup.space)
    assert {"folds", "mean", "max", "worst_pairs"} <= set(answer)
    assert (answer["mean"], answer["max"]) == (leakage.average_mean, leakage.average_max)
    assert answer["mean"] == pytest.approx(np.mean([fold["mean"] for fold in answer["folds"]]))
    names = setup.corpus.topic_names
    for number, (shown, fold) in enumerate(zip(answer["folds"], folds, strict=True)):
        assert set(shown) == {"train", "test", "mean", "max", "nearest"}
        assert shown["train"] == [names[topic] for topic in fold.train_topics]
        assert shown["test"] == [names[topic] for topic in fold.test_topics] == list(shown["nearest"])
        assert not set(shown["train"]) & set(shown["test"])
        assert set(shown["nearest"].values()) <= set(shown["train"])
        assert (shown["mean"], shown["max"]) == (leakage.mean[number], leakage.max[number])
    similarities = [pair["similarity"] for pair in answer["worst_pairs"]]
    assert similarities == sorted(similarities, reverse=True)
    assert similarities[0] == pytest.approx(leakage.max.max())
    bootstrap = bundled().bootstrap
    for pair in answer["worst_pairs"]:
        assert set(pair) == {"train", "test", "similarity", "interval"}
        row, column = (bundled().corpus.topic_names.index(pair[side]) for side in ("train", "test"))
        assert pair["interval"] == [bootstrap.low[row, column], bootstrap.high[row, column]]
        assert any(pair["train"] in fold["train"] and pair["test"] in fold["test"] for fold in answer["folds"])


def test_the_seed_draws_folds_and_the_random_sample(capsys):
    def topics(sampler: str, seed: str) -> tuple[list[list[str]], set[str]]:
        found, _ = answered(capsys, "folds", "demo", "--sampler", sampler, "--m", "8", "--k", "2", "--seed", seed)
        tests = [fold["test"] for fold in found["folds"]]
        return tests, {topic for test in tests for topic in test}

    assert topics("random", "1") == topics("random", "1")
    assert topics("random", "1")[1] != topics("random", "2")[1]
    assert topics("hits", "1")[0] != topics("hits", "2")[0]
    assert topics("hits", "1")[1] == topics("hits", "2")[1], "HITS has no randomness"


def test_the_schemes(capsys, small):
    one_out, _ = answered(capsys, "folds", small, "--encoder", "lsa", "--scheme", "leave-one-topic-out")
    assert [fold["test"] for fold in one_out["folds"]] == [[topic] for topic in sorted(TOPICS)]
    shared, _ = answered(capsys, "folds", small, "--encoder", "lsa", "--scheme", "kfold", "--k", "2", "--m", "3")
    assert all(fold["max"] == pytest.approx(1) for fold in shared["folds"]), "every topic is on both sides"
    assert any("both" in note or "training and test" in note for note in shared["notes"])
    assert any("--m has no effect" in note for note in shared["notes"])


def test_folds_on_the_users_own_vectors(capsys, small, tmp_path):
    file = tmp_path / "v.npy"
    np.save(file, np.repeat(np.eye(6, dtype=np.float32), 6, axis=0) + 0.1)
    answer, _ = answered(capsys, "folds", small, "--vectors", str(file), "--k", "3")
    cosine = (2 * 1.1 * 0.1 + 4 * 0.1**2) / (1.1**2 + 5 * 0.1**2)
    assert (answer["mean"], answer["max"]) == (pytest.approx(cosine), pytest.approx(cosine))


@pytest.mark.parametrize("calibration", ["thresholds", "temperature", "platt"])
def test_evaluate_calibrates_and_says_whether_answers_mean_what_they_say(tmp_path, capsys, calibration):
    file = written(tmp_path, authors=3)
    options = ("--task", "verification", "--models", "char_ngram", "--k", "2", "--calibration", calibration)
    found, _ = answered(capsys, "evaluate", file, *options)
    assert found["calibration"] == calibration
    told = found["reliability"]["char_ngram"]
    assert sum(each["count"] for each in told["bins"]) == told["answered"]
    assert told["answered"] + told["unanswered"] == found["baselines"]["questions"]
    ece = sum(each["count"] * abs(each["mean"] - each["share"]) for each in told["bins"]) / max(told["answered"], 1)
    assert told["ece"] is None or abs(told["ece"] - ece) < 1e-9


@pytest.mark.parametrize("task", ["verification", "attribution"])
def test_evaluate_gives_what_core_gives(capsys, monkeypatch, task):
    watch(monkeypatch)
    models = ["topic_fit"] if task == "verification" else ["topic_fit", "char_svm"]
    options = ("--sampler", "hits", "--m", "5", "--scheme", "topic-kfold", "--k", "2", "--seed", "1")
    answer, err = answered(capsys, "evaluate", "demo", "--task", task, "--models", ",".join(models), *options)
    corpus = demo_setup("hits", 5, 1).corpus
    folds = make_folds(corpus, scheme="topic-kfold", k=2, seed=1)
    run = evaluate(corpus, folds, task=task, models=models, seed=1)
    scores = fold_scores(run, corpus)
    assert {"scores", "summary", "baselines", "skipped"} <= set(answer)
    told = mean_baselines(run, corpus)
    for name in ("majority", "seen_authors", "gap", "topic_oracle_auc", "questions", "left_out"):
        expected = None if np.isnan(getattr(told, name)) else getattr(told, name)
        assert answer["baselines"][name] == expected
    assert [each["questions"] for each in answer["baselines"]["folds"]] == [len(each.truth) for each in run.questions]
    assert answer["skipped"] == []
    for shown, score in zip(answer["scores"], scores, strict=True):
        values = dict(shown)
        assert (values.pop("model"), values.pop("fold"), values.pop("documents")) == (
            score.model, score.fold, score.documents,
        )  # fmt: skip
        assert values.pop("questions") == score.questions > 0
        assert values.pop("topics") == [corpus.topic_names[topic] for topic in score.topics]
        assert values == pytest.approx(score.values)
    metrics = set(METRICS) if task == "verification" else {"accuracy", "macro_f1"}
    assert list(answer["summary"]) == models
    for model, by_metric in answer["summary"].items():
        assert set(by_metric) == metrics
        for metric, summary in by_metric.items():
            expected = summarise(scores, metric)[model]
            assert summary == pytest.approx({"mean": expected.mean, "sd": expected.sd, "se": expected.se})
    assert f"{2 * len(models)} of {2 * len(models)} runs" in err
    again, err = answered(capsys, "evaluate", "demo", "--task", task, "--models", ",".join(models), *options)
    assert again == answer
    assert "s left" not in err, "kept answers are not computed again"


def test_all_topics_need_no_vectors(capsys, small, monkeypatch):
    monkeypatch.setattr("core.cli.evaluate.vectors_of", lambda *_: pytest.fail("embedded for nothing"))
    answer, _ = answered(capsys, "evaluate", small, *ATTRIBUTION, "--scheme", "leave-one-topic-out")
    assert [score["topics"] for score in answer["scores"]] == [[topic] for topic in sorted(TOPICS)]


def test_a_model_of_sbert_gets_sbert_whatever_the_encoder(capsys):
    options = ("demo", "--task", "verification", "--models", "sbert_cosine", "--k", "2")
    plain, _ = answered(capsys, "evaluate", *options)
    other, _ = answered(capsys, "evaluate", *options, "--encoder", "lsa")
    assert plain == other
    assert plain["scores"][0]["auc"] > 0.5


def test_all_models_but_those_run_by_choice_are_the_default(capsys, small, monkeypatch):
    seen = []

    def noted(*_, models, **__):
        seen.extend(models)
        raise KeyboardInterrupt

    monkeypatch.setattr("core.cli.evaluate.evaluate", noted)
    assert main(["evaluate", small, "--task", "attribution", "--k", "2"]) == 130
    assert seen == [name for name, kind in TASKS["attribution"].models.items() if not kind.by_choice]
    assert capsys.readouterr().err.strip() == "Stopped; what was finished is kept."


def test_a_fold_that_cannot_be_run_leaves_the_others(capsys, tmp_path):
    file = written(tmp_path, lone=("bread",))
    answer, err = answered(capsys, "evaluate", file, *VERIFICATION, "--scheme", "leave-one-topic-out")
    bread, *others = answer["scores"]
    assert bread["topics"] == ["bread"] and bread["documents"] == 6
    assert all(bread[metric] is None for metric in METRICS)
    assert all(score["brier"] is not None for score in others)
    (note,) = [note for note in answer["notes"] if "bread" in note]
    assert note.startswith("TopicFit, fold 1 of 6 (bread): The test side cannot be paired")
    assert note in err
    (skipped,) = answer["skipped"]
    assert (skipped["fold"], skipped["models"]) == (0, ["topic_fit"])
    assert skipped["reason"].startswith("The test side cannot be paired")
    assert answer["baselines"]["folds"][0]["majority"] is None
    assert answer["baselines"]["questions"] == sum(score["questions"] for score in others)
    weighted = np.mean([score["brier"] for score in others])  # all folds have six documents
    assert answer["summary"]["topic_fit"]["brier"]["mean"] == pytest.approx(weighted)


def test_pairs_are_matched_unless_the_papers_are_asked_for(capsys, small):
    matched, _ = answered(capsys, "evaluate", small, *VERIFICATION, "--k", "2")
    paper, _ = answered(capsys, "evaluate", small, *VERIFICATION, "--k", "2", "--pairs", "paper")
    assert (matched["pairs"], paper["pairs"]) == ("matched", "paper")
    assert (matched["baselines"]["gap"], matched["baselines"]["topic_oracle_auc"]) == (0, 0.5)
    assert paper["baselines"]["gap"] != 0 and paper["baselines"]["topic_oracle_auc"] > 0.5
    assert matched["scores"] != paper["scores"]
    assert main(["evaluate", small, *VERIFICATION, "--pairs", "mixed"]) == 2
    assert "No pairs is called 'mixed'. Choose one of: matched, paper." in capsys.readouterr().err
    named, _ = answered(capsys, "evaluate", small, *ATTRIBUTION, "--k", "2")
    assert "pairs" not in named and named["baselines"]["gap"] is None


def test_undefined_values_are_null(capsys, tmp_path):
    file = written(tmp_path, authors=2)
    answer, _ = answered(capsys, "evaluate", file, *ATTRIBUTION, "--k", "2")
    assert {"precision", "recall", "f1"} <= set(answer["scores"][0]), "two authors"
    # An author's only text in a topic makes no pair there, so that a single fold can be tested.
    uneven = written(tmp_path, each=3, large=("soups",))
    single, _ = answered(capsys, "evaluate", uneven, *VERIFICATION, "--scheme", "leave-one-topic-out")
    defined = [score for score in single["scores"] if score["brier"] is not None]
    assert len(defined) == 1
    assert single["summary"]["topic_fit"]["brier"] == {"mean": defined[0]["brier"], "sd": None, "se": None}
    assert main(["evaluate", file, *ATTRIBUTION, "--k", "2"]) == 0
    assert "accuracy" in capsys.readouterr().out


@pytest.fixture
def pan(tmp_path):
    """PAN files: the truth of METHODS' worked example, and a writer of answers."""
    same = [True, True, True, False, False, False, True, False]
    truth = tmp_path / "truth.jsonl"
    truth.write_text("".join(f"{json.dumps({'id': f'p{n}', 'same': value})}\n" for n, value in enumerate(same)))

    def answers(path: str, scores: list[float]) -> str:
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(f"{json.dumps({'id': f'p{n}', 'value': value})}\n" for n, value in enumerate(scores)))
        return str(file)

    return str(truth), answers


def test_score_gives_the_worked_example(capsys, pan):
    truth, answers = pan
    example = answers("example.jsonl", [0.9, 0.7, 0.5, 0.2, 0.5, 0.6, 0.3, 0.1])
    answer, _ = answered(capsys, "score", truth, example, answers("silent.jsonl", [0.5] * 4))
    assert answer["systems"]["example"] == pytest.approx(
        {"auc": 0.78125, "c@1": 0.625, "f_05_u": 10 / 17, "F1": 2 / 3, "brier": 1 - 1.5 / 8,
         "overall": (0.78125 + 0.625 + 10 / 17 + 2 / 3) / 4}
    )  # fmt: skip
    silent = answer["systems"]["silent"]
    assert list(silent) == ["auc", "c@1", "f_05_u", "F1", "brier", "overall"]
    assert (silent["auc"], silent["F1"], silent["overall"]) == (0.5, 0.0, 0.125)
    assert answer["notes"][0] == "silent: 4 of 8 problems have no answer and count as 0.5: p4, p5, p6, p7."


def test_systems_are_called_by_folder_where_files_share_a_name(capsys, pan):
    truth, answers = pan
    files = [answers(path, [0.4]) for path in ("one/answers.jsonl", "two/answers.jsonl", "three.jsonl")]
    answer, _ = answered(capsys, "score", truth, *files)
    assert list(answer["systems"]) == ["one", "two", "three"]


def test_plain_output_says_undefined(capsys, pan):
    truth, answers = pan
    one_class = Path(truth)
    one_class.write_text("".join(f"{json.dumps({'id': f'p{n}', 'same': False})}\n" for n in range(4)))
    assert main(["score", truth, answers("system.jsonl", [0.1, 0.2, 0.3, 0.4])]) == 0
    assert "undefined" in capsys.readouterr().out


def test_hits_of_more_topics_than_a_matrix_holds_gives_the_same_path(capsys, small, tmp_path, monkeypatch):
    watch(monkeypatch)
    file = tmp_path / "v.npy"
    np.save(file, np.random.default_rng(0).normal(size=(36, 5)).astype(np.float32) + 0.6)
    asked = ("hits", small, "--vectors", str(file), "--m", "4")
    whole, _ = answered(capsys, *asked)
    for module in ("core.questions.hits", "core.topics.hits_blocks"):
        monkeypatch.setattr(f"{module}.MOST_IN_MATRIX", 5)
    answer, err = answered(capsys, *asked)
    assert set(answer) == set(whole)
    assert answer["selected"] == whole["selected"] and answer["m"] == 4
    assert [step["topic"] for step in answer["path"]] == [step["topic"] for step in whole["path"][:4]]
    assert answer["path"][0]["leakage"] is None
    for step, expected in zip(answer["path"][1:], whole["path"][1:4], strict=True):
        assert step["leakage"] == pytest.approx(expected["leakage"])
    assert answer["similarity"] == pytest.approx(whole["similarity"])
    assert answer["kept_share"] == {} and any("more than 5 topics" in note for note in answer["notes"])
    assert "4 of 4 topics" in err
    one, _ = answered(capsys, *asked[:-1], "1")
    assert one["similarity"] == {"mean": None, "max": None}
    every, _ = answered(capsys, *asked[:-2])
    assert [step["topic"] for step in every["path"]] == [step["topic"] for step in whole["path"]]
