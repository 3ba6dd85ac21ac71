"""Links to a page: those made under older names of its controls, and the entries that Back and Forward return to."""

from collections.abc import Mapping

import streamlit as st

# Controls that several pages once shared, and which now carry the page's name: moving one moves no other page's.
_RUN: tuple[str, ...] = ("task", "sampler", "m", "scheme", "k", "pairs", "seed", "model_a", "model_b")
_RUN += tuple(f"{kind}_{task}" for kind in ("models", "metric") for task in ("attribution", "verification"))
ONCE_SHARED = {
    "accuracy": _RUN,
    "significance": (*_RUN, "compare"),
    "trust": _RUN,
    "ranking": ("task", "m", "k", "pairs", "models_attribution", "models_verification"),
    "shortcut": ("m", "k", "pairs"),
    "hits": ("k", "task"),
}

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
    """The name of a page's own control, in the session and in the address."""
    return f"{page}_{name}"


def forget_ranges(page: str | None = None) -> None:
    """Before a page is opened by an address, or all are by a project: what sliders were when last seen has no say in it."""
    ranges = st.session_state.get(RANGES, {})
    for key in [each for each in ranges if page is None or each.startswith(own_key(page, ""))]:
        del ranges[key]


def renamed(page: str, given: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """What an older link to a page gives, under the names of today; a name of today wins."""
    names = {name: own_key(page, name) for name in ONCE_SHARED.get(page, ())}
    kept = {name: values for name, values in given.items() if name not in names}
    return {names[name]: values for name, values in given.items() if name in names} | kept


def open_link(page: str) -> None:
    """Once a session, before any control: a link that was made under older names opens the same view."""
    st.html(f"<script>{SCRIPT}</script>", unsafe_allow_javascript=True)
    if st.session_state.get("link_opened"):
        return
    st.session_state["link_opened"] = True
    given = {name: st.query_params.get_all(name) for name in st.query_params}
    wanted = renamed(page, given)
    if wanted != given:
        st.query_params.from_dict(wanted)
        st.rerun()
