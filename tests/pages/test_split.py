"""Check a split: a corpus with a split is checked, one without is told what is missing."""

import pytest

from tests.pages.opened import all_text, headline, metrics, open_app, press, shown_page, upload
from tests.pages.topics import made_csv, sized


def test_a_split_of_ones_own_is_judged():
    rows = ["text,topic,split"]
    for number in range(40):
        topic = ("bread", "stars")[number % 2]
        words = ("flour oven dough yeast crust loaf", "orbit comet lens galaxy dust planet")[number % 2]
        rows.append(f"{words} seen again on day {number // 4},{topic},{'train' if number % 4 < 2 else 'test'}")
    app = press(upload(("split.csv", "\n".join(rows).encode())), "Use this corpus")
    app.switch_page("pages/split.py").run()
    assert not app.exception, app.exception
    shown = metrics(app)
    assert shown["Topics on both sides"] == "2 of 2"
    assert metrics(app)["Near duplicates"] == "20"
    copies = next(table.value for table in app.dataframe if "word sequences shared" in table.value)
    assert len(copies) == 20 and copies["word sequences shared"].is_monotonic_decreasing, "all of them, and as CSV"
    assert "Near duplicates as CSV" in [button.label for button in app.get("download_button")]


def split_page(content: bytes):
    app = press(upload(("split.csv", content)), "Use this corpus")
    app.switch_page("pages/split.py").run()
    assert not app.exception, app.exception
    return app


def with_split(content: bytes, *, by_topic: bool = False) -> bytes:
    """The made table with a split column: by topic (ta is test), or every third text."""
    head, *rows = content.decode().splitlines()
    sides = [("ta" in row.split(",")[1] if by_topic else number % 3 == 0) for number, row in enumerate(rows)]
    return "\n".join(
        [f"{head},split", *(f"{row},{'test' if side else 'train'}" for row, side in zip(rows, sides, strict=True))]
    ).encode()


def test_a_split_by_topic_is_green_and_one_through_topics_is_red():
    separated = split_page(with_split(made_csv(sized(6, 10)), by_topic=True))
    assert headline(separated).startswith(":green[")
    mixed = split_page(with_split(made_csv(sized(6, 10))))
    assert headline(mixed).startswith(":red[") and "All 6 test topics" in headline(mixed)


def test_a_near_twin_in_training_is_said():
    app = split_page(with_split(made_csv(sized(6, 12), sisters={"ta": "tb"}), by_topic=True))
    assert headline(app).startswith(":red[") and "1 of 1 test topics" in headline(app)
    assert metrics(app)["Near twins in training"] == "1 of 1"


def test_labels_that_mean_nothing_have_no_near_twins():
    app = split_page(with_split(made_csv(sized(6, 12), shuffled=True)))
    assert headline(app).startswith(":violet[")
    assert metrics(app)["Near twins in training"] == "–"
    assert "plit the" not in all_text(app)
    assert not any("near twin" in table.value for table in app.dataframe)
    assert "twins" not in [chart.proto.id.rsplit("-", 1)[-1] for chart in app.get("plotly_chart")]


def test_topics_with_too_few_documents_are_listed_and_what_the_encoder_was_fitted_on():
    app = split_page(with_split(made_csv({**sized(5, 10), "solo": 1})))
    assert "Topics with too few documents (1)" in [each.label for each in app.expander]
    assert any("fitted on all texts, test texts included" in each.value for each in app.caption)


@pytest.mark.parametrize(("choice", "documents"), [("Least-leakage folds, balance 20%", 1_500), ("HITS, m = 12", None)])
def test_the_split_chosen_on_design_can_be_checked(choice, documents):
    app = open_app("design")
    app.selectbox(key="design_choice").set_value(choice).run()
    kept = int(metrics(app)["Documents kept"].replace(",", ""))
    app.switch_page("pages/split.py").run()
    app.segmented_control(key="split_source").set_value("from Design a split").run()
    assert not app.exception and choice.split(",")[0] in all_text(app).replace("\\", "")
    assert headline(app).startswith(":green") and kept == (documents or kept) and kept <= 1_500
    tested = [each.value["documents"].sum() for each in app.dataframe if "also in training" in each.value]
    assert 0 < tested[0] < kept / 2


def test_the_split_of_the_bundled_corpus_leaks():
    app = shown_page("split")
    assert headline(app).startswith(":red[") and "1 of 9 test topics" in headline(app)
    shown = metrics(app)
    assert (shown["Topics on both sides"], shown["Near twins in training"]) == ("1 of 9", "5 of 9")
    assert metrics(app)["Near duplicates"] == "0", "the texts of the Courier are all different"


def test_a_corpus_without_a_split_can_check_one_made_here_or_given_as_ids(tiny_csv):
    app = split_page(tiny_csv)
    assert "no train and test labels" in all_text(app) and app.metric
    app.segmented_control(key="split_source").set_value("a list of ids").run()
    assert not app.metric
    ids = [line.split(",")[0] for line in tiny_csv.decode().splitlines()[1:]]
    app.file_uploader(key="split_ids").set_value(("test.txt", "\n".join(ids[:3]).encode(), "text/plain")).run()
    assert not app.exception and not app.error
    assert "of 3 test documents" in [each.delta for each in app.metric]
    app.file_uploader(key="split_ids").set_value(("test.txt", b"nobody", "text/plain")).run()
    assert "no document has the id 'nobody'" in app.error[0].value
