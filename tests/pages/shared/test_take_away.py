"""Take it away: the report of what was looked at, and a project that restores every page in another process."""

import io
import json
import os
import subprocess
import sys
import zipfile
from contextlib import suppress

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.errors import LeakscopeError
from core.report import SAVED
from core.report.kinds import check
from core.report.records import from_json, to_json
from core.statistics.simulation import PAIR, network_points, rates_when_equal
from pages.shared import result_cache
from tests.conftest import ROOT
from tests.core.report.made import NETWORK, SCORES, Page, labelled_file, made
from tests.core.report.test_kinds import mutants
from tests.pages.opened import PAGES, open_app, press, run_models, upload
from tests.pages.shared.restored import STATES, elements, opened, shown, visit


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
    (made_file,) = [
        found for (_, each), cache in result_cache.caches().items() if each == kind for found in cache.values()
    ]
    return made_file


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


def test_views_that_were_looked_at_are_in_the_report(file):
    app = press(upload(("my.csv", file)), "Use this corpus")
    swapped = {"accuracy_view": "twin swapped out", "accuracy_models_attribution": "TopicFit", "accuracy_draws": "1"}
    run_models(visit(app, "accuracy", **swapped))
    run_models(visit(app, "accuracy", accuracy_view="all together", accuracy_models_attribution="TopicFit"))
    hold_made_networks()
    visit(app, "trust", view="networks", net_source="made networks")
    page = Page(downloaded(app, "Make the report", "report_file").decode())
    assert "What does a near twin in training buy?" in page.text and "Draws of stand-ins: 1" in page.text
    assert "What is similarity worth once authors are taken out?" in page.text
    assert "How often does a test lie on networks?" in page.text and "Networks: made networks" in page.text
    assert "Does similarity buy accuracy?" not in page.text, "another view of the page was looked at"


def test_nothing_is_made_before_it_is_asked_for_and_models_are_not_run_for_it(file):
    app = press(upload(("my.csv", file)), "Use this corpus")
    assert not app.get("download_button") or all(
        "report" not in (each.key or "") for each in app.get("download_button")
    )
    visit(app, "overview")
    page = Page(downloaded(app, "Make the report", "report_file").decode())
    assert "What do I have?" in page.text and "Does similarity buy accuracy?" not in page.text


def load_files(app: AppTest) -> None:
    """A table, a corpus with several topics a document and a network: read, and then no longer loaded."""
    visit(app, "significance", significance_compare="a table of your own")
    app.file_uploader(key="comparison_file").set_value(("scores.csv", SCORES, "text/csv")).run()
    visit(app, "significance", significance_compare="text categorization", categorizers="NB")
    app.file_uploader(key="labelled_file").set_value(("many.csv", labelled_file(), "text/csv")).run()
    press(app, "Run them")
    visit(app, "trust", view="networks", net_source="your own")
    for key, content in NETWORK.items():
        app.file_uploader(key=key).set_value((f"{key}.csv", content, "text/csv"))
    app.run()
    assert not app.exception, app.exception


def hold_made_networks() -> None:
    """As if they had been grown, which takes minutes."""
    found = rates_when_equal("ncv", 0.3, trials=3, seed=1, nodes=60)
    for point in network_points(0.3):
        result_cache.hold("networks", (*point, 50, 300, *PAIR), found, public=True)


def saved_project(app: AppTest) -> tuple[bytes, dict[str, list[str]]]:
    load_files(app)
    hold_made_networks()
    before: dict[str, list[str]] = {}
    app.session_state["lesson_answers"] = {2: "skipped", 4: 3}
    for state in STATES:
        run_models(visit(app, state.page, **state.query))
        for label in state.pressed:
            press(app, label)
        before[state.name] = shown(app, state.page, **state.query) if state.pressed else elements(app)
    return downloaded(app, "Save a project", "project_download"), before


def test_save_new_process_load_every_page_is_the_same(file, elsewhere, tmp_path):
    elsewhere("one")
    app = press(upload(("my.csv", file)), "Use this corpus")
    project, before = saved_project(app)
    assert {state.page for state in STATES} == set(PAGES), "every page of the app"
    about = json.loads(zipfile.ZipFile(io.BytesIO(project)).read("project.json"))
    assert about["pages"]["design"]["design_k"] == ["2"] and about["settings"]["encoder"] == "lsa"
    kinds = {kind for kind, _, _ in json.loads(zipfile.ZipFile(io.BytesIO(project)).read("results.json"))}
    assert kinds == set(SAVED) - {"maps"}, "of every kind that a project holds one (the map is PCA)"
    (tmp_path / "project.zip").write_bytes(project)
    (tmp_path / "copy.csv").write_bytes(file)
    command = [sys.executable, "-m", "tests.pages.shared.restored", str(tmp_path)]
    here = os.environ | {"LEAKSCOPE_CACHE": str(tmp_path / "two")}
    other = subprocess.run(command, cwd=ROOT, env=here, capture_output=True, text=True, timeout=300)
    assert other.returncode == 0, other.stderr[-4000:]
    after = json.loads((tmp_path / "after.json").read_text(encoding="utf-8"))
    for name, elements_before in before.items():
        assert len(after["pages"][name]) == len(elements_before), name
        for one, two in zip(elements_before, after["pages"][name], strict=True):
            assert one == two, name
    assert any("not computed here" in each for each in after["sidebar"])


def changed_everywhere(results: dict, rng: np.random.Generator) -> dict:
    """Every result with one thing changed that its laws do not forbid: what a forger could bring past the door."""
    forged = {}
    for (kind, key), found in results.items():
        written = json.loads(json.dumps(to_json(found)))
        for _, _, mutant in mutants(written, rng):
            with suppress(LeakscopeError):
                other = from_json(json.loads(json.dumps(mutant)))
                check(kind, other)
                if json.dumps(to_json(other)) != json.dumps(written):
                    forged[kind, key] = other
                    break
    return forged


def test_a_forged_project_breaks_no_page(file, elsewhere):
    elsewhere("one")
    app = press(upload(("my.csv", file)), "Use this corpus")
    states = [state for state in STATES if state.page in ("corpus", "design", "split", "hits")]
    for state in states:
        visit(app, state.page, **state.query)
        for label in state.pressed:
            press(app, label)
    project = downloaded(app, "Save a project", "project_download")
    elsewhere("two")
    other = opened(press(upload(("my.csv", file)), "Use this corpus"), project)
    brought = dict(other.session_state[result_cache.BROUGHT])
    forged = changed_everywhere(brought, np.random.default_rng(1))
    assert len(forged) >= 6
    other.session_state[result_cache.BROUGHT] = forged
    for state in states:
        visit(other, state.page, **state.query)


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
    other = opened(open_app("corpus"), project)
    brought = set(other.session_state[result_cache.BROUGHT])
    visit(other, "design")
    assert brought and set(other.session_state[result_cache.BROUGHT]) == brought, "nothing of the file was taken"


def test_every_page_of_a_report_names_its_controls():
    from core.report import PAGES as REPORTED
    from pages.shared.history import CONTROLS, VIEWS

    assert set(CONTROLS) == set(REPORTED)
    assert {name for name, (_, views) in VIEWS.items() for name in (name, *views.values()) if name} >= set(
        REPORTED
    ) - set(PAGES)
