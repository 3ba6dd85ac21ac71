"""Text categorization with several topics a document. To add a model: a file here with its record, and a line below."""

from collections.abc import Callable
from dataclasses import dataclass

from .decisions import Effectiveness, FrequencyCurve, effectiveness, frequency_curve, tuned_thresholds
from .features import Categorizer, FittedCategorizer, count_words
from .knn import Knn
from .llsf import Llsf
from .naive_bayes import NaiveBayes
from .nnet import NNet
from .svm import Svm

__all__ = [
    "CATEGORIZERS",
    "Categorizer",
    "CategorizerKind",
    "Effectiveness",
    "FittedCategorizer",
    "FrequencyCurve",
    "count_words",
    "effectiveness",
    "frequency_curve",
    "tuned_thresholds",
]


@dataclass(frozen=True, slots=True)
class CategorizerKind:
    """One choice of categorizer, as a page or the command line offers it."""

    label: str
    about: str
    make: Callable[..., Categorizer]


CATEGORIZERS: dict[str, CategorizerKind] = {
    "svm": CategorizerKind("SVM", "A linear support vector machine a category.", Svm),
    "knn": CategorizerKind("kNN", "Votes of the 45 most similar training documents, weighted by cosine.", Knn),
    "llsf": CategorizerKind("LLSF", "Least squares through the 500 largest singular values.", Llsf),
    "nnet": CategorizerKind("NNet", "One network with 64 hidden units for all categories.", NNet),
    "nb": CategorizerKind("NB", "Multinomial naive Bayes.", NaiveBayes),
}
