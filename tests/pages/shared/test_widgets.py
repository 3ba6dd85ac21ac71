"""Controls that a button sets before they are drawn."""

import pytest
from streamlit.testing.v1 import AppTest


def page() -> None:
    import streamlit as st

    from pages.shared import widgets

    st.button("Set", on_click=widgets.assign, args=({"number": 5},))
    if not st.session_state.get("waits"):
        widgets.integer_input(st.container(), "A number", 2, 9, 3, key="number", help="")


def test_what_a_button_set_outlives_a_run_that_stops_before_it_is_drawn() -> None:
    app = AppTest.from_function(page, default_timeout=60).run()
    assert app.slider(key="number").value == 3
    app.session_state["waits"] = True  # as a page does while vectors are made
    app.button[0].click().run()
    assert not app.slider
    del app.session_state["number"]  # as Streamlit does with controls that are not drawn
    app.session_state["waits"] = False
    app.run()
    assert not app.exception and app.slider(key="number").value == 5
    app.slider(key="number").set_value(7).run()
    assert app.slider(key="number").value == 7, "it is the visitor's again"


def ranged() -> None:
    import streamlit as st

    from pages.shared import widgets

    def begin() -> None:  # as a run that is proposed: fewer authors, and with them fewer topics to make folds of
        widgets.assign({"number": st.session_state["wanted"]})
        st.session_state["high"] = 9

    st.button("Set", on_click=begin)
    if st.session_state.get("waits"):
        st.stop()
    widgets.integer_input(st.container(), "A number", 2, st.session_state.get("high", 20), 6, key="number", help="")


@pytest.mark.parametrize("wanted", [3, 2])
@pytest.mark.parametrize("waits", [0, 1, 2])
@pytest.mark.parametrize("drawn_before", [True, False])
def test_what_a_button_set_stands_in_the_address_one_run_after_it_is_drawn(wanted, waits, drawn_before):
    app = AppTest.from_function(ranged, default_timeout=60)
    app.session_state["wanted"], app.session_state["waits"] = wanted, not drawn_before
    app.run()
    app.session_state["waits"] = waits > 0
    app.button[0].click().run()
    for _ in range(waits):
        app.session_state["waits"] = False
        app.run()
    app.run()
    for _ in range(3):
        assert not app.exception and app.slider(key="number").value == wanted
        assert app.query_params["number"] == str(wanted), "a reload shows the same"
        app.run()
    app.slider(key="number").set_value(8).run()
    assert app.slider(key="number").value == 8
