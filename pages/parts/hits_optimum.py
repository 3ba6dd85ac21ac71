"""The exact optimum beside HITS: at once for few topics, as a job for many."""

import streamlit as st

from core.study import Pending, Study, compute_now
from core.topics import OptimumCurve
from pages.shared import result_cache, work
from pages.shared.public import is_public
from pages.shared.studies import settle

FEW = 60  # topics whose optimum takes no time
MANY = 400  # from here on it takes so long that it is not started unasked


def optimum_so_far(study: Study) -> OptimumCurve | None:
    """Return the curve where it is there or takes no time."""
    try:
        return study.optima()
    except Pending as pending:
        if len(study.space) > FEW:
            return None
        for key, found in compute_now(pending).items():
            result_cache.hold(pending.kind, key, found, public=is_public(study.corpus))
        return study.optima()


def optimum_or_wait(study: Study) -> None:
    """Ask for the curve of many topics below everything that does not need it."""
    question = None
    if len(study.space) >= MANY:
        sentence = (
            "**How far is HITS from the optimum?** Leakscope can search for the lowest possible similarity of *m* topics. With "
            f"{len(study.space):,} topics that may take an hour or more; it continues while you look at other pages."
        )
        question = work.Question("Search", sentences=(sentence,), primary=False, icon=":material/search:")
    try:
        study.optima()
    except Pending as pending:
        if settle(pending, question=question):
            st.rerun()
