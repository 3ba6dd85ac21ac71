"""A table of one's own on the Significance page: a column a system, a row a category or a decision."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.corpora.readers import File
from core.statistics import compare, compare_all, comparison_conclusion, decisions_conclusion
from core.studies import ComparisonTable, read_comparison_table
from pages.parts.significance import choose_margin, show_differences, show_pairs, show_power, show_tests
from pages.shared import result_cache, show, work
from pages.shared.conclusions import conclude
from pages.shared.history import file_key
from pages.shared.run_controls import two_models


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
