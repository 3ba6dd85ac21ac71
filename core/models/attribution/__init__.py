"""The classifiers: which author wrote a text? To add one: a file here with its record, and a line in CLASSIFIERS."""

from ...registry import make_from
from ..contract import Classifier, FittedClassifier, ModelKind
from .linear import MaxEnt
from .svm import CharSvm, TopicFitSvm

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
}


def make_classifier(name: str, **settings: object) -> Classifier:
    """The classifier of that name with these settings."""
    return make_from(CLASSIFIERS, "classifier", name, settings)
