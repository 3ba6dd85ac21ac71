"""The sections of Trust: is A better than B, and how often would a test of that lie."""

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

import numpy as np

from ..arrays import Floats
from ..errors import LeakscopeError, SettingError, unknown
from ..evaluation import TASKS, fold_scores, right_answers, score_table, topic_scores
from ..formats import ABSENT, number, p_value, share
from ..plots import significance as plots
from ..statistics import (
    TESTS,
    ClusteredComparison,
    Significance,
    chance_phi,
    clustered_comparison,
    compare,
    comparison_conclusion,
    corrected_t,
    decisions_caution,
    error_conclusion,
    simulated_type1,
    true_rate,
)
from .runs import RunChoices, RunOfModels, run_of, skipped
from .section import Drawing, Section, Table, table
from .subject import Subject


def significance(
    subject: Subject, *, a: str | None = None, b: str | None = None, margin: float = 0.05, **choices: Any
) -> Section:
    """Whether one model is better than another, topic by topic."""
    run = run_of(subject, "significance", RunChoices(**choices))
    a, b = _two(run, a, b)
    names, corpus = (run.models[a], run.models[b]), run.setup.corpus
    scores = topic_scores(run.evaluation, corpus)
    by_model = dict(zip(run.models, score_table(scores, run.metric), strict=True))
    ours = [score for score in scores if score.model == a]
    rows, sizes = [corpus.topic_names[score.topics[0]] for score in ours], [score.documents for score in ours]
    tests = _all_tests(run, (a, b), by_model, margin)
    rates, alike = _error_rates(run, a, b)
    said = comparison_conclusion(by_model[a], by_model[b], names=names, margin=margin, sizes=sizes)
    asks_pairs = TASKS[run.evaluation.task].asks_pairs
    decided = decisions_caution(tests["s"], rate=rates.get("s"), alike=alike, share_texts=asks_pairs)
    return Section(
        "significance",
        "Is A better than B?",
        said.answer,
        (*said.cautions, decided),
        drawings=_differences(rows, by_model[a] - by_model[b], sizes, names, run.metric_label),
        tables=(_tests(tests, rates), *skipped({run.setup.name: run.evaluation})),
        settings=(
            ("A", names[0]),
            ("B", names[1]),
            ("A difference that does not matter", f"{margin:g}"),
            *run.settings,
        ),
    )


def _all_tests(
    run: RunOfModels, two: tuple[str, str], by_model: Mapping[str, Floats], margin: float
) -> dict[str, Significance]:
    """Over decisions, over topics, over folds."""
    (a, b), names = two, (run.models[two[0]], run.models[two[1]])
    right = [right_answers(run.evaluation, run.setup.corpus, name)[0] for name in two]
    micro = compare(*right, kind="decisions", names=names, margin=margin)
    macro = compare(by_model[a], by_model[b], kind="scores", names=names, margin=margin)
    return {**micro, **macro, "corrected_t": _corrected(run, a, b)}


def _error_rates(run: RunOfModels, a: str, b: str) -> tuple[dict[str, float], bool]:
    """How often tests over decisions err on this run, where that can be told; and whether errors cluster within topics."""
    clustered, alike = _clustered(run, a, b)
    if clustered is None:
        return {}, alike
    found = {key: true_rate(test, clustered) for key, test in TESTS.items() if test.error_rate == "clustered"}
    return {key: rate for key, rate in found.items() if isfinite(rate)}, alike


def _differences(
    rows: Sequence[str], difference: Floats, sizes: Sequence[int], names: tuple[str, str], metric: str
) -> tuple[Drawing, ...]:
    known = np.isfinite(difference)
    if not known.any():
        return ()
    figure = plots.differences(
        [row for row, keep in zip(rows, known, strict=True) if keep],
        difference[known],
        [size for size, keep in zip(sizes, known, strict=True) if keep],
        a=names[0],
        b=names[1],
    )
    title = f"{names[0]} − {names[1]} in {metric}, topic by topic"
    return (Drawing(title, figure, "Difference between the two systems on every topic"),)


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


def _corrected(run: RunOfModels, a: str, b: str) -> Significance:
    """The corrected t-test over folds, with the mean sizes of their two sides."""
    scores = dict(zip(run.models, score_table(fold_scores(run.evaluation, run.setup.corpus), run.metric), strict=True))
    train = float(np.mean([len(fold.train) for fold in run.folds]))
    test = float(np.mean([len(fold.test) for fold in run.folds]))
    return corrected_t(scores[a], scores[b], train=train, test=test, names=(run.models[a], run.models[b]))


def _clustered(run: RunOfModels, a: str, b: str) -> tuple[ClusteredComparison | None, bool]:
    """How errors cluster within topics, and whether more than shuffled topics make them; None where that cannot be told."""
    (right_a, topics), (right_b, _) = (right_answers(run.evaluation, run.setup.corpus, name) for name in (a, b))
    try:
        found = clustered_comparison(1 - right_a, 1 - right_b, topics)
        return found, found.phi_difference > chance_phi(1 - right_a, 1 - right_b, topics, seed=0)
    except LeakscopeError:  # too few documents or topics, or folds that only one of the two could be run on
        return None, False


def _tests(tests: dict[str, Significance], rates: dict[str, float]) -> Table:
    def errs(name: str) -> str:
        if TESTS[name].error_rate != "clustered":
            return share(TESTS[name].promised_rate)
        return share(rates[name]) if name in rates else "not known"

    columns = {
        "test": [TESTS[name].label for name in tests],
        "verdict": [test.verdict or ABSENT for test in tests.values()],
        "p": [p_value(test.p) for test in tests.values()],
        "errs at .05": [errs(name) for name in tests],
        "what it says": [test.reading for test in tests.values()],
    }
    note = (
        "» or « strong evidence (p ≤ .01), > or < some (p ≤ .05), ~ too little to tell. One question asked in many ways: do "
        "not choose the smallest p."
    )
    return table("Every test", columns, note=note)


def trust(subject: Subject, *, a: str | None = None, b: str | None = None, **choices: Any) -> Section:
    """How often a test that takes the questions of this run for independent finds what is not there."""
    run = run_of(subject, "trust", RunChoices(**choices))
    a, b = _two(run, a, b)
    names = run.models[a], run.models[b]
    (right_a, topics), (right_b, _) = (right_answers(run.evaluation, run.setup.corpus, name) for name in (a, b))
    found = clustered_comparison(1 - right_a, 1 - right_b, topics)
    simulated = simulated_type1(1 - right_a, 1 - right_b, topics, seed=0)
    by_chance = chance_phi(1 - right_a, 1 - right_b, topics, seed=0)
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
