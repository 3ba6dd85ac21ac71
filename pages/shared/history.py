"""What was looked at in this session, and links: pages with their addresses, questions with their settings, runs of models.

A report and a project are made of it. Streamlit forgets the controls of a page that is left, so they are noted here. Links
made under older names of controls open the same view, and Back and Forward return to what the visitor saw.
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import streamlit as st

from core.corpora import Corpus
from core.demo import NAME as COURIER
from core.questions import QUESTIONS, Settings
from core.render import Answer
from core.study import SampleFolds
from core.topics import SIMILARITIES
from core.vectors import ENCODERS, Vectors

# Controls that several pages once shared, and which now carry the page's name: moving one moves no other page's.
_OF_RUN: tuple[str, ...] = ("task", "sampler", "m", "scheme", "k", "pairs", "seed")
_OF_RUN += tuple(f"{kind}_{task}" for kind in ("models", "metric") for task in ("attribution", "verification"))
_RUN = (*_OF_RUN, "model_a", "model_b")
_MORE_OF_RUN: tuple[str, ...] = ("policy", "threshold", "calibration", "balance", "seen", "together", "apart")
_MORE_OF_RUN += tuple(f"{name}_{row}" for name in ("together", "apart") for row in range(2, 10))
ONCE_SHARED = {
    "accuracy": _RUN,
    "significance": (*_RUN, "compare"),
    "trust": _RUN,
    "ranking": ("task", "m", "k", "pairs", "models_attribution", "models_verification"),
    "shortcut": ("m", "k", "pairs"),
    "hits": ("k", "task"),
}
RUN = "run"  # the prefix of the controls of a run
SHARE_RUN = (
    "accuracy",
    "significance",
    "trust",
)  # pages that share the choice of a run; it carried the page's name before
RENAMED = {(name, "least maximum"): "minimax" for name in ("sampler", "raven_sampler")}  # values of controls
RENAMED |= {("view", view): "leakage curve" for view in ("twin swapped out", "all together")}  # of Folds & accuracy
RENAMED |= {("net_source", "made networks"): "synthetic networks"}  # of Trust lab

# The sidebar's choices, which the address holds by label; a link that someone typed may have their names.
SOURCES = {"courier": COURIER, "file": "Your own file", "newsgroups": "20 Newsgroups"}
LABELS: dict[str, Mapping[str, str]] = {"corpus": SOURCES, "similarity": SIMILARITIES}
LABELS["encoder"] = {name: kind.label for name, kind in ENCODERS.items()}

# On the way to another page Streamlit takes the settings of the page that is left out of the address, as an entry of its
# own: Back would then return to a page without them. Such an entry is no step of the visitor: it is not made, and the
# page that is left keeps its address. Word for word the same for everyone, so that a policy can name it by its hash.
SCRIPT = (
    "if (!window.leakscopeHistory) {"
    "window.leakscopeHistory = true;"
    "const push = history.pushState.bind(history), replace = history.replaceState.bind(history);"
    "let before = null;"
    "for (const touch of ['pointerdown', 'keydown', 'popstate'])"
    " addEventListener(touch, () => { before = null; }, true);"
    "history.pushState = (state, title, url) => {"
    "if (new URL(url, location.href).pathname === location.pathname) {"
    "before = before ?? location.href; replace(state, title, url);"
    "} else {"
    "if (before !== null) replace(state, title, before);"
    "before = null; push(state, title, url);"
    "}};"
    "}"
)
RANGES = "ranges"  # of the sliders that were drawn: lowest, highest, default and chosen value


def own_key(page: str, name: str) -> str:
    """Return the name of a page's own control, in the session and in the address."""
    return f"{page}_{name}"


def forget_ranges(page: str | None = None) -> None:
    """Forget what sliders were when last seen, before an address or a project opens a page."""
    ranges = st.session_state.get(RANGES, {})
    for key in [each for each in ranges if page is None or each.startswith(own_key(page, ""))]:
        del ranges[key]


def _today(name: str, value: str) -> str:
    """Return what a control's value of an older link is called now."""
    if name == "choice":  # a split on the design page, by its label
        value = value.replace("All topics, dealt at random", "All topics, random folds").replace(" %", "%")
    return RENAMED.get((name, value), value)


def _label(name: str, value: str) -> str:
    """Return the label of a choice in the sidebar, given by its name or in other letters; any other value as it is."""
    given = value.lower()
    return next((label for key, label in LABELS.get(name, {}).items() if given in (key, label.lower())), value)


