"""A pretrained LUAR in a folder of the user's own, as its authors publish it: a RoBERTa and a linear map, in safetensors.

Only tensors, a tokenizer and numbers are read; code that lies in the folder is never run, and pickled weights are never opened.
"""

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from ...arrays import Floats, Ints, Tensor, record
from ...errors import EncoderError
from ...vectors import cut_into_excerpts, sha256_of
from .luar_network import layer_weights, pooled_vectors, through_layers
from .neural import Weights

FILES = ("config.json", "model.safetensors", "tokenizer.json")
KIND = "LUAR"
HEAD, EPSILON, FIRST_PLACE = 64, 1e-5, 2  # of a RoBERTa: places are counted after the one for padding
EMBEDDINGS = ("word_embeddings", "position_embeddings", "token_type_embeddings")


@record
class Folder:
    """A folder whose files have been looked at; its weights are loaded when a text is first read."""

    path: str
    sha256: str

    @property
    def name(self) -> str:
        return Path(self.path).name

    def vector(self, text: str) -> Floats:
        """The text's vector at length one, computed alone."""
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
            x = layer_norm(self.words[tokens] + places, (self.words.shape[1],), *self.norm, eps=EPSILON)
            means = through_layers(self.weights, x, head=HEAD, epsilon=EPSILON).mean(1)
            return np.asarray(normalize(pooled_vectors(self.weights, [means])[0].double(), dim=0).numpy())

    def _excerpts(self, text: str) -> list[Ints]:
        sound = text.encode("utf-8", "replace").decode()  # half a surrogate pair has no token
        ids = np.array(self.tokenizer.encode(sound).ids, dtype=np.int64)
        return cut_into_excerpts(ids[1:-1], ids[[0, -1]], tokens=32, most=16)


def checked_folder(path: str) -> Folder:
    """The folder, once it is known to hold a LUAR; a sentence says what it lacks."""
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
        raise EncoderError(f"{folder / 'config.json'} cannot be read ({problem}); fetch the folder anew.") from None
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
            f"{folder / 'model.safetensors'} cannot be read ({problem}); fetch the folder anew."
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
    if not numbers or words.shape[1] % HEAD or weights["linear.weight"].shape[1] != words.shape[1]:
        raise EncoderError(
            f"{folder / 'model.safetensors'} holds tensors of other shapes than a LUAR's; fetch the folder anew."
        )
    try:
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    except Exception as problem:  # the library raises plain exceptions
        raise EncoderError(f"{folder / 'tokenizer.json'} cannot be read ({problem}); fetch the folder anew.") from None
    tokenizer.no_padding()
    tokenizer.no_truncation()
    if len(words) < tokenizer.get_vocab_size() or len(tokenizer.encode("").ids) != 2:
        raise EncoderError(f"{folder / 'tokenizer.json'} is not the tokenizer of these weights; fetch the folder anew.")
    return _Network(weights, words, places + kinds[0], (norm[0], norm[1]), tokenizer)
