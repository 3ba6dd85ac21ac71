"""What a run costs is shown before it starts; what does not fit is refused with what would, as buttons."""

from tests.core.made_corpora import made
from tests.pages.opened import all_text, open_app, press, upload
from tests.pages.shared.test_export import csv_of


def test_the_question_names_runs_time_and_memory(monkeypatch):
    monkeypatch.setattr("pages.shared.runs.ASK_FROM_SECONDS", 0.0)
    app = open_app("accuracy", run_seed="11")
    (asked,) = [each.value for each in app.markdown if "runs needed" in each.value]
    assert asked.startswith("**18 model runs needed.** About ") and " GB." in asked


def test_the_buttons_change_what_is_asked(monkeypatch):
    monkeypatch.setattr("core.evaluation.run.FEWER_AUTHORS", 3)
    monkeypatch.setattr("pages.shared.runs.ASK_FROM_SECONDS", 0.0)
    monkeypatch.setenv("LEAKSCOPE_JOB_MEMORY", "430")
    app = open_app("accuracy", run_seed="13")
    (refused,) = app.error
    assert "This would take about" in refused.value and "GB" in refused.value
    assert "Only the 3 authors with most texts" in [button.label for button in app.button]
    monkeypatch.delenv("LEAKSCOPE_JOB_MEMORY")
    app = press(app, "Only the 3 authors with most texts")
    assert app.session_state["most_authors"] == 3
    assert not app.error


def test_a_quick_start_limits_its_own_run_and_no_other_page(monkeypatch):
    for where in ("core.evaluation.run", "core.questions.runs"):
        monkeypatch.setattr(f"{where}.FEW_AUTHORS", 3)
    monkeypatch.setattr("pages.shared.runs.ASK_FROM_SECONDS", 0.0)
    app = press(upload(("my.csv", csv_of(made(4, 6, authors=5, split=True)))), "Use this corpus")
    app.switch_page("pages/significance.py").run()
    app = press(app, "Run this")
    assert app.session_state["run_authors"] == 3 and not app.session_state["most_authors"]
    assert app.slider(key="run_authors").value == 3
    app.switch_page("pages/hits.py").run()
    assert not [each for each in app.button if each.label.endswith("authors")], "no filter is set"


def test_a_filter_is_shown_on_every_page_but_the_lesson_and_taken_off_there():
    app = open_app("hits", cap="10")
    assert ":material/filter_alt: **240 of 1,500 documents**" in [each.value for each in app.markdown]
    app.switch_page("pages/lesson.py").run()
    assert ":material/filter_alt" not in all_text(app), "the lesson always has the whole corpus"
    app.switch_page("pages/ranking.py").run()
    app = press(app, "at most 10 per topic")
    assert app.session_state["cap"] == 0 and not [each for each in app.button if "per topic" in each.label]
