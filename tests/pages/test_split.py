"""Your split: a corpus that brings one is judged, one that brings none is told so."""

from tests.pages.opened import links, metrics, open_app, press, upload


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
    assert shown["Test topics also in training"] == "2 of 2"
    assert shown["Near duplicates in training"] == "20"


def test_a_corpus_without_a_split_is_told_so():
    app = open_app("split")
    assert any("brings no split" in info.value for info in app.info)
    assert "Go to Corpus to load one" in links(app)
