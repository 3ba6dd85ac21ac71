"""Problems of the corpus with buttons that fix them, and the steps that were done, each with an undo."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.corpora import (
    Audit,
    CleaningStep,
    Corpus,
    DropSmallTopics,
    Finding,
    MergeAuthors,
    MergeSmallTopics,
    OneTopic,
)
from core.questions import corpus as question
from core.vectors import ENCODERS, USUAL_ENCODER
from pages.shared import clean_steps
from pages.shared.show import escaped, literal

SMALL = 10  # documents below which a topic is small, as in the audit
MOST_GROUPS = 300  # of author names offered at once
SHORT_LABELS = {"first": "Keep first", "rarest": "Keep rarest", "each": "Repeat for each", "combination": "Combine"}


def warnings(loaded: Corpus, audit: Audit) -> None:
    """Draw what to fix before evaluating, then the notes."""
    problems = [finding for finding in audit.warnings if question.WARNINGS[finding.code].problem]
    notes = [finding for finding in audit.warnings if not question.WARNINGS[finding.code].problem]
    if problems:
        st.markdown("**Fix before evaluating**")
    for finding in problems:
        _warning(loaded, finding, split=loaded.splits is not None)
    if notes:
        with st.expander(f"Notes ({len(notes)})", icon=":material/info:", expanded=not problems):
            for finding in notes:
                _warning(loaded, finding, split=False)


def _warning(loaded: Corpus, finding: Finding, *, split: bool) -> None:
    with st.container(border=True, gap="xsmall", key=f"warning_{finding.code}"):
        said, words = question.WARNINGS[finding.code], st.container()
        remedies = words
        if finding.steps or finding.code == "long-texts":
            words, remedies = st.columns([3, 2], vertical_alignment="center", gap="medium")
        words.markdown(f"**{escaped(said.found(finding))}** {escaped(question.examples(finding))}")
        words.caption(f"{said.why} {said.fix}")
        if finding.code == "small-topics":
            _small_topics(loaded, remedies)
        elif finding.code in ("author-spellings", "like-authors"):
            _names(loaded, finding, remedies)
        elif finding.code == "several-topics":
            _several_topics(loaded, finding, remedies, split=split)
        elif finding.code == "long-texts":
            _windows(remedies)
        else:
            for step in finding.steps:
                _button(loaded, step, remedies, key=finding.code)


def _button(loaded: Corpus, step: CleaningStep, place: DeltaGenerator, *, key: str, label: str | None = None) -> None:
    place.button(literal(label or step.label), key=f"fix_{key}", on_click=clean_steps.add, args=(loaded, step))


def _small_topics(loaded: Corpus, place: DeltaGenerator) -> None:
    row = place.container(horizontal=True, vertical_alignment="bottom", gap="small")
    least = int(row.number_input("Minimum documents", 2, 100_000, SMALL, key="small_topic", width=130))
    _button(loaded, DropSmallTopics(least), row, key="drop-small", label="Drop")
    _button(loaded, MergeSmallTopics(least), row, key="merge-small", label="Merge into 'other'")


def _several_topics(loaded: Corpus, finding: Finding, place: DeltaGenerator, *, split: bool) -> None:
    row = place.container(horizontal=True, gap="small")
    for step in finding.steps:
        if isinstance(step, OneTopic):
            _button(loaded, step, row, key=step.choice, label=SHORT_LABELS[step.choice])
    if split:
        place.page_link(
            "pages/significance.py",
            label="Text categorization accepts several topics per document",
            icon=":material/arrow_forward:",
        )


def _names(loaded: Corpus, finding: Finding, place: DeltaGenerator) -> None:
    """Draw the suggested groups of names; only certain ones are selected at first."""
    groups = [group for step in finding.steps if isinstance(step, MergeAuthors) for group in step.groups][:MOST_GROUPS]
    with place.popover("Select names to merge", icon=":material/group:"):
        chosen = st.multiselect(
            "Names to merge (the first of each group stays)",
            range(len(groups)),
            default=range(len(groups)) if finding.code == "author-spellings" else [],
            format_func=lambda index: " = ".join(groups[index]),
            key=f"names_{finding.code}_{loaded.fingerprint[:8]}_{len(groups)}",
        )
        step = MergeAuthors(tuple(groups[index] for index in chosen))
        st.button(
            f"Merge {len(chosen)} of {len(groups)}",
            key=f"merge_{finding.code}",
            disabled=not chosen,
            on_click=clean_steps.add,
            args=(loaded, step),
        )


def _windows(place: DeltaGenerator) -> None:
    """Draw a button for each way SBERT can read long texts, as in the sidebar's settings."""
    encoder = st.session_state.get("encoder", USUAL_ENCODER)
    setting = ENCODERS[encoder].settings.get("window")
    if setting is None:
        kind = ENCODERS[encoder]
        place.caption(f"The current encoder ({kind.label}) reads {kind.reads}.")
        return
    now = st.session_state.get("window", setting.default)
    row = place.container(horizontal=True, gap="small")
    for value, label in (("mean", "Read all windows"), ("first", "Read the first 256 tokens")):
        row.button(
            label,
            key=f"window_{value}",
            disabled=now == value,
            on_click=st.session_state.update,
            args=({"window": value},),
        )


def done(loaded: Corpus) -> None:
    """List the cleaning steps with what each changed, and an undo for each."""
    _, effects = clean_steps.cleaned(loaded)
    if not effects:
        return
    with st.container(border=True, gap="xsmall", key="done"):
        st.markdown("**Cleaning steps**, in this order. They apply to every result and are part of exported settings.")
        for place, effect in enumerate(effects):
            row = st.container(horizontal=True, vertical_alignment="center", gap="small")
            row.markdown(f"{place + 1}. {escaped(effect.sentence)}")
            row.button(
                "Undo",
                key=f"undo_{place}",
                type="tertiary",
                icon=":material/undo:",
                on_click=clean_steps.undo,
                args=(loaded, place),
            )
        if len(effects) > 1:
            st.button("Undo all", key="undo_all", on_click=clean_steps.choose, args=(loaded, ()))
