"""What Folds & accuracy says first: whether similarity buys accuracy, for which models, and how sure that is."""

import streamlit as st

from core.evaluation import adjusted_p, similarity_answer, similarity_cautions
from pages.parts.accuracy import Measured
from pages.shared.run_controls import ChosenRun
from pages.shared.show import literal


def headline(run: ChosenRun, measured: Measured, *, meaningful: bool) -> None:
    """The page's answer in a sentence or two, with its cautions."""
    rows, found, slopes, summary, chance = measured
    nearest = [row.nearest_similarity for row in rows]
    answer = similarity_answer(
        run.models, found, slopes, adjusted_p(found), metric=run.metric_label, meaningful=meaningful
    )
    with st.container(border=True, gap="xsmall"):
        st.subheader(literal(answer), anchor=False)
        for caution in similarity_cautions(run.models, summary, nearest, chance=chance) if meaningful else ():
            st.markdown(f":orange[:material/priority_high:] {literal(caution)}")
