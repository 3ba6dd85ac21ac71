"""The categorizers of Yang & Liu (1999), what each offers, and the words they look at: counted, chosen by their association with
categories, and weighted, all from training documents."""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Protocol, TypeAlias

import numpy as np

from ...arrays import Bools, Floats, Ints, Singles, record
from ...corpora import has_terms
from ...errors import SettingError
from ..contract import Fitted

WORD = r"(?u)[^\W\d_]{2,}"
_BATCH = 1_000  # documents whose similarities to all training documents are held at once
_BLOCK = 64  # categories at a time: a table of all words by all categories need not fit in memory
MOST_MATRIX = 2 * 2**30  # bytes of the kernel matrix: about 16,000 training documents


class FittedCategorizer(Fitted, Protocol):
    """A categorizer that has seen its training documents."""

    def scores(self, counts: Any) -> Floats:
        """Return a row per document and a column per category; higher means more likely a member."""


class Categorizer(Protocol):
    """A frozen record of settings that learns which categories a document belongs to."""

    name: ClassVar[str]
    # The score from which a document is a member; None where only held-out documents can tell.
    cut: ClassVar[float | None]
    # Whether each document is given its highest category and no other, whatever the score.
    one_label: ClassVar[bool]

    def fit(self, counts: Any, labels: Bools, *, seed: int) -> FittedCategorizer:
        """Learn from word counts (sparse, a row a document) and a true/false table of documents by categories."""


@record
class Words:
    """The words a model looks at, as columns of the counts, and the rarity of each among the training documents."""

    columns: Ints
    rarity: Singles

    def counted(self, counts: Any) -> Any:
        """Return plain counts of these words."""
        return counts[:, self.columns]

    def weighted(self, counts: Any) -> Any:
        """Return (1 + ln tf)·ln(N/df), scaled to length 1 (SMART's ltc; the paper says log(tf) and no more)."""
        from scipy.sparse import diags_array
        from sklearn.preprocessing import normalize

        chosen = self.counted(counts).astype(np.float32)
        chosen.data = 1 + np.log(chosen.data)
        return normalize(chosen @ diags_array(self.rarity)).tocsr()


def count_words(training: Sequence[str], test: Sequence[str]) -> tuple[Any, Any, int]:
    """Return counts of the training documents' words in both parts, lower-cased and without English stop words, and how many
    words there are."""
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, CountVectorizer

    vectorizer = CountVectorizer(token_pattern=WORD, stop_words=sorted(ENGLISH_STOP_WORDS), dtype=np.float32)
    if not has_terms(vectorizer, training):
        raise SettingError("The training documents hold no words; check which column is the text.")
    counts = vectorizer.fit_transform(training)
    return counts, vectorizer.transform(test), counts.shape[1]


def choose_words(counts: Any, labels: Bools, *, features: int) -> Words:
    """Return the words most associated with the categories; among equals the one that sorts first."""
    present = counts.astype(np.float64)
    present.data = np.ones_like(present.data)
    frequency = np.asarray(present.sum(axis=0)).ravel()
    order = np.argsort(-chi_square(present, labels), kind="stable")
    columns = order[frequency[order] > 0][:features]  # in a part of the training set some words never occur
    rarity = np.log(counts.shape[0] / frequency[columns]).astype(np.float32)
    return Words(columns.astype(np.int64), rarity)


def chi_square(present: Any, labels: Bools) -> Floats:
    """Compute χ²_max(t) = max over c of N(AD − CB)²/((A+C)(B+D)(A+B)(C+D)), documents with and without word t and category c.

    Yang & Pedersen 1997.
    """
    n, words = present.shape
    best = np.zeros(words)
    with_word = np.asarray(present.sum(axis=0)).ravel()[:, None]
    for start in range(0, labels.shape[1], _BLOCK):
        block = labels[:, start : start + _BLOCK].astype(np.float64)
        both, members = np.asarray(present.T @ block), block.sum(axis=0)[None]
        expected = with_word * members
        below = expected * (n - with_word) * (n - members)
        # AD − CB = N·A − (A+B)(A+C)
        values = np.divide(n * (n * both - expected) ** 2, below, out=np.zeros_like(both), where=below > 0)
        best = np.maximum(best, values.max(axis=1))
    return best


@dataclass(frozen=True, slots=True)
class WordSettings:
    """What every model's record of settings has: how many words it looks at."""

    features: int = 2_415

    name: ClassVar[str]
    cut: ClassVar[float | None] = None
    one_label: ClassVar[bool] = False

    def __post_init__(self) -> None:
        """Check that all settings are numbers above 0."""
        for setting, value in asdict(self).items():
            if not value > 0:
                least = "1 or more" if isinstance(value, int) else "a number above 0"
                raise SettingError(f"{setting} = {value:g} for '{self.name}': choose {least}.")

    def words(self, counts: Any, labels: Bools) -> Words:
        """Return the words these settings choose."""
        return choose_words(counts, labels, features=self.features)


