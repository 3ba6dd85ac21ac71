"""Extras: libraries that only some installations have, and what to say where one is missing."""

from importlib.util import find_spec

from .errors import LeakscopeError

# The modules that tell whether an extra of pyproject.toml is installed.
EXTRAS = {
    "sbert": ("numba", "sentence_transformers", "torch", "umap"),
    "cluster": ("dask", "distributed"),
    "hub": ("fsspec", "huggingface_hub"),
}


class MissingExtra(LeakscopeError):
    """Something that this installation left out."""


def installed(extra: str) -> bool:
    """Return whether an extra's libraries are here; none is imported."""
    return all(map(_is_installed, EXTRAS[extra]))


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ValueError:  # it is imported already, and was not made from a file
        return True


def how_to_install(extra: str) -> str:
    """Return the command that adds an extra."""
    return f"pip install 'leakscope[{extra}]'"


def require(extra: str, what: str, *, instead: str = "") -> None:
    """Refuse what needs an extra that is not installed; `instead` is what works without it."""
    if not installed(extra):
        raise MissingExtra(f"{what} needs libraries that are not installed. Run: {how_to_install(extra)}{instead}")
