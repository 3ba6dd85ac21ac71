"""Methods: the whole document under a table of contents, and every term; formulas as they are drawn are tested in tests/browser."""

import re

from core.questions.corpus import WARNINGS
from pages.parts.methods import anchor_of, found_in, sections
from pages.shared.glossary import TERMS
from tests.conftest import ROOT
from tests.pages.opened import all_text, shown_page

TEXT = (ROOT / "docs" / "methods.md").read_text(encoding="utf-8")


def test_the_page_is_the_document():
    app = shown_page("methods")
    shown = all_text(app)
    first, found = sections(TEXT)
    assert first.split("\n| page")[0].strip() in shown
    assert "".join([first, *(f"## {title}{text}" for title, text in found)]) == TEXT, "nothing is lost"
    assert [each.value for each in app.header] == [*(title for title, _ in found), "Warnings", "Glossary"]
    for _, text in found:
        assert text.strip() in shown


def test_every_link_of_the_contents_has_its_place():
    app = shown_page("methods")
    places = {each.proto.anchor for each in app.header}
    assert len(places) == len(app.header), "no two sections have one address"
    linked = set(re.findall(r"\]\(#([\w-]+)\)", all_text(app)))
    assert linked == places, "all of them, and nothing that is not there"


def test_every_term_is_explained_by_a_section_that_is_there():
    titles = {re.sub(r"^\d+\. ", "", title) for title, _ in sections(TEXT)[1]}
    app = shown_page("methods")
    for term in TERMS.values():
        assert term.section in titles, term.name
        assert term.meaning in all_text(app)


def test_an_address_is_made_of_the_title_alone():
    assert (
        anchor_of("3. Near twins and the verdict")
        == anchor_of("Near twins and the verdict")
        == "near-twins-and-the-verdict"
    )


def test_a_search_shows_the_sections_and_terms_that_have_every_word():
    every = sections(TEXT)[1]
    found = found_in("Bootstrap interval", every)
    assert 0 < len(found) < len(every)
    app = shown_page("methods", search="Bootstrap interval")
    shown = [each.value for each in app.header]
    assert [title for title in shown if title != "Glossary"] == [title for title, _ in found]


def test_the_link_of_a_warning_opens_its_example():
    app = shown_page("methods", search="one-author-topics")
    assert [each.value for each in app.header] == ["Warnings"]
    assert [(each.label, each.proto.expanded) for each in app.main.expander] == [
        ("one-author-topics: topics with one main author", True)
    ]
    assert WARNINGS["one-author-topics"].example[0] in all_text(app)
