"""The classifiers: which author wrote a text? To add one: a file here with its record, and a line in CLASSIFIERS."""

from collections.abc import Callable
from dataclasses import dataclass

from ..contract import Documents, made
from .char_svm import CharSvm
from .linear import Classifier, FittedClassifier
from .max_ent import MaxEnt
from .topic_fit import TopicFit

__all__ = ["CLASSIFIERS", "Classifier", "ClassifierKind", "Documents", "FittedClassifier", "make_classifier"]


@dataclass(frozen=True, slots=True)
class ClassifierKind:
    """One choice of classifier, as a page or the command line offers it."""

    label: str
    about: str
    make: Callable[..., Classifier]


CLASSIFIERS: dict[str, ClassifierKind] = {
    "max_ent": ClassifierKind(
        "Maximum entropy", "Logistic regression on the words that occur, as in Schein et al. 2010.", MaxEnt
    ),
    "char_svm": ClassifierKind("Character SVM", "A linear support vector machine on character n-grams.", CharSvm),
    "topic_fit": ClassifierKind(
        "TopicFit", "Topic words only: the frequent words, which carry style, are masked.", TopicFit
    ),
}


def make_classifier(name: str, **settings: object) -> Classifier:
    """The classifier of that name with these settings."""
    model: Classifier = made("classifier", name, CLASSIFIERS, settings)
    return model
