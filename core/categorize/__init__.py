"""Text categorization with several topics a document. To add a model: a file here with its record, and a line below."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.categorize.base import Categorizer, FittedCategorizer
from core.categorize.knn import Knn
from core.categorize.llsf import Llsf
from core.categorize.measures import Effectiveness, FrequencyCurve, effectiveness, frequency_curve
from core.categorize.naive_bayes import NaiveBayes
from core.categorize.nnet import NNet
from core.categorize.reading import LabelledCorpus, make_labelled, read_labelled
from core.categorize.run import Categorization, Progress, System, as_json, run
from core.categorize.svm import Svm
from core.errors import unknown

__all__ = [
    "CATEGORIZERS",
    "Categorization",
    "Categorizer",
    "CategorizerKind",
    "Effectiveness",
    "FittedCategorizer",
    "FrequencyCurve",
    "LabelledCorpus",
    "System",
    "as_json",
    "categorize",
    "effectiveness",
    "frequency_curve",
    "make_labelled",
    "read_labelled",
    "run",
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


def categorize(
    corpus: LabelledCorpus,
    *,
    models: Sequence[str] = tuple(CATEGORIZERS),
    seed: int = 0,
    progress: Progress | None = None,
) -> Categorization:
    """Run the named categorizers with the paper's settings and test every pair (Yang & Liu 1999)."""
    for name in models:
        if name not in CATEGORIZERS:
            raise unknown("categorizer", name, CATEGORIZERS)
    return run(corpus, [CATEGORIZERS[name].make() for name in models], seed=seed, progress=progress)
