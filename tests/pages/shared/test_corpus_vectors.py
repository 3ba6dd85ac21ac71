"""What the bar says while vectors are made."""

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.demo import bundled_corpus
from core.engine import Reached
from pages.shared import state
from pages.shared.state import words_of_progress
from tests.pages.opened import press, upload


@pytest.mark.parametrize(
    ("done", "left", "at_once", "said"),
    [
        (0, None, True, "LSA: reading all 1,500 documents at once"),
        (1500, 0.0, True, "LSA: 1,500 of 1,500 documents, less than 5 s left"),
        (0, None, False, "LSA: 0 of 1,500 documents"),
        (300, 120.0, False, "LSA: 300 of 1,500 documents, 2–4 min left"),
    ],
)
def test_an_encoder_that_reads_all_at_once_never_counts_from_nothing(done, left, at_once, said):
    assert words_of_progress("LSA", done, 1_500, left, at_once=at_once) == said


def test_an_encoder_that_reads_all_at_once_names_its_stages():
    assert (
        words_of_progress("LSA", 1, 4, None, at_once=True, stage="counting words") == "LSA: counting words, step 1 of 4"
    )


def partial_page() -> None:
    import streamlit as st

    from core.demo import bundled_corpus
    from pages.shared.state import so_far_or_stop

    st.session_state["found"] = None
    st.session_state["found"] = len(so_far_or_stop(bundled_corpus())[0])


@pytest.mark.parametrize(("each", "found"), [(4, None), (5, 5 * 24)])
def test_a_page_answers_from_five_documents_a_topic_on(monkeypatch, each, found):
    corpus = bundled_corpus()
    rows = np.sort(np.concatenate([np.flatnonzero(corpus.topic_codes == topic)[:each] for topic in range(24)]))
    monkeypatch.setattr(state, "vectors_by", lambda *_, **__: None)
    monkeypatch.setattr(state.jobs, "under_way", lambda *_, **__: True)
    monkeypatch.setattr(state, "embedded_so_far", lambda *_, **__: (rows, None))
    app = AppTest.from_function(partial_page, default_timeout=60).run()
    assert not app.exception and app.session_state["found"] == found
    assert [info.value.split(":")[0] for info in app.info] == ([] if found is None else ["**Preliminary"])


@pytest.mark.parametrize(("each", "fewer", "again"), [(5, 0, 240), (6, 4, 176)])
def test_a_page_is_not_drawn_again_for_what_it_has_seen(monkeypatch, each, fewer, again):
    """With a topic behind the others, the card asked for another run each time it was drawn, and stood still for minutes."""
    corpus, asked = bundled_corpus(), []
    rows = [np.flatnonzero(corpus.topic_codes == topic)[: each if topic else each - fewer] for topic in range(24)]
    monkeypatch.setattr(state, "vectors_by", lambda *_, refresh, **__: asked.append(refresh))
    monkeypatch.setattr(state.jobs, "under_way", lambda *_, **__: True)
    monkeypatch.setattr(state, "embedded_so_far", lambda *_, **__: (np.sort(np.concatenate(rows)), None))
    AppTest.from_function(partial_page, default_timeout=60).run()
    (refresh,) = asked
    assert next(done for done in range(1, 1_501) if refresh(Reached(done, 1_500))) == again
    assert not refresh(Reached(sum(map(len, rows)), 1_500))


def test_lsa_is_offered_beside_the_slow_encoder():
    rows = "\n".join(f"word{number % 7} text number {number},{'ab'[number % 2]}" for number in range(501))
    app = press(upload(("many.csv", f"text,topic\n{rows}\n".encode()), encoder="SBERT"), "Use this corpus")
    app.switch_page("pages/hits.py").run()
    assert {"Encode now", "Use LSA instead"} <= {button.label for button in app.button}
    assert press(app, "Use LSA instead").session_state["encoder"] == "lsa"
    assert "Encode now" not in [button.label for button in app.button]
