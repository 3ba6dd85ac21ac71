"""The quickest run on a corpus that still answers something: few authors, few folds, two models."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..corpora import Corpus, with_prolific_authors
from ..errors import LeakscopeError
from ..splits import make_folds
from .estimate import Estimate, estimate_runs
from .tasks import TASKS

FEW_AUTHORS, FEW_FOLDS, FEW_MODELS = 50, 3, 2


@dataclass(frozen=True, slots=True)
class Proposal:
    """Models and folds to begin with, how many authors to keep (None: all), and what that costs."""

    models: tuple[str, ...]
    k: int
    authors: int | None
    estimate: Estimate


def quickest_run(corpus: Corpus, *, task: str, models: Sequence[str], **choices: Any) -> Proposal | None:
    """The cheapest of these models on topic folds; None where the corpus is too small for any. Choices as `estimate_runs`."""
    named = len(corpus.author_names or ())
    few = FEW_AUTHORS if named > FEW_AUTHORS else None
    try:
        kept = with_prolific_authors(corpus, at_least=1, at_most=few)
        k = min(FEW_FOLDS, len(kept.topic_names))
        folds = make_folds(kept, scheme="topic-kfold", k=k, seed=choices.get("seed", 0))
    except LeakscopeError:
        return None
    costs = {model: estimate_runs(kept, folds, models=[model], task=task, **choices) for model in models}
    if any(cost.unmeasured for cost in costs.values()):  # a guess of seconds ranks nothing
        cheapest = sorted(models, key=lambda model: TASKS[task].models[model].slow)[:FEW_MODELS]
    else:
        cheapest = sorted(models, key=lambda model: costs[model].seconds)[:FEW_MODELS]
    chosen = tuple(model for model in models if model in cheapest)
    return Proposal(chosen, k, few, estimate_runs(kept, folds, models=chosen, task=task, **choices))
