"""Who is asking: a token of this browser, and whose results may be seen."""

import hashlib
import re
import secrets
import time
from pathlib import Path

import streamlit as st

from core.files import cache_folder
from pages.shared.limits import hosted, limit

COOKIE = "leakscope"
SESSIONS = "sessions"  # the folder of what is kept for sessions, under the cache folder
# Word for word the same for everyone, so that a policy on scripts can name it by its hash (docs/hosting.md).
# In a block: it runs again in the same document, where a name of the first time would be a mistake.
SCRIPT = (
    "{const mark = document.querySelector('[data-leakscope]');"
    "if (mark) document.cookie = mark.dataset.leakscope + (location.protocol === 'https:' ? '; Secure' : '');}"
)


def token() -> str:
    """What names this browser to the server: its cookie, or a new one for this session."""
    if "token" not in st.session_state:
        given = str(st.context.cookies.get(COOKIE, ""))
        st.session_state["token"] = given if re.fullmatch("[0-9a-f]{32}", given) else secrets.token_hex(16)
    return str(st.session_state["token"])


def remember() -> None:
    """Ask the browser to give the token at its next visit, so that a reload and a second tab are the same visitor.

    The cookie lives as long as what is kept under it, counted anew every hour that the app is used.
    """
    cookie = f"{COOKIE}={token()}; Max-Age={limit('KEEP_HOURS') * 3600}; Path=/; SameSite=Strict"
    hour = int(time.time() // 3600)
    mark = f'<span hidden data-leakscope="{cookie}" data-hour="{hour}"></span>'
    st.html(f"{mark}<script>{SCRIPT}</script>", unsafe_allow_javascript=True)


def folder() -> Path:
    """Where this visitor's own files are kept."""
    return folder_of(token())


def folder_of(token: str) -> Path:
    """Where a visitor's own files are kept; the token, which would open them, is not in its name."""
    return cache_folder() / SESSIONS / hashlib.sha256(token.encode()).hexdigest()


def scope() -> str:
    """Whose results this session sees: on a host only its own, elsewhere everyone's (there is one user)."""
    return token() if hosted() else "own"
