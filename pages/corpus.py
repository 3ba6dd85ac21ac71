"""Corpus: what do I have?"""

import pandas as pd
import streamlit as st

from core.plots import corpus as plots
from pages.shared import state, upload
from pages.shared.controls import escaped, header

header(
    "What do I have?",
    "Counts, authors and lengths of the corpus in hand, and everything in it that could mislead an evaluation. "
    "Load your own file here: it needs a column of texts and one of topics.",
    section="What a corpus holds",
)
source = st.session_state.get("corpus", "courier")
upload.refusal()
if source == "newsgroups" and "newsgroups_corpus" not in st.session_state:
    upload.newsgroups_panel()
    st.stop()
loaded = "file_corpus" in st.session_state
with st.expander("Load your own file", icon=":material/upload:", expanded=source == "file" and not loaded):
    upload.upload_panel()
    if source == "file" and loaded:
        upload.vectors_panel(st.session_state["file_corpus"])
corpus = state.corpus_or_stop()
audit = state.audit_of(corpus)

st.subheader(escaped(corpus.name), anchor=False)
cards = st.grid(5, min_column_width=130)
cards.metric("Documents", f"{audit.documents:,}", border=True)
cards.metric("Topics", f"{audit.topics:,}", border=True)
cards.metric("Authors", f"{audit.authors:,}" if audit.authors else "none", border=True)
cards.metric("Words, median", f"{int(pd.Series(audit.words).median()):,}", border=True, help="Words per document.")
cards.metric("Vocabulary", f"{audit.vocabulary:,}", border=True, help="Distinct words.")

if audit.warnings:
    with st.expander(f"To know before you evaluate ({len(audit.warnings)})", icon=":material/warning:", expanded=True):
        for finding in audit.warnings:
            examples = ", ".join(escaped(example) for example in finding.examples)
            st.markdown(
                f"- {escaped(finding.message)} :gray[({examples}{' …' * (finding.count > len(finding.examples))})]"
            )
else:
    st.success("Nothing in this corpus looks misleading.", icon=":material/check:")

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
st.dataframe(
    table,
    hide_index=True,
    height=400,
    column_config={
        "documents": st.column_config.ProgressColumn(format="%d", max_value=int(table["documents"].max()), min_value=0),
        "largest author's share": st.column_config.ProgressColumn(format="percent", min_value=0, max_value=1),
        "median words": st.column_config.NumberColumn(format="%.0f"),
    },
    alt="Topics with their documents, authors and lengths",
)
st.download_button(
    "Topics as CSV", lambda: table.to_csv(index=False), "topics.csv", "text/csv", icon=":material/download:"
)

if audit.authors:
    st.markdown("**Who writes about what** (documents per author and topic)")
    st.plotly_chart(
        plots.author_topic(audit),
        key="authors",
        config={"displayModeBar": False},
        alt="Table of documents by author and topic",
    )
    st.caption("A topic that one author dominates looks easy: a model may know the author by the topic alone.")
else:
    st.info(
        "This corpus has no authors. Topic maps and HITS work without them; authorship models will not.",
        icon=":material/person_off:",
    )

st.markdown("**How long documents are**")
st.plotly_chart(
    plots.lengths(audit), key="lengths", config={"displayModeBar": False}, alt="Histogram of document lengths in words"
)
