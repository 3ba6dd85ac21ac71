"""The HITS page for more topics than a matrix of all pairs can hold: the path, and the sample as files."""

import streamlit as st

from core.arrays import digest
from core.questions import hits
from core.study import Study
from core.topics import MOST_IN_MATRIX, make_sample, sample_at_every_m, sample_table
from core.topics import hits_view as core_view
from pages.parts import hits_view
from pages.shared import files, show, visits


def many_topics(study: Study) -> None:
    """Show what is available for this many topics."""
    topics, path = hits.points_and_path(study, hits.MOST_STEPS)
    st.info(
        f"This corpus has {len(topics):,} topics. Above {MOST_IN_MATRIX:,}, HITS keeps up to {hits.MOST_STEPS:,} topics, without a "
        "verdict, random samples or a map.",
        icon=":material/grid_off:",
    )
    show.incomparable_topics(topics)
    if path.comparable > 1:
        _explore(study)


@st.fragment
def _explore(study: Study) -> None:
    """Draw the slider and what follows from it."""
    visits.note_use()
    topics, path = hits.points_and_path(study, hits.MOST_STEPS)
    m = hits_view.current_m(path.comparable, min(100, path.comparable))
    view = study.once(
        "view of many",
        compute=lambda: core_view(topics, path, sample_at_every_m(study.corpus, topics, path)).as_json(),
    )
    hits_view.draw(view, key=digest(list(study.key)), m=m)
    sample = make_sample(topics.points, path.order[:m])  # the others are dropped: no pair of them is looked at
    files.documents(lambda: sample_table(study.corpus, sample), stem=f"hits_m{m}", key="export")
