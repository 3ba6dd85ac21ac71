"""How much does topic similarity inflate accuracy?"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isnan, nan
from typing import Any

import pandas as pd

from ..errors import SettingError
from ..evaluation import (
    CONTROLS,
    DRAWS,
    FEWEST_LABELS,
    FEWEST_TESTED,
    FEWEST_TRAINING,
    LEVELS,
    SMALLEST_TOPIC,
    TASKS,
    CurvePlan,
    CurveRun,
    CurveSummary,
    ModelCurve,
    OwnCurve,
    summarise_curve,
)
from ..formats import ABSENT, counted, defined, first_few, listed, number, percent
from ..plots import curve as plots
from ..render import Answer, Caution, Drawing, Fact, Level, Rows
from ..statistics import MeanEffect
from ..study import Study
from ..topics import CLOSE, twin_threshold
from .settings import Settings as Base
from .settings import integer, names_in, seed, several, text
from .wording import works

NAME, LABEL, QUESTION = "curve", "Leakage curve", "How much does topic similarity inflate accuracy?"
HELP = "Score models while the most similar topics are left out of training, with everything else held equal."
METHODS = (
    "For every test topic, the most similar other topics were left out of training step by step, up to a share of the other "
    "documents. Every training set holds equally many documents of each author, and the test documents are the same throughout. "
    "The cost of leakage is the accuracy with all topics allowed minus the accuracy without the most similar ones, per test topic. "
    "As a reference, as many documents of the least similar topics were left out instead. A cost counts as significant only if it "
    "exceeds that of the reference. Intervals are by Student's t over topics, p-values are corrected by Holm's method. Three "
    "controls run beside the models: content words, function words (the 150 most frequent) and all words. Each is a linear "
    "support vector machine on TF-IDF."
)
LEFT_OUT = {
    "incomparable": "its similarity to other topics is unknown",
    "small": f"fewer than {SMALLEST_TOPIC} documents",
    "training": f"fewer than {FEWEST_TRAINING} training documents can be matched",
    "labels": f"fewer than {FEWEST_LABELS} classes can be matched",
    "test": f"fewer than {FEWEST_TESTED} test documents of matched classes",
    "sampled": "not drawn",
}
MOST_DRAWS = 20
CONTENT, FUNCTION, ALL_WORDS = CONTROLS
NOTICED, SMALL = (
    0.02,
    0.05,
)  # accuracy: a cost from here on is a finding; an upper end below this is no cost worth naming
NOTHING = 0.005  # accuracy: less is no loss in a sentence
NARROW = 0.1  # similarity: a curve of close topics that spans less cannot show that leakage costs nothing
CONTROL_LABELS = {CONTENT: "content words", FUNCTION: "function words", ALL_WORDS: "all words"}
MOST_NAMED = 3
MEANINGLESS = "The labels do not separate these texts, so no topic is more similar to a test topic than another."


@dataclass(frozen=True)
class Settings(Base):
    """Which models run along the curve, and how finely it is drawn."""

    models: tuple[str, ...] = several(
        "Models",
        lambda study, _: study.models("attribution", by_choice=True),
        refusal=lambda study, _, name: study.why_no_model("attribution", name),
        help="Models to run beside the three controls (content words, function words, all words).",
        show=lambda chosen: listed([TASKS["attribution"].models[name].label for name in chosen]) or "Controls only",
    )
    levels: str = text(
        "Shares left out",
        default=", ".join(f"{level:g}" for level in LEVELS),
        help="Shares of the other documents that are left out, most similar topics first; the first is 0.",
        more=True,
    )
    draws: int = integer(
        "Training sets per point",
        low=1,
        high=MOST_DRAWS,
        default=DRAWS,
        help="Random training sets per test topic and share; their scores are averaged.",
        more=True,
    )
    most_topics: int = integer(
        "Test topics, at most",
        low=0,
        high=10_000,
        default=0,
        help="Topics to test, drawn at random; fewer run faster. 0 tests all.",
        more=True,
        show=lambda most: f"{most:,}" if most else "All",
    )
    most_training: int = integer(
        "Training documents, at most",
        low=0,
        high=1_000_000,
        default=0,
        help="Documents in a training set; fewer run faster. 0 takes all that can be matched.",
        more=True,
        show=lambda most: f"{most:,}" if most else "All",
    )
    seed: int = seed("Seed of the training sets.")

    @property
    def plan(self) -> tuple[tuple[float, ...], int, int, int, int]:
        """Return what the plan depends on: shares, draws, seed and limits."""
        return self.shares, self.draws, self.seed, self.most_topics, self.most_training

    @property
    def shares(self) -> tuple[float, ...]:
        """Return the levels as numbers."""
        try:
            return tuple(float(each) for each in names_in(self.levels))
        except ValueError:
            raise SettingError(f"Levels '{self.levels}': write numbers with commas, such as 0, 0.2, 0.5.") from None


@dataclass(frozen=True, eq=False)
class LeakageCurve:
    """What the answer is about."""

    plan: CurvePlan
    summary: CurveSummary
    labels: Mapping[str, str]  # of every model by name, controls first
    threshold: float  # of near twins
    run: CurveRun
    own: tuple[str, ...] = ()  # models whose answers came from files
    topic_names: tuple[str, ...] = field(default=(), repr=False)

    @property
    def models(self) -> dict[str, ModelCurve]:
        """Return the curves of all but the controls."""
        return {name: curve for name, curve in self.summary.models.items() if name not in CONTROLS}


def answer(study: Study, settings: Settings, own: Mapping[str, OwnCurve] | None = None) -> Answer:
    """Answer how much similar topics in training raise accuracy; `own` are accuracies of a user's own answers by name."""
    run = study.curve_run(settings.models, *settings.plan)
    plan = run.plan
    labels = CONTROL_LABELS | {name: TASKS["attribution"].models[name].label for name in settings.models}
    own = {_new_name(name, run.accuracy): each for name, each in (own or {}).items()}
    found = LeakageCurve(
        plan,
        summarise_curve(
            plan,
            {**run.accuracy, **{name: each.accuracy for name, each in own.items()}},
            {**run.reference, **{name: each.reference for name, each in own.items() if each.reference is not None}},
        ),
        labels | {name: name for name in own},
        twin_threshold(study.space.similarity, kind=study.similarity),
        run,
        tuple(own),
        tuple(study.corpus.topic_names),
    )
    return Answer(
        NAME,
        QUESTION,
        level_of(found.summary) if study.labels.meaningful else "unknown",
        headline(found.summary) if study.labels.meaningful else MEANINGLESS,
        reasons(found) if study.labels.meaningful else (headline(found.summary),),
        _cautions(found),
        _facts(found),
        (
            Drawing(
                "curve",
                "Accuracy and the most similar training topic",
                lambda: plots.curve(
                    found.summary, labels=found.labels, threshold=found.threshold, kind=study.similarity
                ),
                "Left to right, more similar topics are allowed in training. Bands: 95% intervals, leaving out differences "
                "between topics.",
                lead=True,
            ),
            difference_drawing(found, found.summary.judged_by or CONTENT),
        ),
        (_models_table(found), topics_table(found), *_left_out_table(found)),
        lambda: _data(study, found),
        settings.rows(study),
        METHODS,
        works("holm"),
        _next_steps(found.summary),
        found,
        hero=next((each for each in _facts(found) if each.label == _gain_label(found, found.summary.judged_by)), None),
    )