def renamed(page: str, given: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """Return what an older link to a page gives under today's names of controls and values; a name of today wins."""
    given = {
        name: [_label(name, _today(name.removeprefix(f"{page}_"), value)) for value in values]
        for name, values in given.items()
    }
    names = {name: own_key(page, name) for name in ONCE_SHARED.get(page, ())}
    if page in SHARE_RUN:
        for name in (*_OF_RUN, *_MORE_OF_RUN):
            names |= {name: own_key(RUN, name), own_key(page, name): own_key(RUN, name)}
    kept = {name: values for name, values in given.items() if name not in names}
    return {names[name]: values for name, values in given.items() if name in names} | kept


def in_its_view(page: str, given: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """Return an older link to Folds & accuracy with its view: a run's controls are topic by topic, which came first then."""
    of_a_run = any(name.startswith(("accuracy_", "run_")) or name in ("focus", "fold", "ordinary") for name in given)
    asked = {"accuracy_view": ["topic by topic"]} if page == "accuracy" and of_a_run else {}
    return asked | dict(given)


def open_link(page: str) -> None:
    """Rename the settings of an older link once a session, before any control, so that it opens the same view."""
    st.html(f"<script>{SCRIPT}</script>", unsafe_allow_javascript=True)
    if st.session_state.get("link_opened"):
        return
    st.session_state["link_opened"] = True
    given = {name: st.query_params.get_all(name) for name in st.query_params}
    wanted = in_its_view(page, renamed(page, given))
    if wanted != given:
        st.query_params.from_dict(wanted)
        st.rerun()


# In the session's state: addresses of pages, settings of questions, runs of models, vectors of what the corpus was compared with.
PAGES, ASKED, DRAWN, RUNS, BESIDE, OF = "seen", "seen_asked", "seen_drawn", "seen_runs", "seen_beside", "seen_of"
MOST_RUNS, MOST_BESIDE = 64, 2
START = "overview"
NOW = "page"  # in the session's state: the page that is drawn
# Controls of the sidebar, and so of every page.
_OF_ENCODERS = tuple(setting for kind in ENCODERS.values() for setting in kind.settings)
_FILTERS = ("min_docs", "cap", "author_docs", "most_authors")
SHARED = frozenset(("file", "print", "cleaned", "corpus", "encoder", "similarity", *_OF_ENCODERS, *_FILTERS))


def begin(corpus: Corpus | None) -> None:
    """Forget what was seen of another corpus: its topics are not this one's."""
    state, now = st.session_state, None if corpus is None else corpus.fingerprint
    if state.get(OF) != now:
        state[OF] = now
        for name in (PAGES, ASKED, DRAWN, RUNS, BESIDE):
            state[name] = {}


def note_page(name: str) -> None:
    """Note a page's address, before it is drawn and after."""
    st.session_state[NOW] = name or START
    pages: dict[str, dict[str, list[str]]] = st.session_state.setdefault(PAGES, {})
    pages[name or START] = {each: st.query_params.get_all(each) for each in st.query_params if each not in SHARED}


def note_asked(question: str, settings: Settings) -> None:
    """Note the settings with which a question was last answered."""
    if question in QUESTIONS:
        st.session_state.setdefault(ASKED, {})[question] = settings


def note_drawn(answer: Answer, about: Hashable = None) -> None:
    """Note an answer that a report takes as it is: about no corpus, such as a simulation, or with files given to its page.

    `about` is what `chosen_study` names the study that it is about.
    """
    st.session_state.setdefault(DRAWN, {})[answer.name] = answer, about


def forget_drawn(name: str) -> None:
    """Forget the answer of this name: a report asks its question again."""
    st.session_state.get(DRAWN, {}).pop(name, None)


def note_runs(key: Hashable, jobs: Sequence[SampleFolds], choices: Mapping[str, Any]) -> None:
    """Note runs of models that were shown."""
    kept = {name: value for name, value in choices.items() if name not in ("results", "vectors")}
    _note(RUNS, key, (tuple(jobs), kept), MOST_RUNS)


def note_beside(corpus: Corpus, vectors: Vectors) -> None:
    """Note the vectors of what the corpus was compared with."""
    _note(BESIDE, (corpus.fingerprint, vectors.encoder_key), (corpus, vectors), MOST_BESIDE)


def _note(what: str, key: Hashable, value: Any, most: int) -> None:
    """Keep the last ones."""
    noted: dict[Hashable, Any] = st.session_state.setdefault(what, {})
    noted.pop(key, None)
    noted[key] = value
    while len(noted) > most:
        del noted[next(iter(noted))]


def pages() -> dict[str, dict[str, list[str]]]:
    """Return the addresses of the pages that were seen, without the sidebar's part."""
    found: dict[str, dict[str, list[str]]] = st.session_state.get(PAGES, {})
    return found


def asked() -> dict[str, Settings]:
    """Return the questions that were answered, in the order of a report, with their settings."""
    found: dict[str, Settings] = st.session_state.get(ASKED, {})
    return {name: found[name] for name in QUESTIONS if name in found}


def drawn(study: Hashable) -> list[Answer]:
    """Return the answers that a report about this study takes as they are."""
    found: dict[str, tuple[Answer, Hashable]] = st.session_state.get(DRAWN, {})
    return [answer for answer, about in found.values() if about in (None, study)]


def runs() -> list[tuple[tuple[SampleFolds, ...], dict[str, Any]]]:
    """Return the runs that were shown: samples with their folds, and the choices of `evaluate`."""
    found: dict[Hashable, tuple[tuple[SampleFolds, ...], dict[str, Any]]] = st.session_state.get(RUNS, {})
    return list(found.values())


def beside() -> list[tuple[Corpus, Vectors]]:
    """Return the corpora and vectors that the corpus was compared with."""
    found: dict[Hashable, tuple[Corpus, Vectors]] = st.session_state.get(BESIDE, {})
    return list(found.values())


# What is made of files beside the corpus: a table, a network, a corpus with several topics a document.
FILE_KINDS = ("tables", "own networks", "categorizations")
FILES = "files of {}"  # in the session's state, by kind: the names and the digest of what was loaded last
