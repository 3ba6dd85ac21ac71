"""Your split: does the split I was given leak?"""

import streamlit as st

from pages.parts import split as parts
from pages.shared import corpus_vectors, show, state
from pages.shared.controls import encoder_notes, header
from pages.shared.topics import labels_of, resampled_of, space_of

header(
    "Does the split I was given leak?",
    "A corpus that brings train and test labels is judged as it stands: which test topics and which test documents have near "
    "twins in training, and how much of the split's similarity crosses it.",
    section="A split of your own",
)
corpus = state.corpus_or_stop()
if corpus.splits is None:
    st.info(
        "This corpus brings no split. Load a file with a column of 'train' and 'test' labels.",
        icon=":material/call_split:",
    )
    st.page_link("pages/corpus.py", label="Go to Corpus to load one", icon=":material/arrow_forward:")
    st.stop()
vectors = corpus_vectors.vectors_or_stop(corpus)
space = space_of(corpus, vectors)
audit = parts.audit_or_stop(corpus, vectors, space, resampled_of(corpus, vectors))
meaningful = labels_of(corpus, vectors).meaningful
parts.headline(audit, meaningful=meaningful)
parts.cards(audit, meaningful=meaningful)
parts.mended(corpus, vectors, space, resampled_of(corpus, vectors), meaningful=meaningful)
parts.charts(audit, kind=space.kind, meaningful=meaningful)
if meaningful:
    parts.hits_instead(audit)
topics, copies, nearest = st.tabs(["Test topics", f"Near duplicates ({len(audit.duplicates):,})", "Nearest documents"])
with topics:
    parts.topic_table(audit, meaningful=meaningful)
with copies:
    parts.copied_documents(corpus, audit)
with nearest:
    parts.nearest_documents(audit)
show.unplaced_topics(space)
encoder_notes((*vectors.notes, *audit.notes))
