"""LUAR's network (Rivera-Soto et al. 2021) on all-MiniLM-L6-v2: frozen layers, run once a text; trained ones above; one vector.

What frozen layers make of texts is kept, on disk where it is much.
"""

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from errno import ENOSPC
from io import FileIO
from tempfile import TemporaryFile, gettempdir
from threading import Lock
from typing import Any

import numpy as np

from ...arrays import Floats, Ints, Tensor, digest
from ...errors import SettingError
from ...vectors import LAYERS, SIZE, checked_model, excerpts_of, published_weights, usual_arithmetic
from .neural import Weights

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

_store: OrderedDict[str, Tensor] = OrderedDict()
_stored = 0
_lock = Lock()


def trainable(layers: int, generator: Any) -> Weights:
    """The weights that training starts from: the uppermost layers as published, and a linear map to WIDTH drawn at random."""
    import torch

    weights = layer_weights(published_weights(), range(LAYERS - layers, LAYERS))
    bound = SIZE**-0.5
    weights["linear.weight"] = torch.empty(WIDTH, SIZE).uniform_(-bound, bound, generator=generator)
    weights["linear.bias"] = torch.empty(WIDTH).uniform_(-bound, bound, generator=generator)
    return weights


def layer_weights(published: Weights, numbers: Sequence[int], at: str = "") -> Weights:
    """The tensors of these layers under our names, a layer's three inputs to attention as one."""
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
    """What the layers below the `layers` trained ones make of a text's excerpts: excerpts × tokens × SIZE, two bytes each."""
    import torch

    states = torch.stack(checked_model().states(excerpts, LAYERS - layers))
    return states.half() if states.dtype == torch.float32 else states


def text_vectors(weights: Weights, texts: Sequence[Tensor]) -> Tensor:
    """A row a text, from what the frozen layers made of its excerpts; gradients flow where the weights ask for them."""
    import torch

    longest = max(text.shape[1] for text in texts)
    states = torch.cat([torch.nn.functional.pad(text, (0, 0, 0, longest - text.shape[1])) for text in texts])
    tokens = [text.shape[1] for text in texts for _ in range(text.shape[0])]
    there = None if min(tokens) == longest else torch.arange(longest) < torch.tensor(tokens)[:, None]
    fast = usual_arithmetic() == "bfloat16"
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=fast):
        states = through_layers(weights, states if fast else states.float(), there)
    means = _mean(states.float(), there)
    return pooled_vectors(weights, list(means.split([text.shape[0] for text in texts])))


def pooled_vectors(weights: Weights, texts: Sequence[Tensor]) -> Tensor:
    """A row a text, from the means of its excerpts' tokens."""
    import torch

    pooled = torch.stack([_pooled(excerpts) for excerpts in texts])
    return torch.nn.functional.linear(pooled, weights["linear.weight"], weights["linear.bias"])


def through_layers(
    weights: Weights, x: Tensor, there: Tensor | None = None, *, head: int = HEAD, epsilon: float = EPSILON
) -> Tensor:
    """Every transformer block among the weights, in order, on excerpts × tokens × numbers."""
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


def _mean(states: Tensor, there: Tensor | None) -> Tensor:
    """Over an excerpt's tokens, those that only fill up aside."""
    if there is None:
        return states.mean(1)
    return (states * there[:, :, None]).sum(1) / there.sum(1, keepdim=True)


def _pooled(excerpts: Tensor) -> Tensor:
    """Scaled dot-product self-attention among a text's excerpts, which has no weights, and the maximum over them."""
    import torch

    alike = torch.softmax(excerpts @ excerpts.T / excerpts.shape[1] ** 0.5, dim=1)
    return (alike @ excerpts).amax(0)


def contrastive_loss(vectors: Tensor, authors: Tensor, temperature: float) -> Tensor:
    """Supervised contrastive loss (Khosla et al. 2020): of each text, how far its author's other texts stand out by cosine."""
    import torch

    unit = torch.nn.functional.normalize(vectors, dim=1)
    own = torch.eye(len(unit), dtype=torch.bool)
    logits = (unit @ unit.T / temperature).masked_fill(own, -torch.inf)
    share = torch.log_softmax(logits, dim=1).masked_fill(own, 0.0)
    mates = (authors[:, None] == authors[None, :]) & ~own
    return -((share * mates).sum(1) / mates.sum(1)).mean()


def unit_vector(weights: Weights, states: Tensor) -> Floats:
    """One text's vector at length one, computed alone: company would change its last digits."""
    import torch

    with torch.no_grad():
        vector = text_vectors(weights, [states])[0]
        return np.asarray(torch.nn.functional.normalize(vector.double(), dim=0).numpy())


def frozen(text: str, layers: int) -> Tensor:
    """What the layers below the trained ones make of a text's excerpts."""
    return frozen_states(excerpts_of([text], tokens=TOKENS, most=EXCERPTS)[0], layers)


def states_of(text: str, layers: int) -> Tensor:
    """The frozen layers' output for a text's excerpts; the last CACHED bytes of it stay for the next fold."""
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
        """Of each of a text's excerpts, without reading them."""
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
                f"LUAR keeps what its frozen layers make of the training texts in {gettempdir()}, which is full; set TMPDIR to a "
                "folder with more room, or use fewer documents."
            ) from None


@contextmanager
def states_of_all(texts: Sequence[str], rows: Ints, layers: int) -> Iterator[States]:
    """The states of these rows' texts, the first HELD bytes in memory and the rest in an unnamed file that ends with the block."""
    with TemporaryFile(buffering=0) as file:
        states = States(file)
        for row in rows.tolist():
            states.add(row, states_of(texts[row], layers))
        yield states
