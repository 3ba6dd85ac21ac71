"""The door of a host: what is set before anybody comes in, a log without the words of errors among it, and why somebody cannot."""

import logging
from collections.abc import Callable
from typing import Any

import streamlit as st

from pages.shared import limits, visits
from pages.shared.show import refuse

LEFT_OUT = "its words are left out here: they may quote a visitor's text"


def closed() -> Callable[[], None] | None:
    """What to show in place of the app, where this tab is not served."""
    if limits.hosted():
        keep_words_out()
    if limits.problems():
        return _say_problems
    limits.bound_uploads()
    return None if visits.served() else visits.full


def _say_problems() -> None:
    for problem in limits.problems():
        refuse(problem, icon=":material/settings:")


class WithoutWords(Exception):
    """Stands in the log for an error whose words are left out."""


def keep_words_out() -> None:
    """From now on the log names the kind of an error and its lines of code alone."""
    if logging.getLogRecordFactory() is not _record:
        logging.setLogRecordFactory(_record)
        st.set_option("logger.enableRich", False)  # it would print past the log


def _record(*arguments: Any, **keywords: Any) -> logging.LogRecord:
    record = logging.LogRecord(*arguments, **keywords)
    if record.exc_info and record.exc_info[0] is not None:
        kind, _, trace = record.exc_info
        problem = WithoutWords(f"{kind.__name__}, {LEFT_OUT}").with_traceback(trace)
        record.exc_info = WithoutWords, problem, trace
    return record
