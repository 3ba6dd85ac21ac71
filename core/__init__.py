"""Leakscope from Python: read a corpus, see how alike its topics are, choose, split, evaluate, compare.

The names below are loaded when they are first asked for, so that importing the package costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .corpora import audit
    from .corpora.readers import read_corpus as read
    from .demo import bundled_corpus, bundled_vectors
    from .errors import LeakscopeError
    from .evaluation import evaluate, fold_scores, summarise, topic_scores
    from .splits import design_options, fold_leakage, make_folds, make_pairs, mend_split, recommendation
    from .splits.least_leakage import least_leakage
    from .splits.splitters import HitsTopicKFold, LeastLeakageKFold, LeastMaximumTopicKFold
    from .statistics import compare, rank_relation
    from .topics import check_labels, hits_path, make_sample, optimum, resample_topics, topic_space
    from .topics import judge as verdict
    from .vectors import embed, make_encoder

__all__ = [
    "HitsTopicKFold",
    "LeakscopeError",
    "LeastLeakageKFold",
    "LeastMaximumTopicKFold",
    "__version__",
    "audit",
    "bundled_corpus",
    "bundled_vectors",
    "check_labels",
    "compare",
    "design_options",
    "embed",
    "evaluate",
    "fold_leakage",
    "fold_scores",
    "hits_path",
    "least_leakage",
    "make_encoder",
    "make_folds",
    "make_pairs",
    "make_sample",
    "mend_split",
    "optimum",
    "rank_relation",
    "read",
    "recommendation",
    "resample_topics",
    "summarise",
    "topic_scores",
    "topic_space",
    "verdict",
]

__version__ = "0.2.0"

_RENAMED = {"read": "read_corpus", "verdict": "judge"}
_MODULES = {
    "corpora": ("audit",),
    "corpora.readers": ("read",),
    "demo": ("bundled_corpus", "bundled_vectors"),
    "errors": ("LeakscopeError",),
    "evaluation": ("evaluate", "fold_scores", "summarise", "topic_scores"),
    "splits": (
        "design_options",
        "fold_leakage",
        "least_leakage",
        "make_folds",
        "make_pairs",
        "mend_split",
        "recommendation",
    ),
    "splits.splitters": ("HitsTopicKFold", "LeastLeakageKFold", "LeastMaximumTopicKFold"),
    "statistics": ("compare", "rank_relation"),
    "topics": ("check_labels", "hits_path", "make_sample", "optimum", "resample_topics", "topic_space", "verdict"),
    "vectors": ("embed", "make_encoder"),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> object:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f".{_MODULE_OF[name]}", __name__), _RENAMED.get(name, name))
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
