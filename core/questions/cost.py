"""What does leakage cost? The effect of similar topics on accuracy, for the verdict."""

import math
from typing import Any

from ..arrays import record
from ..errors import LeakscopeError
from ..evaluation import CurveSummary
from ..formats import defined
from ..study import Study

LEAKS, SMALL = 0.02, 0.05  # a cost from here on counts, and one that is shown to be below that does not
NAMES = {"content": "content words", "all": "all words", "function": "function words"}
NO_AUTHORS = "To see whether scores are affected, give a label to predict, such as the author."


@record
class LeakageCost:
    """What similar topics in training add to accuracy; nothing is known where `summary` is None."""

    summary: CurveSummary | None
    reason: str = ""  # why nothing is known

    @property
    def leaks(self) -> bool:
        """Return whether a cost of two points or more is shown for one of the controls."""
        return any(self._shown(name) for name in self._models)

    @property
    def small(self) -> bool:
        """Return whether every control's cost is shown to be below five points."""
        highs = [curve.cost.high for curve in self._models.values()]
        return bool(highs) and all(math.isfinite(high) and high < SMALL for high in highs)

    @property
    def largest(self) -> str:
        """Return the control with the highest cost; the one that leaks, where one does."""
        known = {name: curve for name, curve in self._models.items() if math.isfinite(curve.cost.mean)}
        return max(known, key=lambda name: (self._shown(name), known[name].cost.mean), default="")

    @property
    def _models(self) -> dict[str, Any]:
        return {} if self.summary is None else dict(self.summary.models)

    def _shown(self, name: str) -> bool:
        curve = self._models[name]
        return bool(curve.cost.low > 0 and curve.p <= 0.05 and curve.cost.mean >= LEAKS)


def cost_of(study: Study) -> LeakageCost:
    """Return what leakage costs, or why nothing is known; raise `Pending` where it has to be measured first."""
    if study.corpus.author_codes is None:
        return LeakageCost(None, NO_AUTHORS)
    try:
        return LeakageCost(study.leakage_cost())
    except LeakscopeError as problem:
        return LeakageCost(None, f"What leakage costs could not be measured. {problem}")


def sentence(cost: LeakageCost) -> str:
    """Say what similar topics add to accuracy."""
    if cost.summary is None or not cost.largest:
        return cost.reason or "What leakage costs could not be measured."
    name = cost.largest
    effect = cost.summary.models[name].cost
    mean = round(100 * effect.mean)
    shown = f"{NAMES.get(name, name)}: " + (f"−{-mean}" if mean < 0 else f"+{mean}") + " points"
    if not math.isfinite(effect.low):
        return f"Too few topics to tell what leakage costs ({shown}, no interval)."
    low, high = round(100 * effect.low), round(100 * effect.high)
    interval = (
        f"95% CI {low}–{high}"
        if low >= 0
        else f"95% CI −{-low} to {high}"
        if high >= 0
        else f"95% CI −{-low} to −{-high}"
    )
    if cost.leaks:
        return f"Similar topics in training raise accuracy by {mean} points for a model of {NAMES.get(name, name)} ({interval})."
    if cost.small:
        most = max(round(100 * curve.cost.high) for curve in cost.summary.models.values())
        return f"Similar topics in training raise accuracy by at most {max(most, 0)} points."
    return f"Too little data to tell what leakage costs ({shown}, {interval})."


def data_of(cost: LeakageCost) -> dict[str, Any]:
    """Return the cost as data: null with a reason where nothing is known."""
    if cost.summary is None or not cost.largest:
        return {"cost": None, "cost_reason": cost.reason}
    name, found = cost.largest, cost.summary
    curve = found.models[name]
    return {
        "cost": {
            "model": name,
            "all": defined(curve.scores[0]),
            "far": defined(curve.scores[-1]),
            "cost": defined(curve.cost.mean),
            "low": defined(curve.cost.low),
            "high": defined(curve.cost.high),
            "topics": found.topics,
        }
    }
