"""What a run costs is said before it starts; what does not fit is refused with what would, as buttons."""

from tests.pages.opened import open_app, press


def test_the_question_names_runs_time_and_memory(monkeypatch):
    monkeypatch.setattr("pages.shared.runs.ASK_FROM_SECONDS", 0.0)
    app = open_app("accuracy", run_seed="11")
    (asked,) = [each.value for each in app.markdown if "runs needed" in each.value]
    assert asked.startswith("**18 model runs needed.** About ") and " GB." in asked


def test_the_buttons_change_what_is_asked(monkeypatch):
    monkeypatch.setattr("core.evaluation.estimate.FEWER_AUTHORS", 3)
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
