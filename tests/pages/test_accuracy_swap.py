"""Folds & accuracy, its other views: the twin swapped out, and all topics together."""

import pytest

from tests.pages.opened import open_app, press, run_models, upload
from tests.pages.topics import made_csv, sized

SISTERS = {"tb": "ta", "td": "tc", "tf": "te", "th": "tg"}
ONE_MODEL = {"accuracy_models_attribution": "TopicFit", "accuracy_draws": "1"}


def swapped(content: bytes, **query: str):
    app = press(upload(("made.csv", content)), "Use this corpus")
    for name, value in query.items():
        app.query_params[name] = value
    app.switch_page("pages/accuracy.py").run()
    app.segmented_control(key="accuracy_view").set_value("twin swapped out").run()
    assert not app.exception, app.exception
    return app


def test_a_sentence_a_model_and_what_was_swapped():
    app = run_models(swapped(made_csv(sized(8, 8), sisters=SISTERS), **ONE_MODEL))
    assert not app.exception, app.exception
    (said,) = [each.value for each in app.info if "nearest topic" in each.value]
    assert said.count("\n") == 0 and "TopicFit" in said and "8 topics" in said
    effects = next(table.value for table in app.dataframe if "twin" in table.value)
    twins = dict(zip(effects["topic"], effects["twin"], strict=True))
    assert all(SISTERS.get(topic, topic) == SISTERS.get(twin, twin) for topic, twin in twins.items())
    assert "Effects as CSV" in [button.label for button in app.get("download_button")]


def test_labels_that_mean_nothing_are_said_to():
    app = run_models(swapped(made_csv(sized(6, 8), shuffled=True), **ONE_MODEL))
    assert any("no topic here has a twin" in each.value for each in app.warning)


@pytest.mark.parametrize(
    ("author", "words"),
    [
        (lambda row, topic: f"only {topic}", "None of 5 authors writes on two topics"),
        (lambda row, topic: f"author {row}", "Each of 30 authors wrote one text"),
    ],
)
def test_authors_who_cannot_be_matched_are_told_of(author, words):
    rows = [line.split(",") for line in made_csv(sized(5, 6)).decode().splitlines()[1:]]
    lines = (f"{text},{topic},{author(row, topic)}" for row, (text, topic, _) in enumerate(rows))
    app = swapped("\n".join(["text,topic,author", *lines]).encode(), **ONE_MODEL)
    assert words in app.error[0].value and ";" in app.error[0].value
    assert not [button for button in app.button if button.label == "Run them"]


def test_a_topic_is_read_beside_its_twin_and_the_corpus_is_placed():
    app = run_models(swapped(made_csv(sized(8, 8), sisters=SISTERS), **ONE_MODEL, accuracy_tested="8"))
    app.selectbox(key="swap_read").set_value("tc").run()
    assert not app.exception, app.exception
    assert any("Its twin: td" in each.value for each in app.markdown)
    texts = [table.value for table in app.dataframe if "begins" in table.value]
    assert [len(table) for table in texts] == [8, 8] and all(texts[0]["begins"].str.contains("tcword"))
    app.toggle(key="accuracy_dose").set_value(True).run()
    app = run_models(app)
    said = [each.value for each in app.caption if "with the nearest 1" in each.value]
    assert len(said) == 1 and "with the nearest 4" in said[0], "one question for all doses"
    assert any("With the nearest 8 too few" in each.value for each in app.caption)
    app.toggle(key="accuracy_dial").set_value(True).run()
    assert not app.exception, app.exception
    (said,) = [each.value for each in app.info if "sister topics share" in each.value]
    assert "HITS" in said
    expected = next(table.value for table in app.dataframe if "spread over made corpora" in table.value)
    assert any("TopicFit, attribution" in model for model in expected["model"])


def test_an_optional_part_that_is_not_computed_yet_leaves_the_others_standing(monkeypatch):
    never_run = {"accuracy_seed": "7", "accuracy_tested": "8"}  # by no other test: what has been run is at hand
    app = run_models(swapped(made_csv(sized(8, 8), sisters=SISTERS), **ONE_MODEL, **never_run))
    monkeypatch.setattr("pages.shared.runs.ASK_FROM_SECONDS", 0.0)
    app.toggle(key="accuracy_dose").set_value(True).run()
    assert "Run them" in [button.label for button in app.button], "Dose asks first"
    assert "accuracy_sources" in [toggle.key for toggle in app.toggle]
    effects = next(table.value for table in app.dataframe if "twin" in table.value)
    assert list(effects.columns).index("TopicFit, points") < list(effects.columns).index("twin")


@pytest.mark.parametrize("task", ["attribution", "verification"])
def test_all_together_quotes_the_regression_it_draws(task):
    app = open_app("accuracy", accuracy_view="all together", accuracy_task=task)
    (said,) = [each.value for each in app.info if "Authors taken out" in each.value]
    assert said.count("Authors taken out") >= 3
    assert len(app.get("plotly_chart")) > 0
