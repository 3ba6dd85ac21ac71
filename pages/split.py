"""Your split: does the split I was given leak?"""

import pandas as pd
import streamlit as st

from core.errors import LeakscopeError
from core.plots import split as plots
from core.splits import SplitAudit, audit_split
from pages.shared import state
from pages.shared.controls import encoder_notes, escaped, header
from pages.shared.reading import one_document
from pages.shared.saying import refuse

QUIET = {"displayModeBar": False}
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
space = state.space_of(corpus, vectors)
kept: dict[tuple[str, str], SplitAudit] = st.session_state.setdefault("kept_audits", {})
key = (corpus.fingerprint, vectors.encoder_key)
if key not in kept:
    bar = st.progress(0.0, text="Comparing test documents with training …")

    def show(done: int, total: int, label: str, left: float | None) -> None:
        bar.progress(done / max(total, 1), text=label)

    try:
        kept.clear()
        kept[key] = audit_split(corpus, vectors.matrix, space, progress=show)
    except LeakscopeError as problem:
        refuse(problem)
        st.stop()
    finally:
        bar.empty()
audit = kept[key]

cards = st.grid(4, min_column_width=180)
card = {"border": True, "delta_color": "off", "delta_arrow": "off", "height": "stretch"}
cards.metric("Similarity that crosses", f"{audit.crossing.score:.0%}", f"chance {audit.crossing.chance:.0%}", **card)
cards.metric(
    "Test topics also in training", f"{audit.shared} of {len(audit.topics)}", "the same label on both sides", **card
)
cards.metric(
    "Test topics with a near twin",
    f"{audit.twins} of {len(audit.topics)}",
    f"similarity {audit.threshold:.2f} or more",
    **card,
)
cards.metric("Near duplicates in training", f"{len(audit.duplicates):,}", f"of {audit.test:,} test documents", **card)
if audit.hits is not None:
    topics = ", ".join(escaped(name) for name in audit.hits.topics[:20]) + (" …" if len(audit.hits.topics) > 20 else "")
    st.markdown(
        f"**HITS instead:** keep {len(audit.hits.topics)} topics without near twins ({topics}; {audit.hits.documents:,} documents) "
        f"and split them by topic: training and test topics would be {audit.hits.mean:.2f} alike on average and "
        f"{audit.hits.max:.2f} at most, and {audit.hits.crossing_ratio:.2f} times as much similarity as chance would cross."
    )
charts = st.grid(2, min_column_width=380, gap="medium")
with charts.cell():
    st.markdown("**How much crosses, by test topic**")
    st.plotly_chart(
        plots.crossing_by_topic(audit), key="crossing", config=QUIET, alt="Share of similarity that crosses, by topic"
    )
with charts.cell():
    st.markdown("**The nearest other training topic**")
    st.plotly_chart(
        plots.topic_twins(audit), key="twins", config=QUIET, alt="Nearest training topic of every test topic"
    )
st.markdown("**How near each test document's nearest training document is**")
st.plotly_chart(
    plots.nearest_documents(audit), key="nearest", config=QUIET, alt="Histogram of the nearest training document"
)
table = pd.DataFrame(audit.table)
st.dataframe(table, hide_index=True, alt="Every test topic")
st.download_button(
    "Test topics as CSV", lambda: table.to_csv(index=False), "split_audit.csv", "text/csv", icon=":material/download:"
)
if len(audit.duplicates):
    st.markdown("**Near duplicates across the split** (the most alike first)")
    for place in audit.duplicates.jaccard.argsort()[::-1][:5]:
        st.badge(f"{audit.duplicates.jaccard[place]:.0%} of word sequences shared", color="orange")
        for column, row in zip(
            st.columns(2), (audit.duplicates.test[place], audit.duplicates.train[place]), strict=True
        ):
            with column, st.container(height=240, border=True):
                one_document(corpus, int(row))
encoder_notes((*vectors.notes, *audit.notes))
