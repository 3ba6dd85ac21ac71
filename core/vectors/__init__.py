"""The encoders: texts to vectors. To add one: a file here with its record, and a line in ENCODERS."""

from ..registry import make_from
from .embed import Vectors, embed, embedded_so_far, estimate, vectors_key
from .encoder import Batch, Encoder, EncoderKind, Setting
from .language import Languages, english_only, languages_of, small_words
from .minilm import LAYERS, SIZE, WEIGHTS_SHA256, folder, published_weights, sha256_of
from .precomputed import Precomputed, load_vectors
from .sbert import WINDOWS, Sbert, checked_model, cut_into_excerpts, excerpts_of, usual_arithmetic
from .sentence_model import MODEL, SentenceModel, fetch_model, is_fetched
from .store import VectorStore
from .words import Lda, Lsa, Nmf

ENCODERS: dict[str, EncoderKind] = {
    "sbert": EncoderKind(
        "SBERT",
        "Sentence vectors of all-MiniLM-L6-v2, the model the HITS authors use.",
        Sbert,
        settings={"window": WINDOWS},
    ),
    "lsa": EncoderKind("LSA", "TF-IDF reduced by a singular value decomposition; fast, fitted on this corpus.", Lsa),
    "lda": EncoderKind("LDA", "Proportions of 50 latent topics of word presence, fitted on this corpus.", Lda),
    "nmf": EncoderKind("NMF", "Weights of 50 non-negative parts of TF-IDF, fitted on this corpus.", Nmf),
    "model": EncoderKind(
        "Another model",
        "Any sentence-transformers model, for other languages or subjects: a folder, or a name to fetch.",
        SentenceModel,
        settings={"model": MODEL},
    ),
    "precomputed": EncoderKind(
        "Your own vectors", "Vectors you computed elsewhere, a row a document.", Precomputed, brought=True
    ),
}


def make_encoder(name: str, **settings: object) -> Encoder:
    """The encoder of that name with these settings."""
    return make_from(ENCODERS, "encoder", name, settings)
