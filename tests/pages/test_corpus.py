"""Corpus: counts, caps, names, the empty state, and 20 Newsgroups."""

from core.corpora import make_corpus
from core.errors import InputError
from tests.pages.opened import all_text, links, metrics, open_app, press, shown_page, upload


def test_the_cap_cuts_every_topic():
    app = shown_page("corpus", cap="10")
    assert metrics(app)["Documents"] == "240"


def test_an_empty_corpus_page_does_not_link_to_itself():
    assert "Go to Corpus to load it" in links(shown_page("hits", corpus="Your own file"))
    app = shown_page("corpus", corpus="Your own file")
    assert any("No file is loaded" in info.value for info in app.info)
    assert "Go to Corpus to load it" not in links(app)


def test_the_same_content_under_another_name_shows_that_name(tiny_csv):
    app = press(upload(("first.csv", tiny_csv)), "Use this corpus")
    assert r"#### first\.csv" in all_text(app)
    app.file_uploader(key="files_1").set_value([("second.csv", tiny_csv, "text/csv")]).run()
    assert r"#### second\.csv" in all_text(press(app, "Use this corpus"))


def test_a_second_file_replaces_the_first(tiny_csv):
    app = upload(("first.csv", tiny_csv), ("second.csv", tiny_csv))
    assert not app.error
    assert r"#### second\.csv" in all_text(press(app, "Use this corpus"))


def test_newsgroups_without_internet_says_what_to_do(monkeypatch):
    def no_internet(**_):
        raise InputError("This machine is offline; upload the corpus as a file.")

    monkeypatch.setattr("pages.shared.upload.load_newsgroups", no_internet)
    app = press(open_app("corpus", corpus="20 Newsgroups"), "Load 20 Newsgroups")
    assert "This machine is offline" in app.error[0].value
    assert not app.metric


def test_newsgroups_once_loaded_are_the_current_corpus(monkeypatch):
    asked = []

    def load(progress):
        asked.append(progress)
        progress(7_000_000, 14_000_000, "", None)
        return make_corpus(["red apple pie", "green pear tart"], ["food", "fruit"], name="Two groups")

    monkeypatch.setattr("pages.shared.upload.load_newsgroups", load)
    app = press(open_app("corpus", corpus="20 Newsgroups", encoder="LSA"), "Load 20 Newsgroups")
    assert "#### Two groups" in all_text(app)
    app.switch_page("pages/hits.py").run()
    assert not app.exception, app.exception
    assert len(asked) == 1
