"""The verifiers: did one author write both texts? To add one: a file here with its record, its import and a line in
VERIFIERS."""

from ...registry import make_from
from ...vectors import ENCODERS
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
from .luar import WEIGHTS, Luar
from .luar import memory as luar_memory
from .o2d2 import O2d2
from .o2d2 import memory as o2d2_memory
from .ppm import Ppm, cross_entropies

VERIFIERS: dict[str, ModelKind[Verifier]] = {
    "char_ngram": ModelKind(
        "CharNGram", "Cosine of the most frequent character 4-grams, weighted by TF-IDF.", CharNGram
    ),
    "ppm": ModelKind(
        "PPM",
        "How well each text, as a compression model, predicts the other.",
        Ppm,
        extra="sbert",  # numba
        slow=True,
        reference="W. J. Teahan and D. J. Harper. Using Compression-Based Language Models for Text Categorization. In: Language "
        "Modeling for Information Retrieval, 2003.",
    ),
    "topic_fit": ModelKind(
        "TopicFit",
        "The words outside the most frequent: mostly topic, though they still tell authors apart within one topic.",
        TopicFit,
    ),
    "sbert_cosine": ModelKind(
        "SBERT cosine",
        "Cosine of the two documents' sentence vectors.",
        SbertCosine,
        encoders=("sbert",),
        reference=ENCODERS["sbert"].reference,
    ),
    "luar": ModelKind(
        "LUAR",
        "A transformer trained to put texts by one author close together. It builds on all-MiniLM-L6-v2, not the paper's "
        "distilroberta, and trains the upper two layers for a few epochs.",
        Luar,
        extra="sbert",
        memory=luar_memory,
        slow=True,
        by_choice=True,
        pace=2.5e-4,
        settings={"weights": WEIGHTS},
        reference="R. A. Rivera-Soto, O. E. Miano, J. Ordonez, B. Y. Chen, A. Khan, M. Bishop and N. Andrews. Learning Universal "
        "Authorship Representations. EMNLP 2021.",
    ),
    "o2d2": ModelKind(
        "O2D2",
        "Characters and words through two LSTMs, a Bayes factor, and a detector of pairs better left unanswered. Its word vectors "
        "start at random, and it trains for a few epochs on this corpus only.",
        O2d2,
        extra="sbert",
        memory=o2d2_memory,
        slow=True,
        by_choice=True,
        pace=1.8e-4,
        reference="B. Boenninghoff, R. M. Nickel and D. Kolossa. O2D2: Out-Of-Distribution Detector to Capture Undecidable Trials "
        "in Authorship Verification. CLEF 2021.",
    ),
}


def make_verifier(name: str, **settings: object) -> Verifier:
    """Return the verifier of that name with these settings."""
    return make_from(VERIFIERS, "verifier", name, settings)
