"""What should be mended in the corpus in hand, each with its remedies a click away; what was done, each step undoable."""

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
from core.vectors import ENCODERS, USUAL_ENCODER
from pages.shared import clean_steps
from pages.shared.show import escaped, literal

SMALL = 10  # documents under which a topic is small, as the audit has it
EXAMPLES, LONGEST = 3, 40  # shown of a warning, and characters of each
MOST_GROUPS = 300  # of author names offered at once
SHORT_LABELS = {"first": "The first", "rarest": "The rarest", "each": "Each", "combination": "All together"}


def warnings(loaded: Corpus, audit: Audit) -> None:
    """First what should be mended, then, folded, what is to be known."""
    mend = [finding for finding in audit.warnings if finding.advice.mend]
    know = [finding for finding in audit.warnings if not finding.advice.mend]
    if mend:
        st.markdown("**To mend before you evaluate**")
    for finding in mend:
        _warning(loaded, finding, split=loaded.splits is not None)
    if know:
        with st.expander(f"To know ({len(know)})", icon=":material/info:", expanded=not mend):
            for finding in know:
                _warning(loaded, finding, split=False)


def _warning(loaded: Corpus, finding: Finding, *, split: bool) -> None:
    with st.container(border=True, gap="xsmall", key=f"warning_{finding.code}"):
        words = remedies = st.container()
        if finding.steps or finding.code == "long-texts":
            words, remedies = st.columns([3, 2], vertical_alignment="center", gap="medium")
        examples = ", ".join(escaped(_cut(example)) for example in finding.examples[:EXAMPLES])
        more = " …" * (finding.count > EXAMPLES)
        words.markdown(f"**{escaped(finding.text)}** {examples}{more}")
        words.caption(f"{finding.advice.explanation} {finding.advice.remedy}")
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


def _cut(label: str) -> str:
    return label if len(label) <= LONGEST else f"{label[: LONGEST - 1]}…"


def _button(loaded: Corpus, step: CleaningStep, place: DeltaGenerator, *, key: str, label: str | None = None) -> None:
    place.button(literal(label or step.label), key=f"mend_{key}", on_click=clean_steps.add, args=(loaded, step))


def _small_topics(loaded: Corpus, place: DeltaGenerator) -> None:
    row = place.container(horizontal=True, vertical_alignment="bottom", gap="small")
    least = int(row.number_input("Under, documents", 2, 100_000, SMALL, key="small_topic", width=130))
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
            label="Text categorization takes several topics a document",
            icon=":material/arrow_forward:",
        )


def _names(loaded: Corpus, finding: Finding, place: DeltaGenerator) -> None:
    """The suggested groups to choose from: the sure ones are chosen to begin with, the others are not."""
    groups = [group for step in finding.steps if isinstance(step, MergeAuthors) for group in step.groups][:MOST_GROUPS]
    with place.popover("Choose the names to merge", icon=":material/group:"):
        chosen = st.multiselect(
            "The first name of each group stays",
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
    """The two ways of SBERT to read long texts, as in the sidebar's settings."""
    encoder = st.session_state.get("encoder", USUAL_ENCODER)
    setting = ENCODERS[encoder].settings.get("window")
    if setting is None:
        kind = ENCODERS[encoder]
        place.caption(f"The encoder in hand ({kind.label}) reads {kind.reads}.")
        return
    now = st.session_state.get("window", setting.default)
    row = place.container(horizontal=True, gap="small")
    for value, label in (("mean", "Read all, mean of windows"), ("first", "Cut at 256 tokens")):
        row.button(
            label,
            key=f"window_{value}",
            disabled=now == value,
            on_click=st.session_state.update,
            args=({"window": value},),
        )


def done(loaded: Corpus) -> None:
    """Every step that was done, what it changed, and the way back."""
    _, effects = clean_steps.cleaned(loaded)
    if not effects:
        return
    with st.container(border=True, gap="xsmall", key="done"):
        st.markdown(
            "**What was done to the file**, in this order. It is part of every result and of exported settings."
        )
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
