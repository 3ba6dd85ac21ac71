"""The lesson: asks before it shows, has a word for every answer, can be skipped, resumed by link and printed."""

import pytest

from core.demo import bundled_evidence, bundled_lesson
from core.lesson import SKIPPED, ChoiceQuestion, judged
from pages.parts.lesson import ANSWERS, charts, class_counts, steps
from tests.pages.opened import all_text, figure, links, open_app, press, shown_page, upload

NUMBERS = range(1, 10)
FIGURES = ["map", "pairs", "deal", "leaks", "kept", "right", "curve", "dial", "wins"]


def charts_on(app) -> list[str]:
    return [each.proto.id.rsplit("-", 1)[-1] for each in app.get("plotly_chart")]


def wrong_answer(number: int) -> str | int:
    question = steps()[number - 1].question
    if isinstance(question, ChoiceQuestion):
        return next(option.label for option in question.options if not option.right)
    return question.low


def test_there_are_as_many_charts_as_steps():
    assert len(steps()) == len(charts(bundled_lesson())) == len(NUMBERS)


def test_nothing_is_shown_before_an_answer_and_a_wrong_one_is_explained():
    app = open_app("lesson")
    for number in NUMBERS:
        step, given = steps()[number - 1], wrong_answer(number)
        assert any(step.title in each.value for each in app.subheader), f"step {number} is shown"
        assert not charts_on(app) and step.told not in all_text(app), "nothing before the answer"
        kind = app.radio if isinstance(step.question, ChoiceQuestion) else app.select_slider
        kind(key=f"lesson_answer_{number}").set_value(given)
        press(app, "Answer")
        said = judged(step.question, given)
        assert not said.right
        assert [each.value for each in app.warning] == [said.because]
        assert any(said.truth in each.value for each in app.caption)
        assert charts_on(app) == [f"lesson_figure_{FIGURES[number - 1]}"]
        assert step.told in all_text(app)
        assert charts(bundled_lesson())[number - 1].label in links(app)
        press(app, "Next")
    assert app.segmented_control(key="step").value == "Summary"
    assert app.subheader[0].value == "9 of 9 questions answered, 0 correct."
    assert "Summary to print (html)" in [each.label for each in app.get("download_button")]


def test_a_right_answer_is_told_so_and_can_be_given_again():
    app = open_app("lesson", step="3")
    step = steps()[2]
    app.radio(key="lesson_answer_3").set_value(step.question.truth)
    press(app, "Answer")
    assert [each.value for each in app.success] == [judged(step.question, step.question.truth).because]
    press(app, "Answer again")
    assert not charts_on(app) and app.session_state[ANSWERS] == {}


def test_without_an_answer_it_asks_for_one_or_shows_all_the_same():
    app = open_app("lesson", step="2")
    press(app, "Answer")
    assert any("Choose an answer first" in each.value for each in app.info)
    press(app, "Show the answer")
    assert app.session_state[ANSWERS] == {2: SKIPPED}
    assert charts_on(app) == ["lesson_figure_pairs"]
    assert not app.warning and not app.success, "what was not answered is neither right nor wrong"
    app.segmented_control(key="step").set_value("Summary").run()
    assert app.subheader[0].value.startswith("0 of 9 questions answered")
    assert all_text(app).count("Not answered yet") == 9 and steps()[4].told not in all_text(app)


def test_every_step_can_be_skipped_and_a_link_opens_any():
    app = open_app("lesson")
    press(press(app, "Next"), "Next")
    assert app.segmented_control(key="step").value == "3"
    press(app, "Back")
    assert app.segmented_control(key="step").value == "2"
    assert open_app("lesson", step="7").segmented_control(key="step").value == "7"


@pytest.mark.parametrize("step", ["99", "0", "seven", "<b>"])
def test_a_link_to_no_step_opens_the_first(step):
    app = shown_page("lesson", step=step)
    assert app.segmented_control(key="step").value == "1" and not app.error


