"""The interactive parts of the Corpus page: warnings with their fixes, topics found in texts, limits, and tabs of details."""

from contextlib import suppress

import pandas as pd
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
    equal_texts,
    write_cached,
)
from core.engine import Call
from core.formats import counted
from core.plots import corpus as plots
from core.questions import answered, found_topics, words_of
from core.questions import corpus as question
from core.render import Answer
from core.splits import near_copies
from core.topics import FoundTopics, documents_table, with_found_topics
from core.vectors import ENCODERS, USUAL_ENCODER
from pages.shared import jobs, keep, render, show, widgets
from pages.shared.session import PREFIX, hosted, is_public, limit, settings
from pages.shared.show import escaped, literal
from pages.shared.state import current_encoder, vectors_by
from pages.shared.studies import settled, study_of

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
        fixes = words
        if finding.steps or finding.code == "long-texts":
            words, fixes = st.columns([3, 2], vertical_alignment="center", gap="medium")
        words.markdown(f"**{escaped(words_of(said.found(finding), loaded))}** {escaped(question.examples(finding))}")
        words.caption(words_of(f"{said.why} {said.fix}", loaded))
        words.page_link(
            "pages/methods.py", label="Example", icon=":material/menu_book:", query_params={"search": finding.code}
        )
        if finding.code == "small-topics":
            _small_topics(loaded, fixes)
        elif finding.code in ("author-spellings", "like-authors"):
            _names(loaded, finding, fixes)
        elif finding.code == "several-topics":
            _several_topics(loaded, finding, fixes, split=split)
        elif finding.code == "long-texts":
            _windows(fixes)
        else:
            for step in finding.steps:
                _button(loaded, step, fixes, key=finding.code)


def _button(loaded: Corpus, step: CleaningStep, place: DeltaGenerator, *, key: str, label: str | None = None) -> None:
    place.button(literal(label or step.label), key=f"fix_{key}", on_click=keep.add_step, args=(loaded, step))


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
            on_click=keep.add_step,
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
    _, effects = keep.cleaned(loaded)
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
                on_click=keep.undo_step,
                args=(loaded, place),
            )
        if len(effects) > 1:
            st.button("Undo all", key="undo_all", on_click=keep.choose_steps, args=(loaded, ()))


BEFORE = "before_found"  # the corpus whose topics were given, for as long as the session lives


def topics_panel(corpus: Corpus) -> None:
    """Find topics in the texts: at once where there are none, on demand where some are given."""
    with st.expander("Find topics in the texts", icon=":material/category_search:", expanded=not corpus.has_topics):
        _way_back(corpus)
        if not corpus.has_topics:
            st.info("This file has no topics yet. Find some here to use the other pages.", icon=":material/info:")
        st.markdown(
            "Leakscope groups documents by their vectors and names each group by its most distinctive words. Found topics are "
            "separate by construction, so every page marks them as found."
        )
        if corpus.has_topics and st.session_state.get("finding") != corpus.fingerprint:
            args = ({"finding": corpus.fingerprint},)
            st.button("Find topics", key="find_topics", on_click=st.session_state.update, args=args)
            return
        vectors = vectors_by(corpus, current_encoder())
        if vectors is None:
            return
        study = study_of(corpus, vectors)
        settings = widgets.ask(found_topics.Settings, study, question=found_topics.NAME, given={"seed": 0})
        answer = settled(lambda: answered(study, found_topics, settings))
        if answer is not None:
            _result(corpus, answer)


def _result(corpus: Corpus, answer: Answer) -> None:
    """Draw the answer, the topics, and what can be done with them."""
    found: FoundTopics = answer.numbers
    render.headline(answer, st.container())
    rows = answer.table("found_topics")
    height = 280 if len(rows.frame) > 7 else "content"
    show.table(rows.frame, height=height, alt=rows.title, csv=show.Csv("Download found topics", f"{rows.name}.csv"))
    labelled = with_found_topics(corpus, found)
    st.button(
        "Use these topics",
        type="primary" if found.level != "none" else "secondary",
        key="use_topics",
        on_click=_use,
        args=(corpus, labelled),
        help="Every page then uses these topics.",
    )
    show.download(documents_table(labelled), show.Csv("Download texts with topics", "texts_with_topics.csv"))


def _use(corpus: Corpus, labelled: Corpus) -> None:
    """Make the texts with their found topics the current corpus, and remember the one before."""
    if not corpus.found:
        st.session_state[BEFORE] = st.session_state["corpus"], corpus
    _take(labelled)


def _take(corpus: Corpus) -> None:
    with suppress(OSError):  # a full disk loses what a reload would find, not the corpus
        write_cached(keep.folder(), corpus)
    st.session_state["taken"] = corpus, ()  # at the next run, before the sidebar is drawn


def _way_back(corpus: Corpus) -> None:
    if corpus.found and BEFORE in st.session_state:
        label = "Restore the given topics"
        st.button(label, icon=":material/undo:", key="before_found_back", on_click=_back)


def _back() -> None:
    source, corpus = st.session_state.pop(BEFORE)
    if source == "file":
        _take(corpus)
    else:
        st.session_state["corpus"] = source


SHOWN = 200  # characters of a text in a table


