"""Two systems side by side: all tests, the differences, every pair, the power there is; and a table of one's own."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.arrays import Floats
from core.corpora.readers import File
from core.formats import listed, p_value
from core.plots import significance as plots
from core.statistics import (
    SIGNS_SAY,
    TESTS,
    Comparison,
    Significance,
    compare,
    compare_all,
    comparison_conclusion,
    decisions_conclusion,
    power,
    reliable_difference,
    smallest_difference,
    topics_needed,
)
from core.studies import ComparisonTable, read_comparison_table
from pages.shared import result_cache, show, work
from pages.shared.controls import IN_URL
from pages.shared.history import file_key
from pages.shared.run_controls import two_models
from pages.shared.show import conclude, escaped


def choose_margin() -> float:
    """The difference that one would not mind."""
    return st.grid(2, min_column_width=260).number_input(
        "A difference that does not matter",
        0.001,
        0.5,
        0.05,
        0.005,
        format="%.3f",
        key="margin",
        bind=IN_URL,
        help="For the equivalence test: are the two closer than this? Choose it before you look.",
    )


def show_tests(
    tests: Mapping[str, Significance], *, metric: str, rates: Mapping[str, float] | None = None, per: str = "topic"
) -> None:
    """All tests in one table; one that does not apply says why instead of a p-value. `per`: of what a score is."""
    st.markdown(_tested_on(tests, metric=metric, per=per))
    wide = st.column_config.TextColumn(width="large")
    show.table(
        [
            {
                "test": TESTS[name].label,
                "verdict": test.verdict or "–",
                "p": test.p,
                "errs at .05": TESTS[name].shown_rate(rates or {}),
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
        formats={"p": p_value},
        column_config={"what it says": wide, "takes for granted": wide},
        alt="Every test of A against B",
        csv=show.Csv("Tests as CSV", "tests.csv", "tests_csv"),
    )
    st.caption(_how_to_read(tests, measured=rates is not None))
    with st.expander("In plain words", icon=":material/chat:"):
        for name, test in tests.items():
            st.markdown(
                f"- **{TESTS[name].label}.** {escaped(test.reading)} *Takes for granted: {escaped(test.assumption)}.*"
            )


def _tested_on(tests: Mapping[str, Significance], *, metric: str, per: str) -> str:
    """What the tests in hand are of: those of scores, of single decisions, over folds."""
    over_folds = [TESTS[name].label for name in tests if TESTS[name].needs_sizes]
    decisions = [TESTS[name].label for name in tests if TESTS[name].error_rate == "clustered"]
    if len(decisions) == len(tests):
        return f"{listed(decisions)} on single decisions"
    said = [f"Macro tests and t-tests on per-{per} {escaped(metric)}"]
    said += ["s and p on single decisions"] if decisions else []
    return ", ".join(said) + (f"; {listed(over_folds)} on folds" if over_folds else "")


def _how_to_read(tests: Mapping[str, Significance], *, measured: bool) -> str:
    """What the signs mean, which row to trust, which rows count by size, and what the rates of error are."""
    weighted = listed([TESTS[name].label for name in tests if TESTS[name].needs_weights])
    trusted = (
        f"The row to trust is the {TESTS['S'].label}, named before looking; the sentence above asks it two-sided. "
    )
    return (
        f"{SIGNS_SAY} "
        + (trusted if "S" in tests else "")
        + (f"Rows count by their documents in the {weighted}. " if weighted else "")
        + "*Errs at .05*: how often p ≤ .05 comes for one or the other of two equally good systems; twice 5 % for a one-sided "
        "p, since it is taken for whoever is ahead"
        + ("; for equivalence, of two that differ by the margin." if any(_of_equality(name) for name in tests) else ".")
        + (_DECISIONS[measured] if any(TESTS[name].error_rate == "clustered" for name in tests) else "")
    )


_DECISIONS = {
    True: " For s and p it is measured on this run, by how alike documents of one topic are.",
    False: " For s and p it hangs on how alike decisions of one topic are, and without topics it is not known.",
}


def _of_equality(name: str) -> bool:
    return TESTS[name].claim == "equality"


def show_differences(
    rows: Sequence[str],
    d: Floats,
    sizes: Sequence[int] | None,
    names: tuple[str, str],
    *,
    metric: str,
    per: str = "topic",
) -> None:
    """A − B row by row; `per`: what a row is."""
    known = np.isfinite(d)
    if not known.any():
        st.info("No row has a score for both systems.", icon=":material/info:")
        return
    beside = [] if sizes is None else ["documents in brackets", f"stronger bars are larger {per}s"]
    beside += [f"the {plots.MOST_BARS} largest of {int(known.sum()):,}"] if known.sum() > plots.MOST_BARS else []
    brackets = f" ({'; '.join(beside)})" if beside else ""
    st.markdown(f"**Difference in {escaped(metric)}, {per} by {per}**{brackets}")
    shown_sizes = None if sizes is None else [size for size, keep in zip(sizes, known, strict=True) if keep]
    shown_rows = [row for row, keep in zip(rows, known, strict=True) if keep]
    show.figure(plots.differences(shown_rows, d[known], shown_sizes, a=names[0], b=names[1]), key="differences")
    frame = pd.DataFrame({"row": rows, f"{names[0]} − {names[1]}": d} | ({} if sizes is None else {"documents": sizes}))
    show.download(frame, show.Csv("Differences as CSV", "differences.csv"))


def show_pairs(comparisons: Sequence[Comparison], systems: list[str], *, what: str) -> None:
    """Every pair of systems under one test, corrected for the number of pairs."""
    if len(systems) < 3:
        st.info("There are two systems only: the answer above is all there is.", icon=":material/info:")
        return
    applying = [name for name in TESTS if comparisons and name in comparisons[0].tests]
    # Tests of single decisions err more often than they say, by how much differs from pair to pair: not where others apply.
    available = [name for name in applying if TESTS[name].error_rate != "clustered"] or applying
    st.markdown(f"{escaped(what)}; p after Holm's correction; row against column")
    test = st.selectbox("Test", available, format_func=lambda name: TESTS[name].label, key="pair_test", bind=IN_URL)
    if TESTS[test].error_rate == "clustered":
        st.caption(
            "This test takes single decisions for independent; those of one topic are not, so it finds too much. By how much "
            "cannot be told without topics."
        )
    if TESTS[test].claim == "equality":
        st.caption("= closer than the margin (p ≤ .05), ~ not shown to be; no sign here says who is ahead.")
    show.figure(plots.pair_matrix(systems, comparisons, test), key="all_pairs", alt="Verdict for every pair of systems")


def show_power(d: Floats, *, per: str = "topic") -> None:
    """What the number of topics in hand can show, and how many a wished difference needs; `per`: what a row is."""
    d = d[np.isfinite(d)]
    if len(d) < 3 or d.std(ddof=1) < 1e-12:
        st.info("The differences do not vary, or are too few: their spread cannot be told.", icon=":material/info:")
        return
    sd = float(d.std(ddof=1))
    wished = st.slider("A difference worth finding", 0.005, 0.3, 0.05, 0.005, key="wished", bind=IN_URL)
    needed = topics_needed(wished, sd, paired=True)
    just = smallest_difference(sd, len(d), paired=True)
    reliably = reliable_difference(sd, len(d), paired=True)
    st.markdown(
        f"With these {len(d)} {per}s an observed difference must reach **{just:.3f}** to be significant "
        f"(one-sided .05); a true difference is found in 80 % of studies from **{reliably:.3f}** on. To find a true "
        f"difference of {wished:.3f} that often, **{needed:,} {per}s** are needed."
    )
    top = int(min(max(2 * needed, 2 * len(d), 20), 2_000))
    grid = np.unique(np.linspace(2, top, 80).astype(int))
    powers = np.array([float(power(wished, sd, int(n), paired=True)) for n in grid])
    show.figure(
        plots.power_curve(grid.tolist(), powers, len(d), 0.8), key="power", alt=f"Power against number of {per}s"
    )


def own_table(answer: DeltaGenerator) -> None:
    """A table of the user's own: a column a system, a row a category or a decision."""
    file = st.file_uploader(
        "A CSV with a column per system, and a row per category (scores) or per decision (0 or 1)",
        type=["csv", "tsv"],
        key="comparison_file",
    )
    content = file_key("tables", file)
    table: ComparisonTable | None = None
    if file is not None and content is not None:
        step = work.step(read_comparison_table, File(file.name, file.getvalue()))
        table = work.result("tables", content[0], step, name=file.name, here=True)
    elif content is not None:
        table = result_cache.of_a_file("tables", content[0])
        if table is not None:
            st.caption(f"From {show.escaped(content[1])}, loaded before.")
    if table is None and file is None:
        st.caption(
            "For example: `category,SVM,kNN` with a line such as `grain,0.91,0.88` per category. A column `documents` says how much "
            "each row counts in the weighted t-test."
        )
    if table is None:
        return
    systems = dict(table.systems)
    show.notes(table.notes)
    a, b = two_models({name: name for name in systems}, page="table")
    margin = choose_margin()
    sizes = None if table.weights is None else [int(each) for each in table.weights]
    two = systems[a], systems[b]
    tests = compare(*two, kind=table.kind, names=(a, b), margin=margin, weights=table.weights)
    with answer:
        if table.kind == "scores":
            conclude(comparison_conclusion(*two, names=(a, b), margin=margin, sizes=sizes, rows="rows"))
        else:
            conclude(decisions_conclusion(*two, names=(a, b)))
    if table.kind == "scores":
        show_differences(list(table.rows), systems[a] - systems[b], sizes, (a, b), metric="score", per="row")
    all_tests, all_pairs, needed = st.tabs(["Every test", "All pairs", "How many rows would it take?"])
    with all_tests:
        show_tests(tests, metric="score" if table.kind == "scores" else "correctness", per="row")
    with all_pairs:
        pairs = compare_all(systems, kind=table.kind, margin=margin, weights=table.weights)
        show_pairs(pairs, list(systems), what="All systems of the table")
    with needed:
        if table.kind == "scores":
            show_power(systems[a] - systems[b], per="row")
        else:
            st.info("Single decisions do not show the spread between rows of scores.", icon=":material/info:")
