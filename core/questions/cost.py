"""What does leakage cost? The effect of similar topics on accuracy and what splits promise, for the verdict."""

import math
from typing import Any

from ..arrays import record
from ..errors import LeakscopeError
from ..evaluation import CONFIDENCE, FOLDS, QUICK_LEVELS, TASKS, CurveSummary, Forecast, ModelCurve
from ..evaluation import forecast as read_off
from ..formats import ABSENT, counted, defined, listed, number, percent
from ..render import Fact, Level
from ..statistics import MeanEffect
from ..study import Study

LEAKS, SMALL = 0.02, 0.05  # a cost from here on counts, and one that is shown to be below that does not
NAMES = {"content": "content words", "all": "all words", "function": "function words"}
NO_AUTHORS = "Whether that matters for scores needs a label to predict."
ORDINARY = "word_svm"  # the model of the three numbers
MOST_DOCUMENTS, MOST_TOPICS = 20_000, 300  # of a corpus whose forecast is made unasked
NO_INTERVAL = "too few families of topics to tell"
MANY = 10  # times as many topics: too many to name a number


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
        """Return whether every control's cost is shown to be below five points, on at least half of the topics.

        Models that only guess show nothing.
        """
        if self.summary is None or self.at_chance or self.summary.few_tested:
            return False
        highs = [curve.cost.high for curve in self._models.values()]
        return bool(highs) and all(math.isfinite(high) and high < SMALL for high in highs)

    @property
    def at_chance(self) -> bool:
        """Return whether the controls only guess, so that they cannot fall."""
        return self.summary is not None and self.summary.reading == "chance"

    @property
    def largest(self) -> str:
        """Return the control with the highest cost; the one that leaks, where one does."""
        known = {name: curve for name, curve in self._models.items() if math.isfinite(curve.cost.mean)}
        return max(known, key=lambda name: (self._shown(name), known[name].cost.mean), default="")

    @property
    def level(self) -> Level:
        """Return "bad" where a cost is shown, "good" where it is shown to be small, and "unknown" otherwise."""
        return "bad" if self.leaks else "good" if self.small else "unknown"

    @property
    def topics_needed(self) -> int | None:
        """Return about how many such topics would settle it; None where it is settled or nothing is known.

        An interval narrows with the square root of the topics. It must end below five points, or start above zero.
        """
        if self.summary is None or self.leaks or self.small or self.at_chance or not self.largest:
            return None
        needed = [self._needed(curve) for curve in self._models.values() if math.isfinite(curve.cost.low)]
        return max(*needed, (self.summary.topics + self.summary.untestable + 1) // 2) if needed else None

    def _needed(self, curve: ModelCurve) -> int:
        half = (curve.cost.high - curve.cost.low) / 2
        below, above = SMALL - curve.cost.mean, curve.cost.mean if curve.cost.mean >= LEAKS else 0.0
        return math.ceil(curve.cost.units * max(1.0, (half / max(below, above, 1e-3)) ** 2))

    @property
    def _models(self) -> dict[str, ModelCurve]:
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
    if not math.isfinite(effect.low):
        few = "Too few topics" if cost.summary.topics < 2 else "All topics gain the same: too little"
        return f"{few} to tell what leakage costs ({NAMES[name]}: {_gain(effect.mean)}, no interval)."
    if cost.leaks:
        return f"{brief(cost)} ({ci_in_points(effect)}){_beside(cost)}."
    if cost.at_chance:
        return "Nothing to measure: on a held-out topic the models do no better than guessing, even with similar topics in training."
    if cost.small:
        return f"Similar topics in training raise accuracy by at most {_highest(cost)} points."
    if effect.low > 0:
        gain = f"{NAMES[name]}: {_gain(effect.mean)}, {ci_in_points(effect)}"
        return f"Leaving out similar topics costs accuracy ({gain}), but not clearly more than leaving out others."
    return f"Too little data to tell what leakage costs ({NAMES[name]}: {_gain(effect.mean)}, {ci_in_points(effect)})."


def brief(cost: LeakageCost) -> str:
    """Say what similar topics add, without the interval and without the stop."""
    assert cost.summary is not None
    effect = cost.summary.models[cost.largest].cost
    return f"Similar topics in training raise accuracy by {_said_points(effect.mean)} points for {NAMES[cost.largest]}"


def more_on(cost: LeakageCost) -> str:
    """Say how close it is, or what would settle it; nothing where there is nothing to add."""
    if cost.summary is None or not cost.largest:
        return ""
    if cost.leaks:
        return _sample(cost)
    if cost.small:
        return f"A cost below {_said_points(SMALL)} points counts as small. {_sample(cost)}".strip()
    if cost.at_chance:
        return "Choose another label to predict, or add texts per author."
    return f"{_settled_by(cost)} {_sample(cost)}".strip()


def _sample(cost: LeakageCost) -> str:
    """Say what a large corpus was measured on; nothing where it was measured whole."""
    found = None if cost.summary is None else cost.summary.sample
    if cost.summary is None or found is None:
        return ""
    tested, parts = cost.summary.topics, list[str]()
    if found.topics_not_tested:
        parts.append(f"{tested:,} of {tested + found.topics_not_tested:,} topics")
    if found.rare:
        parts.append(f"the {counted(found.classes, 'author')} with most texts")
    if found.most_training is not None:
        parts.append(f"at most {found.most_training:,} training documents")
    if found.most_tested is not None:
        parts.append(f"at most {found.most_tested:,} test documents per topic")
    return f"Measured on {listed(parts)}."


def _settled_by(cost: LeakageCost) -> str:
    """Say how many topics would settle it."""
    assert cost.summary is not None
    needed, now = cost.topics_needed, cost.summary.topics
    if needed is None or needed > MANY * now:
        return "More topics, or more texts per author, would settle it."
    return f"About {_rounded(max(needed, now + 1)):,} topics like the {now:,} tested, or more texts per author, would settle it."


def _beside(cost: LeakageCost) -> str:
    """Return text such as " and 17 for all words"."""
    assert cost.summary is not None
    for name, curve in cost.summary.models.items():
        if name != cost.largest and math.isfinite(curve.cost.low):
            gain = f"and {_said_points(curve.cost.mean)}" if curve.cost.low > 0 else "but not significantly"
            return f" {gain} for {NAMES[name]}"
    return ""


def _rounded(count: int) -> int:
    """Round a rough count up to one that does not look exact."""
    step = 1 if count < 20 else 5 if count < 100 else 10 ** (len(str(count)) - 2)
    return -(-count // step) * step


def _said_points(value: float, form: str = ".0f") -> str:
    return number(round(100 * value) + 0.0, form)  # no minus zero


def _gain(value: float) -> str:
    said = _said_points(value, "+.0f")
    return "0 points" if said == "+0" else f"{said} points"


def ci_in_points(effect: MeanEffect) -> str:
    """Return the interval of a mean in points: 95% CI 5–29."""
    low, high = _said_points(effect.low), _said_points(effect.high)
    return f"95% CI {low}{' to ' if '−' in low + high else '–'}{high}"


def _highest(cost: LeakageCost) -> str:
    """Return the highest upper end, with a decimal where rounding would hide that it is below the border."""
    assert cost.summary is not None
    most = max(0.0, *(curve.cost.high for curve in cost.summary.models.values()))
    return _said_points(most) if _said_points(most) != _said_points(SMALL) else number(100 * most, ".1f")


def cost_fact(cost: LeakageCost | None) -> tuple[Fact, ...]:
    """Return the cost as a number; nothing where it is not known."""
    if cost is None or cost.summary is None or not cost.largest:
        return ()
    effect = cost.summary.models[cost.largest].cost
    ends = ci_in_points(effect) if math.isfinite(effect.low) else "no interval"
    ends += ", quick estimate" if len(cost.summary.similarity) == len(QUICK_LEVELS) else ""
    help = (
        "Accuracy with every topic in training, minus accuracy without the most similar half, with equal training sets."
    )
    return (Fact("Cost of leakage", _gain(effect.mean), f"{NAMES[cost.largest]}, {ends}", help),)


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
            "topics_needed": cost.topics_needed,
        }
    }