def products(given: Any, vectors: Any) -> Iterator[tuple[slice, Any]]:
    """Yield dot products of a batch of documents with all of `vectors`, and which documents these are: never a matrix of all pairs."""
    for start in range(0, given.shape[0], _BATCH):
        rows = slice(start, start + _BATCH)
        yield rows, (given[rows] @ vectors.T).toarray()


def learnable_categories(labels: Bools) -> tuple[list[int], Floats]:
    """Return the categories that some training documents have and others have not, and an offset a category: 1 where all have
    it, −1 where none has, 0 where a machine will find it."""
    everyone, nobody = labels.all(axis=0), ~labels.any(axis=0)
    learnable: list[int] = np.flatnonzero(~(everyone | nobody)).tolist()
    return learnable, np.where(everyone, 1.0, np.where(nobody, -1.0, 0.0))


@record
class FittedHyperplanes:
    """A weight for each word and category, and an offset a category."""

    words: Words
    weights: Floats | Singles
    offsets: Floats
    notes: tuple[str, ...]

    def scores(self, counts: Any) -> Floats:
        """Return x·W + b."""
        return np.asarray(self.words.weighted(counts) @ self.weights + self.offsets, dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Svm(WordSettings):
    """A support vector machine a category (Joachims 1998): hinge loss with soft margin; `cost` is C.

    C = 3 on vectors of length 1: five-fold cross-validation inside Reuters' training set gives much the same micro F1
    from 2 to 5, and less outside (docs/categorization.md).
    """

    features: int = 10_000
    cost: float = 3.0

    name: ClassVar[str] = "svm"
    cut: ClassVar[float | None] = 0.0  # the hyperplane itself

    def fit(self, counts: Any, labels: Bools, *, seed: int) -> FittedHyperplanes:
        """Fit; the seed sets the order in which the solver visits documents."""
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.svm import LinearSVC

        words = self.words(counts, labels)
        # The solver's own type: converted once, not once a category.
        vectors = words.weighted(counts).astype(np.float64)
        weights = np.zeros((vectors.shape[1], labels.shape[1]))
        learnable, offsets = learnable_categories(labels)
        unfinished = 0
        for category in learnable:
            machine = LinearSVC(C=self.cost, loss="hinge", random_state=seed, max_iter=3_000)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)  # said in the notes instead
                machine.fit(vectors, labels[:, category])
            weights[:, category], offsets[category] = machine.coef_[0], machine.intercept_[0]
            unfinished += int(machine.n_iter_ >= machine.max_iter)
        notes = (f"{unfinished} of {len(offsets)} hyperplanes were stopped before they came to rest.",)
        return FittedHyperplanes(words, weights, offsets, notes if unfinished else ())


@dataclass(frozen=True, slots=True)
class Llsf(WordSettings):
    """F = argmin ‖AF − B‖² = V S⁻¹ Uᵀ B, with A = U S Vᵀ cut to the largest `components` singular values.

    Linear least squares fit: a regression of categories on words (Yang & Chute 1994).
    """

    components: int = 500

    name: ClassVar[str] = "llsf"

    def fit(self, counts: Any, labels: Bools, *, seed: int) -> FittedHyperplanes:
        """Fit; the seed starts the randomized SVD, which converges in four passes."""
        from sklearn.utils.extmath import randomized_svd

        words = self.words(counts, labels)
        vectors = words.weighted(counts)
        rank = min(self.components, *vectors.shape)
        left, values, right = randomized_svd(vectors, rank, n_iter=4, random_state=seed)
        used = values > values[0] * 1e-5  # below, a value is rounding and its inverse noise
        projected = left[:, used].T @ labels.astype(np.float32)
        coefficients = (right[used].T @ (projected / values[used, None])).astype(np.float32)
        return FittedHyperplanes(words, coefficients, np.zeros(labels.shape[1]), ())


@record
class FittedKnn:
    """The training documents themselves."""

    words: Words
    vectors: Any
    labels: Any
    k: int
    notes: tuple[str, ...] = ()

    def scores(self, counts: Any) -> Floats:
        """Return Σ cos(x, d) over those of the k nearest training documents d that are members."""
        from scipy.sparse import csr_array

        parts = [np.zeros((0, self.labels.shape[1]))]
        for _, similarity in products(self.words.weighted(counts), self.vectors):
            nearest = np.argpartition(-similarity, self.k - 1, axis=1)[:, : self.k]
            votes = np.take_along_axis(similarity, nearest, axis=1)
            ends = np.arange(0, votes.size + 1, self.k)
            neighbours = csr_array((votes.ravel(), nearest.ravel(), ends), shape=similarity.shape)
            parts.append((neighbours @ self.labels).toarray())
        return np.concatenate(parts)


