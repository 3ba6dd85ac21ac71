"""Corpora: texts with a topic each, what is in them and what would mislead."""

from .audit import Audit, audit
from .corpus import UNKNOWN_AUTHOR, Corpus, filtered, make_corpus, take, with_vectors
from .labelled import LabelledCorpus, make_labelled, read_labelled
