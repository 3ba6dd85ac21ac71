"""Topics as points: similarity, HITS, what a sample keeps, the verdict, and why two topics are alike."""

from .explanation import SharedTerms, TermWeights, closest_documents, shared_terms, term_weights
from .export import FORMATS, pair_summary, path_records, sample_file, sample_table, settings_file, unplaced_records
from .hits import TopicPath, hits_path
from .layout import LAYOUTS, Layout, map_layout, warm_layout
from .many_topics import hits_path_to, path_in_blocks
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
    MOST_IN_MATRIX,
    SIMILARITIES,
    TopicPoints,
    TopicSpace,
    closest_pairs,
    cluster_order,
    merged_space,
    pair_histogram,
    pair_similarities,
    part_of_space,
    topic_leakage,
    topic_points,
    topic_space,
)
from .suggestion import suggest_m
from .uncertainty import LabelCheck, Resampled, check_labels, resample_topics
from .verdict import Verdict, judge, keep_interval, largest_without_twins, near_twins, sure_twins, twin_line
