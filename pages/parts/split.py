"""The parts of the page on a split of one's own: the audit, its cards, its charts, copied documents, and the mended split."""

from functools import partial

import pandas as pd
import streamlit as st

from core.corpora import Corpus
from core.formats import first_few, share
from core.plots import split as plots
from core.splits import Mended, SplitAudit, audit_split, mend_split
from core.topics import Resampled, TopicSpace, documents_table
from core.vectors import Vectors
from pages.shared import files, show, work
from pages.shared.controls import IN_URL
from pages.shared.public import is_public
from pages.shared.show import conclude, escaped

MOST_NAMED = 8  # topics in a sentence
TABLE_HEIGHT = 300  # pixels
BECOMES = {True: "moved to the other side", False: "dropped"}


def audit_or_stop(corpus: Corpus, vectors: Vectors, space: TopicSpace, resampled: Resampled) -> SplitAudit:
    """What the corpus's own split leaks, computed once in a session."""
    found = work.result(
        "split audits",
        (corpus.fingerprint, vectors.encoder_key, space.kind),
        work.step(audit_split, corpus, vectors.matrix, space, resampled=resampled),
        name="Comparing test documents with training",
        public=is_public(corpus),
    )
    if found is None:
        st.stop()
    return found


def headline(audit: SplitAudit, *, meaningful: bool) -> None:
    """The answer in a sentence; nothing of near twins where the labels mean nothing."""
    conclude(audit.conclusion(meaningful=meaningful))


def cards(audit: SplitAudit, *, meaningful: bool) -> None:
    """The numbers of the audit."""
    row, leakage = st.grid(4, min_column_width=150), audit.neighbour_leakage
    show.card(row, "Similarity that crosses", share(leakage.score), f"chance {share(leakage.chance)}")
    of = f"of {len(audit.topics)}"
    show.card(row, "Topics on both sides", f"{audit.shared} {of}", "test topics")
    more = " more" if audit.twins else ""
    below = f"{audit.doubtful}{more} perhaps" if audit.doubtful else f"{audit.threshold:.2f} or more"
    alike = f"{audit.twins} {of}"
    if not meaningful:
        alike, below = "–", "the labels separate nothing"
    show.card(row, "Near twins in training", alike, below)
    show.card(row, "Near duplicates there", f"{len(audit.duplicates):,}", f"of {audit.test:,} tested")


def hits_instead(audit: SplitAudit) -> None:
    """What HITS would keep, and how much would cross then."""
    hits = audit.hits
    if hits is None:
        return
    topics = first_few([escaped(name) for name in hits.topics], MOST_NAMED, between=" · ")
    st.markdown(
        f"**HITS instead:** keep {len(hits.topics)} topics without near twins ({topics}; {hits.documents:,} documents) "
        f"and split them by topic: training and test topics would be {hits.mean:.2f} alike on average and "
        f"{hits.max:.2f} at most, and {share(hits.neighbour_leakage_ratio)} of what crosses by chance would cross."
    )


def charts(audit: SplitAudit, *, kind: str, meaningful: bool) -> None:
    """What crosses by topic, and near twins among topics; the first few of many."""
    of = f", the first {plots.MOST_TOPICS} of {len(audit.topics):,}" if len(audit.topics) > plots.MOST_TOPICS else ""
    halves = st.grid(2 if meaningful else 1, min_column_width=380, gap="medium")
    with halves.cell():
        st.markdown(f"**How much crosses, by test topic**{of}")
        show.figure(plots.leakage_by_topic(audit), key="crossing")
    if meaningful:
        with halves.cell():
            st.markdown(f"**The nearest other training topic**{of}")
            show.figure(plots.topic_twins(audit, kind=kind), key="twins")


def nearest_documents(audit: SplitAudit) -> None:
    """How near each test document's nearest training document is."""
    show.figure(plots.nearest_documents(audit), key="nearest")


