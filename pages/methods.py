"""Methods: every formula, in one place."""

import streamlit as st

from pages.shared.controls import METHODS, framed

framed()
st.markdown(METHODS.read_text(encoding="utf-8"))
