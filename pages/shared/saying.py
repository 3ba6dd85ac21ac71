"""Sentences that may quote a user's file: shown word for word, never read as mark-up."""

import re

import streamlit as st


def literal(sentence: str) -> str:
    """A sentence whose marks for links, images, formulas and emphasis are taken as they stand."""
    return re.sub(r"([\\`*_\[\]<>~$|])", r"\\\1", sentence)


def refuse(problem: Exception | str, *, icon: str = ":material/error:") -> None:
    """Say why something was not done."""
    st.error(literal(str(problem)), icon=icon)
