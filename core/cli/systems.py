"""Commands on systems: `score` and `compare` other people's, `categorize` with ours."""

import argparse
from collections.abc import Mapping

from ..corpora import read_labelled
from ..formats import counted, listed
from ..models.categorization import CATEGORIZERS, COMPARED
from ..statistics import Significance, compare, comparison_conclusion, decisions_conclusion
from ..studies import (
    PUBLISHED,
    Categorization,
    categorize,
    is_aptemod,
    pan_scores,
    read_comparison_table,
    read_system_answers,
    read_truth,
    system_names,
)
from .options import (
    Answer,
    defined,
    seed,
)
from .screen import progress


def add_score_options(command: argparse.ArgumentParser) -> None:
    """The truth, and a file of answers a system."""
    command.add_argument("truth", metavar="TRUTH", help='PAN jsonl: {"id": …, "same": true}, a line a problem')
    about = "a system: PAN jsonl (id, value) or CSV (id, score)"
    command.add_argument("answers", metavar="ANSWERS", nargs="+", help=about)


def run_score(options: argparse.Namespace) -> Answer:
    """PAN's verification metrics of each file of answers."""
    names = system_names(options.answers)
    truth = read_truth(options.truth)
    systems: dict[str, dict[str, float | None]] = {}
    notes: list[str] = []
    for done, (name, file) in enumerate(zip(names, options.answers, strict=True), start=1):
        answers = read_system_answers([file], truth.ids)
        values, reasons = pan_scores(truth, answers)
        systems[name] = {metric: defined(value) for metric, value in values.items()}
        notes += [f"{name}: {sentence}" for sentence in (*answers.notes, *reasons)]
        progress(done, len(names), "systems", None)
    return {
        "sentence": f"{counted(len(systems), 'system')} on {counted(len(truth), 'problem')}; {_highest(systems)}",
        "systems": systems,
        "problems": len(truth),
        "notes": notes,
    }


def _highest(systems: Mapping[str, Mapping[str, float | None]]) -> str:
    known = {name: values["overall"] for name, values in systems.items() if values["overall"] is not None}
    if not known:
        return "none has an overall score."
    top = max(known.values())
    whose = listed([name for name, overall in known.items() if overall == top])
    return f"the highest overall, {top:.3f}, is that of {whose}. Whether that is more than chance, these scores do not tell."


def add_compare_options(command: argparse.ArgumentParser) -> None:
    """The table and the two systems."""
    about = "a column a system; a row a category (scores) or a decision (0/1)"
    command.add_argument("file", metavar="FILE", help=about)
    command.add_argument("--a", required=True, metavar="A", help="the first system's column")
    command.add_argument("--b", required=True, metavar="B", help="the second system's column")
    about = "the difference that would not matter, for the equivalence test (default: 0.05)"
    command.add_argument("--margin", type=float, default=0.05, metavar="D", help=about)
    about = "column that says how many documents a row stands for (default: documents or weights, where there is one)"
    command.add_argument("--weights", metavar="COLUMN", help=about)


def run_compare(options: argparse.Namespace) -> Answer:
    """What may be said of A and B, and every test that fits the table; where one cannot judge it, its problem says why."""
    table = read_comparison_table(options.file, weights=options.weights, only=(options.a, options.b))
    a, b, names = table.values(options.a), table.values(options.b), (options.a, options.b)
    tests = compare(a, b, kind=table.kind, names=names, margin=options.margin, weights=table.weights)
    if table.kind == "scores":
        found = comparison_conclusion(a, b, names=names, margin=options.margin, sizes=table.weights, rows="rows")
    else:
        found = decisions_conclusion(a, b, names=names)
    return {
        "sentence": found.answer,
        "cautions": list(found.cautions),
        "kind": table.kind,
        "rows": len(table),
        "tests": {name: _whole_test(result) for name, result in tests.items()},
        "notes": list(table.notes),
    }


def _test(result: Significance) -> Answer:
    return {"statistic": result.statistic, "p": result.p, "n": result.n, "verdict": result.verdict}


def _whole_test(result: Significance) -> Answer:
    whole = _test(result) | {
        "effect": result.effect,
        "interval": None if result.interval is None else list(result.interval),
        "interval_confidence": None if result.interval is None else 0.95,
        "sides": result.sides,
        "reading": result.reading,
    }
    if result.interval_90 is not None:  # the one that the reading of an equivalence test goes by
        whole["interval_90"] = list(result.interval_90)
    return whole | ({"problem": result.problem} if result.problem else {})


def add_categorize_options(command: argparse.ArgumentParser) -> None:
    """The corpus and the models."""
    command.add_argument("file", metavar="FILE", help="columns text, topics (a list, or joined by | ; or ,) and split")
    names = ", ".join(CATEGORIZERS)
    about = f"of {names} (default: {','.join(COMPARED)})"
    command.add_argument("--models", default=",".join(COMPARED), metavar="A,B", help=about)
    command.add_argument("--seed", type=seed, default=0, metavar="S", help="(default: 0)")


def run_categorize(options: argparse.Namespace) -> Answer:
    """Micro and macro recall, precision and F1 of each model, and every pair tested."""
    models = [name.strip() for name in options.models.split(",") if name.strip()]
    found = categorize(read_labelled(options.file), models=models, seed=options.seed, progress=_say)
    return categorization_answer(found)


def categorization_answer(record: Categorization) -> Answer:
    """Every system's effectiveness, and every pair's tests."""
    systems = {
        name: {
            "miR": defined(system.effectiveness.micro_recall),
            "miP": defined(system.effectiveness.micro_precision),
            "miF1": defined(system.effectiveness.micro_f1),
            "maF1": defined(system.effectiveness.macro_f1),
            "error": system.effectiveness.error,
            "seconds": round(system.seconds, 2),
            "notes": list(system.notes),
        }
        | (_published(name) if is_aptemod(record.test, len(record.categories)) else {})
        for name, system in record.systems.items()
    }
    tests = [
        {"a": pair.a, "b": pair.b}
        | {name: _pair_test(result, holm=pair.adjusted[name]) for name, result in pair.tests.items()}
        | {"p": {name: _pair_test(result) for name, result in record.measures[pair.a, pair.b].items()}}
        for pair in record.pairs
    ]
    return {
        "sentence": record.conclusion({name: kind.label for name, kind in CATEGORIZERS.items()}).answer,
        "corpus": record.corpus,
        "training": record.training,
        "test": record.test,
        "categories": len(record.categories),
        "words": record.words,
        "systems": systems,
        "tests": tests,
        "notes": list(record.notes),
    }


def _published(name: str) -> Answer:
    """What Yang and Liu report of this model on the same documents; nothing where they report nothing."""
    if name not in PUBLISHED:
        return {}
    theirs = PUBLISHED[name]
    scores = {
        "miR": theirs.micro_recall,
        "miP": theirs.micro_precision,
        "miF1": theirs.micro_f1,
        "maF1": theirs.macro_f1,
        "error": theirs.error,
    }
    return {"published": {measure: score for measure, score in scores.items() if score is not None}}


def _pair_test(result: Significance, holm: float | None = None) -> Answer:
    more = {"holm": holm, "problem": result.problem or None}
    return _test(result) | {name: value for name, value in more.items() if value is not None}


def _say(done: int, total: int, model: str, seconds_left: float | None) -> None:
    progress(done, total, f"models {model}", None)
