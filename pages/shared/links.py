"""Links to a page: those made under older names of its controls, and the entries that Back and Forward return to."""

from collections.abc import Mapping

import streamlit as st

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
    """Before a page is opened by an address, or all are by a project: what sliders were when last seen has no say in it."""
    ranges = st.session_state.get(RANGES, {})
    for key in [each for each in ranges if page is None or each.startswith(own_key(page, ""))]:
        del ranges[key]


def _today(name: str, value: str) -> str:
    """Return what a control's value of an older link is called now."""
    if name == "choice":  # a split on the design page, by its label
        value = value.replace("All topics, dealt at random", "All topics, random folds").replace(" %", "%")
    return RENAMED.get((name, value), value)


def renamed(page: str, given: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """Return what an older link to a page gives under today's names of controls and values; a name of today wins."""
    given = {name: [_today(name.removeprefix(f"{page}_"), value) for value in values] for name, values in given.items()}
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
    """Once a session, before any control: a link that was made under older names opens the same view."""
    st.html(f"<script>{SCRIPT}</script>", unsafe_allow_javascript=True)
    if st.session_state.get("link_opened"):
        return
    st.session_state["link_opened"] = True
    given = {name: st.query_params.get_all(name) for name in st.query_params}
    wanted = in_its_view(page, renamed(page, given))
    if wanted != given:
        st.query_params.from_dict(wanted)
        st.rerun()
