"""The parts of the Corpus page: counts, findings, topics, authors, lengths."""

import pandas as pd
import streamlit as st

from core.corpora import Audit
from core.plots import corpus as plots
from pages.shared import show
from pages.shared.show import escaped


def cards(audit: Audit) -> None:
    """How much there is of everything."""
    row = st.grid(5, min_column_width=130)
    row.metric("Documents", f"{audit.documents:,}", border=True)
    row.metric("Topics", f"{audit.topics:,}", border=True)
    row.metric("Authors", f"{audit.authors:,}" if audit.authors else "none", border=True)
    row.metric("Words, median", f"{int(pd.Series(audit.words).median()):,}", border=True, help="Words per document.")
    row.metric("Vocabulary", f"{audit.vocabulary:,}", border=True, help="Distinct words.")


def findings(audit: Audit) -> None:
    """What could mislead an evaluation, with examples."""
    if not audit.warnings:
        st.success("Nothing in this corpus looks misleading.", icon=":material/check:")
        return
    with st.expander(f"To know before you evaluate ({len(audit.warnings)})", icon=":material/warning:", expanded=True):
        for finding in audit.warnings:
            examples = ", ".join(escaped(example) for example in finding.examples)
            st.markdown(
                f"- {escaped(finding.message)} :gray[({examples}{' …' * (finding.count > len(finding.examples))})]"
            )


def topic_table(audit: Audit) -> None:
    """Every topic with its documents, authors and lengths."""
    st.markdown("**Topics**")
    table = pd.DataFrame(
        {
            "topic": [row.topic for row in audit.per_topic],
            "documents": [row.documents for row in audit.per_topic],
            "authors": [row.authors for row in audit.per_topic],
            "largest author": [row.largest_author for row in audit.per_topic],
            "largest author's share": [row.largest_author_share for row in audit.per_topic],
            "median words": [row.median_words for row in audit.per_topic],
        }
    )
    if not audit.authors:
        table = table.drop(columns=["authors", "largest author", "largest author's share"])
    bar, number = st.column_config.ProgressColumn, st.column_config.NumberColumn
    show.table(
        table,
        height=400,
        column_config={
            "documents": bar(format="%d", max_value=int(table["documents"].max()), min_value=0),
            "largest author's share": bar(format="percent", min_value=0, max_value=1),
            "median words": number(format="%.0f"),
        },
        alt="Topics with their documents, authors and lengths",
        csv=show.Csv("Topics as CSV", "topics.csv"),
    )


def authors(audit: Audit) -> None:
    """Who writes about what."""
    if not audit.authors:
        st.info(
            "This corpus has no authors. Topic maps and HITS work without them; authorship models will not.",
            icon=":material/person_off:",
        )
        return
    st.markdown("**Who writes about what** (documents per author and topic)")
    show.figure(plots.author_topic(audit), key="authors", alt="Table of documents by author and topic")
    st.caption("A topic that one author dominates looks easy: a model may know the author by the topic alone.")


def lengths(audit: Audit) -> None:
    """How long documents are."""
    st.markdown("**How long documents are**")
    show.figure(plots.lengths(audit), key="lengths", alt="Histogram of document lengths in words")
