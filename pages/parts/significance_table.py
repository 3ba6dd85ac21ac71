"""A table of one's own on the Significance page: a column a system, a row a category or a decision."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.errors import LeakscopeError
from core.statistics import compare_all, decisions_conclusion
from core.studies import read_comparison_table
from pages.parts.significance import (
    choose_margin,
    headline,
    show_differences,
    show_pairs,
    show_power,
    show_tests,
    tests_of,
)
from pages.shared import show
from pages.shared.conclusions import conclude
from pages.shared.run_controls import two_models
from pages.shared.show import refuse


def own_table(answer: DeltaGenerator) -> None:
    """A table of the user's own: a column a system, a row a category or a decision."""
    file = st.file_uploader(
        "A CSV with a column per system, and a row per category (scores) or per decision (0 or 1)",
        type=["csv", "tsv"],
        key="comparison_file",
    )
    if file is None:
        st.caption(
            "For example: `category,SVM,kNN` with a line such as `grain,0.91,0.88` per category. A column `documents` says how much "
            "each row counts in the weighted t-test."
        )
        return
    try:
        table = read_comparison_table(file)
    except LeakscopeError as problem:
        refuse(problem)
        return
    systems = dict(table.systems)
    show.notes(table.notes)
    a, b = two_models({name: name for name in systems}, page="table")
    margin = choose_margin()
    sizes = None if table.weights is None else [int(each) for each in table.weights]
    tests = tests_of(systems, (a, b), kind=table.kind, margin=margin, weights=table.weights)
    with answer:
        if table.kind == "scores":
            headline(systems, (a, b), margin=margin, sizes=sizes, rows="rows")
        else:
            conclude(decisions_conclusion(systems[a], systems[b], names=(a, b)))
    if table.kind == "scores":
        show_differences(list(table.rows), systems[a] - systems[b], sizes, (a, b), metric="score")
    all_tests, all_pairs, needed = st.tabs(["Every test", "All pairs", "How many rows would it take?"])
    with all_tests:
        show_tests(tests, metric="score" if table.kind == "scores" else "correctness")
    with all_pairs:
        pairs = compare_all(systems, kind=table.kind, margin=margin, weights=table.weights)
        show_pairs(pairs, list(systems), what="All systems of the table")
    with needed:
        if table.kind == "scores":
            show_power(systems[a] - systems[b])
        else:
            st.info("Single decisions do not show the spread between topics.", icon=":material/info:")