def topic_table(audit: SplitAudit, *, meaningful: bool) -> None:
    """Every test topic, with its nearest training topic and what crosses; no near twins where the labels mean nothing."""
    rows = pd.DataFrame(
        {
            "test topic": [topic.name for topic in audit.topics],
            "documents": [topic.documents for topic in audit.topics],
            "also in training": ["yes" if topic.shared else "no" for topic in audit.topics],
            "nearest other training topic": [topic.nearest for topic in audit.topics],
            "similarity": [topic.similarity for topic in audit.topics],
            **({"near twin": [topic.near_twin for topic in audit.topics]} if meaningful else {}),
            "crossing": [topic.neighbour_leakage for topic in audit.topics],
            "near duplicates": [topic.duplicates for topic in audit.topics],
        }
    )
    show.table(
        rows,
        precision=3,
        formats={"crossing": share},
        alt="Every test topic",
        csv=show.Csv("Test topics as CSV", "split_audit.csv"),
    )


def copied_documents(corpus: Corpus, audit: SplitAudit) -> None:
    """Every near duplicate across the split, the most alike first, and the two texts of the one that is chosen."""
    copies = audit.duplicates
    if not len(copies):
        st.info("No test document has a near duplicate in training.", icon=":material/info:")
        return
    order = copies.jaccard.argsort(kind="stable")[::-1]
    sides = {"test": copies.test[order], "training": copies.train[order]}
    rows = pd.DataFrame(
        {f"{side} document": [corpus.ids[row] for row in found] for side, found in sides.items()}
        | {
            f"{side} topic": [corpus.topic_names[corpus.topic_codes[row]] for row in found]
            for side, found in sides.items()
        }
        | {"word sequences shared": copies.jaccard[order]}
    )
    chosen = show.table(
        rows,
        precision=3,
        formats={"word sequences shared": share},
        height=TABLE_HEIGHT,
        on_select="rerun",
        selection_mode="single-row",
        key="copies",
        alt="Every near duplicate across the split",
        csv=show.Csv("Near duplicates as CSV", "near_duplicates.csv"),
    )
    first, *_ = chosen.selection.rows or [0]
    for column, found in zip(st.columns(2), sides.values(), strict=True):
        with column, st.container(height=TABLE_HEIGHT, border=True):
            show.one_document(corpus, int(found[first]))


def mended(corpus: Corpus, vectors: Vectors, space: TopicSpace, resampled: Resampled, *, meaningful: bool) -> None:
    """What to move or drop, when asked for: it takes as long as the audit did."""
    if not meaningful:
        st.caption("The labels do not separate these texts, so moving topics would mend nothing.")
        return
    help = "Which topics or near duplicates to move or drop so that nothing alike is on both sides, and at least half of either is left."
    if not st.toggle("Work out the smallest change that mends it", key="split_mend", bind=IN_URL, help=help):
        return
    found = work.result(
        "mended splits",
        (corpus.fingerprint, vectors.encoder_key, space.kind),
        work.step(mend_split, corpus, vectors.matrix, space, resampled=resampled),
        name="Mending the split",
        public=is_public(corpus),
        complain=show.refuse,
    )
    if found is not None:
        with st.container(border=True):
            _preview(found)


def _preview(found: Mended) -> None:
    st.markdown(f"**{show.escaped(found.sentence)}**")
    if found.changes:
        show.table(
            [
                {
                    "topic": change.topic,
                    "side": change.side,
                    "documents": change.documents,
                    "what": BECOMES[change.moved],
                }
                for change in found.changes
            ],
            height=min(320, 38 + 35 * len(found.changes)),
            csv=show.Csv("Changes as CSV", "split_changes.csv"),
            alt="Topics that leave a side, and where they go",
        )
    if found.duplicates:
        with st.expander(f"{len(found.duplicates):,} test documents dropped as near duplicates"):
            show.table(
                [{"id": each} for each in found.duplicates],
                height=240,
                csv=show.Csv("Their ids as CSV", "dropped_duplicates.csv"),
                alt="Test documents with a near duplicate in training",
            )
    if found.moved or found.dropped:
        whole = partial(documents_table, found.corpus)
        files.documents(whole, stem="mended_split", key="mended", label="Without the leaks")
