"""Text categorization with several topics per document. To add a model: a file here with its record, and a line below."""

from functools import partial

from ..contract import ModelKind
from .categorizers import (
    Categorizer,
    Knn,
    Llsf,
    NaiveBayes,
    NNet,
    PolynomialSvm,
    RadialSvm,
    SingleLabelKnn,
    Svm,
    count_words,
    matrix_bytes,
)
from .decisions import Effectiveness, FrequencyCurve, effectiveness, frequency_curve, single_labels, tuned_thresholds

CATEGORIZERS: dict[str, ModelKind[Categorizer]] = {
    "svm": ModelKind("SVM", "A linear support vector machine a category.", Svm),
    "knn": ModelKind("kNN", "Votes of the 45 most similar training documents, weighted by cosine.", Knn),
    "llsf": ModelKind("LLSF", "Least squares through the 500 largest singular values.", Llsf),
    "nnet": ModelKind("NNet", "One network with 64 hidden units for all categories.", NNet),
    "nb": ModelKind("NB", "Multinomial naive Bayes.", NaiveBayes),
    "svm_poly": ModelKind(
        "SVM, polynomial",
        "A support vector machine a category with a kernel of degree 2.",
        PolynomialSvm,
        memory=lambda size: matrix_bytes(size.documents),
        slow=True,
    ),
    "svm_rbf": ModelKind(
        "SVM, RBF",
        "A support vector machine a category with a radial kernel.",
        RadialSvm,
        memory=lambda size: matrix_bytes(size.documents),
        slow=True,
    ),
    "knn_one": ModelKind("kNN, one label", "The votes of kNN, and only the category ahead is given.", SingleLabelKnn),
    "nnet_16": ModelKind("NNet, 16 units", "NNet with 16 hidden units.", partial(NNet, hidden=16)),
    "nnet_160": ModelKind("NNet, 160 units", "NNet with 160 hidden units.", partial(NNet, hidden=160), slow=True),
}
COMPARED = ("svm", "knn", "llsf", "nnet", "nb")  # what Yang & Liu compare; the others they mention
