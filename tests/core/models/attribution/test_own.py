"""Estimators of one's own on labels of one's own: what they are given, what they may lack, and what is shown where they fail."""

import os
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GroupKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

from core.corpora import Corpus, make_corpus
from core.errors import LeakscopeError
from core.interface import NotebookStudy
from tests.core.test_label import reviews


class Lengths(TransformerMixin, BaseEstimator):
    """Turn texts into the number of words of a kind, per text."""

    def fit(self, texts: list[str], classes: object = None) -> "Lengths":
        return self

    def transform(self, texts: list[str]) -> np.ndarray:
        return np.array([[text.count("good"), text.count("bad"), len(text)] for text in texts], dtype=float)


class Dense(TransformerMixin, BaseEstimator):
    """Turn sparse counts into a dense table."""

    def fit(self, rows: object, classes: object = None) -> "Dense":
        return self

    def transform(self, rows: object) -> np.ndarray:
        return rows.toarray()


class Seen(ClassifierMixin, BaseEstimator):
    """Write down every text it is given with its class, by what it is given for; answer with a column."""

    def __init__(self, file: str = "") -> None:
        self.file = file

    def fit(self, texts: list[str], classes: np.ndarray) -> "Seen":
        self.answer_ = classes[0]
        self._note("fit", [f"{text}\t{name}" for text, name in zip(texts, classes.tolist(), strict=True)])
        return self

    def predict(self, texts: list[str]) -> np.ndarray:
        self._note("predict", texts)
        return np.full((len(texts), 1), self.answer_)

    def _note(self, what: str, texts: list[str]) -> None:
        with Path(self.file).open("a", encoding="utf-8") as opened:
            opened.write("".join(f"{what}\t{text}\n" for text in sorted(texts)) + "end\n")


class FailsOnce(Seen):
    """Refuse the training set that does not hold a certain text."""

    def __init__(self, file: str = "", needed: str = "") -> None:
        super().__init__(file)
        self.needed = needed

    def fit(self, texts: list[str], classes: np.ndarray) -> "FailsOnce":
        if self.needed not in texts:
            raise ValueError("a text is missing")
        self.answer_ = classes[0]
        return self

    def predict(self, texts: list[str]) -> np.ndarray:
        return np.full(len(texts), self.answer_)


def three_classes(*, lacking: bool = False) -> Corpus:
    """Make reviews with a neutral class, which one product may lack."""
    corpus = reviews(families=2, each=18)
    labels = ["neutral" if row % 3 == 0 else label for row, label in enumerate(corpus.authors)]
    if lacking:
        labels = [
            "positive" if topic == corpus.topic_names[0] and label == "neutral" else label
            for topic, label in zip(corpus.topics, labels, strict=True)
        ]
    return make_corpus(corpus.texts, corpus.topics, authors=labels, predicts="mood", name="three")


@pytest.fixture(scope="module")
def study() -> NotebookStudy:
    return NotebookStudy.of(reviews(families=2, each=12), encoder="lsa")


def mean_accuracy(study: NotebookStudy, estimator: object) -> float:
    return study.evaluate({"mine": estimator}, k=3).data["summary"]["mine"]["accuracy"]["mean"]


@pytest.mark.parametrize(
    "estimator",
    [
        make_pipeline(Lengths(), LogisticRegression()),
        make_pipeline(TfidfVectorizer(), RidgeClassifier()),
        make_pipeline(CountVectorizer(), Dense(), GaussianNB()),
    ],
    ids=["a transformer of one's own", "no probabilities", "dense input"],
)
def test_any_classifier_of_texts_runs(study: NotebookStudy, estimator: object):
    assert mean_accuracy(study, estimator) > 0.6


def test_it_is_fitted_on_training_texts_and_class_names_and_asked_about_test_texts(
    study: NotebookStudy, tmp_path: Path
):
    file = tmp_path / "seen.txt"
    answer = study.evaluate({"seen": Seen(str(file))}, k=3)
    groups = [part.splitlines() for part in file.read_text(encoding="utf-8").split("end\n") if part]
    given = {tuple(line for line in group) for group in groups}
    texts, names = study.corpus.texts, study.corpus.authors
    expected = set()
    for fold in answer.numbers.run.folds:
        expected.add(tuple(sorted(f"fit\t{texts[row]}\t{names[row]}" for row in fold.train)))
        expected.add(tuple(sorted(f"predict\t{texts[row]}" for row in fold.test)))
    assert given == expected


def test_the_curve_and_the_forecast_give_names_too_and_never_a_test_text(study: NotebookStudy, tmp_path: Path):
    truth = {f"{text}\t{name}" for text, name in zip(study.corpus.texts, study.corpus.authors, strict=True)}
    for question, choices in (("curve", {"draws": 1, "levels": "0,0.5"}), ("forecast", {})):
        file = tmp_path / question
        data = study.ask(question, {"seen": Seen(str(file))}, **choices).data
        assert "seen" in data["models"]
        fitted: set[str] = set()
        for group in (part.splitlines() for part in file.read_text(encoding="utf-8").split("end\n") if part):
            if group[0].startswith("fit"):
                fitted = {line.removeprefix("fit\t") for line in group}
                assert fitted <= truth
            else:
                assert not {line.removeprefix("predict\t") for line in group} & {line.split("\t")[0] for line in fitted}


