"""Export: the report of what was looked at, and a project that restores the settings of every page."""

import io
import zipfile

import pytest
from streamlit.testing.v1 import AppTest

from pages.shared import jobs
from pages.shared.history import SHARED
from tests.core.made_corpora import Page, made
from tests.pages.opened import metrics, open_app, press, run_models, upload


def visit(app: AppTest, page: str, **query: str) -> AppTest:
    """Go to a page as a browser does: the controls of the page that is left are forgotten, here and in the address."""
    app.switch_page("pages/methods.py").run()
    for name in [name for name in app.query_params if name not in SHARED]:
        del app.query_params[name]
        if name in app.session_state:
            del app.session_state[name]
    app.query_params.update(query)
    app.switch_page(f"pages/{page}.py").run()
    assert not app.exception, (page, query, app.exception)
    return app


def opened(app: AppTest, project: bytes, *, results: bool = True) -> AppTest:
    visit(app, "corpus")
    uploader = next(each for each in app.file_uploader if (each.key or "").startswith("project_file"))
    uploader.set_value(
        [("p.zip", project, "application/zip")]
        if uploader.proto.multiple_files
        else ("p.zip", project, "application/zip")
    ).run()
    assert not app.exception, app.exception
    if not results:
        app.checkbox(key="project_results").uncheck().run()
    if any(button.label == "Open this project" for button in app.button):
        press(app, "Open this project")
    return app


def csv_of(corpus, topics=None) -> bytes:
    rows = zip(corpus.ids, corpus.texts, topics or corpus.topics, corpus.authors, corpus.splits, strict=True)
    return ("id,text,topic,author,split\n" + "".join(",".join(row) + "\n" for row in rows)).encode()


@pytest.fixture
def file() -> bytes:
    return csv_of(made(4, 5, split=True))


@pytest.fixture
def elsewhere(monkeypatch, tmp_path):
    """Another machine: nothing in memory, nothing on disk."""
    from streamlit import cache_resource

    def leave(name: str) -> None:
        monkeypatch.setenv("LEAKSCOPE_CACHE", str(tmp_path / name))
        cache_resource.clear()

    return leave


def downloaded(app: AppTest, button: str, key: str) -> bytes:
    """What a button in the sidebar makes, from where Streamlit would serve it."""
    press(app, button)
    assert any(each.key == key for each in app.get("download_button")), [each.value for each in app.sidebar.error]
    kind = "reports" if key == "report_file" else "projects"
    (made_file,) = [found for (_, each), cache in jobs.caches().items() if each == kind for found in cache.values()]
    return made_file


def test_the_report_holds_what_was_looked_at(file):
    app = press(upload(("my.csv", file)), "Use this corpus")
    visit(app, "hits", m="3")
    run_models(visit(app, "significance", run_k="2", run_models_attribution=["TopicFit", "Maximum entropy"]))
    page = Page(downloaded(app, "Make report", "report_file").decode())
    titles = [
        title
        for title in ("Does my evaluation leak, and what does it cost?", "Which topics should I keep?")
        if title in page.text
    ]
    assert len(titles) == 2 and "Which model is best" not in page.text
    assert "Topics to keep (m): 3" in page.text and "Is A really better than B?" in page.text
    assert len(page.figures) >= 6


def test_every_answer_of_a_report_is_of_the_settings_it_states():
    """Looked at under a filter that is gone: answered again, of all documents."""
    app = visit(open_app("hits", cap="10"), "ranking")
    assert "240 of 1,500 documents" in "".join(each.value for each in app.markdown)
    app.number_input(key="cap").set_value(0).run()
    page = Page(downloaded(app, "Make report", "report_file").decode())
    assert "Documents1,500" in "".join(page.text.split()) and "of 1,500 documents" in page.text
    assert "240 documents" not in page.text


