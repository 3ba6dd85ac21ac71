"""Corpora in which there is nothing to find: no page may claim what is not there."""

import re

import pytest

from tests.pages.opened import all_text, headline, metrics, press, upload
from tests.pages.topics import made_csv, sized

CLAIMS = re.compile(r"\bYes\b|\bHardly\b|\bhas the highest\b|can detect reliance on topic here")
BY_TOPIC = {"accuracy_view": "topic by topic"}
JUDGES = ("accuracy", "ranking", "shortcut", "significance", "trust")


def changed(content: bytes, author) -> bytes:
    """The table with another author for every row, and a split column: every third text is test."""
    head, *rows = (line.split(",") for line in content.decode().splitlines())
    lines = [",".join([*head, "split"])]
    for number, (text, topic, old) in enumerate(rows):
        lines.append(",".join([text, topic, author(number) or old, "train" if number % 3 else "test"]))
    return "\n".join(lines).encode()


def real_authors(number: int) -> str:
    return ""


SHUFFLED = changed(made_csv(sized(6, 12), shuffled=True), real_authors)
ONE_CUT_IN_TEN = changed(made_csv(sized(10, 8), sisters={f"t{letter}": "ta" for letter in "bcdefghij"}), real_authors)
THREE_EACH = changed(made_csv(sized(8, 3)), real_authors)
ONE_AUTHOR = changed(made_csv(sized(6, 6)), lambda number: "ann")
ONE_TEXT_EACH = changed(made_csv(sized(6, 6)), lambda number: f"author {number}")


@pytest.fixture
def opened(tmp_path, monkeypatch):
    """A corpus taken loaded, and then one page of it after the other, its runs done where they are asked for."""
    monkeypatch.setenv("LEAKSCOPE_CACHE", str(tmp_path))

    def take(content: bytes):
        app = press(upload(("made.csv", content)), "Use this corpus")

        def page(name: str, **state: object):
            for key, value in state.items():
                app.session_state[key] = value
            app.switch_page(f"pages/{name}.py").run()
            assert not app.exception, app.exception
            return press(app, "Run them") if [each for each in app.button if each.label == "Run them"] else app

        return page

    return take


def readings(app) -> set[str]:
    """Return what the shortcut test says of the systems."""
    tables = [each.value for each in app.dataframe if "relies on topic?" in each.value]
    return {reading for table in tables for reading in table["relies on topic?"]}


@pytest.mark.parametrize("content", [SHUFFLED, ONE_CUT_IN_TEN], ids=["shuffled", "one cut in ten"])
def test_labels_that_mean_nothing_are_said_to_on_every_page(content, opened):
    page = opened(content)
    assert "labels do not separate these texts" in headline(page("overview"))
    assert "labels do not separate these texts" in headline(page("accuracy", **BY_TOPIC))
    assert "labels do not separate these texts" in headline(page("split"))
    assert re.search("About as often as it should|Too few topics to tell|Nothing to test", headline(page("trust")))
    # Two folds are enough to see what these two pages say of the labels.
    assert "HITS is just another random sample here" in all_text(page("ranking", ranking_k=2))
    assert "labels do not separate these texts" in headline(page("shortcut", shortcut_k=2))


def test_three_documents_a_topic_bear_no_claim(opened):
    page = opened(THREE_EACH)
    for name, view in (("accuracy", BY_TOPIC), ("ranking", {}), ("shortcut", {})):
        app = page(name, **view)
        assert not CLAIMS.search(headline(app)) and not readings(app) - {"inconclusive"}, name
    significance = page("significance")
    assert set(significance.dataframe[0].value["verdict"]) <= {"~", "–"}
    assert not headline(page("split")).startswith("Hardly")


def test_one_author_is_nobody_to_tell_apart(opened):
    page = opened(ONE_AUTHOR)
    for name in JUDGES:
        app = page(name)
        assert any("only one author" in each.value for each in app.info), name
        assert not app.metric and not app.get("plotly_chart"), name
    assert "Typical similarity" in metrics(page("overview")), "topics need no authors"


def test_authors_of_one_text_each_can_neither_be_attributed_nor_paired(opened):
    page = opened(ONE_TEXT_EACH)
    app = page("accuracy", **BY_TOPIC)
    assert any("No fold could be run" in each.value for each in app.error)
    assert any("No fold could be run" in each.value for each in page("significance").error)
    assert "No ranking." in headline(page("ranking"))
    verification = page("accuracy", run_task="verification", **BY_TOPIC)
    assert any("No fold could be run" in each.value for each in verification.error)
    shortcut = page("shortcut")
    assert not CLAIMS.search(all_text(shortcut)) and not readings(shortcut) - {"inconclusive"}
