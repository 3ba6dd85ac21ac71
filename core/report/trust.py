"""The sections of Trust: is A better than B, and how often would a test of that lie."""

from math import isfinite
from typing import Any

import numpy as np

from ..errors import SettingError, unknown
from ..evaluation import ComparedModels, clustered_errors, compared_models, error_rates
from ..formats import ABSENT, number, p_value, share
from ..plots import significance as plots
from ..statistics import SIGNS_SAY, TESTS, error_conclusion
from .runs import RunChoices, RunOfModels, run_of, skipped
from .subject import Drawing, ReportTable, Section, Subject, table


def significance(
    subject: Subject, *, a: str | None = None, b: str | None = None, margin: float = 0.05, **choices: Any
) -> Section:
    """Whether one model is better than another, topic by topic."""
    run = run_of(subject, "significance", RunChoices(**choices))
    a, b = _two(run, a, b)
    corpus = run.setup.corpus
    errors = error_rates(run.evaluation, corpus, a, b)
    two = compared_models(run.evaluation, corpus, a, b, metric=run.metric, margin=margin, errors=errors)
    return Section(
        "significance",
        "Is A better than B?",
        two.said.answer,
        two.said.cautions,
        drawings=_differences(two, run.metric_label),
        tables=(_tests(two), *skipped({run.setup.name: run.evaluation})),
        settings=(
            ("A", two.names[0]),
            ("B", two.names[1]),
            ("A difference that does not matter", f"{margin:g}"),
            *run.settings,
        ),
    )


def _differences(two: ComparedModels, metric: str) -> tuple[Drawing, ...]:
    known = np.isfinite(two.difference)
    if not known.any():
        return ()
    figure = plots.differences(
        [topic for topic, keep in zip(two.topics, known, strict=True) if keep],
        two.difference[known],
        [size for size, keep in zip(two.documents, known, strict=True) if keep],
        a=two.names[0],
        b=two.names[1],
    )
    title = f"{two.names[0]} − {two.names[1]} in {metric}, topic by topic"
    return (Drawing(title, figure),)


def _two(run: RunOfModels, a: str | None, b: str | None) -> tuple[str, str]:
    names = list(run.models)
    if len(names) < 2:
        raise SettingError("Comparing takes two models; choose at least two.")
    for name in (a, b):
        if name is not None and name not in names:
            raise unknown("model", name, names)
    first = names[0] if a is None else a
    second = next(name for name in names if name != first) if b is None else b
    if first == second:
        raise SettingError("Choose two different models to compare.")
    return first, second


def _tests(two: ComparedModels) -> ReportTable:
    columns = {
        "test": [TESTS[name].label for name in two.tests],
        "verdict": [test.verdict or ABSENT for test in two.tests.values()],
        "p": [p_value(test.p) for test in two.tests.values()],
        "errs at .05": [TESTS[name].shown_rate(two.rates) for name in two.tests],
        "what it says": [test.reading for test in two.tests.values()],
    }
    return table("Every test", columns, note=SIGNS_SAY)


def trust(subject: Subject, *, a: str | None = None, b: str | None = None, **choices: Any) -> Section:
    """How often a test that takes the questions of this run for independent finds what is not there."""
    run = run_of(subject, "trust", RunChoices(**choices))
    a, b = _two(run, a, b)
    names = run.models[a], run.models[b]
    errors = clustered_errors(run.evaluation, run.setup.corpus, a, b)
    found, by_chance, simulated = errors.found, errors.by_chance, errors.simulated
    said = error_conclusion(found, by_chance=by_chance, simulated=simulated, names=names)
    facts: tuple[tuple[str, str], ...] = ()
    if isfinite(found.expected_type1):
        facts = (
            (
                "Correlation within topics (φ)",
                f"{number(found.phi_difference)}, topics shuffled up to {number(by_chance)}",
            ),
            ("Design effect", number(found.design_effect, ".1f")),
            ("Effective questions", f"{found.effective_documents:,.0f} of {found.documents:,}"),
            ("Type I error to expect", f"{share(found.expected_type1)}, simulated {share(simulated)}, promised 5 %"),
        )
    return Section(
        "trust",
        "How often would that test lie?",
        said.answer,
        (*said.cautions, *found.notes),
        facts,
        tables=skipped({run.setup.name: run.evaluation}),
        settings=(("A", names[0]), ("B", names[1]), *run.settings),
    )
