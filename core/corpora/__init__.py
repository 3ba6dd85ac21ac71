"""Corpora: texts with a topic each, what is in them and what would mislead."""

from .audit import Audit, audit, largest_author_shares
from .corpus import UNKNOWN_AUTHOR, Corpus, filtered, make_corpus, take, with_prolific_authors, with_vectors
from .kept import Kept, keep_vectors, kept_in, read_kept, write_kept
from .labelled import LabelledCorpus, make_labelled, read_labelled
from .uploads import Ready, Sizes, look_into, make_of
