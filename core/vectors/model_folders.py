"""Where a sentence-transformers model lies: a folder of this machine, or a name that is fetched once; nothing in it is run."""

import hashlib
import re
from pathlib import Path

from ..errors import EncoderError
from .minilm import sha256_of

HUB = "sentence-transformers"  # whose models may be named without it
FILES = ("*.json", "*.txt", "*.model", "*.safetensors")  # all that a model needs; no other file is fetched or counts
MOST_FILES = 500
_NAME = re.compile(r"[\w.-]+/[\w.-]+")
_WANTED = "give the folder of a sentence-transformers model, or a name such as paraphrase-multilingual-MiniLM-L12-v2"


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
