"""Text categorization with several topics a document. To add a model: a file here with its record, and a line below."""

from ..contract import ModelKind
from .categorizers import Knn, Llsf, NaiveBayes, NNet, Svm
from .decisions import Effectiveness, FrequencyCurve, effectiveness, frequency_curve, tuned_thresholds
from .features import Categorizer, FittedCategorizer, count_words

CATEGORIZERS: dict[str, ModelKind[Categorizer]] = {
    "svm": ModelKind("SVM", "A linear support vector machine a category.", Svm),
    "knn": ModelKind("kNN", "Votes of the 45 most similar training documents, weighted by cosine.", Knn),
    "llsf": ModelKind("LLSF", "Least squares through the 500 largest singular values.", Llsf),
    "nnet": ModelKind("NNet", "One network with 64 hidden units for all categories.", NNet),
    "nb": ModelKind("NB", "Multinomial naive Bayes.", NaiveBayes),
}
