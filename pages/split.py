"""Your split: does the split I was given leak?"""

import streamlit as st

from pages.parts import split as parts
from pages.shared import state
from pages.shared.controls import encoder_notes, header

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
vectors = state.vectors_or_stop(corpus)
audit = parts.audit_or_stop(corpus, vectors, state.space_of(corpus, vectors))
parts.cards(audit)
parts.hits_instead(audit)
parts.charts(audit)
parts.topic_table(audit)
parts.copied_documents(corpus, audit)
encoder_notes((*vectors.notes, *audit.notes))