def _new_name(name: str, taken: Mapping[str, Any]) -> str:
    return name if name not in taken else f"{name} (answers)"


# --- Sentences ----------------------------------------------------------------------------------------------------------


def headline(found: CurveSummary) -> str:
    """Say what similar topics add to accuracy, for the control that judges and for function words."""
    judge, function = found.models.get(found.judged_by), found.models.get(FUNCTION)
    name = CONTROL_LABELS.get(found.judged_by, "")
    if found.reading == "unknown" or judge is None:
        if found.topics < 2:
            return "Too few topics to tell. Only 1 topic can be tested, and the curve needs at least 2."
        if judge is not None and not isnan(judge.cost.mean):
            return f"Inconclusive. Every topic gains the same {_points(judge.cost.mean)}, so there is no interval."
        return "Inconclusive. The controls could not be run, so there is no curve to read."
    gain = f"{_points(judge.cost.mean)} for {name} {_ci(judge)}"
    if found.reading == "topic":
        start = f"Similar topics in training raise accuracy by {gain}"
        if function is None or isnan(function.cost.mean):
            return f"{start}."
        if function.cost.low > 0:
            return f"{start} and {_number(function.cost.mean)} for function words."
        return f"{start} but not significantly for function words."
    if found.reading == "more" and function is not None:
        lost = (
            f"function words lose {_points(function.cost.mean)} {_ci(function)} and {name} {_number(judge.cost.mean)}"
        )
        return f"Similar topics share more than their subject: without them, {lost}."
    if found.reading == "variety" and judge.dissimilar is not None:
        lost = f"{name} lose {_points(judge.cost.mean)} {_ci(judge)} without similar topics"
        return f"Inconclusive: {lost}, but {_number(judge.dissimilar.mean)} without as many dissimilar ones."
    if found.reading == "chance":
        return f"Nothing to measure: even with similar topics in training, {name} do no better than guessing ({percent(judge.scores[0])})."
    if judge.cost.high <= 0:
        lower = _points(-judge.cost.mean)
        return f"Similar topics in training do not raise accuracy: with them, {name} score {lower} lower {_ci(judge)}."
    most = f"raise accuracy by at most {_points(judge.cost.high)} for {name} {_ci(judge)}"
    if level_of(found) == "good":
        return f"No measurable cost: similar topics in training {most}."
    return f"Inconclusive. Similar topics in training {most}, so a real effect may be missed."


