"""Your split: a corpus that brings one is judged, one that brings none is told so."""

from tests.pages.opened import all_text, links, metrics, open_app, press, upload
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
    assert shown["Near duplicates there"] == "20"
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


def plain(text: str) -> str:
    return text.replace("\\", "")


def test_the_answer_comes_first_and_then_because_of_what():
    parted = split_page(with_split(made_csv(sized(6, 10)), by_topic=True))
    assert plain(parted.subheader[0].value).startswith("Hardly: no test topic has a near twin in training")
    mixed = split_page(with_split(made_csv(sized(6, 10))))
    assert plain(mixed.subheader[0].value).startswith("Yes: 6 of 6 test topics are in training too")
    assert "On both sides: ta, tb, tc and 3 more." in plain(all_text(mixed))


def test_a_near_twin_in_training_is_said():
    app = split_page(with_split(made_csv(sized(6, 12), sisters={"ta": "tb"}), by_topic=True))
    assert "1 of 1 test topics has a near twin in training" in app.subheader[0].value
    assert metrics(app)["Near twins in training"] == "1 of 1"


def test_labels_that_mean_nothing_have_no_near_twins():
    app = split_page(with_split(made_csv(sized(6, 12), shuffled=True)))
    assert app.subheader[0].value.startswith("The labels do not separate these texts")
    assert metrics(app)["Near twins in training"] == "–"
    assert "HITS instead" not in all_text(app)
    assert not any("near twin" in table.value for table in app.dataframe)
    assert "twins" not in [chart.proto.id.rsplit("-", 1)[-1] for chart in app.get("plotly_chart")]


def test_topics_that_cannot_be_placed_are_said_and_so_is_what_the_encoder_has_read():
    app = split_page(with_split(made_csv({**sized(5, 10), "solo": 1})))
    assert any("1 of 6 topics cannot be placed" in each.label for each in app.expander)
    assert any("fitted on all texts, test texts included" in each.value for each in app.caption)


def test_the_bundled_corpus_brings_a_split_with_something_to_find():
    app = open_app("split")
    assert plain(app.subheader[0].value).startswith(
        "Yes: 1 of 9 test topics is in training too; 5 of 9 test topics have a near twin in training"
    )
    assert metrics(app)["Near duplicates there"] == "0", "the texts of the Courier are all different"


def test_a_corpus_without_a_split_is_told_so(tiny_csv):
    app = split_page(tiny_csv)
    assert any("brings no split" in info.value for info in app.info)
    assert "Go to Corpus to load one" in links(app)
