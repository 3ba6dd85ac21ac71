"""Topics as points: similarity, HITS, what a sample keeps, the verdict, and why two topics are alike."""

from .explanation import SharedTerms, TermWeights, closest_documents, shared_terms, term_weights
from .export import FORMATS, pair_summary, path_records, sample_file, settings_file
from .hits import TopicPath, hits_path
from .layout import LAYOUTS, Layout, map_layout
from .sampling import (
    POLICIES,
    RANDOM_SEEDS,
    SAMPLERS,
    Policy,
    RandomBand,
    Sample,
    Sampler,
    Setup,
    checked_m,
    make_sample,
    make_setup,
    random_band,
    random_path,
    sample_counts,
    sampled_documents,
)
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
from .verdict import Verdict, judge, largest_without_twins, suggest_m, twin_threshold
