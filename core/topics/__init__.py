"""Topics as points: similarity, HITS, what a sample keeps, the verdict, and why two topics are alike."""

from .explanation import SharedTerms, TermWeights, closest_documents, shared_terms, term_weights
from .export import FORMATS, VERSION, kept_file, pair_summary, path_records, settings_file
from .hits import (
    POLICIES,
    RandomBand,
    Sample,
    TopicPath,
    checked_m,
    hits_path,
    make_sample,
    random_band,
    random_path,
    sampled_documents,
)
from .layout import LAYOUTS, Layout, map_layout
from .sampling import RANDOM_SEEDS, SAMPLERS, Setup, kept_and_lost, make_setup
from .space import (
    TopicSpace,
    closest_pairs,
    cluster_order,
    merged_space,
    pair_histogram,
    pair_similarities,
    topic_leakage,
    topic_space,
)
from .verdict import Verdict, judge, suggest_m, twin_threshold

__all__ = [
    "FORMATS",
    "LAYOUTS",
    "POLICIES",
    "RANDOM_SEEDS",
    "SAMPLERS",
    "VERSION",
    "Layout",
    "RandomBand",
    "Sample",
    "Setup",
    "SharedTerms",
    "TermWeights",
    "TopicPath",
    "TopicSpace",
    "Verdict",
    "checked_m",
    "closest_documents",
    "closest_pairs",
    "cluster_order",
    "hits_path",
    "judge",
    "kept_and_lost",
    "kept_file",
    "make_sample",
    "make_setup",
    "map_layout",
    "merged_space",
    "pair_histogram",
    "pair_similarities",
    "pair_summary",
    "path_records",
    "random_band",
    "random_path",
    "sampled_documents",
    "settings_file",
    "shared_terms",
    "suggest_m",
    "term_weights",
    "topic_leakage",
    "topic_space",
    "twin_threshold",
]
