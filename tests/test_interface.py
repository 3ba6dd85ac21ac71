"""Leakscope from Python, as a notebook would use it: the public names only, on the bundled corpus."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

import core as leakscope
import core.splits
import core.statistics
from core.__main__ import main
from core.corpora import make_corpus, take
from core.models.attribution import CLASSIFIERS
from core.vectors import make_encoder, without_vectors
from tests.conftest import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_a_morning_with_a_corpus():
    # What is in my corpus?
    corpus = leakscope.bundled_corpus()
    found = leakscope.audit(corpus)
    assert (len(corpus), len(corpus.topic_names)) == (1500, 24)
    assert found.counts.sum() == len(corpus)

    # Does a split of it leak?
    study = leakscope.Study.of(corpus)
    answer = study.verdict(k=6)
    assert answer.level == "bad" and answer.headline.startswith("Yes")
    vectors, verdict = study.vectors, answer.numbers.verdict
    assert verdict.keep_interval[0] <= verdict.keep <= verdict.keep_interval[1]
    assert 2 <= verdict.keep < 24

    # Which topics are similar, and which should I keep?
    space = leakscope.topic_space(vectors.matrix, corpus.topic_codes, corpus.topic_names)
    assert space.similarity.shape == (24, 24)
    kept = leakscope.hits_path(space.similarity).order[: verdict.keep]
    assert space.similarity[np.ix_(kept, kept)][~np.eye(len(kept), dtype=bool)].max() < verdict.threshold

    # What do cross-topic folds leak, beside ordinary ones?
    by_topic = leakscope.make_folds(corpus, scheme="topic-kfold", k=6, seed=0)
    ordinary = leakscope.make_folds(corpus, scheme="kfold", k=6, seed=0)
    assert leakscope.fold_leakage(by_topic, space).average_max < leakscope.fold_leakage(ordinary, space).average_max

    # Does similarity raise accuracy?
    run = leakscope.evaluate(corpus, by_topic, task="attribution", models=["char_svm", "topic_fit"])
    by_fold = leakscope.summarise(leakscope.fold_scores(run, corpus), "accuracy")
    assert by_fold["char_svm"].mean > by_fold["topic_fit"].mean
    by_topic_scores = {
        score.topics[0]: score.values["accuracy"]
        for score in leakscope.topic_scores(run, corpus)
        if score.model == "topic_fit"
    }
    nearest = np.array([np.delete(space.similarity[topic], topic).max() for topic in by_topic_scores])
    relation = leakscope.statistics.rank_relation(nearest, np.array(list(by_topic_scores.values())))
    assert relation.low <= relation.rho <= relation.high

    # Is one model better than the other?
    one, other = (
        [score.values["accuracy"] for score in leakscope.topic_scores(run, corpus) if score.model == model]
        for model in run.models
    )
    tests = leakscope.compare(one, other, kind="scores")
    assert tests["paired_t"].p < 0.05


def test_shuffled_labels_get_no_verdict_on_twins():
    """The short way checks what the long one has to be told to check."""
    corpus = leakscope.bundled_corpus()
    codes = np.random.default_rng(0).permutation(corpus.topic_codes)
    shuffled = make_corpus(corpus.texts, [corpus.topic_names[code] for code in codes])
    assert leakscope.Study.of(shuffled).verdict().data["level"] == "meaningless"


def test_an_encoder_is_named_or_brought():
    corpus = leakscope.bundled_corpus()
    named, brought = leakscope.embed(corpus, "sbert"), leakscope.embed(corpus, make_encoder("sbert"))
    assert named.shipped and np.array_equal(named.matrix, brought.matrix)
    small = make_corpus(
        ["red wine and bread", "bread and cheese", "stars and planets", "planets far away"], list("aabb")
    )
    assert np.array_equal(leakscope.embed(small, "lsa").matrix, leakscope.embed(small, make_encoder("lsa")).matrix)
    assert not leakscope.embed(small, "lsa").shipped


def test_the_verdict_is_that_of_the_command(capsys: pytest.CaptureFixture[str]):
    corpus = leakscope.bundled_corpus()
    main(["verdict", "demo", "--k", "4", "--similarity", "plain", "--json"])
    command = json.loads(capsys.readouterr().out)
    assert leakscope.Study.of(corpus, similarity="plain").verdict(k=4).data == command


def test_verification_pairs_inside_a_side_of_a_fold():
    corpus = leakscope.bundled_corpus()
    fold = next(iter(leakscope.make_folds(corpus, scheme="topic-kfold", k=6, seed=0)))
    pairs = leakscope.splits.make_pairs(corpus, fold.test, seed=0)
    assert {*pairs.first, *pairs.second} <= set(fold.test)
    assert pairs.same.mean() == 0.5


def test_the_example_in_the_readme_runs(tiny_csv: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "my.csv").write_bytes(tiny_csv)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "leakscope", leakscope)
    example, _ = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    seen: dict[str, object] = {}
    exec(example, seen)
    assert 0 <= seen["accuracy"] <= 1
    assert set(seen["kept"]) <= {"bread", "cakes", "stars"}


def test_the_example_of_splitters_in_the_readme_runs(monkeypatch: pytest.MonkeyPatch):
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import RidgeClassifier
    from sklearn.pipeline import make_pipeline

    monkeypatch.setitem(sys.modules, "leakscope", leakscope)
    _, example = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    rng = np.random.default_rng(0)
    codes = np.repeat(np.arange(22), 6)
    seen: dict[str, object] = {
        "vectors": (rng.normal(size=(22, 8))[codes] + 0.3 * rng.normal(size=(132, 8))),
        "authors": np.tile(["ann", "bob"], 66),
        "topics": [f"t{code:02}" for code in codes],
        "texts": [f"word{code} other" for code in codes],
        "model": RidgeClassifier(),
        "pipeline": make_pipeline(TfidfVectorizer(), RidgeClassifier()),
        "grid": {"ridgeclassifier__alpha": [0.1, 1.0]},
    }
    exec(example, seen)
    assert seen["search"].n_splits_ == 5


def test_the_readme_names_the_whole_interface():
    section = README.split("## From Python")[1].split("\n## ")[0]
    rows = "\n".join(line for line in section.splitlines() if line.startswith("| `"))
    assert set(re.findall(r"`(\w+)`", rows)) == set(leakscope.__all__) - {"__version__"}


def test_every_public_name_is_there_and_no_other():
    for name in leakscope.__all__:
        assert getattr(leakscope, name) is not None
        assert name in dir(leakscope)
    with pytest.raises(AttributeError, match="no attribute 'reed'"):
        leakscope.reed  # noqa: B018


def test_bad_input_is_refused_in_words():
    with pytest.raises(leakscope.LeakscopeError, match="'bert'"):
        leakscope.embed(leakscope.bundled_corpus(), "bert")


def test_importing_it_costs_nothing():
    program = (
        "import sys, core; print([name for name in ('numpy', 'pandas', 'torch', 'streamlit') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


class Recorder(BaseEstimator, ClassifierMixin):
    """Answer the most frequent class, and write down every text it was fitted on."""

    def __init__(self, file: str = "") -> None:
        self.file = file

    def fit(self, texts: list[str], classes: np.ndarray) -> "Recorder":
        with open(self.file, "a", encoding="utf-8") as opened:
            opened.write(json.dumps(texts) + "\n")
        self.answer_ = max(sorted(set(classes)), key=list(classes).count)
        return self

    def predict(self, texts: list[str]) -> np.ndarray:
        return np.full(len(texts), self.answer_)


@pytest.fixture(autouse=True)
def _same_models_afterwards() -> Iterator[None]:
    before = dict(CLASSIFIERS)
    yield
    CLASSIFIERS.clear()
    CLASSIFIERS.update(before)


@pytest.fixture(scope="module")
def small() -> leakscope.Study:
    corpus = leakscope.bundled_corpus()
    return leakscope.Study.of(take(corpus, np.arange(0, len(corpus), 4)), encoder="lsa")


def test_an_estimator_of_my_own_runs_on_folds_and_never_sees_a_test_text(small: leakscope.Study, tmp_path: Path):
    mine = make_pipeline(TfidfVectorizer(), LogisticRegression())
    recorder = Recorder(str(tmp_path / "seen.jsonl"))
    answer = small.evaluate({"mine": mine, "recorder": recorder}, k=3)
    scores = {name: each["accuracy"]["mean"] for name, each in answer.data["summary"].items()}
    assert scores["mine"] > scores["recorder"] > 0
    seen = [set(json.loads(line)) for line in Path(recorder.file).read_text(encoding="utf-8").splitlines()]
    sides = [{small.corpus.texts[row] for row in fold.train} for fold in answer.numbers.run.folds]
    assert len(seen) == 3 and all(texts in sides for texts in seen)


def test_estimators_join_the_curve_and_the_forecast(small: leakscope.Study):
    mine = make_pipeline(TfidfVectorizer(), LinearSVC())
    assert "mine" in small.curve({"mine": mine}, draws=1).data["models"]
    assert "mine" in small.forecast({"mine": mine}).data["models"]


class Failing(Recorder):
    """Refuse every text."""

    def fit(self, texts: list[str], classes: np.ndarray) -> "Recorder":
        raise TypeError("Sparse data was passed, but dense data is required.")


@pytest.mark.parametrize(
    "estimator, sentence",
    [
        (TfidfVectorizer(), "has no fit and predict. Give a scikit-learn classifier"),
        (SimpleNamespace(fit=print, predict=print), "cannot be cloned"),
        (Failing(), "could not be fitted on texts. It raised TypeError: Sparse data was passed"),
    ],
)
def test_estimators_that_cannot_run_are_refused_with_a_sentence(
    small: leakscope.Study, estimator: object, sentence: str
):
    with pytest.raises(leakscope.LeakscopeError, match=sentence):
        small.evaluate({"mine": estimator}, k=2)


def test_estimators_need_a_name_and_a_question_about_single_texts(small: leakscope.Study):
    with pytest.raises(leakscope.LeakscopeError, match="A model is called 1. Give it a name in letters"):
        small.evaluate({1: LinearSVC()}, k=2)
    with pytest.raises(leakscope.LeakscopeError, match="shortcut asks about pairs of texts"):
        small.shortcut({"mine": LinearSVC()})


def test_an_estimator_does_not_replace_a_built_in_model(small: leakscope.Study):
    with pytest.raises(leakscope.LeakscopeError, match="'max_ent' is a built-in model"):
        small.evaluate({"max_ent": LinearSVC()}, k=2)


def test_logistic_regression_on_vectors_runs_on_folds_and_along_the_curve():
    corpus = leakscope.bundled_corpus()
    study = leakscope.Study.of(corpus)
    mean = study.evaluate(("vector_max_ent",), k=3).data["summary"]["vector_max_ent"]["accuracy"]["mean"]
    assert mean > 2 / len(corpus.author_names)
    curve = study.curve(("vector_max_ent",), levels="0,0.5", draws=1).data["models"]["vector_max_ent"]
    assert 0 < curve["scores"][1] <= curve["scores"][0] <= 1


def test_logistic_regression_takes_the_vectors_of_any_encoder_but_not_similarities_alone(small: leakscope.Study):
    assert "vector_max_ent" in small.models("attribution", by_choice=True)
    assert small.evaluate(("vector_max_ent",), k=2).data["summary"]["vector_max_ent"]["accuracy"]["mean"] > 0
    alone = leakscope.Study(small.corpus, without_vectors(small.corpus, np.eye(len(small.corpus.topic_names))))
    assert "vector_max_ent" not in alone.models("attribution", by_choice=True)


def test_built_in_models_run_beside_an_estimator(small: leakscope.Study):
    both = small.evaluate({"mine": make_pipeline(TfidfVectorizer(), LinearSVC())}, k=2, beside=["max_ent"])
    assert set(both.data["summary"]) == {"mine", "max_ent"}


def test_answers_from_a_file_join_the_models_of_a_run(small: leakscope.Study, tmp_path: Path):
    table = small.folds_table(k=3)
    run = small.evaluate(("max_ent",), k=3).numbers.run
    names = np.array(small.corpus.author_names)
    tested = [
        (small.corpus.ids[row], each.fold + 1, names[int(code)])
        for each in run.evaluation.runs
        for row, code in zip(run.evaluation.questions[each.fold].lead, each.answers, strict=True)
    ]
    assert sorted(zip(table[table["side"] == "test"]["id"], table[table["side"] == "test"]["fold"], strict=True)) == (
        sorted((id, fold) for id, fold, _ in tested)
    )
    file = tmp_path / "theirs.csv"
    file.write_text("id,fold,prediction\n" + "".join(f"{','.join(map(str, row))}\n" for row in tested))
    data = small.evaluate(("max_ent",), k=3, answers=[file]).data["summary"]
    assert data["theirs"] == data["max_ent"]
    answer = small.significance(k=3, answers=[file], a="max_ent", b="theirs")
    assert answer.data["mean_difference"] == 0
    assert "theirs" not in small.evaluate(("max_ent",), k=3).data["summary"]
    with pytest.raises(leakscope.LeakscopeError, match="Answers from files are to folds"):
        small.hits(answers=[file])
