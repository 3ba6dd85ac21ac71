"""The one flow of long work: asked for, computed once, refused in a sentence, bounded; tested on a page of its own."""

from streamlit.testing.v1 import AppTest


def work_page() -> None:
    """Three steps, of which the second fails while the page says so; what was computed is counted."""
    import streamlit as st

    from core.errors import LeakscopeError
    from pages.shared import work

    def step(name: str) -> work.Step[str]:
        def compute(progress):
            st.session_state.setdefault("computed", []).append(name)
            progress(1, 2, "half", None)
            if name == st.session_state.get("fails"):
                raise LeakscopeError(f"{name} *cannot* be had.")
            return name.upper()

        return work.Step(compute, name)

    question = None
    if st.session_state.get("asks"):
        question = work.Question("Do it", flag=st.session_state.get("flag"), caption="It takes a while.")
    names = st.session_state.get("names", ["a", "b", "c"])
    found = work.results("vectors", {name: step(name) for name in names}, start="Starting …", question=question)
    st.session_state["found"] = found
    st.button("Elsewhere")


def opened(**state: object) -> AppTest:
    app = AppTest.from_function(work_page)
    for name, value in state.items():
        app.session_state[name] = value
    app.run()
    assert not app.exception, app.exception
    return app


def pressed(app: AppTest, label: str) -> AppTest:
    next(button for button in app.button if button.label == label).click().run()
    assert not app.exception, app.exception
    return app


def test_work_is_done_once_in_a_session():
    app = opened()
    assert app.session_state["found"] == {"a": "A", "b": "B", "c": "C"}
    assert pressed(app, "Elsewhere").session_state["computed"] == ["a", "b", "c"]


def test_a_step_that_fails_says_why_and_leaves_the_others_alone():
    app = opened(fails="b")
    assert app.session_state["found"] == {"a": "A", "c": "C"}
    assert [error.value for error in app.error] == [r"b \*cannot\* be had."]


def test_work_that_is_asked_for_waits_for_the_answer():
    app = opened(asks=True)
    assert "computed" not in app.session_state
    assert [caption.value for caption in app.caption] == ["It takes a while."]
    assert pressed(app, "Do it").session_state["found"] == {"a": "A", "b": "B", "c": "C"}
    assert "Do it" not in [button.label for button in pressed(app, "Elsewhere").button]


def test_an_answer_with_a_flag_stands_until_the_work_is_done():
    app = opened(asks=True, flag="wanted")
    assert "computed" not in app.session_state
    app = pressed(app, "Do it")
    assert app.session_state["computed"] == ["a", "b", "c"]
    assert "wanted" not in app.session_state
    assert not [button for button in app.button if button.label == "Stop"]


def test_work_that_was_interrupted_goes_on_where_it_was():
    app = opened(asks=True, flag="wanted", wanted=True, results={"vectors": {"a": "before"}})
    assert app.session_state["computed"] == ["b", "c"]
    assert app.session_state["found"] == {"a": "before", "b": "B", "c": "C"}


def test_the_cache_is_bounded_and_the_oldest_goes_first():
    app = opened(names=["a", "b", "c"])
    app.session_state["names"] = ["d", "e"]
    app.run()
    assert list(app.session_state["results"]["vectors"]) == ["b", "c", "d", "e"]


def test_what_is_wanted_now_is_never_dropped():
    app = opened(names=list("abcdef"))
    assert len(app.session_state["found"]) == 6
