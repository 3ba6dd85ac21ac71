"""LUAR's network (Rivera-Soto et al. 2021) on all-MiniLM-L6-v2: frozen layers below, trained ones above, excerpts to one vector."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...arrays import Floats, Ints
from ...vectors import LAYERS, SIZE, checked_model, published_weights, usual_arithmetic
from .neural import Tensor, Weights

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
