"""Corpora: texts with a topic each, what is in them and what would mislead."""

from .audit import UNKNOWN, Audit, audit
from .corpus import Corpus, filtered, make_corpus, take, with_vectors
from .labelled import LabelledCorpus, make_labelled, read_labelled

__all__ = [
    "UNKNOWN",
    "Audit",
    "Corpus",
    "LabelledCorpus",
    "audit",
    "filtered",
    "make_corpus",
    "make_labelled",
    "read_labelled",
    "take",
    "with_vectors",
]
