"""LUAR: texts by one author drawn together by a contrastive loss (Rivera-Soto et al. 2021), on our SBERT's transformer.

The frozen layers run once per text, and what they give is kept, on disk where it is much; the trained layers stand above them. Of a
folder with a pretrained LUAR only tensors, a tokenizer and numbers are read: its code is never run, and pickled weights are never opened.
"""

import json
import os
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from errno import ENOSPC
from functools import lru_cache
from io import FileIO
from pathlib import Path
from tempfile import TemporaryFile, gettempdir
from threading import Lock
from typing import Any, ClassVar

import numpy as np

from ...arrays import Floats, Ints, Tensor, digest, record
from ...errors import EncoderError, SettingError
from ...registry import Setting
from ...splits import Pairs
from ...vectors import (
    LAYERS,
    SIZE,
    checked_model,
    cut_into_excerpts,
    excerpts_of,
    published_weights,
    sha256_of,
    usual_arithmetic,
)
from ..contract import Documents, Size, setting_variable
from .cosine import FittedCosine, fitted_cosine
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

HEAD = 32  # numbers of an attention head
EPSILON = 1e-12
WIDTH = 512  # of a text's vector
# A part of a layer under our name, and under those of the published weights.
PARTS = {
    "into": ("attention.self.query", "attention.self.key", "attention.self.value"),
    "out": ("attention.output.dense",),
    "first_norm": ("attention.output.LayerNorm",),
    "up": ("intermediate.dense",),
    "down": ("output.dense",),
    "second_norm": ("output.LayerNorm",),
}
TOKENS, EXCERPTS = 32, 16  # of an excerpt, and at most of a text
CACHED = 400_000_000  # bytes that outlast a fit: the next fold asks for most of it again
HELD = 800_000_000  # bytes of one fit's in memory: those of SCOTUS would be 2 GB
FILES = ("config.json", "model.safetensors", "tokenizer.json")
KIND = "LUAR"
ROBERTA_HEAD, ROBERTA_EPSILON, FIRST_PLACE = 64, 1e-5, 2  # of a RoBERTa: places are counted after the one for padding
EMBEDDINGS = ("word_embeddings", "position_embeddings", "token_type_embeddings")
WEIGHTS = Setting(
    "Folder",
    "A folder of a pretrained LUAR (config.json, model.safetensors, tokenizer.json), used as it is.",
    longest=4_096,
)
CHARACTERS = 130  # of an excerpt of English, about
BACKBONE = (
    "LUAR builds on all-MiniLM-L6-v2, not on the paper's paraphrase-distilroberta. Its upper layers learn for a few epochs, at a "
    "higher rate and temperature, from this fold's training side only."
)

_store: OrderedDict[str, Tensor] = OrderedDict()
_stored = 0
_lock = Lock()


def trainable(layers: int, generator: Any) -> Weights:
    """Return the weights that training starts from: the uppermost layers as published, and a linear map to WIDTH drawn at random."""
    import torch

    weights = layer_weights(published_weights(), range(LAYERS - layers, LAYERS))
    bound = SIZE**-0.5
    weights["linear.weight"] = torch.empty(WIDTH, SIZE).uniform_(-bound, bound, generator=generator)
    weights["linear.bias"] = torch.empty(WIDTH).uniform_(-bound, bound, generator=generator)
    return weights


def layer_weights(published: Weights, numbers: Sequence[int], at: str = "") -> Weights:
    """Return the tensors of these layers under our names, a layer's three inputs to attention as one."""
    import torch

    return {
        f"{number}.{part}.{kind}": torch.cat(
            [published[f"{at}encoder.layer.{number}.{name}.{kind}"] for name in names]
        ).float()
        for number in numbers
        for part, names in PARTS.items()
        for kind in ("weight", "bias")
    }


def frozen_states(excerpts: Sequence[Ints], layers: int) -> Tensor:
    """Run the layers below the `layers` trained ones on a text's excerpts: excerpts × tokens × SIZE, two bytes each."""
    import torch

    states = torch.stack(checked_model().states(excerpts, LAYERS - layers))
    return states.half() if states.dtype == torch.float32 else states


