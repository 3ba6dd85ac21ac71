"""Leakscope: does a cross-topic evaluation really cross topics?

The server imports this file and finds `app`, which runs it again as the page script for every visitor.
"""

import os
from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware

from pages.shared import history, hosting, project, show
from pages.shared.jobs import sidebar_jobs
from pages.shared.sidebar import sidebar
from pages.shared.state import freeze_modules
from pages.shared.widgets import settle_address

ASSETS = Path(__file__).parent / "pages" / "shared"


def page_script() -> None:
    """Draw the frame of the app, and the page that is open."""
    freeze_modules()
    st.set_page_config(page_title="Leakscope", page_icon=ASSETS / "icon.svg", layout="wide")
    instead = hosting.closed()
    pages = {
        "Look": [
            st.Page("pages/overview.py", title="Overview", icon=":material/water_drop:", default=True),
            st.Page("pages/corpus.py", title="Corpus", icon=":material/library_books:"),
            st.Page("pages/topic_map.py", title="Topic map", icon=":material/bubble_chart:"),
        ],
        "Choose": [
            st.Page("pages/hits.py", title="HITS", icon=":material/filter_alt:"),
            st.Page("pages/design.py", title="Design a split", icon=":material/design_services:"),
            st.Page("pages/split.py", title="Check a split", icon=":material/call_split:"),
        ],
        "Judge": [
            st.Page("pages/accuracy.py", title="Folds & accuracy", icon=":material/stacked_line_chart:"),
            st.Page("pages/ranking.py", title="Ranking", icon=":material/leaderboard:"),
            st.Page("pages/shortcut.py", title="Shortcut test", icon=":material/alt_route:"),
        ],
        "Trust": [
            st.Page("pages/significance.py", title="Significance", icon=":material/balance:"),
            st.Page("pages/trust.py", title="Trust lab", icon=":material/science:"),
        ],
        "Learn": [
            st.Page("pages/lesson.py", title="Lesson", icon=":material/school:"),
            st.Page("pages/methods.py", title="Methods", icon=":material/menu_book:"),
        ],
    }
    page = st.navigation(pages, position="sidebar" if instead is None else "hidden", expanded=True)
    in_class = page.url_path == "lesson" and "class" in st.query_params  # the lesson alone, without the sidebar
    if in_class:
        page = st.navigation(pages, position="hidden")
    st.logo(ASSETS / "logo.svg", size="large")
    st.html(ASSETS / "style.css")
    show.figure_formats()
    if instead is not None:
        instead()
        st.stop()
    history.open_link(page.url_path)
    project.reopen(page.url_path)
    hosting.say_ended()
    history.note_page(page.url_path)  # for what the sidebar makes of it
    running = None if in_class else sidebar()
    history.note_page(page.url_path)  # which forgets what was seen of another corpus
    st.session_state["framed"] = True  # for the page that runs next; see `widgets.framed`
    try:
        page.run()
    finally:
        history.note_page(page.url_path)
        if running is not None:
            sidebar_jobs(running)
        settle_address()


if __name__ == "__main__":
    page_script()
else:
    os.umask(0o077)  # whatever the server writes, its own user alone may read
    app = st.App(__file__, middleware=[Middleware(hosting.Gate)])