def level_of(found: CurveSummary) -> Level:
    """Return how bad it is: a cost of 2 points is a finding, and only an upper end below 5 points is good."""
    if found.reading in ("unknown", "chance"):
        return "unknown"
    if found.reading == "topic":
        return "bad" if found.models[found.judged_by].cost.mean >= NOTICED else "warning"
    if found.reading == "more":
        return "warning"
    if _stays_similar(found) or found.few_tested:
        return "neutral"
    ends = [found.models[name].cost.high for name in (found.judged_by, ALL_WORDS) if name in found.models]
    return "good" if all(end < SMALL for end in ends) else "neutral"


def _stays_similar(found: CurveSummary) -> bool:
    """Return whether close topics are in training all along the curve, so that it can show little."""
    first, last = found.similarity[[0, -1]]
    return bool(last >= CLOSE and first - last < NARROW)


def reasons(found: LeakageCurve) -> tuple[str, ...]:
    """Say where the effect starts, how the models do, and how to read the controls."""
    summary, said = found.summary, []
    if not isnan(summary.starts_at):
        near = f" The near-twin threshold is {found.threshold:.2f}." if found.threshold < 1 else ""
        higher = summary.similarity[summary.similarity > summary.starts_at].min()
        said.append(f"The effect starts between similarities of {summary.starts_at:.2f} and {higher:.2f}.{near}")
    costs = [
        f"{found.labels[name]} {_number(curve.cost.mean)} {_ci(curve)}"
        for name, curve in found.models.items()
        if not isnan(curve.cost.low)
    ]
    if costs:
        said.append(f"Points gained by the models: {first_few(costs, MOST_NAMED, between='; ')}.")
    judge = summary.models.get(summary.judged_by)
    if summary.reading == "topic" and judge is not None and judge.dissimilar is not None:
        lost = "nothing" if judge.dissimilar.mean < NOTHING else _points(judge.dissimilar.mean)
        said.append(
            f"Leaving out as many documents of dissimilar topics costs {lost}, so similarity matters, not variety."
        )
    elif summary.reading == "variety":
        said.append("Fewer topics are less varied training, so this is no proof that similarity matters.")
    elif summary.reading == "nothing":
        first, last = summary.similarity[[0, -1]]
        said.append(
            f"The most similar training topic has similarity {first:.2f} on average, or {last:.2f} when the closest are left out."
        )
    elif summary.reading == "more":
        said.append(
            "Function words carry little topic, so similar topics here probably also share time, genre or register."
        )
    return tuple(said)


