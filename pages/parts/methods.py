"""The parts of the Methods page: the document in its sections, each with an address of its own, and the glossary."""

import re

import streamlit as st

from pages.shared.controls import METHODS
from pages.shared.glossary import TERMS, listed

GLOSSARY = "Glossary"


def anchor_of(title: str) -> str:
    """The address of a section on the page: its title without its number, in small letters."""
    words = re.findall(r"[a-z0-9]+", re.sub(r"^\d+\. ", "", title).lower())
    return "-".join(words)


def sections(text: str) -> tuple[str, list[tuple[str, str]]]:
    """What stands before the first section, and every section's title and text."""
    first, *rest = re.split(r"^## (.+)$", text, flags=re.MULTILINE)
    return first, list(zip(rest[::2], rest[1::2], strict=True))


def document() -> None:
    """docs/methods.md: its title, a table of contents, which page uses what, and every section."""
    first, found = sections(METHODS.read_text(encoding="utf-8"))
    head, pages = first.split("\n| page | section |", 1)
    st.markdown(head)
    st.markdown("\n".join(f"- {_link(title)}" for title in [*(title for title, _ in found), GLOSSARY]))
    with st.expander("Which page uses what", icon=":material/table_chart:"):
        st.markdown("| page | section |" + re.sub(r"\d+\. [^;|]+?(?=;| \|)", lambda each: _link(each[0]), pages))
    for title, text in found:
        st.header(title, anchor=anchor_of(title))
        st.markdown(text)


def glossary() -> None:
    """Every term, with the section that explains it in full."""
    st.header(GLOSSARY, anchor=anchor_of(GLOSSARY))
    by_name = sorted(TERMS, key=lambda name: (not name[0].isalpha(), name.casefold()))
    lines = listed(by_name).splitlines()
    st.markdown("\n".join(f"{line} {_link(TERMS[name].section)}." for line, name in zip(lines, by_name, strict=True)))


def _link(title: str) -> str:
    return f"[{title}](#{anchor_of(title)})"
