"""Topics as points: similarity, HITS, what a sample keeps, the verdict, and why two topics are alike."""

from .clusters import METHODS, Clusters, Method
from .comparison import SeenTwins, TopicView, ViewComparison, compare_views, judge_view, topic_view
from .discovery import FoundTopics, find_topics, with_found_topics
from .doubt import may_be_one_topic, may_be_twins
from .every_m import EveryM, sample_at_every_m
from .explanation import (
    MatrixBlocks,
    SharedTerms,
    TermWeights,
    alike_sentence,
    closest_documents,
    matrix_blocks,
    shared_terms,
    term_weights,
)
from .export import (
    FORMATS,
    documents_table,
    pair_summary,
    path_records,
    sample_sentence,
    sample_table,
    settings_file,
    unplaced_records,
)
from .hits import TopicPath, hits_path
from .layout import LAYOUTS, Layout, MapLabel, map_labels, map_layout, map_range, warm_layout
from .least_maximum import Optimum, OptimumCurve, optima, optimum, optimum_curve
from .many_topics import hits_path_to, path_in_blocks
from .pairs import closest_pairs, cluster_order, pair_histogram, pair_similarities, topic_leakage
from .sampling import (
    POLICIES,
    RANDOM_SEEDS,
    SAMPLERS,
    Policy,
    RandomBand,
    Sample,
    Sampler,
    checked_m,
    make_sample,
    random_band,
    random_path,
    sample_counts,
    sampled_documents,
    unlike_samplers,
)
from .setups import Setup, make_setup
from .space import (
    CORRECTED,
    MOST_IN_MATRIX,
    SIMILARITIES,
    TopicPoints,
    TopicSpace,
    check_documents,
    merged_space,
    part_of_space,
    topic_points,
    topic_space,
)
from .suggestion import MergedTopics, keep_sentence, merged_topics, suggest_m
from .uncertainty import LabelCheck, Resampled, check_labels, resample_topics
from .verdict import Verdict, judge, keep_interval, largest_without_twins, near_twins, sure_twins, twin_line
from .view import MOST_CELLS, HitsView, hits_view