def test_an_estimator_that_needs_dense_input_is_refused_with_what_it_said(study: NotebookStudy):
    with pytest.raises(
        LeakscopeError, match="could not be fitted on texts. It raised TypeError: Sparse data was passed"
    ):
        study.evaluate({"mine": make_pipeline(CountVectorizer(), GaussianNB())}, k=3)


def test_a_fold_on_which_it_fails_is_left_out_and_named(study: NotebookStudy):
    answer = study.evaluate({"mine": FailsOnce(needed=study.corpus.texts[0])}, k=3)
    (caution,) = [each.text for each in answer.cautions if each.code == "folds-skipped"]
    assert "of 3 could not be run" in caution and "mine could not be fitted on texts. It raised ValueError" in caution
    assert len(answer.data["skipped"]) == 1 and answer.data["summary"]["mine"]["accuracy"]["mean"] is not None


@pytest.mark.parametrize("lacking", [False, True], ids=["in every topic", "one topic lacks a class"])
def test_three_classes(lacking: bool):
    study = NotebookStudy.of(three_classes(lacking=lacking), encoder="lsa")
    answer = study.evaluate({"mine": make_pipeline(TfidfVectorizer(), LogisticRegression())}, k=3)
    assert set(answer.data["summary"]["mine"]) == {"accuracy", "macro_f1"}, "precision and recall are of two classes"
    assert not answer.data["skipped"]


class Few(Seen):
    """Answer for the first text alone."""

    def predict(self, texts: list[str]) -> np.ndarray:
        return np.full(1, self.answer_)


class Strange(Seen):
    """Answer with a class that there is not."""

    def predict(self, texts: list[str]) -> np.ndarray:
        return np.full(len(texts), 99)


@pytest.mark.parametrize(
    "estimator, sentence",
    [
        (Few(os.devnull), r"mine answered with an array of shape \(1,\) for \d+ texts. Return one class per text."),
        (Strange(os.devnull), "mine predicted 99. Return one of the class names that fit was given."),
    ],
)
def test_answers_that_are_too_few_or_name_no_class_are_refused(study: NotebookStudy, estimator: object, sentence: str):
    with pytest.raises(LeakscopeError, match=sentence):
        study.evaluate({"mine": estimator}, k=3)


def test_an_estimator_without_a_name_is_refused(study: NotebookStudy):
    with pytest.raises(LeakscopeError, match="needs a name here. Give {'mine': estimator}."):
        study.evaluate(make_pipeline(TfidfVectorizer(), RidgeClassifier()))


def accuracies(study: NotebookStudy, folds: object) -> float:
    answer = study.evaluate(("max_ent",), folds=folds)
    assert answer.settings[0] == ("Folds", "3 of your own")
    return answer.data["summary"]["max_ent"]["accuracy"]["mean"]


def test_folds_of_ones_own_are_run_as_they_are(study: NotebookStudy):
    usual = study.evaluate(("max_ent",), k=3)
    made = usual.numbers.run.folds
    pairs = [(fold.train, fold.test) for fold in made]
    masks = [tuple(np.isin(np.arange(len(study.corpus)), side) for side in pair) for pair in pairs]
    expected = usual.data["summary"]["max_ent"]["accuracy"]["mean"]
    assert accuracies(study, made) == accuracies(study, pairs) == accuracies(study, masks) == expected
    others = study.evaluate({"mine": make_pipeline(TfidfVectorizer(), RidgeClassifier())}, folds=GroupKFold(2))
    assert len(others.numbers.run.folds) == 2
    assert study.evaluate(("max_ent",), k=3).settings == usual.settings, "the study itself keeps its folds"


@pytest.mark.parametrize(
    "folds, sentence",
    [
        ([([0, 1], [1, 2])], "Fold 1 has 1 document on both sides. Keep each on one side."),
        ([([0, 1], [])], "Fold 1 has no test rows. Leave the fold out."),
        ([([0, 1], [9_999])], "Fold 1 has test rows outside 0 to"),
        ([(["a"], ["b"])], "Fold 1 is no pair of training and test rows."),
        ([7], "Fold 1 is no pair of training and test rows."),
        ([], "There are no folds."),
    ],
)
def test_folds_that_are_none_are_refused(study: NotebookStudy, folds: object, sentence: str):
    with pytest.raises(LeakscopeError, match=sentence):
        study.evaluate(folds=folds)
    with pytest.raises(LeakscopeError, match="leave nothing to choose for k"):
        study.evaluate(folds=folds, k=3)
    with pytest.raises(LeakscopeError, match="Only accuracy, significance and trust take folds"):
        study.curve(folds=folds)
