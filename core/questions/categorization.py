"""Which text categorizer is best? Asked of a corpus with several topics per document and a fixed split (Yang & Liu 1999)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from ..formats import listed
from ..models.categorization import CATEGORIZERS, COMPARED
from ..papers import PUBLISHED, Categorization, is_aptemod, published_p_tests
from ..plots import significance as plots
from ..render import Answer, Caution, Drawing, Fact, Rows
from ..statistics import Significance
from . import comparison
from .notes import sentences_of
from .settings import Settings as Base
from .settings import seed, several, switch
from .wording import works

NAME, LABEL, QUESTION = "categorization", "Text categorization", "Which text categorizer is best?"
HELP = "Run Yang and Liu's text categorizers on a corpus with several topics per document and test every pair."
METHODS = (
    "Each categorizer and its thresholds are fitted on the training documents. A model is best by macro F1 only if the macro sign "
    "test over categories shows it ahead of every other. The test is two-sided, with Holm's correction (Yang and Liu 1999)."
)
LABELS = {name: kind.label for name, kind in CATEGORIZERS.items()}
MEASURES = {"miR": "recall", "miP": "precision", "error": "error"}
MIRROR = {"»": "«", ">": "<", "~": "~", "<": ">", "«": "»"}
ABOUT_1999 = "1999: Yang & Liu on Reuters-21578 (ApteMod, 90 categories)."
RARE = 60  # training documents of a rare category, at most


@dataclass(frozen=True)
class Settings(Base):
    """Which categorizers are compared."""

    models: tuple[str, ...] = several(
        "Models", LABELS, default=tuple(COMPARED), key="categorizers", help="Which categorizers to run."
    )
    seed: int = seed()
    rare: bool = switch(
        f"Only categories with up to {RARE} training documents",
        key="rare",
        option="",
        help="In the chart of F1 against how often a category occurs.",
    )
    test: str = comparison.test_setting(
        lambda *_: {
            name: label
            for name, label in comparison.pair_tests("scores", weighted=False).items()
            if name in ("S", "T", "Tprime")
        },
        asked=lambda _, chosen: len(chosen["models"]) > 2,
    )


def answer(record: Categorization, settings: Settings) -> Answer:
    """Answer which categorizer has the highest macro F1."""
    scores = {name: system.effectiveness.macro_f1 for name, system in record.systems.items()}
    scores = {name: f1 for name, f1 in scores.items() if not np.isnan(f1)}
    alone = len(record.leaders) == 1 and len(scores) > 1
    notes = [
        (f"{LABELS[name]}: {note}") for name, system in record.systems.items() for note in sentences_of(system.notes)
    ]
    return Answer(
        NAME,
        QUESTION,
        "good" if alone else "unknown",
        _headline(record, scores),
        _reasons(record, scores),
        (
            Caution(
                "equal-categories",
                "Every category counts equally, rare ones too, and the test treats them as independent.",
            ),
            *(Caution("model-note", note) for note in (*notes, *sentences_of(record.notes))),
        ),
        (
            Fact("Training documents", f"{record.training:,}"),
            Fact("Test documents", f"{record.test:,}"),
            Fact("Categories", f"{len(record.categories):,}"),
            Fact("Words", f"{record.words:,}"),
        ),
        _figures(record, settings),
        (_models_table(record), *((_p_table(record),) if len(record.systems) > 1 else ()), *published_tables()),
        lambda: _data(record),
        settings.rows(None),
        METHODS,
        works("tests", "holm"),
        numbers=record,
    )


def _f1_text(value: float) -> str:
    return f"{value:.3f}".removeprefix("0")


def _headline(record: Categorization, scores: Mapping[str, float]) -> str:
    if not scores:
        return "Inconclusive. No category has an F1 score."
    best, *close = record.leaders
    if len(scores) == 1:
        return f"Only {LABELS[best]} was run. Its macro F1 is {_f1_text(scores[best])}, with nothing to compare it to."
    if close:
        others = listed([LABELS[name] for name in close])
        if all(scores[name] == scores[best] for name in close):
            return f"Too close to call. {LABELS[best]} and {others} have the same macro F1 ({_f1_text(scores[best])})."
        return f"Too close to call. {LABELS[best]} has the highest macro F1 ({_f1_text(scores[best])}), but not significantly above {others}."
    return f"{LABELS[best]}. Its macro F1 ({_f1_text(scores[best])}) is significantly higher than that of every other model."


def _reasons(record: Categorization, scores: Mapping[str, float]) -> tuple[str, ...]:
    named = [name for name in record.leaders if scores[name] == scores[record.leaders[0]]] if scores else []
    others = [name for name in scores if name not in named]
    return (
        (f"Macro F1 of the others: {listed([f'{LABELS[name]} {_f1_text(scores[name])}' for name in others])}.",)
        if others
        else ()
    )


def _figures(record: Categorization, settings: Settings) -> tuple[Drawing, ...]:
    labelled = [replace(pair, a=LABELS[pair.a], b=LABELS[pair.b]) for pair in record.pairs]
    highest = RARE if settings.rare else None
    frequency = Drawing(
        "frequency",
        "F1 by number of training documents of a category",
        lambda: plots.f1_by_frequency(record.curve(highest=highest), LABELS),
        lead=True,
    )
    return (frequency, *comparison.pair_matrix([LABELS[name] for name in record.systems], labelled, settings.test))


def _beside_1999(record: Categorization) -> bool:
    """Return whether the paper's numbers are about the same documents."""
    return is_aptemod(record.test, len(record.categories))


