"""Topics as points: similarity, HITS, what a sample keeps, the verdict, and why two topics are similar."""

from .bootstrap import Bootstrap, LabelCheck, bootstrap_topics, check_labels
from .discovery import (
    METHODS,
    MOST_FOUND,
    TOO_UNSTABLE,
    Clusters,
    FoundTopics,
    Method,
    find_topics,
    with_found_topics,
)
from .explanation import (
    MatrixBlocks,
    SharedTerms,
    TermWeights,
    closest_documents,
    matrix_blocks,
    shared_terms,
    term_weights,
)
from .hits import TopicPath, hits_path, hits_path_to, path_in_blocks
from .layout import LAYOUTS, Layout, MapLabel, map_labels, map_layout, map_range, warm_layout
from .minimax import OptimumCurve, optima, optimum, optimum_curve
from .sampling import (
    POLICIES,
    RANDOM_SEEDS,
    SAMPLERS,
    EveryM,
    Policy,
    RandomBand,
    Sample,
    Sampler,
    Setup,
    checked_m,
    make_sample,
    make_setup,
    pair_summary,
    random_band,
    random_path,
    sample_at_every_m,
    sample_counts,
    sampled_documents,
    sampler_name,
    unlike_samplers,
)
from .space import (
    CORRECTED,
    MOST_IN_MATRIX,
    SIMILARITIES,
    TopicPoints,
    TopicSpace,
    check_documents,
    closest_pairs,
    cluster_order,
    merged_space,
    pair_histogram,
    pair_similarities,
    part_of_space,
    similar_groups,
    topic_leakage,
    topic_points,
    topic_space,
)
from .suggestion import MergedTopics, Suggestion, merged_topics, suggest_m
from .verdict import (
    CLOSE,
    MIXED,
    SeenTwins,
    TopicView,
    Verdict,
    ViewComparison,
    clear_twins,
    compare_views,
    judge,
    judge_view,
    keep_interval,
    largest_without_twins,
    may_be_one_topic,
    may_be_twins,
    most_similar_pairs,
    near_twins,
    neighbour_mixing,
    twin_threshold,
)
from .view import (
    FORMATS,
    MOST_CELLS,
    HitsView,
    documents_table,
    hits_view,
    incomparable_records,
    path_records,
    sample_table,
    settings_file,
)