def detail(corpus: Corpus, answer: Answer) -> None:
    """Draw topics, authors, lengths and duplicates in tabs."""
    audit: Audit = answer.numbers
    topics, authors, lengths, copies, all_texts = st.tabs(
        ["Topics", words_of("Authors by topic", corpus), "Lengths", "Duplicates", "All texts"]
    )
    with topics:
        _topic_table(answer.table("topics").frame, audit, corpus)
    with authors:
        if audit.authors:
            st.caption(words_of(question.authors_caption(audit), corpus))
            show.figure(plots.author_topic(audit, word=corpus.class_word), key="authors")
        else:
            st.info(
                "This corpus has no authors. You can use the topic map and HITS, but not the authorship models.",
                icon=":material/person_off:",
            )
    with lengths:
        render.figure(answer.figure("lengths"), title=False)
    with copies:
        _equal_texts(corpus)
        _near_copies(corpus)
    with all_texts:
        _all_texts(corpus)


def _topic_table(table: pd.DataFrame, audit: Audit, corpus: Corpus) -> None:
    """Draw every topic with its documents, authors and lengths."""
    share = words_of("largest author's share", corpus)
    bar, number = st.column_config.ProgressColumn, st.column_config.NumberColumn
    shown = (
        table.assign(**{share: table[share].round(2)}) if share in table else table
    )  # "percent" writes what there is
    show.table(
        shown,
        column_config={
            "documents": bar(format="%,d", max_value=int(table["documents"].max()), min_value=0),
            share: bar(format="percent", min_value=0, max_value=1),
            f"median {audit.counted}": number(format="%,.0f"),
        },
        alt=words_of("Topics with their documents, authors and lengths", corpus),
        csv=None,
    )
    show.download(table, show.Csv("Download topics", "topics.csv"))


def _equal_texts(corpus: Corpus) -> None:
    """List every text that appears more than once, copy by copy."""
    groups = equal_texts(corpus)
    if not groups:
        st.success("No duplicates.", icon=":material/check:")
        return
    rows = [(number, row) for number, group in enumerate(groups, start=1) for row in group]
    table = pd.DataFrame(
        {
            "text no.": [number for number, _ in rows],
            "id": [corpus.ids[row] for _, row in rows],
            "topic": [corpus.topic_names[corpus.topic_codes[row]] for _, row in rows],
            "text": [corpus.texts[row].strip()[:SHOWN] for _, row in rows],
        }
    )
    st.caption(
        f"{counted(len(groups), 'text', 'appears', 'appear')} more than once, {len(rows):,} times in all. Copies have the same number."
    )
    show.table(
        table,
        height=360,
        alt="Texts that appear more than once, copy by copy",
        csv=show.Csv("Download duplicates", "equal_texts.csv"),
    )


def _near_copies(corpus: Corpus) -> None:
    """List texts that share at least half of their wording with another, once someone asks for it."""
    found = jobs.result(
        "near copies",
        corpus.fingerprint,
        Call(near_copies, (corpus.texts,)),
        name=f"Near duplicates in {corpus.name}",
        question=jobs.Question("Find near duplicates", primary=False, icon=":material/search:"),
        public=is_public(corpus),
    )
    if found is None:
        return
    if not len(found):
        st.success("No near duplicates: no text shares half of its wording with another.", icon=":material/check:")
        return
    st.caption(
        f"{counted(len(found), 'text', 'shares', 'share')} at least half of the wording of an earlier text, exact duplicates "
        "included. Wording is compared in runs of three words, or of five characters in scripts without spaces."
    )
    order = (-found.jaccard).argsort(kind="stable")
    table = pd.DataFrame(
        {
            "id": [corpus.ids[row] for row in found.test[order]],
            "topic": [corpus.topic_names[corpus.topic_codes[row]] for row in found.test[order]],
            "near duplicate of": [corpus.ids[row] for row in found.train[order]],
            "its topic": [corpus.topic_names[corpus.topic_codes[row]] for row in found.train[order]],
            "shared": found.jaccard[order],
        }
    )
    show.table(
        table,
        column_config={"shared": st.column_config.NumberColumn(format="%.2f")},
        alt="Near duplicates, the most similar first",
        csv=show.Csv("Download near duplicates", "near_duplicates.csv"),
    )


def _all_texts(corpus: Corpus) -> None:
    """Show the first texts of the cleaned and filtered corpus, and offer all of them as a file."""
    authors = corpus.authors
    columns = {"id": corpus.ids, "topic": corpus.topics, "text": corpus.texts}
    table = pd.DataFrame(columns | ({} if authors is None else {corpus.class_word: authors}))
    if corpus.splits is not None:
        table["split"] = corpus.splits
    st.caption(
        "The corpus after cleaning and the sidebar's filters. The table shows the first texts; the file has all of them."
    )
    show.table(table.head(SHOWN), height=360, alt="The first texts of the corpus", csv=None)
    show.download(table, show.Csv("Download all texts", "corpus.csv"))


def limits_panel() -> None:
    """List the limits of a hosted server; draw nothing elsewhere."""
    if not hosted():
        return
    with st.expander("Limits of this server", icon=":material/rule:"):
        st.markdown(
            "This server is shared. Nobody sees what others load or compute. Work above a limit is refused with an explanation. "
            "On your own machine there are no such limits."
        )
        rows = [
            {"limits": each.about, "value": f"{limit(name):,} {each.unit}", "setting": PREFIX + name}
            for name, each in settings().items()
        ]
        show.table(rows, alt="The limits of this server", csv=None)