def moved(number: int, kind: str, key: str, value: object) -> tuple[dict, dict, str]:
    """A step's figure before and after its control is moved, and the page's text then."""
    app = open_app("lesson", step=str(number))
    app.session_state[ANSWERS] = {number: SKIPPED}
    app.run()
    name = f"lesson_figure_{FIGURES[number - 1]}"
    before = figure(app, name)
    getattr(app, kind)(key=key).set_value(value).run()
    assert not app.exception, app.exception
    return before, figure(app, name), all_text(app)


@pytest.mark.parametrize(
    ("number", "kind", "key", "value"),
    [
        (1, "selectbox", "lesson_topic", "opera"),
        (2, "selectbox", "lesson_beside", "chess"),
        (3, "slider", "lesson_deal", 7),
        (4, "slider", "lesson_k", 2),
        (5, "slider", "lesson_m", 20),
        (6, "segmented_control", "lesson_model", "char_svm"),
        (7, "segmented_control", "lesson_control", "function"),
        (8, "segmented_control", "lesson_loyal", 0.8),
        (9, "slider", "lesson_topics", 24),
    ],
)
def test_every_step_has_a_control_that_moves_its_chart(number, kind, key, value):
    before, after, _ = moved(number, kind, key, value)
    assert before != after


def test_what_is_said_beside_a_chart_follows_its_control():
    lesson = bundled_lesson()
    _, drawn, text = moved(5, "slider", "lesson_m", 20)
    assert f"**{lesson.path.max[19]:.2f}**, so some are near twins" in text
    assert [float(each) for each in drawn["data"][-1]["y"]] == [pytest.approx(lesson.path.max[19])]
    _, _, text = moved(9, "slider", "lesson_topics", 24)
    assert "A is ahead on 18 of 24 topics: **p = 0.023**" in text


def test_the_lesson_is_on_the_bundled_corpus_whatever_is_current():
    assert set(bundled_evidence().held_out) == {"topic_fit", "max_ent", "char_svm"}
    app = shown_page("lesson", corpus="Your own file")
    assert not app.error and any(steps()[0].title in each.value for each in app.subheader)


def revealed(number: int, **query: str):
    app = open_app("lesson", step=str(number), **query)
    app.session_state[ANSWERS] = {number: SKIPPED}
    app.run()
    return app


def test_links_open_the_page_on_the_lessons_newspaper_whatever_is_current(tiny_csv):
    chart = charts(bundled_lesson())[4]
    assert chart.label in links(revealed(5)), "a link where the newspaper is loaded unchanged"
    app = press(upload(("my.csv", tiny_csv)), "Use this corpus")
    app.query_params["step"] = "5"
    app.session_state[ANSWERS] = {5: SKIPPED}
    app.switch_page("pages/lesson.py").run()
    assert chart.label not in links(app)
    said = " ".join(each.value for each in app.caption).replace("\\", "")
    assert "You currently use my.csv. This opens the lesson's newspaper" in said, said
    press(app, chart.label)
    assert app.title[0].value == "Which topics should I keep?"
    assert (app.selectbox(key="corpus").value, app.selectbox(key="encoder").value) == ("courier", "sbert")
    assert app.slider(key="m").value == bundled_lesson().verdict.keep


@pytest.mark.parametrize(("query", "said"), [({"encoder": "LSA"}, "another encoder"), ({"min_docs": "40"}, "part of")])
def test_the_newspaper_seen_in_another_way_is_said_beside_the_link(query, said):
    app = revealed(2, **query)
    assert any(f"You currently use {said}" in each.value for each in app.caption)


def test_every_link_names_a_state_that_its_page_has():
    for number, chart in enumerate(charts(bundled_lesson()), start=1):
        app = shown_page(chart.page.removeprefix("pages/").removesuffix(".py"), **chart.state)
        for name, value in chart.state.items():
            held = app.session_state[name]
            assert str(held).lower() == value.lower(), (number, name)


def test_answers_of_a_project_that_no_step_has_are_dropped():
    app = open_app("lesson", step="Summary")
    app.session_state[ANSWERS] = {1: "no such answer", 4: 10_000, 40: 1, 2: SKIPPED}
    app.run()
    assert not app.exception and app.session_state[ANSWERS] == {2: SKIPPED}