def text_vectors(weights: Weights, texts: Sequence[Tensor]) -> Tensor:
    """Return a row per text from the frozen states of its excerpts; gradients flow where the weights ask for them."""
    import torch

    longest = max(text.shape[1] for text in texts)
    states = torch.cat([torch.nn.functional.pad(text, (0, 0, 0, longest - text.shape[1])) for text in texts])
    tokens = [text.shape[1] for text in texts for _ in range(text.shape[0])]
    there = None if min(tokens) == longest else torch.arange(longest) < torch.tensor(tokens)[:, None]
    fast = usual_arithmetic() == "bfloat16"
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=fast):
        states = through_layers(weights, states if fast else states.float(), there)
    means = _token_mean(states.float(), there)
    return pooled_vectors(weights, list(means.split([text.shape[0] for text in texts])))


def pooled_vectors(weights: Weights, texts: Sequence[Tensor]) -> Tensor:
    """Return a row per text, from the means of its excerpts' tokens."""
    import torch

    pooled = torch.stack([_pooled_excerpts(excerpts) for excerpts in texts])
    return torch.nn.functional.linear(pooled, weights["linear.weight"], weights["linear.bias"])


def through_layers(
    weights: Weights, x: Tensor, there: Tensor | None = None, *, head: int = HEAD, epsilon: float = EPSILON
) -> Tensor:
    """Apply every transformer block among the weights, in order, to excerpts × tokens × numbers."""
    for number in sorted({int(name.split(".")[0]) for name in weights if name[0].isdigit()}):
        x = _layer(weights, str(number), x, there, head, epsilon)
    return x