def _models_table(record: Categorization) -> Rows:
    def row(name: str) -> dict[str, Any]:
        system, theirs = record.systems[name], PUBLISHED.get(name)
        found = {
            "model": LABELS[name],
            "micro recall": system.effectiveness.micro_recall,
            "micro precision": system.effectiveness.micro_precision,
            "micro F1": system.effectiveness.micro_f1,
            "macro F1": system.effectiveness.macro_f1,
            "error": system.effectiveness.error,
        }
        if _beside_1999(record):
            found |= {
                "micro F1, 1999": theirs.micro_f1 if theirs else None,
                "macro F1, 1999": theirs.macro_f1 if theirs else None,
                "error, 1999": theirs.error if theirs else None,
            }
        return found | {"CPU seconds": system.seconds}

    return Rows(
        "categorization",
        "Models",
        lambda: pd.DataFrame([row(name) for name in record.systems]),
        ABOUT_1999 if _beside_1999(record) else "",
        4,
        {"CPU seconds": ".1f", "error": ".5f"},
        lead=True,
    )


def _p_table(record: Categorization) -> Rows:
    """Return recall, precision and error of every pair as proportions, as in their Table 3."""
    theirs = published_p_tests() if _beside_1999(record) else {}

    def make() -> pd.DataFrame:
        rows = []
        for pair in record.measure_pairs:
            row: dict[str, Any] = {"A": LABELS[pair.a], "B": LABELS[pair.b]}
            for measure, label in MEASURES.items():
                row[label] = pair.tests[measure].verdict or "–"
                row[f"p {label} (Holm)"] = pair.adjusted[measure]
            if theirs:
                row |= {
                    f"{label}, 1999": sign_in_1999(theirs, pair.a, pair.b, name) for name, label in MEASURES.items()
                }
            rows.append(row)
        return pd.DataFrame(rows)

    note = (
        "» A is better at p ≤ .01, > at p ≤ .05 (one-sided, uncorrected, as in the paper); beside it p with Holm's correction. These tests "
        "treat decisions as independent, and those about one document are not. Where tests disagree, trust the tests over categories."
    )
    if theirs:
        note += f" {ABOUT_1999} Its signs are computed from its Table 1."
    formats = {f"p {label} (Holm)": ".2g" for label in MEASURES.values()}
    return Rows("p_tests", "Proportion tests (p) of every pair", make, note, formats=formats)


