"""Corpus: counts, caps, names, the empty state, and 20 Newsgroups."""

from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

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


def test_one_click_uses_a_file_that_was_used_before(tiny_csv):
    app = upload(("first.csv", tiny_csv))
    for field in ("files_1", "files_2"):
        press(app, "Use this corpus")
        assert "Use this corpus" not in [button.label for button in app.button], "the file is taken"
        app.file_uploader(key=field).set_value([("first.csv", tiny_csv, "text/csv")]).run()


def test_a_second_file_replaces_the_first(tiny_csv):
    app = upload(("first.csv", tiny_csv), ("second.csv", tiny_csv))
    assert not app.error
    assert r"#### second\.csv" in all_text(press(app, "Use this corpus"))


def test_a_file_is_fetched_from_its_address_and_used(tiny_csv, tmp_path, monkeypatch):
    (tmp_path / "served.csv").write_bytes(tiny_csv)
    served = partial(SimpleHTTPRequestHandler, directory=str(tmp_path))
    with ThreadingHTTPServer(("127.0.0.1", 0), served) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        app = open_app("corpus", encoder="LSA")
        assert [tab.label.split()[-1] for tab in app.tabs[:3]] == ["File", "Project", "Address"]
        address = f"http://127.0.0.1:{server.server_port}/served.csv"
        press(app.text_input(key="address").set_value(address).run(), "Fetch")
        assert r"#### served\.csv" in all_text(press(app, "Use this corpus")) and metrics(app)["Documents"] == "12"
        server.shutdown()
    press(app.text_input(key="address").set_value("/etc/passwd").run(), "Fetch")
    assert "is not an address" in app.error[0].value
    monkeypatch.setenv("LEAKSCOPE_HOSTED", "1")
    (address,) = [tab for tab in app.run().tabs if tab.label.endswith("Address")]
    assert [each.value for each in address.caption] == [
        "A shared server fetches no addresses. Download the file and upload it."
    ]
    assert not [each for each in app.info if "address" in each.value] and not address.text_input


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


def test_a_label_is_chosen_when_loading_and_the_page_speaks_of_classes():
    rows = [
        f"text {row} about word{row % 7},topic {row % 4},{'good' if row % 3 else 'bad'},{row / 7}" for row in range(48)
    ]
    app = upload(("reviews.csv", "\n".join(["text,topic,mood,price", *rows]).encode()))
    app.selectbox(key="role_label").select("price").run()
    press(app, "Use this corpus")
    assert "48 different numbers" in app.error[0].value and "at most 20 classes" in app.error[0].value
    app = upload(("reviews.csv", "\n".join(["text,topic,mood,price", *rows]).encode()))
    app.selectbox(key="role_label").select("mood").run()
    press(app, "Use this corpus")
    assert metrics(app)["Classes"] == "2" and "Authors" not in metrics(app)
    assert any("classes" in each.value for each in app.dataframe)
    assert "Minimum documents per class" in [each.label for each in app.number_input]
