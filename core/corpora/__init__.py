"""Corpora: texts with a topic each, what is in them and what would mislead an evaluation."""

from .audit import DOMINATED, WINDOW, Audit, Finding, audit, largest_author_shares, long_texts
from .cleaning import (
    TOPICS_OF_A_LIST,
    CleaningStep,
    DropSmallTopics,
    MergeAuthors,
    MergeSmallTopics,
    OneTopic,
    StepEffect,
    clean,
    steps_from_json,
    steps_to_json,
)
from .corpus import (
    AUTHOR,
    MOST_DOCUMENTS,
    UNKNOWN_AUTHOR,
    Corpus,
    LabelledCorpus,
    equal_texts,
    filtered,
    make_corpus,
    make_labelled,
    one_spelling,
    take,
    with_prolific_authors,
    with_vectors,
)
from .readers import read_labelled
from .scripts import OF_A_WORD, has_terms, in_order, weight_of, without_spaces, word_options
from .synthetic import dial_corpus
from .uploads import Ready, Sizes, cache_vectors, cached_in, look_into, make_of, read_cached, read_sides, write_cached