def sign_in_1999(theirs: Mapping[tuple[str, str], Mapping[str, Significance]], a: str, b: str, measure: str) -> str:
    """Return the paper's sign for this pair, whichever came first there; a dash where it does not compare them."""
    if (a, b) in theirs:
        return theirs[a, b][measure].verdict or "–"
    if (b, a) in theirs:
        return MIRROR.get(theirs[b, a][measure].verdict or "", "–")
    return "–"


def published_tables() -> tuple[Rows, Rows]:
    """Return the paper's own two tables."""

    def scores() -> pd.DataFrame:
        return pd.DataFrame(
            [
                {
                    "model": LABELS[name],
                    "micro recall": each.micro_recall,
                    "micro precision": each.micro_precision,
                    "micro F1": each.micro_f1,
                    "macro F1": each.macro_f1,
                    "error": each.error,
                }
                for name, each in PUBLISHED.items()
            ]
        )

    def signs() -> pd.DataFrame:
        return pd.DataFrame(
            [
                {"A": LABELS[a], "B": LABELS[b]}
                | {label: tests[name].verdict or "–" for name, label in MEASURES.items()}
                for (a, b), tests in published_p_tests().items()
            ]
        )

    return (
        Rows(
            "yang_liu_1999_table_1",
            "Scores published in 1999",
            scores,
            f"{ABOUT_1999} Table 1, and the micro F1 of kNN with one label per document (§5.2).",
            4,
            {"error": ".5f"},
        ),
        Rows(
            "yang_liu_1999_table_3",
            "Proportion tests of 1999",
            signs,
            "Computed from Table 1, because the scan lost most signs of Table 3. Our results on Reuters are in docs/categorization.md.",
        ),
    )


def _data(record: Categorization) -> dict[str, Any]:
    beside = _beside_1999(record)
    tests = [
        {"a": pair.a, "b": pair.b}
        | {name: _test(result, holm=pair.adjusted[name]) for name, result in pair.tests.items()}
        | {"p": {name: _test(result) for name, result in record.measures[pair.a, pair.b].items()}}
        for pair in record.pairs
    ]
    return {
        "corpus": record.corpus,
        "training": record.training,
        "test": record.test,
        "categories": len(record.categories),
        "words": record.words,
        "systems": {name: _system(record, name) | (_published(name) if beside else {}) for name in record.systems},
        "tests": tests,
        "notes": list(sentences_of(record.notes)),
    }


def _system(record: Categorization, name: str) -> dict[str, Any]:
    system = record.systems[name]
    found = system.effectiveness
    scores = {"miR": found.micro_recall, "miP": found.micro_precision, "miF1": found.micro_f1, "maF1": found.macro_f1}
    known: dict[str, Any] = {key: None if np.isnan(value) else float(value) for key, value in scores.items()}
    return known | {
        "error": found.error,
        "seconds": round(system.seconds, 2),
        "notes": list(sentences_of(system.notes)),
    }


def _published(name: str) -> dict[str, Any]:
    """Return what the paper reports on this model; nothing where it does not name it."""
    theirs = PUBLISHED.get(name)
    if theirs is None:
        return {}
    scores = {
        "miR": theirs.micro_recall,
        "miP": theirs.micro_precision,
        "miF1": theirs.micro_f1,
        "maF1": theirs.macro_f1,
        "error": theirs.error,
    }
    return {"published": {measure: score for measure, score in scores.items() if score is not None}}


def _test(result: Significance, holm: float | None = None) -> dict[str, Any]:
    more = {"holm": holm, "problem": result.problem or None}
    shown = {"statistic": result.statistic, "p": result.p, "n": result.n, "verdict": result.verdict}
    return shown | {name: value for name, value in more.items() if value is not None}
