"""The classifiers: which author wrote a text? To add one: a file here with its record, and a line in CLASSIFIERS."""

from ...registry import make_from
from ..contract import Classifier, FittedClassifier, ModelKind
from .linear import MaxEnt
from .svm import CharSvm, TopicFit

CLASSIFIERS: dict[str, ModelKind[Classifier]] = {
    "max_ent": ModelKind(
        "Maximum entropy", "Logistic regression on the words that occur, as in Schein et al. 2010.", MaxEnt
    ),
    "char_svm": ModelKind("Character SVM", "A linear support vector machine on character n-grams.", CharSvm),
    "topic_fit": ModelKind(
        "TopicFit",
        "The words outside the most frequent: mostly topic, though they still tell authors apart within one topic.",
        TopicFit,
    ),
}


def make_classifier(name: str, **settings: object) -> Classifier:
    """The classifier of that name with these settings."""
    return make_from(CLASSIFIERS, "classifier", name, settings)
