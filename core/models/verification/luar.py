"""LUAR: texts by one author drawn together by a contrastive loss (Rivera-Soto et al. 2021), on our SBERT's transformer."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from ...arrays import Floats, Ints, Tensor, record
from ...errors import SettingError
from ...registry import Setting
from ...splits import Pairs
from ...vectors import LAYERS
from ..contract import Documents, Size, setting_variable
from .cosine import FittedCosine, fitted_cosine
from .luar_folder import Folder, checked_folder
from .luar_network import (
    EXCERPTS,
    HELD,
    TOKENS,
    States,
    contrastive_loss,
    states_of,
    states_of_all,
    text_vectors,
    trainable,
    unit_vector,
)
from .neural import (
    Authored,
    Schooling,
    TorchSettings,
    Weights,
    authored,
    generator,
    held_auc,
    one_thread,
    school,
    torch_key,
    trimmed,
)

WEIGHTS = Setting(
    "Folder",
    "A folder of a pretrained LUAR (config.json, model.safetensors, tokenizer.json), used as it is.",
    longest=4_096,
)
CHARACTERS = 130  # of an excerpt of English, about
BACKBONE = (
    "LUAR stands on all-MiniLM-L6-v2, not on the paper's paraphrase-distilroberta, and its upper layers learn for a few epochs, at "
    "a higher rate and temperature, from this fold's training side alone."
)


@dataclass(frozen=True, slots=True)
class Luar(TorchSettings):
    """The upper `trained_layers` trained on two texts each of up to `authors` authors a batch. `rate` and `temperature` are
    higher than the paper's 2e-5 and .01, with which a few epochs change next to nothing. With `weights`, a folder of a
    pretrained LUAR, nothing but the thresholds is learned."""

    trained_layers: int = 2
    epochs: int = 8
    patience: int = 2
    authors: int = 16
    rate: float = 5e-4
    temperature: float = 0.05
    weights: str = field(default_factory=lambda: os.environ.get(setting_variable("luar", "weights"), ""))

    name: ClassVar[str] = "luar"

    def __post_init__(self) -> None:
        if not 1 <= self.trained_layers <= LAYERS:
            raise SettingError(f"LUAR with {self.trained_layers} trained layers: choose from 1 to {LAYERS}.")
        if self.epochs < 1 or self.patience < 1 or self.authors < 2:
            raise SettingError("LUAR needs 1 epoch or more, a patience of 1 or more, and 2 authors or more in a batch.")
        if not (self.rate > 0 and self.temperature > 0):
            raise SettingError("LUAR needs a learning rate and a temperature above 0.")
        if self.weights:
            checked_folder(self.weights)

    def key(self) -> str:
        """With weights of one's own, what they hold and not where they lie."""
        own = checked_folder(self.weights).sha256 if self.weights else ""
        return torch_key(self, weights=own)

    def fit(self, documents: Documents, pairs: Pairs, *, held: Pairs, seed: int) -> FittedCosine:
        """Train on the texts in `pairs`, end by the AUC of `held`, and choose thresholds on it."""
        with one_thread():
            if self.weights:
                folder = checked_folder(self.weights)
                note = f"The pretrained LUAR in {folder.name}, as it is: only the thresholds are learned here."
                return fitted_cosine(FolderVectors(folder), documents, held, (note,))
            texts = authored(documents, pairs, model="LUAR")
            with states_of_all(documents.texts, np.union1d(pairs.rows, held.rows), self.trained_layers) as states:
                schooling = self._schooled(texts, states, held, seed)
                short = sum(states.tokens(row) < TOKENS for row in pairs.rows.tolist())
            notes = [BACKBONE, schooling.note(f"The upper {self.trained_layers} of {LAYERS} layers", self.epochs)]
            if short:
                size = f"shorter than an excerpt of {TOKENS} tokens and read as one short excerpt"
                notes.append(f"{short:,} of {len(pairs.rows):,} training texts are {size}.")
            return fitted_cosine(LuarVectors(schooling.weights, self.trained_layers), documents, held, tuple(notes))

    def _schooled(self, texts: Authored, states: States, held: Pairs, seed: int) -> Schooling:
        import torch

        rng = np.random.default_rng(seed)
        weights = trainable(self.trained_layers, generator(seed))
        for value in weights.values():
            value.requires_grad_(True)
        optimizer = torch.optim.AdamW(weights.values(), lr=self.rate)

        def one_epoch(epoch: int) -> float:
            losses = []
            for rows, codes in trimmed(batches(texts, self.authors, rng)):
                episodes = [_episode(states[row], rng) for row in rows]
                loss = contrastive_loss(text_vectors(weights, episodes), torch.from_numpy(codes), self.temperature)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                losses.append(float(loss.detach()))
            return float(np.mean(losses))

        def judge() -> float:
            vectors = {row: unit_vector(weights, states[row]) for row in held.rows}
            cosines = [float(vectors[a] @ vectors[b]) for a, b in zip(held.first, held.second, strict=True)]
            return held_auc((np.clip(cosines, -1, 1) + 1) / 2, held)

        return school(weights, epochs=self.epochs, patience=self.patience, one_epoch=one_epoch, judge=judge)


def batches(texts: Authored, authors: int, rng: np.random.Generator) -> Iterator[tuple[Ints, Ints]]:
    """An epoch: rows and author codes of batches with two texts each of up to so many authors, about every text once.

    An author with few texts is met as often as one with many, or a batch would soon be left with prolific authors alone.
    """
    size = min(authors, len(texts))
    queues: list[list[int]] = [[] for _ in texts.rows]
    turns: list[int] = []
    for _ in range(-(-texts.texts // (2 * size))):
        if len(turns) < size:  # those still waiting come first, and nobody twice in a batch
            turns += sorted(rng.permutation(len(texts)).tolist(), key=lambda code: code in turns)
        chosen, turns = turns[:size], turns[size:]
        for code in chosen:
            if len(queues[code]) < 2:
                queues[code] = rng.permutation(texts.rows[code]).tolist()
        rows = [queues[code].pop() for code in chosen for _ in range(2)]
        yield np.array(rows), np.repeat(chosen, 2)


def _episode(states: Tensor, rng: np.random.Generator) -> Tensor:
    """1 + ⌈Beta(3, 1)·15⌉ of a text's excerpts, fewer in the same proportion where it has fewer than 16."""
    count = len(states)
    if count == 1:
        return states
    length = min(1 + int(np.ceil(rng.beta(3.0, 1.0) * (count - 1))), count)
    return states[np.sort(rng.permutation(count)[:length])]


@record
class LuarVectors:
    """Vectors of length one from the trained layers, each text by itself."""

    weights: Weights
    layers: int

    def __call__(self, documents: Documents, rows: Ints) -> Floats:
        with one_thread():
            return np.stack([unit_vector(self.weights, states_of(documents.texts[row], self.layers)) for row in rows])


@record
class FolderVectors:
    """Vectors of length one from a pretrained folder, each text by itself."""

    folder: Folder

    def __call__(self, documents: Documents, rows: Ints) -> Floats:
        with one_thread():
            return np.stack([self.folder.vector(documents.texts[row]) for row in rows])


def memory(size: Size) -> float:
    """Bytes: what the frozen layers make of every training text, as far as it is held in memory, and a batch with its gradients."""
    excerpts = min(EXCERPTS, size.characters / max(size.documents, 1) / CHARACTERS + 1)
    return 900_000_000 + min(size.documents * excerpts * TOKENS * 384 * 2, HELD)
