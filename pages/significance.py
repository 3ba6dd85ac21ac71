"""Significance: is A really better than B?"""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.corpora import read_labelled
from core.engine import Call
from core.errors import LeakscopeError
from core.evaluation import ComparisonTable, read_comparison_table
from core.models.categorization import CATEGORIZERS
from core.papers import Categorization, categorize
from core.questions import categorization, significance, table
from core.render import Answer
from pages.shared import jobs, render, show, state, widgets
from pages.shared.runs import RUN, ask_run, offered
from pages.shared.studies import answer_or_stop, run_or_stop, study_or_stop
from pages.shared.upload import file_key, read_strictly
from pages.shared.widgets import IN_URL, encoder_notes, header

header(
    significance.QUESTION,
    "Trust the sign test over topics: it counts every topic once, and answers about one topic are not independent.",
    section="Comparing two systems",
)


def models_run_here(place: DeltaGenerator) -> None:
    """Compare two models of a run, topic by topic."""
    study = study_or_stop()
    state.authors_or_stop(study.corpus)
    chosen = ask_run(study)
    if len(chosen.models) > 1:
        with place:
            run_or_stop(study, chosen, page=RUN, offer=offered(study, chosen))
    two = st.container(horizontal=True, vertical_alignment="bottom", gap="medium")
    chart = st.container()
    tests, pairs, power = _on_request("topics")
    given = {name: getattr(chosen, name) for name in chosen.controls()}
    settings = widgets.ask(
        significance.Settings,
        study,
        question="significance",
        place=two,
        places={"margin": tests.container(), "test": pairs.container(), "target": power.container()},
        given=given,
    )
    with place:
        answer = answer_or_stop(study, significance, settings)
        render.headline(answer)
        render.facts(answer)
    _compared(answer, chart, tests, pairs, power, per="topic")
    encoder_notes(study.vectors.notes)


def own_table(place: DeltaGenerator) -> None:
    """Compare two columns of a table."""
    results = _read_table()
    if results is None:
        return
    two = st.container(horizontal=True, vertical_alignment="bottom", gap="medium")
    chart = st.container()
    tests, pairs, power = _on_request("rows")
    settings = widgets.ask(
        table.Settings,
        results,
        question="table",
        place=two,
        places={"margin": tests.container(), "test": pairs.container(), "target": power.container()},
    )
    try:
        answer = table.answer(results, settings)
    except LeakscopeError as problem:
        show.refuse(problem)
        return
    with place:
        render.headline(answer)
        render.facts(answer)
    _compared(answer, chart, tests, pairs, power, per="row")


def _on_request(rows: str) -> list[DeltaGenerator]:
    """Draw closed places for every test, all pairs of systems and the power there is."""
    titles = {
        "Every test": ":material/table_rows:",
        "All pairs": ":material/grid_on:",
        f"How many {rows} would it take?": ":material/show_chart:",
    }
    return [st.expander(title, icon=icon) for title, icon in titles.items()]


def _compared(
    answer: Answer,
    chart: DeltaGenerator,
    tests: DeltaGenerator,
    pairs: DeltaGenerator,
    power: DeltaGenerator,
    *,
    per: str,
) -> None:
    """Draw the differences; every test, all pairs and the power there is stay closed."""
    drawn = {each.name: each for each in answer.figures}
    with tests:
        render.table(answer.table("tests"))
    if "differences" in drawn:
        with chart:
            render.figure(drawn["differences"])
    with pairs:
        if "all_pairs" in drawn:
            render.figure(drawn["all_pairs"])
        else:
            st.info("Only two systems are compared, so there are no other pairs.", icon=":material/info:")
    with power:
        if "power" in drawn:
            render.figure(drawn["power"])
        else:
            st.info(f"The differences do not vary from {per} to {per}, or are too few.", icon=":material/info:")


def _read_table() -> ComparisonTable | None:
    """Return the uploaded table, or the one loaded before."""
    file = st.file_uploader(
        "A CSV with one column per system, and one row per category (scores) or decision (0 or 1)",
        type=["csv", "tsv"],
        key="comparison_file",
    )
    content = file_key("tables", file)
    found: ComparisonTable | None = None
    if file is not None and content is not None:
        found = read_strictly("tables", content[0], read_comparison_table, file)
    elif content is not None:
        found = jobs.available_result("tables", content[0])
        if found is not None:
            st.caption(f"From {show.escaped(content[1])}, loaded before.")
    if found is None and file is None:
        st.caption(
            "For example `category,SVM,kNN`, then `grain,0.91,0.88` and so on. A column `documents` weights the rows in the weighted "
            "t-test."
        )
    return found


def text_categorization(place: DeltaGenerator) -> None:
    """Run categorizers on a corpus with several topics per document."""
    st.markdown(
        "Yang and Liu's classifiers on a corpus with several topics per document: columns `text`, `topics` (a list, or joined by "
        "| ; or ,) and `split` (train/test)."
    )
    file = st.file_uploader("A multi-label corpus", type=["csv", "tsv", "jsonl", "parquet"], key="labelled_file")
    asked = st.container()
    settings = widgets.ask(categorization.Settings, None, question=categorization.NAME, place=asked, only=("models",))
    slow = [categorization.LABELS[name] for name in settings.models if CATEGORIZERS[name].slow]
    if slow:
        asked.caption(f"Slow: {' and '.join(slow)}. Kernel machines take up to about 16,000 training documents.")
    content = file_key("categorizations", file)
    found: Categorization | None = None
    key = (content[0] if content else "", settings.models)
    if file is None and content is not None:
        found = jobs.available_result("categorizations", key)
        asked.caption(f"From {show.escaped(content[1])}, loaded before. Load it again to run other models.")
    elif file is not None and content is not None:
        corpus = read_strictly("labelled corpora", content[0], read_labelled, file)
        if corpus is not None:
            with place:
                found = jobs.result(
                    "categorizations",
                    key,
                    Call(categorize, (corpus,), {"models": list(settings.models)}),
                    name="Text categorization",
                    say=lambda done, total, name, left: categorization.LABELS.get(name, ""),
                    question=jobs.Question("Run them", key="run_categorizers"),
                )
    if found is None:
        for rows in categorization.published_tables():
            render.table(rows)
        return
    given = {"models": settings.models, "seed": settings.seed}
    settings = widgets.ask(categorization.Settings, None, question=categorization.NAME, given=given)
    answer = categorization.answer(found, settings)
    with place:
        render.headline(answer)
    render.facts(answer)
    render.figures(answer)
    for rows in answer.tables:
        st.markdown(f"**{rows.title}**")
        render.table(rows)


SOURCES = {
    "models run here": models_run_here,
    "a table of your own": own_table,
    "text categorization": text_categorization,
}
source = st.segmented_control(
    "Compare",
    list(SOURCES),
    default="models run here",
    required=True,
    key="significance_compare",
    bind=IN_URL,
    label_visibility="collapsed",
)
SOURCES[source](st.container())
