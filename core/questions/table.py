"""Is A really better than B? Asked of a table of results: a column per system, a row per category or decision."""

from dataclasses import dataclass
from typing import Any

from ..errors import SettingError
from ..evaluation import ComparisonTable
from ..render import Answer, Caution
from ..statistics import compare, compare_all, head_to_head
from . import comparison
from .settings import Settings as Base
from .settings import choice
from .wording import works

NAME, LABEL, QUESTION = "table", "Your own table", comparison.QUESTION
HELP = "Compare two systems in a table of results, with every test that fits it."
METHODS = comparison.METHODS


def _systems(table: ComparisonTable, _: Any) -> dict[str, str]:
    return {name: name for name in table.systems}


def _other(table: ComparisonTable, chosen: Any) -> str:
    return next(name for name in table.systems if name != chosen["a"])


def _tests(table: ComparisonTable, _: Any) -> dict[str, str]:
    return comparison.pair_tests(table.kind, weighted=table.weights is not None)


@dataclass(frozen=True)
class Settings(Base):
    """Which two systems are compared."""

    a: str = choice(
        "A",
        _systems,
        default=lambda table, _: next(iter(table.systems)),
        key="table_model_a",
        help="The first system's column.",
    )
    b: str = choice("B", _systems, default=_other, key="table_model_b", help="The second system's column.")
    margin: float = comparison.margin_setting()
    test: str = comparison.test_setting(_tests, asked=lambda table, _: len(table.systems) > 2)
    target: float = comparison.target_setting(asked=lambda table, _: table.kind == "scores")


def answer(table: ComparisonTable, settings: Settings) -> Answer:
    """Answer whether one column of a table is better than another."""
    names, margin = (settings.a, settings.b), settings.margin
    if settings.a == settings.b:
        raise SettingError("A and B are the same system. Choose two different ones.")
    a, b, scores = table.values(settings.a), table.values(settings.b), table.kind == "scores"
    rows = "rows" if scores else "decisions"
    tests = compare(a, b, kind=table.kind, names=names, margin=margin, weights=table.weights)
    found = head_to_head(a, b, margin=margin if scores else None, sizes=table.weights if scores else None)
    sizes = None if table.weights is None else [int(each) for each in table.weights]
    pairs = (
        compare_all(table.systems, kind=table.kind, margin=margin, weights=table.weights)
        if len(table.systems) > 2
        else ()
    )
    cautions = comparison.cautions(found, rows=rows)
    figures = comparison.pair_matrix(list(table.systems), pairs, settings.test)
    if scores:
        drawn = comparison.differences(table.rows, a - b, sizes, names, metric="score", per="row")
        figures = (*drawn, *figures, *comparison.power_figure(a - b, settings.target, per="row"))

    def data() -> dict[str, Any]:
        return {
            "cautions": [each.text for each in cautions],
            "kind": table.kind,
            "rows": len(table),
            "tests": {name: comparison.test_data(test, names, margin=margin) for name, test in tests.items()},
            "notes": list(table.notes),
        }

    return Answer(
        NAME,
        QUESTION,
        comparison.LEVELS[found.outcome],
        comparison.headline(found, names, rows=rows),
        comparison.reasons(found, names, rows=rows),
        (*cautions, *(Caution("table-read", note) for note in table.notes)),
        comparison.facts(found, names, rows=rows),
        figures,
        (comparison.tests_table(tests, names, per="row", margin=margin),),
        data,
        settings.rows(table),
        METHODS,
        works("tests", "holm"),
        numbers=found,
        hero=comparison.hero(comparison.facts(found, names, rows=rows)),
    )
