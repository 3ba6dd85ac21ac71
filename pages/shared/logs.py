"""The log of a host: what went wrong and where, without the words of an error, which may quote a visitor's text."""

import logging
from typing import Any

import streamlit as st

LEFT_OUT = "its words are left out here: they may quote a visitor's text"


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
