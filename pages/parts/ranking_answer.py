"""What Ranking says first: who wins, if anybody does, and how well the folds agree."""

import numpy as np
import streamlit as st

from core.statistics import lead, rank_models, stability_interval
from pages.parts.accuracy_answer import listed
from pages.parts.ranking import SetupScores, interval
from pages.shared.baselines import number
from pages.shared.show import escaped


def headline(scores: SetupScores, *, meaningful: bool) -> None:
    """Who wins, if anybody does, and how well the folds agree; and what HITS is worth where labels mean nothing."""
    under_hits = scores.values[scores.metric][0]
    names = [escaped(scores.models[index]) for index in lead(rank_models(under_hits)).models]
    mean, low, high = stability_interval(under_hits)
    agree = f"rankings of two folds agree with a mean ρ of {number(mean, '.2f')} (95 %: {interval(low, high, '.2f')})"
    if not np.isfinite(mean):
        agree = "how well the folds agree cannot be told"
    elif low == high == 1:
        agree = f"all {under_hits.shape[1]} folds rank the models alike"
    if not names:
        said = "Nobody wins: no fold under HITS could be ranked."
    elif len(names) == 1:
        said = f"{names[0]} wins by {escaped(scores.metrics[scores.metric])} under HITS; {agree}."
    else:
        said = f"No model clearly wins under HITS: {listed(names)} are too close to call; {agree}."
    with st.container(border=True):
        st.subheader(said, anchor=False)
        if not meaningful:
            st.markdown(
                "The labels do not separate these texts: HITS is one more random sample here, and its difference from the "
                "others says nothing of topics."
            )