def test_a_project_with_texts_needs_no_corpus_beside_it(file, elsewhere):
    elsewhere("here")
    app = press(upload(("my.csv", file)), "Use this corpus")
    assert "no texts" in "".join(each.value for each in app.sidebar.caption)
    app.toggle(key="project_texts").set_value(True).run()
    project = downloaded(app, "Save project", "project_download")
    elsewhere("there")
    other = opened(open_app("corpus", encoder="LSA"), project)
    assert other.session_state["corpus"] == "file" and metrics(other)["Documents"] == "20"


def test_nothing_is_made_before_it_is_asked_for_and_models_are_not_run_for_it(file):
    app = press(upload(("my.csv", file)), "Use this corpus")
    assert not app.get("download_button") or all(
        "report" not in (each.key or "") for each in app.get("download_button")
    )
    visit(app, "overview")
    page = Page(downloaded(app, "Make report", "report_file").decode())
    assert (
        "What is in my corpus?" in page.text
        and "Do models score higher where training is more similar?" not in page.text
    )


def test_beside_another_corpus_it_says_what_differs_and_changes_nothing(file, elsewhere):
    elsewhere("one")
    app = press(upload(("my.csv", file)), "Use this corpus")
    visit(app, "overview", k="3")
    project = downloaded(app, "Save project", "project_download")
    elsewhere("two")
    other = press(upload(("other.csv", csv_of(made(4, 4, split=True)))), "Use this corpus")
    opened(other, project)
    (said,) = [each.value for each in other.error]
    assert "This project is of my.csv (20 documents), not of the current corpus, other.csv" in said.replace("\\", "")
    assert "are in this corpus" in said and "Load the project's corpus" in said
    assert not any("Uses results of a project" in each.value for each in other.sidebar.caption)


def test_settings_alone_can_be_taken_and_cleaning_comes_back(elsewhere):
    elsewhere("one")
    file = b"".join(csv_of(made(4, 11, split=True)).splitlines(keepends=True)[:-6])  # one topic of five documents
    app = press(upload(("my.csv", file)), "Use this corpus")
    visit(press(visit(app, "corpus"), "Drop"), "overview")
    visit(visit(app, "corpus"), "overview", k="2")
    cleaned = [each.value for each in app.sidebar.caption if "Cleaned" in each.value]
    assert cleaned
    project = downloaded(app, "Save project", "project_download")
    elsewhere("two")
    other = opened(press(upload(("my.csv", file)), "Use this corpus"), project, results=False)
    assert [each.value for each in other.sidebar.caption if "Cleaned" in each.value] == cleaned
    assert not any("Uses results of a project" in each.value for each in other.sidebar.caption)
    assert visit(other, "overview").slider(key="k").value == 2


def test_a_file_that_is_no_project_is_a_sentence(file):
    app = press(upload(("my.csv", file)), "Use this corpus")
    opened(app, b"PK\x03\x04 nonsense")
    assert "damaged" in app.error[0].value
    opened(app, b"text")
    assert "not a project file" in app.error[0].value


def test_vectors_and_answers_come_from_the_project_and_nothing_is_run_again(file, elsewhere):
    elsewhere("one")
    app = press(upload(("my.csv", file)), "Use this corpus")
    run_models(visit(app, "accuracy", accuracy_view="topic by topic", run_k="2", run_models_attribution="TopicFit"))
    project = downloaded(app, "Save project", "project_download")
    elsewhere("two")
    other = opened(press(upload(("my.csv", file)), "Use this corpus"), project)
    visit(other, "accuracy", accuracy_view="topic by topic")
    assert other.slider(key="run_k").value == 2
    assert not any(button.label == "Run them" for button in other.button)
    assert any("Uses results of a project" in each.value for each in other.sidebar.caption)


def test_the_bundled_corpus_comes_back_with_its_pages(elsewhere):
    elsewhere("one")
    app = open_app("hits", m="5")
    project = downloaded(app, "Save project", "project_download")
    assert "vectors.parquet" not in zipfile.ZipFile(io.BytesIO(project)).namelist(), "they ship with the app"
    elsewhere("two")
    other = opened(open_app("corpus"), project)
    visit(other, "hits")
    assert other.slider(key="m").value == 5
