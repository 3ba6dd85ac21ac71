"""The verifiers: did one author write both texts? To add one: a file here with its record, and a line in VERIFIERS."""

from collections.abc import Callable
from dataclasses import dataclass

from ..contract import Documents, FittedVerifier, Verifier, made
from .char_ngram import CharNGram
from .ppm import Ppm, cross_entropies
from .sbert_cosine import SbertCosine
from .topic_fit import TopicFit

__all__ = ["VERIFIERS", "Documents", "FittedVerifier", "Verifier", "VerifierKind", "cross_entropies", "make_verifier"]


@dataclass(frozen=True, slots=True)
class VerifierKind:
    """One choice of verifier, as a page or the command line offers it; `vectors`: it compares vectors, not texts."""

    label: str
    about: str
    make: Callable[..., Verifier]
    vectors: bool = False


VERIFIERS: dict[str, VerifierKind] = {
    "char_ngram": VerifierKind(
        "CharNGram", "Cosine of the most frequent character 4-grams, weighted by TF-IDF.", CharNGram
    ),
    "ppm": VerifierKind("PPM", "How well each text, as a compression model, predicts the other.", Ppm),
    "topic_fit": VerifierKind(
        "TopicFit", "Topic words only: the frequent words, which carry style, are masked.", TopicFit
    ),
    "sbert_cosine": VerifierKind("SBERT cosine", "Cosine of the two documents' sentence vectors.", SbertCosine, True),
}


def make_verifier(name: str, **settings: object) -> Verifier:
    """The verifier of that name with these settings."""
    model: Verifier = made("verifier", name, VERIFIERS, settings)
    return model