def test_a_slider_that_was_not_moved_is_no_answer():
    app = open_app("lesson", step="4")
    assert app.select_slider(key="lesson_answer_4").value is None
    press(app, "Answer")
    assert any("Move the slider first" in each.value for each in app.info) and app.session_state[ANSWERS] == {}
    app.select_slider(key="lesson_answer_4").set_value(0)
    press(app, "Answer")
    assert app.session_state[ANSWERS] == {4: 0}, "nothing at all is an answer, once it is chosen"


def test_answers_are_in_the_address_and_a_reload_finds_them():
    app = open_app("lesson", step="4")
    app.select_slider(key="lesson_answer_4").set_value(9)
    press(app, "Answer")
    press(press(app, "Next"), "Show the answer")
    assert app.query_params["answers"] in ("4-9.5x", ["4-9.5x"])
    again = open_app("lesson", step="Summary", answers="4-9.5x")
    assert again.session_state[ANSWERS] == {4: 9, 5: SKIPPED}
    assert again.subheader[0].value == "1 of 9 questions answered, 0 correct."


def test_the_name_is_on_the_page_to_print_and_in_no_address():
    app = open_app("lesson", step="Summary")
    app.text_input(key="lesson_name").set_value("Ada Lovelace").run()
    assert not app.exception and "Ada" not in str(dict(app.query_params))


def test_a_class_has_no_sidebar_and_other_pages_keep_theirs():
    app = open_app("lesson", **{"class": "1"})
    assert not app.sidebar.selectbox and any(steps()[0].title in each.value for each in app.subheader)
    assert open_app("hits", **{"class": "1"}).sidebar.selectbox(key="corpus").value == "courier"


@pytest.fixture
def with_class(monkeypatch):
    """A server that collects a class's answers."""
    monkeypatch.setenv("LEAKSCOPE_CLASS", "heron")
    class_counts().clear()
    yield class_counts()
    class_counts().clear()


def answered(number: int, given: int, **query: str):
    app = open_app("lesson", step=str(number), **query)
    app.select_slider(key=f"lesson_answer_{number}").set_value(given)
    return press(app, "Answer")


def test_first_answers_of_a_class_are_counted_and_of_nobody_else(with_class):
    app = answered(4, 9, **{"class": "1"})
    press(app, "Answer again")
    app.select_slider(key="lesson_answer_4").set_value(15)
    press(app, "Answer")
    answered(4, 9)
    assert with_class.of(4).given == 1 and with_class.of(4).counts[9] == 1
    app = open_app("lesson", step="4", answers="4-9", **{"class": "1"})
    press(app, "Answer again")
    app.select_slider(key="lesson_answer_4").set_value(12)
    press(app, "Answer")
    assert with_class.of(4).given == 1, "after a reload it is the second answer still"


def test_nothing_is_counted_without_the_setting():
    class_counts().clear()
    answered(4, 9, **{"class": "1"})
    assert class_counts().of(4).given == 0
    app = open_app("lesson", **{"class": "teacher"})
    assert any("does not collect answers" in each.value for each in app.info) and not charts_on(app)


def test_the_teacher_sees_counts_once_the_word_is_given(with_class):
    answered(4, 9, **{"class": "1"})
    answered(4, 15, **{"class": "1"})
    app = open_app("lesson", **{"class": "teacher"})
    assert not charts_on(app)
    app.text_input(key="lesson_word").set_value("stork").run()
    assert app.error and not charts_on(app)
    app.text_input(key="lesson_word").set_value("heron").run()
    assert charts_on(app) == ["lesson_figure_class"]
    app.segmented_control(key="lesson_class_step").set_value(4).run()
    text = all_text(app)
    assert "**2 answers**." in text and "14.8" not in text, "the right answer is not given away"
    app.toggle(key="lesson_class_shown_4").set_value(True).run()
    assert "**2 answers**, 1 correct (50%). The answer: **14.8 topics**." in all_text(app)
    press(app, "Delete all counts")
    assert with_class.of(4).given == 0 and "No answers yet." in all_text(app)
