"""The parts of the Methods page: the document in its sections, each with an address of its own, search, and the glossary."""

import re

import streamlit as st

from core.questions import corpus as question
from pages.shared.glossary import TERMS, listed
from pages.shared.widgets import IN_URL, METHODS

GLOSSARY, OF_CORPORA = "Glossary", "Warnings"


def anchor_of(title: str) -> str:
    """Return the address of a section on the page: its title without its number, in lower case."""
    words = re.findall(r"[a-z0-9]+", re.sub(r"^\d+\. ", "", title).lower())
    return "-".join(words)


def sections(text: str) -> tuple[str, list[tuple[str, str]]]:
    """Return the text before the first section, and every section's title and text."""
    first, *rest = re.split(r"^## (.+)$", text, flags=re.MULTILINE)
    return first, list(zip(rest[::2], rest[1::2], strict=True))


def found_in(words: str, given: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the sections that have every word, in title or text, whatever its case."""
    wanted = words.casefold().split()
    return [(title, text) for title, text in given if all(word in f"{title} {text}".casefold() for word in wanted)]


def document() -> None:
    """Draw docs/methods.md: its title, a search, a table of contents that stays in view, and the sections found."""
    first, every = sections(METHODS.read_text(encoding="utf-8"))
    head, pages = first.split("\n| page | section |", 1)
    st.markdown(head)
    contents, text = st.columns([1, 3], gap="large")
    with contents.container(key="contents"):
        words = st.text_input(
            "Search", key="search", bind=IN_URL, placeholder="bootstrap, HITS, …", icon=":material/search:"
        )
        found = found_in(words, every)
        terms = [name for name in TERMS if found_in(words, [(name, listed([name]))])]
        warnings = [
            code for code in sorted(question.WARNINGS) if found_in(words, [(code, question.warning_text(code))])
        ]
        if words.strip() in question.WARNINGS:  # the link of a warning
            found, terms, warnings = [], [], [words.strip()]
        titles = [*(title for title, _ in found), *([OF_CORPORA] if warnings else [])]
        st.markdown(
            "\n".join(f"- {_link(title)}" for title in [*titles, *([GLOSSARY] if terms else [])]) or "Nothing found."
        )
    with text:
        if not words:
            with st.expander("Which page uses what", icon=":material/table_chart:"):
                st.markdown(
                    "| page | section |" + re.sub(r"\d+\. [^;|]+?(?=;| \|)", lambda each: _link(each[0]), pages)
                )
        for title, content in found:
            st.header(title, anchor=anchor_of(title))
            st.markdown(content)
        if warnings:
            _warnings(warnings, opened=bool(words))
        if terms:
            _glossary(terms)


def _warnings(codes: list[str], *, opened: bool) -> None:
    """Draw what the audit may warn of, each with an example."""
    st.header(OF_CORPORA, anchor=anchor_of(OF_CORPORA))
    for code in codes:
        with st.expander(f"{code}: {question.WARNINGS[code].short}", expanded=opened):
            st.markdown(question.warning_text(code).split("\n", 2)[2])


def _glossary(names: list[str]) -> None:
    """Draw terms, each with the section that explains it in full."""
    st.header(GLOSSARY, anchor=anchor_of(GLOSSARY))
    by_name = sorted(names, key=lambda name: (not name[0].isalpha(), name.casefold()))
    lines = listed(by_name).splitlines()
    st.markdown("\n".join(f"{line} {_link(TERMS[name].section)}." for line, name in zip(lines, by_name, strict=True)))


def _link(title: str) -> str:
    return f"[{title}](#{anchor_of(title)})"
