"""The interactive parts of Design a split: the choice of a point, the way to the models, and the files."""

import json
from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.questions import design
from core.render import Answer
from core.splits import (
    FOLD_COLUMNS,
    FOLD_SCHEMES,
    Constraints,
    folds_table,
    merging_threshold,
    option_label,
    references,
    split_kind,
    split_settings,
)
from core.study import Study
from core.topics import POLICIES, SAMPLERS
from pages.shared import show, state
from pages.shared.history import RUN, own_key
from pages.shared.runs import forget_run
from pages.shared.show import documents
from pages.shared.widgets import IN_URL, row_keys

CHOICE = own_key("design", "choice")
FOLLOWED = "design_recommended"  # in the session's state: what was recommended last
COLUMN = "design_column"


def choose(found: design.Designed, place: DeltaGenerator) -> str:
    """Return the label of the chosen split: the recommended one, or another from the list, the chart or a link."""
    # The recommended one first: what a list begins with is not written into the address.
    labels = dict.fromkeys(option_label(option) for option in (found.best, *found.design.options))
    default, session = option_label(found.best), st.session_state
    if CHOICE in session and (session[CHOICE] not in labels or session[CHOICE] == session.get(FOLLOWED)):
        session[CHOICE] = default  # what nobody chose follows what is recommended
    session[FOLLOWED] = default
    control = design.Settings.controls()["choice"]
    return place.selectbox(control.label, list(labels), key=CHOICE, help=control.help, bind=IN_URL)


def chart(answer: Answer) -> None:
    """Draw every option, the chosen one marked; a click chooses."""

    def take() -> None:
        points = st.session_state["options"].selection.points
        if points and points[0].get("customdata"):
            option = answer.numbers.design.options[int(points[0]["customdata"][0])]
            st.session_state[CHOICE] = option_label(option)

    show.figure(answer.figure("options").figure, key="options", on_select=take)


def go_on(found: design.Designed) -> None:
    """Offer to run models on the chosen split: its settings go into the address there."""
    chosen = found.chosen
    scheme = "least-leakage" if chosen.kind == "least-leakage" else "topic-kfold"
    address: dict[str, str | list[str]] = {"k": f"{found.design.k}", "scheme": FOLD_SCHEMES[scheme].label}
    if chosen.kind == "least-leakage":
        balance = found.constraints.balance if chosen.balance is None else chosen.balance
        address |= _address(replace(found.constraints, balance=balance))
    else:
        address["seed"] = f"{chosen.seed or 0}"
    kind = split_kind(chosen.kind)
    if kind.sampler is not None:
        address |= {"sampler": SAMPLERS[kind.sampler].label, "m": f"{chosen.m}"}
        address |= {} if kind.chooses else {"policy": kind.policy}
        if POLICIES[kind.policy].takes_threshold:
            address["threshold"] = f"{merging_threshold(found.design.threshold):g}"
    if st.button("Run models on this split", type="primary", icon=":material/arrow_forward:"):
        forget_run()
        view: dict[str, str | list[str]] = {own_key("accuracy", "view"): "topic by topic"}
        run = {own_key(RUN, name): value for name, value in address.items()}
        st.switch_page("pages/accuracy.py", query_params=view | run)


def _address(constraints: Constraints) -> dict[str, str | list[str]]:
    """Return constraints as the controls of a run have them in the address, by name."""
    shares = {"balance": constraints.balance} | ({"seen": constraints.seen_authors} if constraints.seen_authors else {})
    rows = {"together": constraints.together, "apart": constraints.apart}
    return {name: f"{round(100 * share)}" for name, share in shares.items()} | {
        key: list(names) for name, groups in rows.items() for key, names in zip(row_keys(name), groups, strict=False)
    }


def files(study: Study, found: design.Designed) -> None:
    """Offer the documents with their folds, the settings, and text for a paper."""
    column, fold_of = _column(), design.folds_of(study, found)
    more = {"encoder": study.vectors.encoder_key, "column": column} | state.exported_choices()
    settings = split_settings(
        study.corpus, study.space, found.chosen, fold_of, k=found.design.k, constraints=found.constraints, more=more
    )
    documents(
        lambda: folds_table(study.corpus, fold_of, column=column),
        stem=f"split_{found.chosen.kind}",
        key="folds",
        settings=lambda: json.dumps(settings, ensure_ascii=False, indent=2).encode(),
    )
    with st.expander("For a paper's methods section, and BibTeX", icon=":material/article:"):
        st.code(design.paragraph(study, found), language=None, wrap_lines=True)
        st.code(references(found.chosen), language="bibtex")


def _column() -> str:
    """Return which column tells the sides: a name of FOLD_COLUMNS."""
    head = st.container(horizontal=True, vertical_alignment="center", gap="medium")
    head.markdown("**Export** the documents with a column", width="content")
    column: str = head.segmented_control(
        "Column",
        list(FOLD_COLUMNS),
        default="fold",
        required=True,
        key=COLUMN,
        bind=IN_URL,
        label_visibility="collapsed",
        help="\n".join(f"- **{name}**: {about}" for name, about in FOLD_COLUMNS.items()),
    )
    head.caption(FOLD_COLUMNS[column])
    return column
