"""Two systems side by side: all tests, the differences, every pair, and the power there is."""

from collections.abc import Mapping, Sequence

import numpy as np
import streamlit as st

from core.arrays import Floats
from core.errors import LeakscopeError
from core.evaluation import fold_scores, score_table
from core.plots import significance as plots
from core.statistics import (
    TESTS,
    Comparison,
    Significance,
    compare,
    compare_all,
    corrected_t,
    power,
    reliable_difference,
    smallest_difference,
    topics_needed,
)
from core.studies import read_comparison_table
from pages.shared import show
from pages.shared.controls import IN_URL, ChosenRun, two_models
from pages.shared.show import escaped, refuse


def tests_of(systems: Mapping[str, Floats], names: tuple[str, str], *, kind: str) -> dict[str, Significance]:
    """Every test that fits, A against B."""
    return compare(systems[names[0]], systems[names[1]], kind=kind, names=names)


def corrected(run: ChosenRun, a: str, b: str) -> Significance:
    """The corrected t-test over folds, with the mean sizes of their two sides."""
    scores = fold_scores(run.evaluation, run.setup.corpus)
    table = dict(zip(run.models, score_table(scores, run.metric), strict=True))
    train = float(np.mean([len(fold.train) for fold in run.folds]))
    test = float(np.mean([len(fold.test) for fold in run.folds]))
    return corrected_t(table[a], table[b], train=train, test=test, names=(run.models[a], run.models[b]))


def headline(names: tuple[str, str], macro: Mapping[str, Significance], micro: Mapping[str, Significance]) -> None:
    """What the micro and the macro sign test say together, and why they may differ."""
    by_decision, by_topic = micro["s"], macro["S"]
    a, b = (escaped(name) for name in names)
    with st.container(border=True):
        st.subheader(
            f"{a} {by_decision.verdict or '–'} {b} by decisions,  {a} {by_topic.verdict or '–'} {b} by topics",
            anchor=False,
        )
        st.caption("» or « strong evidence (p ≤ .01), > or < some (p ≤ .05), ~ too little to tell.")
        if by_decision.verdict and by_topic.verdict and by_decision.verdict != by_topic.verdict:
            st.markdown(
                "The two disagree: the micro test (s) counts decisions, so large topics rule it; the macro test (S) counts "
                "topics, so rare ones weigh as much. It also has far fewer rows, and needs a clearer difference."
            )


def show_tests(tests: Mapping[str, Significance], *, metric: str) -> None:
    """All tests in one table; one that does not apply says why instead of a p-value."""
    st.markdown(f"**Every test** (macro tests and t-tests on per-topic {escaped(metric)}, s and p on single decisions)")
    wide = st.column_config.TextColumn(width="large")
    show.table(
        [
            {
                "test": TESTS[name].label,
                "verdict": test.verdict or "–",
                "p": test.p,
                "statistic": test.statistic,
                "n": test.n,
                "effect": test.effect,
                "95 % from": test.interval[0] if test.interval else None,
                "to": test.interval[1] if test.interval else None,
                "what it says": test.reading,
                "takes for granted": test.assumption,
            }
            for name, test in tests.items()
        ],
        precision=4,
        formats={"p": _shown_p},
        column_config={"what it says": wide, "takes for granted": wide},
        alt="Every test of A against B",
        csv=show.Csv("Tests as CSV", "tests.csv", "tests_csv"),
    )
    with st.expander("In plain words", icon=":material/chat:"):
        for name, test in tests.items():
            st.markdown(
                f"- **{TESTS[name].label}.** {escaped(test.reading)} *Takes for granted: {escaped(test.assumption)}.*"
            )


def _shown_p(p: float | None) -> str:
    if p is None or not np.isfinite(p):
        return "–"
    return "< 0.0001" if p < 0.0001 else f"{p:.4f}"


def show_differences(
    rows: Sequence[str], d: Floats, sizes: Sequence[int] | None, names: tuple[str, str], *, metric: str
) -> None:
    """A − B row by row."""
    known = np.isfinite(d)
    if not known.any():
        st.info("No row has a score for both systems.", icon=":material/info:")
        return
    st.markdown(
        f"**Difference in {escaped(metric)}, row by row** (documents in brackets; darker bars are larger topics)"
    )
    shown_sizes = None if sizes is None else [size for size, keep in zip(sizes, known, strict=True) if keep]
    shown_rows = [row for row, keep in zip(rows, known, strict=True) if keep]
    show.figure(
        plots.differences(shown_rows, d[known], shown_sizes, a=names[0], b=names[1]),
        key="differences",
        alt="Difference between the two systems on every row",
    )


def show_pairs(comparisons: Sequence[Comparison], systems: list[str], *, what: str) -> None:
    """Every pair of systems under one test, corrected for the number of pairs."""
    if len(systems) < 3:
        return
    available = [name for name in TESTS if comparisons and name in comparisons[0].tests]
    st.markdown(f"**All pairs** ({escaped(what)}; p after Holm's correction; row against column)")
    test = st.selectbox("Test", available, format_func=lambda name: TESTS[name].label, key="pair_test", bind=IN_URL)
    show.figure(
        plots.pair_matrix(systems, comparisons, test),
        key="pairs",
        alt="Verdict for every pair of systems",
    )


def show_power(d: Floats) -> None:
    """What the number of topics in hand can show, and how many a wished difference needs."""
    d = d[np.isfinite(d)]
    if len(d) < 3 or d.std(ddof=1) < 1e-12:
        return
    sd = float(d.std(ddof=1))
    st.markdown("**How many topics would it take?**")
    wished = st.slider("A difference worth finding", 0.005, 0.3, 0.05, 0.005, key="wished", bind=IN_URL)
    needed = topics_needed(wished, sd, paired=True)
    just = smallest_difference(sd, len(d), paired=True)
    reliably = reliable_difference(sd, len(d), paired=True)
    st.markdown(
        f"With these {len(d)} rows an observed difference must reach **{just:.3f}** to be significant "
        f"(one-sided .05); a true difference is found in 80 % of studies from **{reliably:.3f}** on. To find a true "
        f"difference of {wished:.3f} that often, **{needed:,} topics** are needed."
    )
    top = int(min(max(2 * needed, 2 * len(d), 20), 2_000))
    grid = np.unique(np.linspace(2, top, 80).astype(int))
    powers = np.array([float(power(wished, sd, int(n), paired=True)) for n in grid])
    show.figure(
        plots.power_curve(grid.tolist(), powers, len(d), 0.8),
        key="power",
        alt="Power against number of topics",
    )


def own_table() -> None:
    """A table of the user's own: a column a system, a row a category or a decision."""
    file = st.file_uploader(
        "A CSV with a column per system, and a row per category (scores) or per decision (0 or 1)",
        type=["csv", "tsv"],
        key="comparison_file",
    )
    if file is None:
        st.caption("For example: `category,SVM,kNN` with a line such as `grain,0.91,0.88` per category.")
        return
    try:
        table = read_comparison_table(file)
    except LeakscopeError as problem:
        refuse(problem)
        return
    systems = dict(table.systems)
    show.notes(table.notes)
    a, b = two_models({name: name for name in systems})
    tests = tests_of(systems, (a, b), kind=table.kind)
    show_tests(tests, metric="score" if table.kind == "scores" else "correctness")
    if table.kind == "scores":
        show_differences(list(table.rows), systems[a] - systems[b], None, (a, b), metric="score")
        show_power(systems[a] - systems[b])
    show_pairs(compare_all(systems, kind=table.kind), list(systems), what="all systems of the table")
