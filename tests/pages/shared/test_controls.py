"""Controls that a button sets before they are drawn."""

from streamlit.testing.v1 import AppTest


def page() -> None:
    import streamlit as st

    from pages.shared import controls

    st.button("Set", on_click=controls.assign, args=({"number": 5},))
    if not st.session_state.get("waits"):
        controls.whole_number(st.container(), "A number", 2, 9, 3, key="number", help="")


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
