"""The classifiers: which author wrote a text? To add one: a file here with its record, and a line in CLASSIFIERS."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from ...errors import SettingError
from ...registry import make_from
from ..contract import Classifier, FittedClassifier, ModelKind
from .linear import FREQUENT, BurrowsDelta, CharSvm, FunctionWords, MaxEnt, TopicFitSvm, VectorMaxEnt, WordSvm
from .own import OwnEstimator, own_estimators

# Bytes a feature and author: a weight, its gradient and L-BFGS's ten pairs of steps; a weight and its copy.
L_BFGS, HYPERPLANE = 8 * 24, 8 * 2

CLASSIFIERS: dict[str, ModelKind[Classifier]] = {
    "max_ent": ModelKind(
        "Maximum entropy",
        "Logistic regression on the words that occur, as in Schein et al. 2010.",
        MaxEnt,
        memory=lambda size: size.authors * (L_BFGS * size.words + 24 * size.documents),
    ),
    "char_svm": ModelKind(
        "Character SVM",
        "A linear support vector machine on character n-grams.",
        CharSvm,
        memory=lambda size: HYPERPLANE * size.authors * 20_000,
        slow=True,
    ),
    "topic_fit": ModelKind(
        "TopicFit",
        "The words outside the most frequent: mostly topic, though they still tell authors apart within one topic.",
        TopicFitSvm,
        memory=lambda size: HYPERPLANE * size.authors * size.words,
    ),
    "word_svm": ModelKind(
        "Word SVM",
        "A linear support vector machine on all words.",
        WordSvm,
        memory=lambda size: HYPERPLANE * size.authors * size.words,
        by_choice=True,
    ),
    "function_words": ModelKind(
        "Function words",
        f"A linear support vector machine on the {FREQUENT} most frequent words, which hold little of the topic.",
        FunctionWords,
        by_choice=True,
    ),
    "vector_max_ent": ModelKind(
        "Vectors + logistic regression",
        "Logistic regression on the documents' vectors, by the encoder in use or your own.",
        VectorMaxEnt,
        any_vectors=True,
        by_choice=True,
    ),
    "delta": ModelKind(
        "Burrows's Delta",
        f"Authors compared by how often they use the {FREQUENT} most frequent words.",
        BurrowsDelta,
        by_choice=True,
        reference="J. Burrows. ‘Delta’: a Measure of Stylistic Difference and a Guide to Likely Authorship. Literary and "
        "Linguistic Computing 17(3), 2002.",
    ),
}


_BUILT_IN = frozenset(CLASSIFIERS)


def add_estimators(given: Mapping[str, Any]) -> tuple[str, ...]:
    """Add scikit-learn estimators to the classifiers of this process; one of the same name is replaced."""
    if taken := [name for name in given if name in _BUILT_IN]:
        raise SettingError(f"'{taken[0]}' is a built-in model. Give your estimator another name.")
    for name, own in own_estimators(given).items():
        CLASSIFIERS[name] = ModelKind(name, "Your own estimator.", partial(_same, own), by_choice=True)
    return tuple(given)


def _same(own: OwnEstimator) -> Any:
    return own


def make_classifier(name: str, **settings: object) -> Classifier:
    """Return the classifier of that name with these settings."""
    return make_from(CLASSIFIERS, "classifier", name, settings)
