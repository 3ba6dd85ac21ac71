"""The verifiers: did one author write both texts? To add one: a file here with its record, and a line in VERIFIERS."""

from ...registry import make_from
from ..contract import FittedVerifier, ModelKind, Verifier
from .calibration import CALIBRATIONS, OWN, calibrated
from .cosine import (
    GRID,
    ROUNDING,
    CharNGram,
    SbertCosine,
    Thresholds,
    TopicFit,
    apply_thresholds,
    choose_thresholds,
)
from .ppm import Ppm, cross_entropies

VERIFIERS: dict[str, ModelKind[Verifier]] = {
    "char_ngram": ModelKind(
        "CharNGram", "Cosine of the most frequent character 4-grams, weighted by TF-IDF.", CharNGram
    ),
    "ppm": ModelKind("PPM", "How well each text, as a compression model, predicts the other.", Ppm, slow=True),
    "topic_fit": ModelKind(
        "TopicFit",
        "The words outside the most frequent: mostly topic, though they still tell authors apart within one topic.",
        TopicFit,
    ),
    "sbert_cosine": ModelKind(
        "SBERT cosine", "Cosine of the two documents' sentence vectors.", SbertCosine, encoders=("sbert",)
    ),
}


def make_verifier(name: str, **settings: object) -> Verifier:
    """The verifier of that name with these settings."""
    return make_from(VERIFIERS, "verifier", name, settings)
