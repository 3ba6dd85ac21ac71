"""A page's answer, first on it: the sentence large, its cautions below."""

import streamlit as st

from core.statistics import Conclusion
from pages.shared.show import escaped


def conclude(found: Conclusion) -> None:
    """The answer and what keeps one from making more of it, in a frame."""
    with st.container(border=True):
        st.subheader(escaped(found.answer), anchor=False)
        for caution in found.cautions:
            st.markdown(escaped(caution))
