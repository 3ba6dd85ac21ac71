"""SBERT: sentence vectors of all-MiniLM-L6-v2 (Reimers & Gurevych 2019), the model the HITS authors' code names."""

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ..arrays import Ints, Singles, canonical
from ..engine import cores
from ..errors import SettingError
from ..formats import counted
from ..registry import Setting
from . import minilm
from .encoder import EncodedBatch
from .language import language_advice

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

Sequences = list[Ints]


@dataclass(frozen=True, slots=True)
class Sbert:
    """The vector of the first 256 tokens, or the normalised mean over all windows of 256."""

    window: str = WINDOWS.default

    name: ClassVar[str] = "sbert"
    per_document: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.window not in WINDOWS.choices:
            raise SettingError(f"No window is called '{self.window}'; choose one of: {', '.join(WINDOWS.choices)}.")

    def key(self) -> str:
        return canonical(self.name, 1, window=self.window, weights=minilm.WEIGHTS_SHA256, arithmetic=usual_arithmetic())

    def batches(self, texts: Sequence[str]) -> Iterator[EncodedBatch]:
        model, threads = _model()
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
        """Texts of like length together, in pieces of about TOKENS_AT_ONCE tokens."""
        for start in range(0, len(texts), TEXTS_AT_ONCE):
            windows = _tokenised(texts[start : start + TEXTS_AT_ONCE])
            if self.window == "first":
                windows = [those[:1] for those in windows]
            sizes = np.array([sum(map(len, those)) for those in windows])
            units = _pieces(sizes)
            # Long and short by turns, or the time left would be guessed from the long ones alone.
            for number in np.random.default_rng(0).permutation(len(units)):
                yield start + units[number], [windows[row] for row in units[number]]


def usual_arithmetic() -> str:
    """The fastest arithmetic of this CPU that keeps a vector within cosine 0.999: bfloat16 where it has units for it."""
    return "bfloat16" if {"amx_bf16", "avx512_bf16"} & _cpu_flags() else "float32"


@lru_cache(maxsize=1)
def _cpu_flags() -> frozenset[str]:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return frozenset()
    return frozenset(next((line for line in lines if line.startswith("flags")), "").split())


@lru_cache(maxsize=1)
def _model() -> tuple[minilm.MiniLM, int]:
    """The model, checked against full precision, and how many threads torch finds fit for this machine."""
    import torch

    file = minilm.checked(minilm.folder() / "model.safetensors", minilm.WEIGHTS_SHA256)
    full = minilm.load_model(file, "float32")
    threads = torch.get_num_threads()
    if usual_arithmetic() == "float32":
        return full, threads
    fast = minilm.load_model(file, usual_arithmetic())
    probes = [windows[:1] for windows in _tokenised([PROBE[:size] for size in (0, 9, 40, 200, 5_000)])]
    close = (_encode(fast, probes) * _encode(full, probes)).sum(axis=1).min() >= LEAST_COSINE
    return fast if close else full, threads  # full is finer than the key says, which promises the bound and no more


@lru_cache(maxsize=1)
def _tokenizer() -> Any:
    from tokenizers import Tokenizer

    file = minilm.checked(minilm.folder() / "tokenizer.json", minilm.TOKENIZER_SHA256)
    tokenizer = Tokenizer.from_file(str(file))
    tokenizer.no_padding()
    tokenizer.enable_truncation(WINDOW)
    return tokenizer


def _tokenised(texts: Sequence[str]) -> list[Sequences]:
    """The windows of each text, with the model's marks at both ends of each."""
    sound = [text.encode("utf-8", "replace").decode() for text in texts]  # half a surrogate pair has no token
    return [
        [np.array(window.ids, dtype=np.int64) for window in (encoding, *encoding.overflowing)]
        for encoding in _tokenizer().encode_batch_fast(sound)
    ]


def excerpts_of(texts: Sequence[str], *, tokens: int, most: int) -> list[Sequences]:
    """Each text's excerpts of so many tokens, the model's marks at both ends among them."""
    return [
        cut_into_excerpts(
            np.concatenate([window[1:-1] for window in windows]), windows[0][[0, -1]], tokens=tokens, most=most
        )
        for windows in _tokenised(texts)
    ]


def cut_into_excerpts(ids: Ints, marks: Ints, *, tokens: int, most: int) -> Sequences:
    """Excerpts side by side, the last one moved back to end with the text; `most` of them, evenly spread, where there are
    more. A text that is shorter is one short excerpt."""
    size = tokens - 2
    starts = np.minimum(np.arange(0, max(len(ids), 1), size), max(len(ids) - size, 0))
    if len(starts) > most:
        starts = starts[np.linspace(0, len(starts) - 1, most).round().astype(np.int64)]
    return [np.concatenate([marks[:1], ids[start : start + size], marks[1:]]) for start in starts]


def checked_model() -> minilm.MiniLM:
    """The published model in the fastest arithmetic of this CPU that is close enough to full precision."""
    return _model()[0]


def _encode(model: minilm.MiniLM, windows: list[Sequences]) -> Singles:
    """The normalised mean of each text's window vectors."""
    owner = np.repeat(np.arange(len(windows)), [len(those) for those in windows])
    flat = [window for those in windows for window in those]
    sums = np.zeros((len(windows), minilm.SIZE), dtype=np.float32)
    for part in _pieces(np.array([len(window) for window in flat])):
        np.add.at(sums, owner[part], model.vectors([flat[window] for window in part]))
    lengths: Singles = np.linalg.norm(sums, axis=1, keepdims=True)
    return sums / lengths


def _pieces(sizes: Ints) -> list[Ints]:
    """Rows from large to small, cut about every TOKENS_AT_ONCE tokens."""
    order = np.argsort(-sizes, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(np.cumsum(sizes[order]) // TOKENS_AT_ONCE)) + 1)


def _set_threads(threads: int) -> None:
    """How many cores torch gives to one batch, in threads yet to come too.

    One while encoding: several cores on one batch wait for each other, all the more on a busy machine.
    """
    import torch

    torch.set_num_threads(threads)
