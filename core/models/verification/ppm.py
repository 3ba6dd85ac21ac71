"""PPM: how well each text of a pair predicts the characters of the other (Teahan & Harper 2003; PAN's baseline)."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import ClassVar

import numpy as np

from ...arrays import Floats, Ints, record
from ...engine import cores
from ...errors import SettingError
from ...extras import require
from ...splits import Pairs
from ..contract import Documents, Settings

MOST_CHARACTERS = 300_000  # six strings a character must fit the kernel's 21 bits
TASK = 1_000_000  # characters a thread is handed at once: a few megabytes, whatever the number of documents
NO_ANSWER = 0.01


@dataclass(frozen=True, slots=True)
class Ppm(Settings):
    """Logistic regression on the mean and the absolute difference of a pair's two cross-entropies."""

    characters: int = 20_000

    name: ClassVar[str] = "ppm"

    def __post_init__(self) -> None:
        if not 1 <= self.characters <= MOST_CHARACTERS:
            raise SettingError(f"PPM on {self.characters:,} characters a text: choose from 1 to {MOST_CHARACTERS:,}.")

    def fit(self, documents: Documents, pairs: Pairs, *, held: Pairs, seed: int) -> "FittedPpm":
        """Learn from `pairs` alone: probabilities need no thresholds, so `held` stays unused."""
        from sklearn.linear_model import LogisticRegression

        if pairs.same.all() or not pairs.same.any():
            fact = f"The {len(pairs.same):,} training pairs are all of one kind, and PPM learns from both"
            raise SettingError(f"{fact}; use fewer folds or a larger corpus.")
        features = pair_features(documents, pairs.first, pairs.second, characters=self.characters)
        centre, scale = features.mean(axis=0), features.std(axis=0)
        scale[scale == 0] = 1.0
        model = LogisticRegression(random_state=seed).fit((features - centre) / scale, pairs.same)
        mean_bits = [features[pairs.same == same, 0].mean() for same in (True, False)]
        cut = sum(len(documents.texts[row]) > self.characters for row in pairs.rows)
        notes = (
            f"Texts are read up to {self.characters:,} characters; {cut:,} of {len(pairs.rows):,} training texts are longer.",
            f"Training pairs take {mean_bits[0]:.2f} bits a character by one author and {mean_bits[1]:.2f} by two.",
        )
        return FittedPpm(self.characters, centre, scale, model.coef_[0], float(model.intercept_[0]), notes)


@record
class FittedPpm:
    """P(same author) = 1 / (1 + exp(−(w·z + b))), z the standardised features."""

    characters: int
    centre: Floats
    scale: Floats
    weights: Floats
    intercept: float
    notes: tuple[str, ...]

    def score(self, documents: Documents, first: Ints, second: Ints) -> Floats:
        """Return the probability of one author; within 0.01 of 0.5 it becomes 0.5, no answer."""
        chance = self.raw(documents, first, second)
        return np.where(np.abs(chance - 0.5) <= NO_ANSWER, 0.5, chance)

    def raw(self, documents: Documents, first: Ints, second: Ints) -> Floats:
        """Return the probability of one author."""
        from scipy.special import expit

        standard = (pair_features(documents, first, second, characters=self.characters) - self.centre) / self.scale
        # Summed by hand: a matrix product may round a row differently with the rows around it.
        chance: Floats = expit(standard[:, 0] * self.weights[0] + standard[:, 1] * self.weights[1] + self.intercept)
        return chance

    @property
    def raw_notes(self) -> tuple[str, ...]:
        """Return all notes: nothing was calibrated."""
        return self.notes


def pair_features(documents: Documents, first: Ints, second: Ints, *, characters: int) -> Floats:
    """Return (H₁₂ + H₂₁)/2 and |H₁₂ − H₂₁| of each pair, H₁₂ the cross-entropy of the second text under the first's model."""
    forth_and_back = cross_entropies(
        documents.texts, np.concatenate([first, second]), np.concatenate([second, first]), characters=characters
    )
    forth, back = forth_and_back[: len(first)], forth_and_back[len(first) :]
    return np.stack([(forth + back) / 2, np.abs(forth - back)], axis=1)


def cross_entropies(
    texts: Sequence[str], models: Ints, targets: Ints, *, characters: int = 20_000, threads: int | None = None
) -> Floats:
    """Return bits per character of text `targets[i]` under the order-5 model of text `models[i]` (Teahan & Harper 2003).

    The longest context in which a character was seen gives count/total; a character never seen costs 8 bits, and a text
    without characters counts as 8. A text is modelled once for all its targets, and threads share the models.
    """
    require("sbert", "PPM")
    from .ppm_kernel import cross_entropies as compiled

    pairs, inverse = np.unique(np.stack([models, targets], axis=1), axis=0, return_inverse=True)
    lengths = np.array([min(len(text), characters) for text in texts], dtype=np.int64)
    logarithms = _logarithms(characters)
    bits = np.empty(len(pairs))

    def run(task: slice) -> None:
        rows, local = np.unique(pairs[task], return_inverse=True)
        local = local.reshape(-1, 2)
        joined = "".join([texts[row][:characters] for row in rows])
        codes = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
        starts = np.concatenate([[0], np.cumsum(lengths[rows])])
        found = np.empty(len(local))
        # Compiled for arrays that are writable and in one piece.
        compiled(codes.copy(), starts, local[:, 0].copy(), local[:, 1].copy(), logarithms, found)
        bits[task] = found

    tasks = _slices_of_cost(lengths[pairs].sum(axis=1))
    workers = min(threads or cores(), len(tasks))
    if workers > 1:
        with ThreadPoolExecutor(workers) as pool:
            list(pool.map(run, tasks))
    else:  # on a busy machine a thread of its own would wait longer for a core than the work takes
        for task in tasks:
            run(task)
    return bits[inverse.reshape(-1)]


@lru_cache(maxsize=2)
def _logarithms(most: int) -> Floats:
    """Return log2 of 0 (unused), 1, …, `most`, to look up instead of computing for every character."""
    table = np.zeros(most + 1)
    table[1:] = np.log2(np.arange(1, most + 1))
    return table


def _slices_of_cost(costs: Ints) -> list[slice]:
    """Split neighbouring entries into parts of about TASK characters."""
    if len(costs) == 0:
        return []
    part = np.cumsum(costs) // TASK
    edges = [0, *(np.flatnonzero(np.diff(part)) + 1).tolist(), len(costs)]
    return [slice(start, stop) for start, stop in pairwise(edges)]
