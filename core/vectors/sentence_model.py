"""Another model: any of sentence-transformers, on a graphics processor where torch sees one (Reimers & Gurevych 2019)."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ..arrays import canonical
from ..errors import EncoderError, SettingError
from ..registry import Setting
from .encoder import Batch, Encoder
from .model_folders import folder_here, model_folder, weights_hash

AT_ONCE = 64  # texts between two signs of life: what a kill loses
MODEL = Setting(
    "Model",
    "The folder of a sentence-transformers model on this machine, or the name of a public one, which is fetched once. Its own "
    "code is never run.",
    longest=300,
)


@dataclass(frozen=True, slots=True)
class SentenceModel:
    """What the model's own modules make of the tokens it reads: as many as it was made for, from the beginning."""

    model: str = ""

    name: ClassVar[str] = "model"
    per_document: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if len(self.model) > MODEL.longest:
            raise SettingError(
                f"The model's name has {len(self.model):,} characters; at most {MODEL.longest} are read."
            )

    def key(self) -> str:
        return canonical(self.name, 1, weights=weights_hash(model_folder(self.model)))

    def batches(self, texts: Sequence[str]) -> Iterator[Batch]:
        folder = model_folder(self.model)
        model = _loaded(folder, weights_hash(folder))
        order = np.argsort([-len(text) for text in texts], kind="stable")  # texts of like length together
        pieces = np.split(order, range(AT_ONCE, len(order), AT_ONCE))
        # Long and short by turns, or the time left would be guessed from the long ones alone.
        for number in np.random.default_rng(0).permutation(len(pieces)):
            rows = pieces[number]
            sound = [
                texts[row].encode("utf-8", "replace").decode() for row in rows
            ]  # half a surrogate pair has no token
            vectors = np.asarray(model.encode(sound, show_progress_bar=False), dtype=np.float32)
            if not np.isfinite(vectors).all():
                raise EncoderError(
                    f"The model '{self.model}' gives vectors that are not finite numbers; choose another."
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
    """Whether what an encoder needs is on this machine; a model that cannot be had is refused."""
    return not isinstance(encoder, SentenceModel) or folder_here(encoder.model) is not None


def fetch_model(model: str) -> str:
    """Fetch a model by name, where it is not on this machine; its name."""
    model_folder(model)
    return model


@lru_cache(maxsize=1)
def _loaded(folder: Path, weights: str) -> Any:
    """The model, loaded again where its files have changed; torch's own choice of processor."""
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
        reason = " ".join(str(problem).split())[:200]
        raise EncoderError(
            f"The model in '{folder.name}' cannot be loaded by sentence-transformers ({reason}); choose another model."
        ) from problem