@record
class Promises:
    """What splits promise the ordinary word model, and what to expect; nothing is known where `forecast` is None."""

    forecast: Forecast | None
    reason: str = ""  # why nothing is known

    @property
    def model(self) -> str:
        """Return the model's label."""
        return TASKS["attribution"].models[ORDINARY].label


def promises_of(study: Study) -> Promises:
    """Return the forecast of the ordinary word model, or why there is none; raise `Pending` where it has to be made first."""
    corpus = study.corpus
    if corpus.author_codes is None:
        return Promises(None, "A forecast needs a label to predict.")
    if len(corpus) > MOST_DOCUMENTS or len(corpus.topic_names) > MOST_TOPICS:
        return Promises(None, "The forecast of a corpus of this size is made on request (Folds & accuracy).")
    try:
        run = study.forecast_run((ORDINARY,), min(FOLDS, int(study.space.comparable.sum())), 0, unasked=True)
        found = read_off(corpus, run).models[ORDINARY]
    except LeakscopeError as problem:
        return Promises(None, str(problem))
    if math.isnan(found.expected):
        return Promises(None, "The word model could not be run on all three splits.")
    return Promises(found)


def promise_facts(promises: Promises | None) -> tuple[Fact, ...]:
    """Return the three numbers: what a random split and topic k-fold promise, and what to expect."""
    if promises is None or promises.forecast is None:
        return ()
    found = promises.forecast
    known = not math.isnan(found.low)  # without an interval the line rests on two families, and its end is a guess
    interval = (
        f"{CONFIDENCE:.0%} interval {_said_points(found.low)}–{_said_points(found.high)}" if known else NO_INTERVAL
    )
    return (
        Fact("Random split", percent(found.random), f"accuracy, {promises.model}"),
        Fact("Topic k-fold", percent(found.topic_kfold), f"accuracy, {promises.model}"),
        Fact(
            "Expect on new topics",
            percent(found.expected) if known else ABSENT,
            interval,
            "Accuracy on topics unlike those of the corpus, from the forecast (Folds & accuracy).",
        ),
    )


def promise_data(promises: Promises) -> dict[str, Any]:
    """Return the three numbers as data: null with a reason where nothing is known."""
    if promises.forecast is None:
        return {"promises": None, "promises_reason": promises.reason}
    fields = ("random", "topic_kfold", "expected", "low", "high")
    return {"promises": {"model": ORDINARY} | {name: defined(getattr(promises.forecast, name)) for name in fields}}
