"""O2D2: a Siamese encoder of characters and words, a Bayes factor, and a detector of pairs better left unanswered
(Boenninghoff et al. 2021), written anew from the papers."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...arrays import Floats, Ints, Tensor, record
from ...errors import SettingError
from ...splits import Pairs
from ..contract import Documents, Size
from ..metrics import UNANSWERED
from .neural import (
    Authored,
    Schooling,
    TorchSettings,
    Weights,
    authored,
    by_text,
    generator,
    held_auc,
    one_thread,
    school,
    trimmed,
)
from .o2d2_heads import detector_input, flagged, judged, loss_of, start_heads, train_detector
from .o2d2_network import ReadText, TextReader, learn_reader, one_vector, start_weights, text_vectors

LAST_RATE = 1 / 3  # of the first, in the last epoch: 6e-4 to 2e-4
CLIP = 5.0
DEPARTURES = (
    "O2D2 starts from word vectors drawn at random, not from fastText's, and trains for a few epochs on this fold's training "
    "side alone, not on PAN's fan fiction; its sizes of layers are ours."
)


@dataclass(frozen=True, slots=True)
class O2d2(TorchSettings):
    """Trained on all pairs among `batch` texts at a time, dealt anew every epoch; `hidden` numbers a direction of each LSTM,
    `word` a word vector, of the `vocabulary` most frequent words."""

    epochs: int = 24
    patience: int = 6
    batch: int = 40
    rate: float = 2e-3
    vocabulary: int = 5_000
    word: int = 300
    hidden: int = 60

    name: ClassVar[str] = "o2d2"

    def __post_init__(self) -> None:
        if (
            min(self.epochs, self.patience, self.batch, self.vocabulary, self.word, self.hidden) < 1
            or not self.rate > 0
        ):
            raise SettingError("O2D2 needs 1 or more of everything that it counts, and a learning rate above 0.")

    def fit(self, documents: Documents, pairs: Pairs, *, held: Pairs, seed: int) -> "FittedO2d2":
        """Train on the texts in `pairs`, end by the AUC of `held`, and train the detector on its texts."""
        texts = authored(documents, pairs, model="O2D2")
        reader = learn_reader(documents.texts_of(pairs.rows), vocabulary=self.vocabulary)
        order = by_text(documents, np.union1d(pairs.rows, held.rows)).tolist()
        read = {row: reader.read(documents.texts[row]) for row in order}
        with one_thread():
            schooling = self._schooled(reader, texts, read, held, seed)
            vectors = {row: one_vector(schooling.weights, read[row]) for row in held.rows.tolist()}
            detector, said = train_detector(schooling.weights, vectors, held, seed=seed)
        words = f"{len(reader.words):,} words and {len(reader.characters):,} characters are told apart."
        notes = (DEPARTURES, schooling.note("O2D2", self.epochs), words, said)
        return FittedO2d2(reader, _double(schooling.weights), _double(detector), notes)

    def _schooled(
        self, reader: TextReader, texts: Authored, read: dict[int, ReadText], held: Pairs, seed: int
    ) -> Schooling:
        import torch

        rng, draws = np.random.default_rng(seed), generator(seed)
        weights = start_weights(reader, word=self.word, hidden=self.hidden, generator=draws) | start_heads(draws)
        learned = [value.requires_grad_(True) for name, value in weights.items() if not name.endswith(".none")]
        optimizer = torch.optim.Adam(learned, lr=self.rate)

        def one_epoch(epoch: int) -> float:
            done = epoch / max(self.epochs - 1, 1)
            for group in optimizer.param_groups:
                group["lr"] = self.rate * (1 - done + done * LAST_RATE)
            losses = []
            for rows, codes in trimmed(batches(texts, self.batch, rng)):
                vectors = text_vectors(weights, [read[row] for row in rows.tolist()])
                first, second = np.triu_indices(len(rows), k=1)
                same = torch.from_numpy(codes[first] == codes[second])
                loss = loss_of(judged(weights, vectors[first], vectors[second]), same)
                optimizer.zero_grad()
                loss.backward()
                torch.nn.utils.clip_grad_norm_(learned, CLIP)
                optimizer.step()
                losses.append(float(loss.detach()))
            return float(np.mean(losses))

        def judge() -> float:
            here = set(held.rows.tolist())
            rows = [row for row in read if row in here]  # in the order of their texts
            index = {row: number for number, row in enumerate(rows)}
            with torch.no_grad():
                parts = [rows[start : start + self.batch] for start in range(0, len(rows), self.batch)]
                vectors = torch.cat([text_vectors(weights, [read[row] for row in part]) for part in parts])
                first, second = ([index[row] for row in side.tolist()] for side in (held.first, held.second))
                posterior = judged(weights, vectors[first], vectors[second]).posterior
            return held_auc(posterior.double().clamp(0, 1).numpy(), held)

        return school(weights, epochs=self.epochs, patience=self.patience, one_epoch=one_epoch, judge=judge)


def batches(texts: Authored, batch: int, rng: np.random.Generator) -> Iterator[tuple[Ints, Ints]]:
    """An epoch: rows and author codes of batches of so many texts, drawn two by two from an author, every text about once."""
    twos = np.concatenate([rng.permutation(rows)[: len(rows) // 2 * 2].reshape(-1, 2) for rows in texts.rows])
    codes = np.repeat(np.arange(len(texts)), [len(rows) // 2 for rows in texts.rows])
    order = rng.permutation(len(twos))
    parts = -(-2 * len(twos) // batch)
    for part in np.array_split(order, parts):
        yield twos[part].ravel(), np.repeat(codes[part], 2)


def _double(weights: Weights) -> Weights:
    return {name: value.detach().double() for name, value in weights.items()}


@record
class FittedO2d2:
    """The posterior of the confusion layer, and no answer where the detector flags a pair."""

    reader: TextReader
    weights: Weights
    detector: Weights
    notes: tuple[str, ...]

    def score(self, documents: Documents, first: Ints, second: Ints) -> Floats:
        """The posterior from 0 to 1; ½ for a flagged pair."""
        posteriors, flags = self._asked(documents, first, second)
        return np.where(flags, UNANSWERED, posteriors)

    def raw(self, documents: Documents, first: Ints, second: Ints) -> Floats:
        """The posterior of every pair, flagged or not."""
        return self._asked(documents, first, second)[0]

    @property
    def raw_notes(self) -> tuple[str, ...]:
        """All but the last, which is the detector's."""
        return self.notes[:-1]

    def _asked(self, documents: Documents, first: Ints, second: Ints) -> tuple[Floats, Floats]:
        """Posterior and flag of each pair, text by text and pair by pair: company would change their last digits."""
        import torch

        rows = np.unique(np.concatenate([first, second])).tolist()
        posteriors, flags = np.empty(len(first)), np.zeros(len(first), dtype=bool)
        with one_thread(), torch.no_grad():
            vectors = {row: self._vector(documents.texts[row]) for row in rows}
            for index, (one, other) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
                a, b = vectors[one], vectors[other]
                found = judged(self.weights, a, b)
                posteriors[index] = float(found.posterior.clamp(0, 1))
                flags[index] = bool(self.detector) and bool(
                    flagged(self.detector, detector_input(a, b, found.confusion)) > 0
                )
        return posteriors, flags

    def _vector(self, text: str) -> Tensor:
        return text_vectors(self.weights, [self.reader.read(text)])


def memory(size: Size) -> float:
    """Bytes: every training text as codes of words and characters, and a batch with its gradients."""
    return 700_000_000 + 12.0 * size.characters
