"""How models do on the lesson's corpus: topics held out or not, and with the near twin in training or without.

Takes minutes, and so ships as data/lesson.json; `python -m data.bundle lesson` computes it again.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...arrays import Floats, Ints, record
from ...corpora import Corpus
from ...errors import InputError
from ...evaluation import Evaluation, ResultStore, effects_of, evaluate, fold_scores, summarise, topic_scores
from ...splits import Swaps, make_folds, make_swaps
from ...topics import TopicSpace
from .facts import FOLDS, Lesson, nearest_in_training

TASK, METRIC = "attribution", "accuracy"
MODELS = ("topic_fit", "max_ent", "char_svm")  # whose scores are shown topic by topic
SWAPPED = ("topic_fit", "char_svm")  # who are asked with and without the twin
DRAWS = 3


@record
class HeldOut:
    """One model on topics held out: right answers and questions, a number a topic; and its accuracy in ordinary folds."""

    right: Ints
    asked: Ints
    ordinary: float

    @property
    def accuracy(self) -> Floats:
        """By topic."""
        return np.asarray(self.right / self.asked)

    @property
    def overall(self) -> float:
        """Of all questions."""
        return float(self.right.sum() / self.asked.sum())


@record
class Swapped:
    """One model's accuracy on every test topic (`topics`, codes) without its near twin (`twins`) in training, and with it:
    a row a topic, a column a draw of the stand-ins; `low` and `high` are the 95 % interval of the mean effect."""

    topics: Ints
    twins: Ints
    without: Floats
    with_twin: Floats
    low: float
    high: float

    def sides(self, topic: int) -> tuple[int, float, float]:
        """Of a test topic: its twin, and the accuracy without it and with it, over draws."""
        row = self.topics.tolist().index(topic)
        return int(self.twins[row]), float(self.without[row]), float(self.with_twin[row].mean())

    @property
    def effects(self) -> Floats:
        """With minus without, by topic."""
        return np.asarray(self.with_twin.mean(axis=1) - self.without)


@record
class Evidence:
    """By model's name."""

    held_out: dict[str, HeldOut]
    swapped: dict[str, Swapped]


def held_out_scores(corpus: Corpus, *, models: Sequence[str], results: ResultStore | None) -> dict[str, HeldOut]:
    """Every topic tested once in folds by topic, and all documents once in ordinary folds."""
    by_topic, ordinary = (
        evaluate(
            corpus, make_folds(corpus, scheme=scheme, k=FOLDS, seed=0), task=TASK, models=list(models), results=results
        )
        for scheme in ("topic-kfold", "kfold")
    )
    means = summarise(fold_scores(ordinary, corpus), METRIC)
    found = {}
    for model in models:
        scores = {score.topics[0]: score for score in topic_scores(by_topic, corpus) if score.model == model}
        ordered = [scores[topic] for topic in range(len(corpus.topic_names))]
        asked = np.array([score.questions for score in ordered], dtype=np.int64)
        right = np.array([round(score.values[METRIC] * score.questions) for score in ordered], dtype=np.int64)
        found[model] = HeldOut(right, asked, float(means[model].mean))
    return found


def swapped_scores(
    corpus: Corpus, swaps: Swaps, *, models: Sequence[str], results: ResultStore | None
) -> dict[str, Swapped]:
    """Every topic with its near twin in training and without, as on Folds & accuracy."""
    runs = [
        evaluate(corpus, folds, task=TASK, models=list(models), results=results)
        for folds in (swaps.without, *swaps.with_twin)
    ]
    effects = effects_of(runs, corpus, metric=METRIC)
    without, *with_twin = (_accuracies(each, corpus) for each in runs)
    twins = np.array([each[0] for each in swaps.twins], dtype=np.int64)
    return {
        model: Swapped(
            swaps.topics,
            twins,
            without[model],
            np.stack([draw[model] for draw in with_twin], axis=1),
            effects[model].low,
            effects[model].high,
        )
        for model in models
    }


def _accuracies(evaluation: Evaluation, corpus: Corpus) -> dict[str, Floats]:
    scores = fold_scores(evaluation, corpus)
    return {
        model: np.array([score.values[METRIC] for score in scores if score.model == model])
        for model in evaluation.models
    }


def right_beside_twins(lesson: Lesson, found: HeldOut) -> tuple[float, float]:
    """The share of right answers on test topics with a near twin in training, and on the others."""
    twin = nearest_in_training(lesson) >= lesson.verdict.line
    beside, alone = (float(found.right[these].sum() / found.asked[these].sum()) for these in (twin, ~twin))
    return beside, alone


def gather_evidence(corpus: Corpus, space: TopicSpace, *, results: ResultStore | None = None) -> Evidence:
    """All of it, from nothing or from answers that are kept."""
    swaps = make_swaps(corpus, space, draws=DRAWS, seed=0)
    return Evidence(
        held_out_scores(corpus, models=MODELS, results=results),
        swapped_scores(corpus, swaps, models=SWAPPED, results=results),
    )


def write_evidence(file: Path, evidence: Evidence, names: Sequence[str]) -> None:
    """As JSON, topics by name."""
    held_out = {
        model: {
            "ordinary": round(each.ordinary, 6),
            "topics": {
                name: [int(right), int(asked)] for name, right, asked in zip(names, each.right, each.asked, strict=True)
            },
        }
        for model, each in evidence.held_out.items()
    }
    swapped = {
        model: {
            "interval": [round(each.low, 6), round(each.high, 6)],
            "topics": {
                names[topic]: {
                    "twin": names[twin],
                    "without": round(float(without), 6),
                    "with": [round(value, 6) for value in with_twin.tolist()],
                }
                for topic, twin, without, with_twin in zip(
                    each.topics, each.twins, each.without, each.with_twin, strict=True
                )
            },
        }
        for model, each in evidence.swapped.items()
    }
    text = json.dumps({"held_out": held_out, "swapped": swapped}, indent=1, ensure_ascii=False)
    file.write_text(text + "\n", encoding="utf-8")


def read_evidence(file: Path, names: Sequence[str]) -> Evidence:
    """What `write_evidence` wrote for topics of these names."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        return Evidence(
            {model: _held_out(each, names) for model, each in found["held_out"].items()},
            {model: _swapped(each, names) for model, each in found["swapped"].items()},
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as problem:
        raise InputError(f"{file.name}: {problem}; restore it with `python -m data.bundle lesson`.") from None


def _held_out(found: Mapping[str, Any], names: Sequence[str]) -> HeldOut:
    right, asked = np.array([found["topics"][name] for name in names], dtype=np.int64).T
    return HeldOut(right.copy(), asked.copy(), float(found["ordinary"]))


def _swapped(found: Mapping[str, Any], names: Sequence[str]) -> Swapped:
    code = {name: index for index, name in enumerate(names)}
    topics = found["topics"]
    low, high = found["interval"]
    return Swapped(
        np.array([code[name] for name in topics], dtype=np.int64),
        np.array([code[each["twin"]] for each in topics.values()], dtype=np.int64),
        np.array([each["without"] for each in topics.values()], dtype=np.float64),
        np.array([each["with"] for each in topics.values()], dtype=np.float64),
        float(low),
        float(high),
    )
