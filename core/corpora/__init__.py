"""Corpora: texts with a topic each, what is in them and what would mislead."""

from .audit import Audit, audit, largest_author_shares
from .cached import CachedCorpus, cache_vectors, cached_in, read_cached, write_cached
from .cleaning import StepEffect, clean, steps_from_json, steps_to_json
from .cleaning_steps import CleaningStep, DropSmallTopics, MergeAuthors, MergeSmallTopics
from .corpus import MOST_DOCUMENTS, NO_TOPIC, UNKNOWN_AUTHOR, Corpus, make_corpus, with_vectors
from .dial import dial_corpus
from .findings import Finding, read_in_part
from .labelled import LabelledCorpus, make_labelled, read_labelled
from .scripts import OF_A_WORD, has_terms, in_order, weight_of, without_spaces, word_options
from .selection import equal_texts, filtered, take, with_prolific_authors
from .topic_lists import TOPICS_OF_A_LIST, OneTopic
from .uploads import Ready, Sizes, look_into, make_of
