"""Who is asking: a token of this browser, and whose results may be seen."""

import hashlib
import re
import secrets
from pathlib import Path

import streamlit as st

from core.files import cache_folder
from core.topics import CORRECTED
from pages.shared.limits import hosted

COOKIE = "leakscope"
SESSIONS = "sessions"  # the folder of what is kept for sessions, under the cache folder


def token() -> str:
    """Return what names this browser to the server: its cookie (see hosting.py), or a new token for this session."""
    if "token" not in st.session_state:
        st.session_state["token"] = checked(str(st.context.cookies.get(COOKIE, ""))) or new_token()
    return str(st.session_state["token"])


def checked(given: str) -> str | None:
    """Return a token that has the form of ours, else None."""
    return given if re.fullmatch("[0-9a-f]{32}", given) else None


def new_token() -> str:
    """Return a token that nobody can guess."""
    return secrets.token_hex(16)


def folder() -> Path:
    """Return where this visitor's own files are kept."""
    return folder_of(token())


def folder_of(token: str) -> Path:
    """Return where a visitor's own files are kept; the token, which would open them, is not in its name."""
    return cache_folder() / SESSIONS / hashlib.sha256(token.encode()).hexdigest()


def scope() -> str:
    """Whose results this session sees: on a host only its own, elsewhere everyone's (there is one user)."""
    return token() if hosted() else "own"


def similarity_in_hand() -> str:
    """Return the similarity of topics chosen in the sidebar."""
    return str(st.session_state.get("similarity", CORRECTED))