def _layer(weights: Weights, at: str, x: Tensor, there: Tensor | None, head: int, epsilon: float) -> Tensor:
    from torch.nn.functional import gelu, layer_norm, linear, scaled_dot_product_attention

    def product(part: str, of: Tensor) -> Tensor:
        return linear(of, weights[f"{at}.{part}.weight"], weights[f"{at}.{part}.bias"])

    def normed(part: str, of: Tensor) -> Tensor:
        return layer_norm(of, (size,), weights[f"{at}.{part}.weight"], weights[f"{at}.{part}.bias"], epsilon)

    count, length, size = x.shape
    query, key, value = product("into", x).view(count, length, 3, size // head, head).permute(2, 0, 3, 1, 4)
    seen = scaled_dot_product_attention(query, key, value, None if there is None else there[:, None, None, :])
    x = normed("first_norm", product("out", seen.transpose(1, 2).reshape(count, length, size)) + x)
    return normed("second_norm", product("down", gelu(product("up", x))) + x)


def _token_mean(states: Tensor, there: Tensor | None) -> Tensor:
    """Average over an excerpt's tokens, without padding."""
    if there is None:
        return states.mean(1)
    return (states * there[:, :, None]).sum(1) / there.sum(1, keepdim=True)


def _pooled_excerpts(excerpts: Tensor) -> Tensor:
    """Apply scaled dot-product self-attention without weights among a text's excerpts, and take the maximum over them."""
    import torch

    similar = torch.softmax(excerpts @ excerpts.T / excerpts.shape[1] ** 0.5, dim=1)
    return (similar @ excerpts).amax(0)


def contrastive_loss(vectors: Tensor, authors: Tensor, temperature: float) -> Tensor:
    """Compute the supervised contrastive loss (Khosla et al. 2020): how far each author's other texts stand out by cosine."""
    import torch

    unit = torch.nn.functional.normalize(vectors, dim=1)
    own = torch.eye(len(unit), dtype=torch.bool)
    logits = (unit @ unit.T / temperature).masked_fill(own, -torch.inf)
    share = torch.log_softmax(logits, dim=1).masked_fill(own, 0.0)
    mates = (authors[:, None] == authors[None, :]) & ~own
    return -((share * mates).sum(1) / mates.sum(1)).mean()


def unit_vector(weights: Weights, states: Tensor) -> Floats:
    """Return one text's vector at length one, computed alone: batches would change its last digits."""
    import torch

    with torch.no_grad():
        vector = text_vectors(weights, [states])[0]
        return np.asarray(torch.nn.functional.normalize(vector.double(), dim=0).numpy())


def frozen(text: str, layers: int) -> Tensor:
    """Run the layers below the trained ones on a text's excerpts."""
    return frozen_states(excerpts_of([text], tokens=TOKENS, most=EXCERPTS)[0], layers)


def states_of(text: str, layers: int) -> Tensor:
    """Return the frozen layers' output for a text's excerpts; the last CACHED bytes of it stay for the next fold."""
    global _stored
    key = digest([text, layers])
    with _lock:
        found = _store.get(key)
    if found is not None:
        return found
    found = frozen(text, layers)
    with _lock:
        if key not in _store:
            _store[key], _stored = found, _stored + found.nbytes
        while _stored > CACHED:
            _stored -= _store.popitem(last=False)[1].nbytes
    return found


class States:
    """The states of many texts by row: some in memory, the others read from a file whenever asked for.

    Read, not mapped: mapped pages would count as this process' memory.
    """

    def __init__(self, file: FileIO) -> None:
        self._file, self._end, self._room = file, 0, HELD
        self._here: dict[int, Tensor] = {}
        self._there: dict[int, tuple[int, tuple[int, ...], Any]] = {}  # where in the file, shape and type

    def add(self, row: int, states: Tensor) -> None:
        """Hold a text's states, in memory while there is room."""
        if states.nbytes <= self._room:
            self._here[row] = states
            self._room -= states.nbytes
        else:
            self._there[row] = self._end, tuple(states.shape), states.dtype
            self._write(states)

    def __getitem__(self, row: int) -> Tensor:
        if row in self._here:
            return self._here[row]
        import torch

        start, shape, dtype = self._there[row]
        states = torch.empty(shape, dtype=dtype)
        self._file.seek(start)
        self._file.readinto(states.view(torch.uint8).numpy())
        return states

    def tokens(self, row: int) -> int:
        """Return the tokens of each of a text's excerpts, without reading them."""
        return int((self._here[row].shape if row in self._here else self._there[row][1])[1])

    def _write(self, states: Tensor) -> None:
        import torch

        rest = memoryview(states.contiguous().view(torch.uint8).numpy()).cast("B")
        self._end += len(rest)
        try:
            while len(rest):
                rest = rest[self._file.write(rest) :]
        except OSError as error:
            if error.errno != ENOSPC:
                raise
            raise SettingError(
                f"LUAR stores output of its frozen layers in {gettempdir()}, which is full. Set TMPDIR to a folder with more room, "
                "or use fewer documents."
            ) from None


@contextmanager
def states_of_all(texts: Sequence[str], rows: Ints, layers: int) -> Iterator[States]:
    """Hold the states of these rows' texts, the first HELD bytes in memory and the rest in an unnamed file that ends with the
    block."""
    with TemporaryFile(buffering=0) as file:
        states = States(file)
        for row in rows.tolist():
            states.add(row, states_of(texts[row], layers))
        yield states


@record
class Folder:
    """A folder whose files have been looked at; its weights are loaded when a text is first read."""

    path: str
    sha256: str

    @property
    def name(self) -> str:
        return Path(self.path).name

    def vector(self, text: str) -> Floats:
        """Return the text's vector at length one, computed alone."""
        return _network(self.path, self.sha256).vector(text)


@record
class _Network:
    """The tensors, ready to run."""

    weights: Weights
    words: Tensor
    places: Tensor
    norm: tuple[Tensor, Tensor]
    tokenizer: Any

    def vector(self, text: str) -> Floats:
        import torch
        from torch.nn.functional import layer_norm, normalize

        excerpts = self._excerpts(text)
        with torch.no_grad():
            tokens = torch.from_numpy(np.stack(excerpts))
            places = self.places[FIRST_PLACE : FIRST_PLACE + tokens.shape[1]]
            x = layer_norm(self.words[tokens] + places, (self.words.shape[1],), *self.norm, eps=ROBERTA_EPSILON)
            means = through_layers(self.weights, x, head=ROBERTA_HEAD, epsilon=ROBERTA_EPSILON).mean(1)
            return np.asarray(normalize(pooled_vectors(self.weights, [means])[0].double(), dim=0).numpy())

    def _excerpts(self, text: str) -> list[Ints]:
        sound = text.encode("utf-8", "replace").decode()  # half a surrogate pair has no token
        ids = np.array(self.tokenizer.encode(sound).ids, dtype=np.int64)
        return cut_into_excerpts(ids[1:-1], ids[[0, -1]], tokens=32, most=16)


def checked_folder(path: str) -> Folder:
    """Return the folder if it holds a LUAR; raise an error that names what is missing."""
    folder = Path(path).expanduser()
    if not folder.is_dir():
        raise EncoderError(f"{path} is no folder; name one that holds {', '.join(FILES)}.")
    for file in FILES:
        if not (folder / file).is_file():
            pickled = (
                " (a pickled pytorch_model.bin is never opened: save it as safetensors)" if "model" in file else ""
            )
            raise EncoderError(f"{folder} holds no {file}{pickled}; a LUAR folder has {', '.join(FILES)}.")
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise EncoderError(f"{folder / 'config.json'} cannot be read ({problem}); download the folder again.") from None
    if not isinstance(config, dict) or config.get("model_type") != KIND:
        found = config.get("model_type") if isinstance(config, dict) else None
        raise EncoderError(
            f"{folder / 'config.json'} names the model type {str(found)[:40]!r}, not {KIND!r}; choose a LUAR."
        )
    status = (folder / "model.safetensors").stat()
    return Folder(str(folder), sha256_of(folder / "model.safetensors", status.st_size, status.st_mtime_ns))


@lru_cache(maxsize=1)
def _network(path: str, sha256: str) -> _Network:
    from safetensors import SafetensorError
    from safetensors.torch import load_file
    from tokenizers import Tokenizer

    folder, at = Path(path), "transformer."
    try:
        tensors = load_file(folder / "model.safetensors")
    except (SafetensorError, OSError) as problem:
        raise EncoderError(
            f"{folder / 'model.safetensors'} cannot be read ({problem}); download the folder again."
        ) from None
    numbers = sorted({int(name.split(".")[3]) for name in tensors if name.startswith(f"{at}encoder.layer.")})
    try:
        weights = layer_weights(tensors, numbers, at)
        weights |= {name: tensors[name].float() for name in ("linear.weight", "linear.bias")}
        words, places, kinds = (tensors[f"{at}embeddings.{name}.weight"].float() for name in EMBEDDINGS)
        norm = tuple(tensors[f"{at}embeddings.LayerNorm.{part}"].float() for part in ("weight", "bias"))
    except KeyError as problem:
        raise EncoderError(
            f"{folder / 'model.safetensors'} has no tensor {problem}; it is not the weights of a LUAR."
        ) from None
    if not numbers or words.shape[1] % ROBERTA_HEAD or weights["linear.weight"].shape[1] != words.shape[1]:
        raise EncoderError(
            f"{folder / 'model.safetensors'} holds tensors of other shapes than a LUAR's; download the folder again."
        )
    try:
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    except Exception as problem:  # the library raises plain exceptions
        raise EncoderError(
            f"{folder / 'tokenizer.json'} cannot be read ({problem}); download the folder again."
        ) from None
    tokenizer.no_padding()
    tokenizer.no_truncation()
    if len(words) < tokenizer.get_vocab_size() or len(tokenizer.encode("").ids) != 2:
        raise EncoderError(
            f"{folder / 'tokenizer.json'} is not the tokenizer of these weights; download the folder again."
        )
    return _Network(weights, words, places + kinds[0], (norm[0], norm[1]), tokenizer)


@dataclass(frozen=True, slots=True)
class Luar(TorchSettings):
    """A transformer whose upper layers are trained; with `weights` only its thresholds are.

    With the paper's rate (2e-5) and temperature (.01), a few epochs change next to nothing.
    """

    trained_layers: int = 2  # the upper ones
    epochs: int = 8
    patience: int = 2
    authors: int = 16  # a batch, at most, with two texts each
    rate: float = 5e-4
    temperature: float = 0.05
    # Of a pretrained luar.
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
        """Return the key; for weights from a folder it names their content, not the path."""
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
    """Yield rows and author codes of an epoch's batches: two texts each of up to `authors` authors, every text about once.

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
    """Draw 1 + ⌈Beta(3, 1)·15⌉ of a text's excerpts, fewer in the same proportion where it has fewer than 16."""
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
    """Estimate bytes: the frozen states of every training text that are held in memory, and a batch with its gradients."""
    excerpts = min(EXCERPTS, size.characters / max(size.documents, 1) / CHARACTERS + 1)
    return 900_000_000 + min(size.documents * excerpts * TOKENS * 384 * 2, HELD)
