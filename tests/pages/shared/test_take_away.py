"""Take it away: the report of what was looked at, and a project that restores every page in another process."""

import io
import json
import re
import zipfile

import pytest
from streamlit.testing.v1 import AppTest

from pages.shared import work
from tests.core.report.made import Page, made
from tests.pages.opened import PAGES, open_app, press, run_models, upload

# Drawn anew for every file that is offered, and for every table that is styled.
HANDLE = re.compile(r'\w*(?:file_id|url|uuid): "[^"]*"|T_[0-9a-f]{5}')
SEEN = {
    "overview": {"k": "3"},
    "hits": {"m": "3", "policy": "grouping"},
    "topic_map": {"a": "topic 1", "b": "topic 3", "layout": "PCA"},
    "design": {"design_k": "2", "design_balance": "50"},
    "accuracy": {"accuracy_k": "2", "accuracy_seed": "1"},
    "split": {},
}


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
    (made_file,) = [found for (_, each), cache in work._caches().items() if each == kind for found in cache.values()]
    return made_file


def visit(app: AppTest, page: str, **query: str) -> AppTest:
    for name, value in query.items():
        app.query_params[name] = value
    app.switch_page(f"pages/{page}.py").run()
    assert not app.exception, (page, app.exception)
    return app


def elements(app: AppTest) -> list[str]:
    """All that the page shows, as it is sent to the browser, without the sidebar."""
    chosen = [*app.main.slider, *app.main.selectbox, *app.main.multiselect, *app.main.number_input, *app.main.toggle]
    found = [f"{each.key}: {each.value}" for each in chosen]
    for element in app.main:
        proto = getattr(element, "proto", None)
        if proto is not None and type(proto).__name__ not in ("FileUploader", "Slider", "Selectbox"):
            found.append(HANDLE.sub("", str(proto)))
    return found


def shown(app: AppTest, page: str) -> list[str]:
    return elements(run_models(visit(app, page)))


def test_the_report_holds_what_was_looked_at(file):
    app = press(upload(("my.csv", file)), "Use this corpus")
    visit(app, "hits", m="3")
    run_models(run_models(visit(app, "accuracy", accuracy_k="2", ordinary="true")))
    page = Page(downloaded(app, "Make the report", "report_file").decode())
    titles = [
        title
        for title in ("Does my split leak?", "Which topics should I keep?", "Does similarity buy accuracy?")
        if title in page.text
    ]
    assert len(titles) == 3 and "Which model wins" not in page.text
    assert "Topics kept (m): 3" in page.text and "Topic k-fold, 2" in page.text
    assert "Ordinary k-fold" not in page.text, "what stands beside a run is not the run"
    assert len(page.figures) >= 6


def test_nothing_is_made_before_it_is_asked_for_and_models_are_not_run_for_it(file):
    app = press(upload(("my.csv", file)), "Use this corpus")
    assert not app.get("download_button") or all(
        "report" not in (each.key or "") for each in app.get("download_button")
    )
    visit(app, "overview")
    page = Page(downloaded(app, "Make the report", "report_file").decode())
    assert "What do I have?" in page.text and "Does similarity buy accuracy?" not in page.text


def saved_project(app: AppTest) -> tuple[bytes, dict[str, list[str]]]:
    before = {}
    for page, query in SEEN.items():
        run_models(visit(app, page, **query))
        before[page] = elements(app)
    return downloaded(app, "Save a project", "project_download"), before


def test_save_new_process_load_every_page_is_the_same(file, elsewhere, monkeypatch):
    elsewhere("one")
    app = press(upload(("my.csv", file)), "Use this corpus")
    project, before = saved_project(app)
    about = json.loads(zipfile.ZipFile(io.BytesIO(project)).read("project.json"))
    assert about["pages"]["overview"] == {"k": ["3"]} and about["settings"]["encoder"] == "lsa"
    elsewhere("two")
    other = press(upload(("copy.csv", file)), "Use this corpus")
    opened(other, project)
    monkeypatch.setattr("core.evaluation.run._one_run", _computes)
    monkeypatch.setattr("core.vectors.words.Lsa.batches", _computes)
    monkeypatch.setattr("pages.parts.design.design_options", _computes)
    for page, elements_before in before.items():
        after = shown(other, page)
        assert len(after) == len(elements_before), page
        for one, two in zip(elements_before, after, strict=True):
            assert one == two, page
    assert any("not computed here" in each.value for each in other.sidebar.caption)


def _computes(*arguments, **keywords):
    raise AssertionError("computed, where the project has it")


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


def test_beside_another_corpus_it_says_what_differs_and_changes_nothing(file, elsewhere):
    elsewhere("one")
    app = press(upload(("my.csv", file)), "Use this corpus")
    visit(app, "overview", k="3")
    project = downloaded(app, "Save a project", "project_download")
    elsewhere("two")
    other = press(upload(("other.csv", csv_of(made(4, 4, split=True)))), "Use this corpus")
    opened(other, project)
    (said,) = [each.value for each in other.error]
    assert "This project is of my.csv (20 documents), not of other.csv" in said.replace("\\", "")
    assert "are in this corpus" in said and "Load its own corpus" in said
    assert not any("not computed here" in each.value for each in other.sidebar.caption)


def test_settings_alone_can_be_taken_and_cleaning_comes_back(elsewhere):
    elsewhere("one")
    file = b"".join(csv_of(made(4, 11, split=True)).splitlines(keepends=True)[:-6])  # one topic of five documents
    app = press(upload(("my.csv", file)), "Use this corpus")
    visit(press(visit(app, "corpus"), "Drop"), "overview")
    visit(visit(app, "corpus"), "overview", k="2")
    cleaned = [each.value for each in app.sidebar.caption if "Cleaned" in each.value]
    assert cleaned
    project = downloaded(app, "Save a project", "project_download")
    elsewhere("two")
    other = opened(press(upload(("my.csv", file)), "Use this corpus"), project, results=False)
    assert [each.value for each in other.sidebar.caption if "Cleaned" in each.value] == cleaned
    assert not any("not computed here" in each.value for each in other.sidebar.caption)
    assert visit(other, "overview").slider(key="k").value == 2


def test_a_file_that_is_no_project_is_a_sentence(file):
    app = press(upload(("my.csv", file)), "Use this corpus")
    opened(app, b"PK\x03\x04 nonsense")
    assert "damaged" in app.error[0].value
    opened(app, b"text")
    assert "no project file" in app.error[0].value


def test_the_bundled_corpus_comes_back_with_its_pages(elsewhere):
    elsewhere("one")
    app = open_app("hits", m="5")
    project = downloaded(app, "Save a project", "project_download")
    assert "vectors.parquet" not in zipfile.ZipFile(io.BytesIO(project)).namelist(), "they ship with the app"
    elsewhere("two")
    other = opened(open_app("corpus"), project)
    visit(other, "hits")
    assert other.slider(key="m").value == 5


def test_on_a_host_no_file_gives_results_of_what_everybody_has(elsewhere, monkeypatch):
    monkeypatch.setenv("LEAKSCOPE_HOSTED", "1")
    elsewhere("one")
    app = open_app("design")
    project = downloaded(app, "Save a project", "project_download")
    assert json.loads(zipfile.ZipFile(io.BytesIO(project)).read("results.json"))
    elsewhere("two")
    opened(open_app("corpus"), project)
    assert not work.all_of("designs", public=True), "held for everybody"


def test_every_page_of_a_report_names_its_controls():
    from core.report import PAGES as REPORTED
    from pages.shared.seen import CONTROLS

    assert set(CONTROLS) == set(REPORTED) <= set(PAGES)
