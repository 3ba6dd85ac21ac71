"""Encoders: texts to vectors. To add one, write a file here with its record, import it and add a line to ENCODERS."""

from ..extras import how_to_install, installed
from ..registry import make_from
from .embed import (
    EncodedBatch,
    Encoder,
    EncoderKind,
    Precomputed,
    Vectors,
    embed,
    embedded_so_far,
    estimate,
    load_vectors,
    vectors_key,
    without_vectors,
)
from .sbert import (
    LAYERS,
    MODEL,
    SIZE,
    WINDOWS,
    Sbert,
    SentenceModel,
    checked_model,
    cut_into_excerpts,
    excerpts_of,
    fetch_model,
    folder,
    is_fetched,
    published_weights,
    sha256_of,
    usual_arithmetic,
)
from .store import VectorStore
from .words import Lda, Lsa, Nmf, language_advice, languages_of, small_words

_SENTENCES = "N. Reimers and I. Gurevych. Sentence-BERT: Sentence Embeddings Using Siamese BERT-Networks. EMNLP 2019."
ENCODERS: dict[str, EncoderKind] = {
    "sbert": EncoderKind(
        "SBERT",
        "Sentence vectors of all-MiniLM-L6-v2, the model the HITS authors use.",
        Sbert,
        settings={"window": WINDOWS},
        reference=_SENTENCES,
        english_only=True,
        reads_start={"window": "first"},
        extra="sbert",
    ),
    "lsa": EncoderKind(
        "LSA",
        "TF-IDF reduced by a singular value decomposition; fast, fitted on this corpus.",
        Lsa,
        reference="S. Deerwester, S. T. Dumais, G. W. Furnas, T. K. Landauer and R. Harshman. Indexing by Latent Semantic "
        "Analysis. Journal of the American Society for Information Science 41, 1990.",
    ),
    "lda": EncoderKind(
        "LDA",
        "Proportions of 50 latent topics of word presence, fitted on this corpus.",
        Lda,
        reference="M. Hoffman, D. Blei and F. Bach. Online Learning for Latent Dirichlet Allocation. NeurIPS 2010.",
    ),
    "nmf": EncoderKind(
        "NMF",
        "Weights of 50 non-negative parts of TF-IDF, fitted on this corpus.",
        Nmf,
        reference="D. D. Lee and H. S. Seung. Learning the Parts of Objects by Non-negative Matrix Factorization. Nature "
        "401, 1999.",
    ),
    "model": EncoderKind(
        "Another model",
        "Any sentence-transformers model, for other languages or subjects: a folder, or a name to fetch.",
        SentenceModel,
        settings={"model": MODEL},
        reference=_SENTENCES,
        extra="sbert",
        reads="the beginning of a text, as many tokens as the model was made for",
    ),
    "precomputed": EncoderKind(
        "Your own vectors",
        "Vectors you computed elsewhere, one row per document.",
        Precomputed,
        brought=True,
        reads="what it was given when the vectors were made",
    ),
}
USUAL_ENCODER = next(iter(ENCODERS))  # the default
WITHOUT_EXTRAS = "lsa"  # the encoder that every installation runs


def vectors_label(vectors: Vectors) -> str:
    """Return what made the vectors, or what is there in place of them."""
    return ENCODERS[vectors.name].label if vectors.similarity is None else "your own similarities of topics"


def instead_of(name: str) -> tuple[str, str]:
    """Return the encoder that runs here for one that lacks its extra, and a sentence on it; the same one without."""
    kind = ENCODERS[name]
    if not kind.extra or installed(kind.extra):
        return name, ""
    how = how_to_install(kind.extra)
    return (
        WITHOUT_EXTRAS,
        f"{kind.label} is not installed, so {ENCODERS[WITHOUT_EXTRAS].label} compares the topics. To add it: {how}",
    )


def make_encoder(name: str, **settings: object) -> Encoder:
    """Return the encoder of that name with these settings."""
    return make_from(ENCODERS, "encoder", name, settings)
