"""Support vector machines with a polynomial or a radial kernel, a machine a category, over one matrix of similarities."""

from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np

from ...arrays import Bools, Floats, record
from ...errors import SettingError
from .features import Words, WordSettings, learnable_categories, products

MOST_MATRIX = 2 * 2**30  # bytes of the kernel matrix: about 16,000 training documents


def matrix_bytes(documents: float) -> float:
    """A double for every pair of training documents."""
    return 8 * documents**2


@dataclass(frozen=True, slots=True)
class PolynomialSvm(WordSettings):
    """K(x, y) = (x·y + 1)^`degree` (Joachims 1998, who tried degrees 1 to 5); `cost` is C."""

    features: int = 10_000
    cost: float = 1.0
    degree: int = 2

    name: ClassVar[str] = "svm_poly"
    cut: ClassVar[float | None] = 0.0  # the surface itself

    def fit(self, counts: Any, labels: Bools, *, seed: int) -> "FittedKernel":
        """Nothing is random."""
        return _fitted(self, counts, labels)

    def kernel(self, products: Floats) -> None:
        """Dot products of unit vectors become kernel values, in place."""
        products += 1
        np.power(products, self.degree, out=products)


@dataclass(frozen=True, slots=True)
class RadialSvm(WordSettings):
    """K(x, y) = exp(−`gamma`·|x − y|²) (Joachims 1998, who tried .6 to 1.2); `cost` is C."""

    features: int = 10_000
    cost: float = 3.0
    gamma: float = 0.6

    name: ClassVar[str] = "svm_rbf"
    cut: ClassVar[float | None] = 0.0

    def fit(self, counts: Any, labels: Bools, *, seed: int) -> "FittedKernel":
        """Nothing is random."""
        return _fitted(self, counts, labels)

    def kernel(self, products: Floats) -> None:
        """Dot products of unit vectors become kernel values, in place: |x − y|² = 2 − 2x·y."""
        products -= 1
        products *= 2 * self.gamma
        np.exp(products, out=products)


KernelSvm: TypeAlias = PolynomialSvm | RadialSvm


@record
class FittedKernel:
    """The training documents, the weight of each in each category (0 for all but its support vectors), and offsets."""

    model: KernelSvm
    words: Words
    vectors: Any
    weights: Any
    offsets: Floats
    notes: tuple[str, ...]

    def scores(self, counts: Any) -> Floats:
        """Σ α_i·K(x, x_i) + b over the support vectors."""
        given = self.words.weighted(counts).astype(np.float64)
        parts = [np.zeros((0, len(self.offsets)))]
        for _, values in products(given, self.vectors):
            self.model.kernel(values)
            parts.append(np.asarray(self.weights.T @ values.T).T + self.offsets)
        return np.concatenate(parts)


def _fitted(model: KernelSvm, counts: Any, labels: Bools) -> FittedKernel:
    """One kernel matrix for all categories, then a machine a category on it."""
    from scipy.sparse import csr_array
    from sklearn.svm import SVC

    documents = counts.shape[0]
    if matrix_bytes(documents) > MOST_MATRIX:
        held = matrix_bytes(documents) / 1e9
        most = int((MOST_MATRIX / 8) ** 0.5)
        raise SettingError(
            f"'{model.name}' compares all {documents:,} training documents with each other, a matrix of {held:.1f} GB; choose the "
            f"linear SVM, or give at most {most:,}."
        )
    words = model.words(counts, labels)
    vectors = words.weighted(counts).astype(np.float64)
    matrix = np.empty((documents, documents))
    for some, of_all in products(vectors, vectors):
        matrix[some] = of_all
    model.kernel(matrix)
    learnable, offsets = learnable_categories(labels)
    rows, columns, values = [], [], []
    for category in learnable:
        machine = SVC(C=model.cost, kernel="precomputed").fit(matrix, labels[:, category])
        rows.append(machine.support_)
        columns.append(np.full(len(machine.support_), category))
        values.append(machine.dual_coef_[0])
        offsets[category] = machine.intercept_[0]
    cells = (np.concatenate(rows), np.concatenate(columns)) if rows else (np.zeros(0, int), np.zeros(0, int))
    weights = csr_array((np.concatenate(values) if values else np.zeros(0), cells), shape=(documents, len(offsets)))
    support = len(np.unique(cells[0]))
    notes = (f"{support:,} of {documents:,} training documents are support vectors of some category.",)
    return FittedKernel(model, words, vectors, weights, offsets, notes)
