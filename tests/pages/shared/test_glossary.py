"""Words that a page is shown to use stand on it, no word is explained for nothing, and none is explained twice."""

import re
from functools import cache

import pytest

from core.corpora import make_corpus
from core.questions import methods_of
from pages.parts.lesson import ANSWERS, SKIPPED, steps
from pages.shared.glossary import TERMS, USED, used_by
from pages.shared.widgets import METHODS, methods_section
from tests.conftest import ROOT
from tests.pages.opened import PAGES, open_app, shown_page

WORDS = ("title", "header", "subheader", "markdown", "caption", "info", "success", "warning")
ASKS = ("selectbox", "slider", "select_slider", "segmented_control", "multiselect", "toggle", "radio")


def section_of(page: str) -> str:
    found = re.search(r'(?i:section) ?= ?"([^"]+)"', (ROOT / "pages" / f"{page}.py").read_text(encoding="utf-8"))
    assert found is not None
    return found[1]


# A page that speaks of more in another state is opened in that, too: after a run, with a part unfolded, in another view.
PAIRS = {"run_task": "verification", "run_models_verification": "CharNGram"}
STATES: dict[str, list[dict[str, str]]] = {
    "overview": [{}, {"compare_with": "another encoder", "compare_encoder": "LSA"}],
    "hits": [{}, {"experiment": "closest train/test pairs"}],
    "accuracy": [{}, PAIRS, {"run_sampler": "HITS"}, {"accuracy_view": "forecast"}],
    "split": [{}, {"split_mend": "true"}],
    "significance": [{}, {"significance_compare": "text categorization"}, {"significance_sampler": "HITS"}],
    "trust": [{}, {"view": "networks", "net_source": "made networks"}, {"trust_sampler": "HITS"}],
    "lesson": [{"step": "5"}, {"step": "6"}],
}
# A letter of the field's that means another thing there, and shows it: the correlation of errors in a theorem.
OTHERWISE = {("trust", "ρ")}


@cache
def everything_on(page: str) -> str:
    """All words and figures of a page, in all its states."""
    return "\n".join(words_of(page, **state) for state in STATES.get(page, [{}]))


def words_of(page: str, **state: str) -> str:
    """All words and figures of a page, without the sidebar and without its popovers of formula and terms."""
    section = section_of(page)
    app = (open_app if page == "lesson" else shown_page)(page, **state)
    if page == "lesson":  # nothing is shown before the answer
        app.session_state[ANSWERS] = {int(state["step"]): SKIPPED}
        app.run()
    more = re.search(r"more=\(([^)]*)\)", (ROOT / "pages" / f"{page}.py").read_text(encoding="utf-8"))
    sections = (section, *re.findall(r'"([^"]+)"', more[1] if more else ""))
    aside = {*(methods_section(each).strip() for each in sections), used_by(section)}
    found = [each.value for kind in WORDS for each in getattr(app.main, kind) if each.value.strip() not in aside]
    found += [f"{each.label} {each.value} {each.delta} {each.help}" for each in app.main.metric]
    found += [each.help for kind in ("markdown", "caption") for each in getattr(app.main, kind) if each.help]
    found += [
        f"{each.label} {getattr(each, 'options', '')} {each.help}" for kind in ASKS for each in getattr(app.main, kind)
    ]
    found += [each.label for each in (*app.main.expander, *app.main.tabs, *app.main.button)]
    found += [" ".join(map(str, each.value.columns)) for each in app.main.dataframe]
    found += [each.proto.spec for each in app.main.get("plotly_chart")]
    if page == "lesson":  # one step at a time is on the page
        found += [f"{step.title} {step.about} {step.question} {step.told}" for step in steps()]
    return "\n".join(found)


@pytest.mark.parametrize("page", [page for page in PAGES if page != "methods" and section_of(page) in USED])
def test_what_a_page_is_said_to_use_stands_on_it(page):
    text = everything_on(page)
    missing = [name for name in USED[section_of(page)] if not TERMS[name].stands_in(text)]
    assert not missing
    stand = {name for name, term in TERMS.items() if term.stands_in(text) and (page, name) not in OTHERWISE}
    assert not stand - {*USED[section_of(page)]}, (
        stand - {*USED[section_of(page)]} or "a word of the field without its definition beside it"
    )


def test_every_term_is_used_somewhere_and_every_list_is_of_a_page():
    assert {name for names in USED.values() for name in names} == set(TERMS)
    assert set(USED) <= {section_of(page) for page in PAGES if page != "methods"}
    for names in USED.values():
        assert len(set(names)) == len(names)


def test_meanings_are_one_short_sentence_each():
    assert len({term.meaning for term in TERMS.values()}) == len(TERMS)
    for term in TERMS.values():
        assert term.meaning.endswith(".") and len(term.meaning.split()) <= 25, term.name
        assert not re.search(r"[.!?] [A-Z]", term.meaning), term.name
        assert not re.search(r"[<$]", term.meaning.replace("<", "", term.name.count("<") + 1))


def test_the_words_of_a_page_are_one_tap_from_its_title():
    app = shown_page("hits")
    shown = [each.value for each in app.markdown]
    assert used_by("HITS") in shown
    assert r"», \\> and \\~" in used_by("Comparing two systems") or "», \\> and \\~" in used_by("Comparing two systems")


def test_formulas_and_terms_speak_of_classes_where_the_label_is_no_author():
    corpus = make_corpus(["a", "b"], ["x", "y"], authors=["good", "bad"], predicts="sentiment")
    sections = re.findall(r"^## \d+\. (.+)$", METHODS.read_text(encoding="utf-8"), flags=re.MULTILINE)
    ours = ("The topic shortcut test", "Synthetic corpora")  # a page about pairs of texts, and corpora of our own
    shown = [methods_of(methods_section(name), corpus) for name in sections if name not in ours]
    shown += [used_by(name, authors=False) for name in USED]
    text = "\n".join(shown)
    assert not re.findall(r".*author.*", text, flags=re.IGNORECASE)
    assert "**Classification**. *Maximum entropy*" in text and "**Metrics** (PAN)" not in text


def test_a_page_without_such_words_shows_none():
    assert used_by("Sources") == ""
