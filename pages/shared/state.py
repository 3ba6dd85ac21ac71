"""The current corpus, and what follows from it: vectors, maps, setups, folds.

Uploads live in the session alone; only what everybody has is shared between users (pages/shared/public.py).
"""

import gc
from collections.abc import Mapping
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import streamlit as st

from core.corpora import Audit, Corpus, audit, filtered, steps_to_json, with_prolific_authors
from core.errors import LeakscopeError
from core.evaluation import need_authors
from pages import parts
from pages.shared import clean_steps, keep
from pages.shared.limits import hosted
from pages.shared.public import as_public_as, computed_once
from pages.shared.show import refuse

_frozen = False

FOUND = ":material/category_search: The topics of this corpus were found in its texts, not given with them."
# Corpora and encoders that a session may switch between without computing again; a page may hold six setups at once.
CORPORA, SETUPS = 4, 16
# What core/ imports only where it is used, because the first screen of one's own machine needs none of it.
LATER = (
    "jinja2",
    "scipy.optimize",
    "scipy.sparse",
    "scipy.spatial.distance",
    "scipy.stats",
    "sklearn.decomposition",
    "sklearn.feature_extraction.text",
    "statsmodels.stats.proportion",
)


def corpus_or_stop(*, link: bool = True) -> Corpus:
    """Return the chosen corpus after the sidebar's filters; otherwise say what is missing and stop the page."""
    chosen = whole_corpus()
    if chosen is None:
        _missing_corpus(st.session_state["corpus"], link=link)
        st.stop()
    if not chosen.has_topics:
        if link:
            st.info("This file has no topics yet. Find some in its texts.", icon=":material/category_search:")
            st.page_link("pages/corpus.py", label="Go to Corpus to find topics", icon=":material/arrow_forward:")
        st.stop()
    if chosen.found:
        st.caption(FOUND)
    try:
        return with_filters(chosen, filters())
    except LeakscopeError as problem:
        refuse(problem, icon=":material/filter_alt_off:")
        st.stop()


def whole_corpus(source: str | None = None) -> Corpus | None:
    """Return the cleaned, unfiltered corpus of a source (default: the selected one), or None if it is not loaded."""
    loaded = keep.as_loaded(source)
    return None if loaded is None else clean_steps.cleaned(loaded)[0]


def _missing_corpus(source: str, *, link: bool) -> None:
    """The empty state: what this link wants and where to get it."""
    if source == "file":
        st.info(keep.missing(), icon=":material/upload:")
    else:
        st.info("20 Newsgroups is not loaded in this session.", icon=":material/download:")
    if link:
        st.page_link("pages/corpus.py", label="Go to Corpus to load it", icon=":material/arrow_forward:")


def filters() -> dict[str, int | None]:
    """Return the sidebar's filters as they stand in exported settings."""
    state = st.session_state
    return {
        "min_documents_per_topic": state.get("min_docs", 1),
        "max_documents_per_topic": state.get("cap") or None,
        "min_documents_per_author": state.get("author_docs", 1),
        "max_authors": state.get("most_authors") or None,
    }


def exported_choices() -> dict[str, Any]:
    """Return the filters and the steps of cleaning as they stand in exported settings."""
    loaded = keep.as_loaded()
    return filters() | {"cleaning": [] if loaded is None else steps_to_json(clean_steps.steps_of(loaded))}


def with_filters(corpus: Corpus, chosen: Mapping[str, int | None]) -> Corpus:
    """Return what filters, named as in `filters`, leave of a corpus."""
    return _filtered(corpus, *chosen.values())


@computed_once(most=CORPORA)
def _filtered(
    corpus: Corpus, at_least: int | None, at_most: int | None, author_docs: int | None, authors: int | None
) -> Corpus:
    prolific = with_prolific_authors(corpus, at_least=author_docs or 1, at_most=authors)
    return as_public_as(corpus, filtered(prolific, at_least=at_least or 1, at_most=at_most))


def authors_or_stop(corpus: Corpus) -> None:
    """Both tasks need authors; report where there are none."""
    try:
        need_authors(corpus)
    except LeakscopeError as problem:
        st.info(str(problem), icon=":material/person_off:")
        st.page_link("pages/corpus.py", label="Choose another author column or corpus", icon=":material/arrow_forward:")
        st.stop()


@computed_once(most=CORPORA)
def audit_of(corpus: Corpus) -> Audit:
    """Counts, lengths, vocabulary and warnings."""
    return audit(corpus)


def freeze_modules() -> None:
    """Freeze everything alive, once, before any session holds data of its own.

    Streamlit collects garbage after every run, a fragment's too, and walks every object of the process for it: ten times
    as long with our modules as without. Frozen objects are skipped, and so is whatever only they hold: a session frozen
    with its upload would keep it for ever. A host imports before what pages would import when they are first opened: its
    first visitor waits a little longer, and no run of all the others walks over it.
    """
    global _frozen
    if not _frozen:
        _frozen = True
        if hosted():
            for name in (*LATER, *(f"{parts.__name__}.{each.name}" for each in iter_modules(parts.__path__))):
                import_module(name)
        gc.collect()
        gc.freeze()
