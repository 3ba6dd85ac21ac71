"""The encoders: texts to vectors. To add one: a file here with its record, and a line in ENCODERS."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass

from ..errors import SettingError, unknown
from .embed import Vectors, embed, estimate
from .encoder import Batch, Encoder
from .lda import Lda
from .lsa import Lsa
from .minilm import SIZE, folder
from .nmf import Nmf
from .precomputed import Precomputed, load_vectors
from .sbert import Sbert
from .store import VectorStore, default_folder

__all__ = [
    "ENCODERS",
    "SIZE",
    "Batch",
    "Encoder",
    "EncoderKind",
    "Precomputed",
    "VectorStore",
    "Vectors",
    "default_folder",
    "embed",
    "estimate",
    "folder",
    "load_vectors",
    "make_encoder",
]


@dataclass(frozen=True, slots=True)
class EncoderKind:
    """One choice of encoder, as a page or the command line offers it."""

    label: str
    about: str
    per_document: bool
    make: Callable[..., Encoder]


def _kind(label: str, about: str, make: type[Sbert | Lsa | Lda | Nmf | Precomputed]) -> EncoderKind:
    return EncoderKind(label, about, make.per_document, make)


ENCODERS: dict[str, EncoderKind] = {
    "sbert": _kind("SBERT", "Sentence vectors of all-MiniLM-L6-v2, the model the HITS authors use.", Sbert),
    "lsa": _kind("LSA", "TF-IDF reduced by a singular value decomposition; fast, fitted on this corpus.", Lsa),
    "lda": _kind("LDA", "Proportions of 50 latent topics of word presence, fitted on this corpus.", Lda),
    "nmf": _kind("NMF", "Weights of 50 non-negative parts of TF-IDF, fitted on this corpus.", Nmf),
    "precomputed": _kind("Your own vectors", "Vectors you computed elsewhere, a row a document.", Precomputed),
}


def make_encoder(name: str, **settings: object) -> Encoder:
    """The encoder of that name with these settings."""
    if name not in ENCODERS:
        raise unknown("encoder", name, ENCODERS)
    known = inspect.signature(ENCODERS[name].make).parameters
    for setting in settings:
        if setting not in known:
            raise SettingError(f"'{name}' has no setting '{setting}'; it has: {', '.join(known)}.")
    try:
        return ENCODERS[name].make(**settings)
    except TypeError as problem:
        given = ", ".join(f"{setting}={str(value)[:50]!r}" for setting, value in settings.items())
        raise SettingError(f"'{name}' cannot use {given} ({problem}); give numbers where numbers are meant.") from None
