"""One neural network for all categories at once, with one hidden layer (Yang & Liu 1999, §3.4)."""

import warnings
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ...arrays import Bools, Floats, record
from ...errors import SettingError
from .features import Words, checked_features, choose_words


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
class NNet:
    """Logistic units, cross-entropy, Adam.

    The paper does not say how long it trained. Twenty passes give a network as good as theirs; forty give a better one,
    near the support vector machine (docs/categorization.md).
    """

    features: int = 1_000
    selection: str = "chi2"
    hidden: int = 64
    passes: int = 20

    name: ClassVar[str] = "nnet"
    cut: ClassVar[float | None] = 0.5

    def __post_init__(self) -> None:
        checked_features(self.features, self.selection)
        if self.hidden < 1 or self.passes < 1:
            raise SettingError(f"{self.hidden} hidden units, {self.passes} passes: choose 1 or more of each.")

    def fit(self, counts: Any, labels: Bools, *, seed: int) -> FittedNNet:
        """The seed sets the first weights and the order of documents."""
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.neural_network import MLPClassifier

        words = choose_words(counts, labels, features=self.features, selection=self.selection)
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