@dataclass(frozen=True, slots=True)
class Knn(WordSettings):
    """Votes of the k training documents most like a text, weighted by their cosine (Yang 1994)."""

    k: int = 45

    name: ClassVar[str] = "knn"

    def fit(self, counts: Any, labels: Bools, *, seed: int) -> FittedKnn:
        """Keep the documents; nothing is random."""
        from scipy.sparse import csr_array

        words = self.words(counts, labels)
        members = csr_array(labels.astype(np.float32))
        return FittedKnn(words, words.weighted(counts), members, min(self.k, counts.shape[0]))


@dataclass(frozen=True, slots=True)
class SingleLabelKnn(Knn):
    """The same votes, but the category ahead is the only one a document gets (Joachims 1998): no thresholds."""

    name: ClassVar[str] = "knn_one"
    one_label: ClassVar[bool] = True


@record
class FittedNaiveBayes:
    """Log probability of each word in each category, and of each category."""

    words: Words
    of_words: Floats
    of_categories: Floats
    notes: tuple[str, ...] = ()

    def scores(self, counts: Any) -> Floats:
        """Return P(c|x) over all categories, from plain counts: the model draws words one by one."""
        joint = np.asarray(self.words.counted(counts) @ self.of_words.T + self.of_categories)
        likelihood = np.exp(joint - joint.max(axis=1, keepdims=True))
        shares: Floats = likelihood / likelihood.sum(axis=1, keepdims=True)
        return shares


@dataclass(frozen=True, slots=True)
class NaiveBayes(WordSettings):
    """P(w|c) = (n_wc + `smoothing`)/(n_c + `smoothing`·V); a document of several categories counts in each.

    Multinomial, over all categories (McCallum & Nigam 1998).
    """

    features: int = 2_000
    smoothing: float = 1.0

    name: ClassVar[str] = "nb"

    def fit(self, counts: Any, labels: Bools, *, seed: int) -> FittedNaiveBayes:
        """Fit; nothing is random."""
        words = self.words(counts, labels)
        totals = np.asarray(labels.astype(np.float64).T @ words.counted(counts).astype(np.float64)) + self.smoothing
        members = labels.sum(axis=0)
        # A category without members is never the most likely one; half a document keeps its logarithm finite.
        priors = np.log(np.maximum(members, 0.5 * (members > 0) + 1e-9) / max(int(members.sum()), 1))
        return FittedNaiveBayes(words, np.log(totals / totals.sum(axis=1, keepdims=True)), priors)


@record
class FittedNNet:
    """A trained network."""

    words: Words
    network: Any
    categories: int
    notes: tuple[str, ...]

    def scores(self, counts: Any) -> Floats:
        """Return the output units: a probability a category."""
        if counts.shape[0] == 0:
            return np.zeros((0, self.categories))
        outputs = np.asarray(self.network.predict_proba(self.words.weighted(counts)), dtype=np.float64)
        return outputs[:, -1:] if self.categories == 1 else outputs


@dataclass(frozen=True, slots=True)
class NNet(WordSettings):
    """One hidden layer for all categories at once (Yang & Liu 1999, §3.4): logistic units, cross-entropy, Adam.

    The paper does not say how long it trained. Twenty passes give a network as good as theirs; forty give a better one,
    near the support vector machine (docs/categorization.md).
    """

    features: int = 1_000
    hidden: int = 64
    passes: int = 20

    name: ClassVar[str] = "nnet"
    cut: ClassVar[float | None] = 0.5

    def fit(self, counts: Any, labels: Bools, *, seed: int) -> FittedNNet:
        """Fit; the seed sets the first weights and the order of documents."""
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.neural_network import MLPClassifier

        words = self.words(counts, labels)
        network = MLPClassifier(
            (self.hidden,),
            activation="logistic",
            learning_rate_init=0.005,
            batch_size=min(64, counts.shape[0]),
            max_iter=self.passes,
            random_state=seed,
        )
        target = labels[:, 0] if labels.shape[1] == 1 else labels
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # the number of passes is a setting
            network.fit(words.weighted(counts), target)
        return FittedNNet(words, network, labels.shape[1], (f"{network.n_iter_} passes over the training documents.",))


def matrix_bytes(documents: float) -> float:
    """Return the bytes of a double for every pair of training documents."""
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
        """Fit; nothing is random."""
        return _fitted(self, counts, labels)

    def kernel(self, products: Floats) -> None:
        """Turn dot products of unit vectors into kernel values, in place."""
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
        """Fit; nothing is random."""
        return _fitted(self, counts, labels)

    def kernel(self, products: Floats) -> None:
        """Turn dot products of unit vectors into kernel values, in place: |x − y|² = 2 − 2x·y."""
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
        """Return Σ α_i·K(x, x_i) + b over the support vectors."""
        given = self.words.weighted(counts).astype(np.float64)
        parts = [np.zeros((0, len(self.offsets)))]
        for _, values in products(given, self.vectors):
            self.model.kernel(values)
            parts.append(np.asarray(self.weights.T @ values.T).T + self.offsets)
        return np.concatenate(parts)


def _fitted(model: KernelSvm, counts: Any, labels: Bools) -> FittedKernel:
    """Compute one kernel matrix for all categories, then fit a machine per category on it."""
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