def _cautions(found: LeakageCurve) -> tuple[Caution, ...]:
    plan, summary, said = found.plan, found.summary, list[Caution]()
    if summary.judged_by == ALL_WORDS and CONTENT in summary.models and summary.reading != "chance":
        said.append(
            Caution(
                "control-at-chance",
                "Content words score no better than chance here, and a model at chance cannot fall. All words decide instead.",
            )
        )
    if summary.reading != "topic" and _stays_similar(summary):
        text = "Training topics are almost as similar when the closest are left out, so this corpus can show little."
        said.append(Caution("narrow-similarities", text))
    of = len(plan.left_out) + len(plan.topics)
    drawn = sum(why == "sampled" for why in plan.left_out.values())
    if drawn:
        text = f"{counted(len(plan.topics), 'topic')} of {of:,} were sampled and tested; {drawn:,} were not."
        said.append(Caution("topics-drawn", text))
    if untestable := len(plan.left_out) - drawn:
        said.append(Caution("topics-left-out", f"{counted(untestable, 'topic')} of {of:,} could not be tested."))
    if plan.most_training is not None:
        text = f"Training sets hold at most {plan.most_training:,} documents. With all of them, scores can differ."
        said.append(Caution("training-cut", text))
    if dropped := plan.rare + plan.unmatched:
        used = counted(plan.classes, "author", "takes", "take")
        why = "those with most texts" if plan.rare else "those with enough texts on other topics"
        said.append(
            Caution("authors-left-out", f"{used} part: {why}. {dropped:,} {'is' if dropped == 1 else 'are'} left out.")
        )
    if plan.unknown:
        said.append(
            Caution(
                "unknown-authors",
                f"{counted(plan.unknown, 'document', 'has', 'have')} no author and {'is' if plan.unknown == 1 else 'are'} left out.",
            )
        )
    said += [
        Caution("model-failed", f"{found.labels[name]} could not be run everywhere. {problem}")
        for name, problem in found.run.problems.items()
    ]
    return tuple(said)


def _gain_label(found: LeakageCurve, name: str) -> str:
    return f"Gain, {found.labels.get(name, name)}"


def _facts(found: LeakageCurve) -> tuple[Fact, ...]:
    summary = found.summary
    help = "Accuracy with all topics allowed in training minus accuracy without the most similar ones."
    costs = [
        Fact(
            _gain_label(found, name),
            number(100 * curve.cost.mean, "+.1f"),
            "points" if isnan(curve.cost.low) else f"points (95% CI {_range(curve.cost.low, curve.cost.high)})",
            help,
        )
        for name, curve in summary.models.items()
        if name in CONTROLS
    ]
    topics = f"{summary.training_topics[0]:.0f} topics, then {summary.training_topics[-1]:.0f}"
    return (
        *costs,
        Fact("Test documents", f"{summary.test_documents:,}", f"of {counted(summary.topics, 'topic')}"),
        Fact("Training documents", f"{summary.training_documents:,.0f}", topics, "The same number at every point."),
    )


def _next_steps(summary: CurveSummary) -> tuple[str, ...]:
    if summary.reading == "topic":
        return (
            "Report scores from least-leakage folds or HITS (Design a split).",
            "The forecast estimates the score to expect on new topics.",
        )
    if summary.reading == "more":
        return ("Check whether similar topics also share a time or a source, and split by that too.",)
    if summary.reading == "chance":
        return ("Choose another label to predict, or add texts per author.",)
    if summary.reading in ("nothing", "variety") and level_of(summary) == "neutral":
        return ("Add topics, or texts per author, to narrow the interval.",)
    return ()


# --- Tables, figures and data -------------------------------------------------------------------------------------------


def difference_drawing(found: LeakageCurve, model: str) -> Drawing:
    """Return the paired differences of one model, topic by topic."""
    label = found.labels[model]
    return Drawing(
        "differences",
        f"With and without the most similar topics: {label}",
        lambda: plots.differences(found.summary.models[model], found.plan, names=found.topic_names, label=label),
        "Topics with the largest gain come first.",
    )


def _models_table(found: LeakageCurve) -> Rows:
    def make() -> pd.DataFrame:
        similarity = found.summary.similarity
        columns = [f"{value:.2f}" for value in similarity]
        if len(set(columns)) < len(columns):
            columns = [
                f"{value:.2f} (−{level:.0%})" for value, level in zip(similarity, found.plan.levels, strict=True)
            ]
        return pd.DataFrame(
            [
                {"model": found.labels[name]}
                | dict(zip(columns, curve.scores, strict=True))
                | {"gain": curve.cost.mean, "low": curve.cost.low, "high": curve.cost.high, "p": curve.p}
                | {"gain of dissimilar topics": nan if curve.dissimilar is None else curve.dissimilar.mean}
                for name, curve in found.summary.models.items()
            ]
        )

    note = "Columns with a number: accuracy where the most similar training topic has that similarity, on average."
    return Rows("curve", "Accuracy along the curve", make, note, lead=True)


