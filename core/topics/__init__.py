"""Topics as points: similarity, HITS, what a sample keeps, the verdict, and why two topics are alike."""

from .explanation import SharedTerms, TermWeights, closest_documents, shared_terms, term_weights
from .export import FORMATS, pair_summary, path_records, sample_file, settings_file, unplaced_records
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
    CORRECTED,
    SIMILARITIES,
    TopicSpace,
    closest_pairs,
    cluster_order,
    merged_space,
    pair_histogram,
    pair_similarities,
    part_of_space,
    topic_leakage,
    topic_space,
)
from .suggestion import suggest_m
from .uncertainty import LabelCheck, Resampled, check_labels, resample_topics
from .verdict import Verdict, judge, keep_interval, largest_without_twins, near_twins, twin_line
