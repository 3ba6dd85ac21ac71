"""The log of a host: the kind of an error and where it was, and no word of its message."""

import io
import logging
from collections.abc import Iterator

import pytest

from pages.shared.door import keep_words_out


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    before, written = logging.getLogRecordFactory(), io.StringIO()
    logging.setLogRecordFactory(logging.LogRecord)
    handler, logger = logging.StreamHandler(written), logging.getLogger("streamlit.error_util")
    logger.addHandler(handler)
    yield written
    logger.removeHandler(handler)
    logging.setLogRecordFactory(before)


def fail() -> None:
    try:
        raise KeyError("a visitor's words")
    except KeyError as problem:
        raise ValueError("more of a visitor's words") from problem


def logged() -> None:
    try:
        fail()
    except ValueError as problem:
        logging.getLogger("streamlit.error_util").error("Uncaught app execution", exc_info=problem)


def test_the_words_of_an_error_are_left_out(log: io.StringIO):
    logged()
    assert log.getvalue().count("visitor's words") == 2 + 2, "both messages, and the two lines of code"
    log.truncate(0)
    keep_words_out()
    keep_words_out()
    logged()
    written = log.getvalue()
    assert "Uncaught app execution" in written and "ValueError, its words are left out" in written
    assert 'in fail\n    raise ValueError("more of' in written, "the line of code is ours"
    assert written.count("visitor's words") == 1 and "KeyError" not in written


def test_what_is_no_error_is_logged_as_it_is(log: io.StringIO):
    keep_words_out()
    logging.getLogger("streamlit.error_util").warning("%s went by", "A cloud")
    assert "A cloud went by" in log.getvalue()