def topics_table(found: LeakageCurve) -> Rows:
    """Return the paired differences of every model, a row a test topic."""

    def make() -> pd.DataFrame:
        plan = found.plan
        columns: dict[str, Any] = {
            "topic": [found.topic_names[topic] for topic in plan.topics],
            "test documents": plan.tested,
            "nearest, all allowed": plan.nearest[:, 0],
            "nearest, far only": plan.nearest[:, -1],
        }
        for name, curve in found.summary.models.items():
            columns |= {
                f"{found.labels[name]}, all": curve.by_topic[:, 0],
                f"{found.labels[name]}, far": curve.by_topic[:, -1],
            }
        return pd.DataFrame(columns)

    return Rows("curve_topics", "Topic by topic", make)


def _left_out_table(found: LeakageCurve) -> tuple[Rows, ...]:
    if not found.plan.left_out:
        return ()

    def make() -> pd.DataFrame:
        rows = found.plan.left_out.items()
        return pd.DataFrame([{"topic": found.topic_names[topic], "reason": LEFT_OUT[why]} for topic, why in rows])

    return (Rows("curve_left_out", "Topics not tested", make),)


def _data(study: Study, found: LeakageCurve) -> dict[str, Any]:
    summary, plan = found.summary, found.plan
    return {
        "level": level_of(summary),
        "reading": summary.reading,
        "levels": [
            {"q": level, "similarity": defined(value), "training_topics": float(topics)}
            for level, value, topics in zip(plan.levels, summary.similarity, summary.training_topics, strict=True)
        ],
        "models": {name: _curve_data(curve) for name, curve in found.models.items()},
        "controls": {name: _curve_data(summary.models[name]) for name in CONTROLS if name in summary.models},
        "reference": {
            name: {"cost": defined(curve.dissimilar.mean), **_interval(curve.similarity)}
            for name, curve in summary.models.items()
            if curve.dissimilar is not None
        },
        "judged_by": summary.judged_by,
        "training_documents": summary.training_documents,
        "test_documents": summary.test_documents,
        "left_out": {
            "authors": plan.rare + plan.unmatched,
            "topics": [
                {"topic": found.topic_names[topic], "reason": LEFT_OUT[why]} for topic, why in plan.left_out.items()
            ],
        },
        "starts_at": defined(summary.starts_at),
        "twin_threshold": defined(found.threshold),
        "notes": [*study.vectors.notes, *found.run.problems.values()],
    }


def _curve_data(curve: ModelCurve) -> dict[str, Any]:
    return {
        "scores": [defined(score) for score in curve.scores],
        "cost": defined(curve.cost.mean),
        "low": defined(curve.cost.low),
        "high": defined(curve.cost.high),
        "p": defined(curve.p),
        "topics": curve.cost.units,
    }


def _interval(effect: MeanEffect) -> dict[str, Any]:
    """Return what similarity adds beyond the reference."""
    return {"similarity": defined(effect.mean), "low": defined(effect.low), "high": defined(effect.high)}


def _number(value: float) -> str:
    """Return accuracy in points as people say it: 19, 0.4, 0."""
    points = 100 * value
    return "0" if abs(points) < 0.05 else number(points, ".0f" if abs(points) >= 0.95 else ".1f")


def _points(value: float) -> str:
    said = _number(value)
    return f"{said} point" if said in ("1", "−1") else f"{said} points"


def _range(low: float, high: float) -> str:
    """Return an interval in points: 14–25, −1 to 9."""
    between = " to " if "−" in _number(low) + _number(high) else "–"
    return f"{_number(low)}{between}{_number(high)}"


def _ci(curve: ModelCurve) -> str:
    return f"(95% CI {ABSENT})" if isnan(curve.cost.low) else f"(95% CI {_range(curve.cost.low, curve.cost.high)})"
