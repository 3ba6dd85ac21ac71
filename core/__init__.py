"""Leakscope from Python: read a corpus, see how similar its topics are, choose, split, evaluate, compare.

The names below are loaded when they are first asked for, so that importing the package costs nothing. What else a
package offers is imported from there: `from leakscope.topics import optimum`.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .corpora import audit
    from .corpora.readers import read_corpus as read
    from .demo import bundled_corpus
    from .errors import LeakscopeError
    from .evaluation import evaluate, fold_scores, summarise, topic_scores
    from .interface import NotebookStudy as Study
    from .interface import embed
    from .splits import fold_leakage, make_folds
    from .splits.splitters import HitsTopicKFold, LeastLeakageKFold, MinimaxTopicKFold
    from .statistics import compare
    from .topics import hits_path, topic_space

__all__ = [
    "HitsTopicKFold",
    "LeakscopeError",
    "LeastLeakageKFold",
    "MinimaxTopicKFold",
    "Study",
    "__version__",
    "audit",
    "bundled_corpus",
    "compare",
    "embed",
    "evaluate",
    "fold_leakage",
    "fold_scores",
    "hits_path",
    "make_folds",
    "read",
    "summarise",
    "topic_scores",
    "topic_space",
]

__version__ = "0.2.0"

_RENAMED = {"read": "read_corpus", "Study": "NotebookStudy"}
_MODULES = {
    "corpora": ("audit",),
    "corpora.readers": ("read",),
    "demo": ("bundled_corpus",),
    "errors": ("LeakscopeError",),
    "evaluation": ("evaluate", "fold_scores", "summarise", "topic_scores"),
    "interface": ("Study", "embed"),
    "splits": ("fold_leakage", "make_folds"),
    "splits.splitters": ("HitsTopicKFold", "LeastLeakageKFold", "MinimaxTopicKFold"),
    "statistics": ("compare",),
    "topics": ("hits_path", "topic_space"),
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
