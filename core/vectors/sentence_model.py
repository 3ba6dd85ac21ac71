"""Another model: any of sentence-transformers (Reimers & Gurevych 2019), in a folder of this machine or fetched once by its name.

It runs on a graphics processor where torch sees one; code that lies in its folder is never run.
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
from ..registry import Setting
from .encoder import EncodedBatch, Encoder
from .minilm import sha256_of

AT_ONCE = 64  # texts between two signs of life: what a kill loses
MODEL = Setting(
    "Model",
    "The folder of a sentence-transformers model on this machine, or the name of a public one, which is fetched once. Its own "
    "code is never run.",
    longest=300,
)
HUB = "sentence-transformers"  # whose models may be named without it
FILES = ("*.json", "*.txt", "*.model", "*.safetensors")  # all that a model needs; no other file is fetched or counts
MOST_FILES = 500
_NAME = re.compile(r"[\w.-]+/[\w.-]+")
_WANTED = "give the folder of a sentence-transformers model, or a name such as paraphrase-multilingual-MiniLM-L12-v2"


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

    def batches(self, texts: Sequence[str]) -> Iterator[EncodedBatch]:
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


def model_folder(model: str) -> Path:
    """The folder of a model, checked; a name that is not on this machine is fetched."""
    return folder_here(model) or _checked(_fetched(_public_name(model)), model)


def folder_here(model: str) -> Path | None:
    """The folder of a model that is on this machine, checked; None for a name that was not fetched yet."""
    if not model.strip():
        raise EncoderError(f"No model is named; {_WANTED}.")
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
        raise EncoderError(f"There is no folder '{model}' here; {_WANTED}.")
    return name


def _fetched(name: str) -> Path:
    from huggingface_hub.errors import RepositoryNotFoundError

    try:
        return _snapshot(name, here=False)
    except RepositoryNotFoundError:
        raise EncoderError(f"No public model is called '{name}'; {_WANTED}.") from None
    except (OSError, ValueError) as problem:
        reason = str(problem).split("\n")[0][:120]
        raise EncoderError(
            f"The model '{name}' is not on this machine and cannot be fetched ({reason}); connect to the internet, or give the "
            "folder of a model that is here."
        ) from None


def _snapshot(name: str, *, here: bool) -> Path:
    from huggingface_hub import snapshot_download

    return Path(snapshot_download(name, allow_patterns=list(FILES), local_files_only=here, token=False))


def _checked(folder: Path, model: str) -> Path:
    if not any((folder / file).is_file() for file in ("modules.json", "config.json")):
        fact = "neither modules.json nor config.json is in it"
        raise EncoderError(f"The folder '{model}' is no sentence-transformers model: {fact}; {_WANTED}.")
    files = model_files(folder)
    if not any(file.suffix == ".safetensors" for file in files):
        raise EncoderError(
            f"The model '{model}' has no weights in safetensors; save it anew with sentence-transformers, which writes them so."
        )
    if len(files) > MOST_FILES:
        raise EncoderError(f"The folder '{model}' holds {len(files):,} files, more than a model has; {_WANTED}.")
    return folder


def model_files(folder: Path) -> list[Path]:
    """The files that make a model: its own and those of its modules, each in a folder below."""
    return sorted(file for depth in ("", "*/") for kind in FILES for file in folder.glob(depth + kind))


def weights_hash(folder: Path) -> str:
    """A SHA-256 of the files' names and contents; a file is read again only where its size or time has changed."""
    whole = hashlib.sha256()
    for file in model_files(folder):
        status = file.stat()
        found = sha256_of(file, status.st_size, status.st_mtime_ns)
        whole.update(f"{file.relative_to(folder).as_posix()}\0{found}\0".encode("utf-8", "surrogatepass"))
    return whole.hexdigest()
