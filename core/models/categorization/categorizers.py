"""Yang and Liu's five categorizers (1999): support vector machines, nearest neighbours, least squares, a neural network
and naive Bayes."""

import warnings
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ...arrays import Bools, Floats, Singles, record
from .features import Words, WordSettings, learnable_categories, products


@record
class FittedHyperplanes:
    """A weight for each word and category, and an offset a category."""

    words: Words
    weights: Floats | Singles
    offsets: Floats
    notes: tuple[str, ...]

    def scores(self, counts: Any) -> Floats:
        """x·W + b."""
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
        """The seed sets the order in which the solver visits documents."""
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
        """The seed starts the randomized SVD, whose four passes settle what matters of it."""
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
        """Σ cos(x, d) over those of the k nearest training documents d that are members."""
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
        """Nothing is random; the documents are kept."""
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
        """P(c|x) over all categories; with plain counts, for the model is of words drawn one by one."""
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
        """Nothing is random."""
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
        """The output units: a probability a category."""
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
        """The seed sets the first weights and the order of documents."""
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
