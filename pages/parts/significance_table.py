"""A table of one's own on the Significance page: a column a system, a row a category or a decision."""

from collections.abc import Mapping

import streamlit as st

from core.errors import LeakscopeError
from core.statistics import Significance, compare_all
from core.studies import read_comparison_table
from pages.parts.significance import choose_margin, show_differences, show_pairs, show_power, show_tests, tests_of
from pages.shared import show
from pages.shared.run_controls import two_models
from pages.shared.show import escaped, refuse


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
    margin = choose_margin()
    tests = tests_of(systems, (a, b), kind=table.kind, margin=margin)
    _own_headline(tests, table.kind)
    show_tests(tests, metric="score" if table.kind == "scores" else "correctness")
    if table.kind == "scores":
        show_differences(list(table.rows), systems[a] - systems[b], None, (a, b), metric="score")
        show_power(systems[a] - systems[b])
    show_pairs(compare_all(systems, kind=table.kind, margin=margin), list(systems), what="all systems of the table")


def _own_headline(tests: Mapping[str, Significance], kind: str) -> None:
    """The answer of the row to trust: over categories the macro sign test; over decisions only the micro one is there."""
    with st.container(border=True):
        if kind == "scores":
            st.subheader(escaped(tests["S"].reading), anchor=False)
            st.markdown(f"**Are they equal?** {escaped(tests['equivalence'].reading)}")
            return
        st.subheader(escaped(tests["s"].reading), anchor=False)
        st.markdown(
            "This takes decisions for independent. If several come from one document or one topic they are not, and the test "
            "finds too much: how much, the table does not show. A row per category would."
        )
