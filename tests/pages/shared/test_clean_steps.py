"""Cleaning on the Corpus page: a click fixes, a click takes back, a reload finds it, and nothing leaves unsaid."""

import json
from pathlib import Path

import pytest
import streamlit as st

from core.corpora import DropSmallTopics, make_corpus, steps_from_json
from core.demo import bundled_corpus
from pages.shared import jobs, keep, session
from tests.pages.opened import all_text, links, metrics
from tests.pages.shared.test_keep import ME, OTHER, OWN, load, visit

ROWS = [
    ("", "bread", "Ann Lee"), ("flour and dough and yeast", "bread", "ann lee"), ("flour and dough and yeast", "bread", "Bob"),
    ("an oven that is hot all day", "bread", "Bob"), ("comets pass by the planets", "stars", "Ann Lee"),
    ("a lens for the telescope", "stars", "Bob"), ("only one is about this", "odds", "Bob"), ("ok", "bread", "Bob"),
]  # fmt: skip


@pytest.fixture(autouse=True)
def a_cache_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEAKSCOPE_CACHE", str(tmp_path))
    jobs.caches().clear()


@pytest.fixture
def messy() -> bytes:
    return "\n".join(["text,topic,author", *(",".join(row) for row in ROWS)]).encode()


def click(app, key):
    app.button(key=key).click().run()
    assert not app.exception, app.exception
    return app


def labels(app):
    return [button.label for button in app.button]


def counted(app):
    return tuple(metrics(app)[name] for name in ("Documents", "Topics", "Authors"))


def test_a_click_fixes_and_a_click_undoes(messy: bytes):
    app = load(visit(ME), messy)
    assert counted(app) == ("8", "3", "3")
    assert r"Fix before evaluating\: blank texts" in all_text(app)
    app = click(app, "fix_empty")
    assert counted(app) == ("7", "3", "3")
    app = click(app, "fix_duplicates-within")
    app = click(app, "merge_author-spellings")
    assert counted(app) == ("6", "3", "2")
    said = all_text(app)
    assert r"Drop blank texts\: 1 document fewer" in said and "Cleaned in 3 steps" in said
    assert len(app.query_params["cleaned"]) == 8
    assert "Drop blank texts" not in labels(app), "what is fixed is warned of no more"
    app = click(app, "undo_0")
    assert counted(app) == ("7", "3", "2")
    app = click(app, "undo_all")
    assert counted(app) == ("8", "3", "3") and "cleaned" not in app.query_params
    app = load(click(app, "fix_empty"), messy)
    assert counted(app)[0] == "8", "loaded again, a file begins afresh"


def test_small_topics_are_dropped_or_merged_at_the_size_that_is_chosen(messy: bytes):
    app = load(visit(ME), messy)
    app.number_input(key="small_topic").set_value(2).run()
    app = click(app, "fix_merge-small")
    assert counted(app)[1] == "3" and "into 'other'" in all_text(app)
    app = click(click(app, "undo_0"), "fix_drop-small")
    assert counted(app)[:2] == ("7", "2")
    app.number_input(key="small_topic").set_value(99).run()
    app = click(app, "fix_drop-small")
    assert "this would leave 0 documents" in app.error[0].value
    assert counted(app)[:2] == ("7", "2"), "a refusal changes nothing"


def test_a_reload_finds_what_was_done_and_another_browser_does_not(messy: bytes):
    link = click(load(visit(ME), messy), "fix_empty").query_params["cleaned"]
    jobs.caches().clear()
    app = visit(ME, corpus=OWN)
    assert counted(app)[0] == "7" and app.query_params["cleaned"] == link
    stranger = visit(OTHER, cleaned=link)
    assert any("made after cleaning the corpus" in warning.value for warning in stranger.warning)
    assert not any("made after cleaning" in warning.value for warning in app.warning)
    app.button(key="forget").click().run()
    assert counted(load(visit(ME), messy))[0] == "8", "forgotten with the file"


def test_the_bundled_corpus_can_be_cleaned_and_stays_as_it_is():
    app = visit(ME, cap="5")
    app.number_input(key="small_topic").set_value(60).run()
    app = click(app, "fix_drop-small")
    kept = int((bundled_corpus().topic_sizes >= 60).sum())
    assert metrics(app)["Topics"] == str(kept) and len(bundled_corpus().topic_names) == 24
    app.switch_page("pages/hits.py").run()
    assert not app.exception
    assert "Cleaned in one step" in all_text(app)


def test_one_topic_is_taken_of_a_list_as_the_file_is_loaded():
    rows = [('"a; b"', "one text"), ("a", "another text"), ('"b; c"', "a third text"), ("b", "a fourth text")]
    app = visit(ME)
    content = "\n".join(["topics,text", *(",".join(row) for row in rows)]).encode()
    app.file_uploader(key="files").set_value([("lists.csv", content, "text/csv")]).run()
    assert any("text categorization" in label for label in links(app))
    app.radio(key="one_topic").set_value("rarest").run()
    next(button for button in app.button if button.label == "Use this corpus").click().run()
    assert metrics(app)["Topics"] == "3"
    assert "Of several topics take the rarest" in all_text(app)
    app = click(app, "undo_0")
    assert metrics(app)["Topics"] == "4"
    app = click(app, "fix_each")
    assert metrics(app)["Documents"] == "6"


def test_what_is_on_disk_is_read_as_steps_or_not_at_all(messy: bytes):
    click(load(visit(ME), messy), "fix_empty")
    file = session.folder_of(ME) / keep.STEPS_FILE
    ((_, steps),) = json.loads(file.read_text()).items()
    assert steps_from_json(steps)[0].code == "drop-short"
    for damage in ('{"x": [{"step": "format-disk"}]}', "[" * 9_000):
        file.write_text(damage)
        jobs.caches().clear()
        assert counted(visit(ME, corpus=OWN))[0] == "8"
    assert file.parent.stat().st_mode & 0o077 == 0


def test_a_step_chosen_first_in_a_session_keeps_the_steps_of_other_corpora(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    one, two = (make_corpus(list("abcd"), list(topics), name="x") for topics in ("uuvv", "uvuv"))
    monkeypatch.setattr(session, "folder", lambda: tmp_path)
    for corpus in (one, two):
        monkeypatch.setattr(st, "session_state", {})  # as after a reload
        keep.choose_steps(corpus, (DropSmallTopics(2),))
    monkeypatch.setattr(st, "session_state", {})
    assert [keep.steps_of(corpus) for corpus in (one, two)] == [(DropSmallTopics(2),)] * 2
