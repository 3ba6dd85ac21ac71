"""Another model: any of sentence-transformers (Reimers & Gurevych 2019), from a folder or downloaded once by name.

It runs on a GPU if torch finds one; code in its folder is never run.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ..arrays import canonical
from ..errors import EncoderError, SettingError
from ..extras import require
from ..registry import Setting
from .embed import EncodedBatch, Encoder
from .sbert import sha256_of

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
        reason = " ".join(str(problem).split())[:200]
        raise EncoderError(
            f"The model in '{folder.name}' cannot be loaded by sentence-transformers ({reason}). Choose another model."
        ) from problem


def model_folder(model: str) -> Path:
    """Return the checked folder of a model, downloading it if needed."""
    return folder_here(model) or _checked(_fetched(_public_name(model)), model)


def folder_here(model: str) -> Path | None:
    """Return the checked folder of a model on this machine, or None for a name that is not downloaded yet."""
    if not model.strip():
        raise EncoderError(f"No model is named. {_WANTED}.")
    require("sbert", "A sentence-transformers model", instead=", or choose LSA.")
    folder = Path(model.strip()).expanduser()
    if folder.is_dir():
        return _checked(folder, model)
    try:
        before = _snapshot(_public_name(model), here=True)
    except (OSError, ValueError):
        return None
    return _checked(before, model)


def _public_name(model: str) -> str:
    model = model.strip()
    name = model if "/" in model else f"{HUB}/{model}"
    if not _NAME.fullmatch(name) or model.startswith((".", "/", "~")):
        raise EncoderError(f"There is no folder '{model}' here. {_WANTED}.")
    return name


def _fetched(name: str) -> Path:
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


def _checked(folder: Path, model: str) -> Path:
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
