"""Folds & accuracy: alive at first sight, long runs asked for, bad corpora told so."""

import time
from itertools import pairwise

import numpy as np
import pytest

from core.demo import RESULTS, bundled_corpus, bundled_vectors
from core.evaluation import NamedVectors, ResultStore, evaluate
from core.splits import make_folds
from core.vectors import make_encoder
from pages.parts.accuracy import in_view
from tests.pages.opened import all_text, figure, metrics, open_app, press, upload
from tests.pages.topics import made_csv as made_topics


@pytest.mark.parametrize("task", ["attribution", "verification"])
def test_the_bundled_corpus_brings_its_results(task):
    app = open_app("accuracy", accuracy_task=task)
    assert not [button for button in app.button if button.label == "Run them"]
    scores = [float(value) for label, value in metrics(app).items() if ":" in label]
    assert len(scores) == (3 if task == "attribution" else 4)
    assert all(0.2 < score < 1 for score in scores)


@pytest.mark.parametrize("model", ["char_svm", "topic_fit"])
def test_shipped_answers_are_what_the_models_give(model):
    corpus = bundled_corpus()
    vectors = bundled_vectors(corpus, make_encoder("sbert"))
    folds = make_folds(corpus, scheme="topic-kfold", k=6, seed=0)
    choices = {"task": "attribution", "models": [model], "vectors": NamedVectors(vectors.matrix, vectors.encoder_key)}
    shipped = evaluate(corpus, folds, **choices, results=ResultStore("/proc/nowhere", shipped=RESULTS))
    assert shipped.fresh == 0
    assert (shipped.runs[0].answers == evaluate(corpus, folds, **choices).runs[0].answers).all()


def test_shipped_verification_scores_are_what_the_models_give():
    corpus = bundled_corpus()
    vectors = bundled_vectors(corpus, make_encoder("sbert"))
    folds = make_folds(corpus, scheme="topic-kfold", k=6, seed=0)
    choices = {"task": "verification", "vectors": NamedVectors(vectors.matrix, vectors.encoder_key)}
    for model in ("char_ngram", "sbert_cosine"):
        shipped = evaluate(
            corpus, folds, models=[model], **choices, results=ResultStore("/proc/nowhere", shipped=RESULTS)
        )
        fresh = evaluate(corpus, folds, models=[model], **choices)
        assert shipped.fresh == 0
        assert shipped.runs[0].answers == pytest.approx(fresh.runs[0].answers, abs=1e-9)


def made_csv(*, topics=("a", "b", "c"), each=6, authors=("ann", "bob"), alone=None) -> bytes:
    """Made texts; the topic `alone` is all by the first author."""
    rows = ["text,topic,author"]
    for topic in topics:
        for number in range(each):
            author = authors[0] if topic == alone else authors[number % len(authors)]
            rows.append(f"word{number} of {topic} and more {number * 7} text by {author},{topic},{author}")
    return "\n".join(rows).encode()


def run_them(app):
    for button in [button for button in app.button if button.label == "Run them"]:
        button.click().run()
    assert not app.exception
    return app


def drawn_slopes(app) -> dict[str, float]:
    """How far each model's line rises from left to right, by the order of models."""
    traces = figure(app, "against")["data"]
    return {trace["legendgroup"]: trace["y"][-1] - trace["y"][0] for trace in traces if trace.get("mode") == "lines"}


@pytest.mark.parametrize("task", ["attribution", "verification"])
def test_beside_the_scores_stands_what_they_are_held_against(task):
    app = open_app("accuracy", accuracy_task=task)
    cards = metrics(app)
    assert 0 < float(cards["Majority"]) < 1 and cards["Authors seen"] == "100\N{NO-BREAK SPACE}%"
    if task == "verification":
        assert int(cards["Pairs"].replace(",", "")) > 1_000 and cards["Pairs left out"] == "0"
        assert float(cards["Gap"]) == 0 and float(cards["Topic oracle AUC"]) == 0.5
    else:
        assert "Gap" not in cards and int(cards["Questions"].replace(",", "")) > 1_000
    scored = [card for card in app.metric if ":" in card.label]
    assert all("6 of 6 folds" in card.delta for card in scored)


def test_the_papers_pairs_are_a_choice_and_have_a_gap():
    app = open_app(
        "accuracy",
        accuracy_task="verification",
        accuracy_pairs="As in the paper",
        accuracy_models_verification="TopicFit",
    )
    assert app.segmented_control(key="accuracy_pairs").value == "paper"
    cards = metrics(run_them(app))
    assert float(cards["Gap"]) > 0.1 and float(cards["Topic oracle AUC"]) > 0.55


def test_lines_go_where_the_cards_rho_goes():
    app = open_app("accuracy", accuracy_task="attribution")
    rises = list(drawn_slopes(app).values())
    quoted = [float(card.delta.split("ρ ")[1].split(",")[0]) for card in app.metric if "ρ" in (card.delta or "")]
    assert len(rises) == len(quoted) == 3
    assert all(np.sign(rise) == np.sign(rho) for rise, rho in zip(rises, quoted, strict=True) if abs(rho) > 0.05)


def test_the_table_has_both_errors_the_adjusted_slope_and_holms_p():
    table = open_app("accuracy", accuracy_task="attribution").dataframe[0].value
    assert {"se", "se, Schein", "count as", "p (Holm)"} <= set(table.columns)
    assert (table["se"] >= table["se, Schein"]).all() and (table["count as"] <= 6).all()
    assert table["0.1 of similarity is worth"].str.contains(r"points \([+−].* to [+−].*\)").all()


def test_fitted_encoders_say_that_they_saw_the_test_texts():
    for page in ("accuracy", "ranking"):
        app = run_them(press(upload(("some.csv", made_csv(topics="abcd"))), "Use this corpus"))
        app.switch_page(f"pages/{page}.py").run()
        assert "test texts included" in all_text(run_them(app))
        assert "test texts included" not in all_text(open_app(page))


def test_a_topic_in_focus_opens_its_documents():
    app = open_app("accuracy", focus="cooking")
    assert any("In focus: cooking" in heading.value for heading in app.subheader)
    assert any("restaurants" in text.value for text in app.markdown)


def test_one_fold_shows_its_topics_only():
    app = open_app("accuracy", fold="fold 2")
    assert app.selectbox(key="fold").value == "fold 2"
    assert not app.exception


def test_long_runs_are_asked_for_first(monkeypatch):
    monkeypatch.setattr("pages.shared.runs.ASK_FROM_SECONDS", 0.0)
    app = open_app("accuracy", accuracy_seed="7")
    assert [button for button in app.button if button.label == "Run them"]
    assert not app.metric


def test_a_corpus_without_authors_is_told_so():
    app = press(upload(("two.csv", b"text,topic\nthe red apple pie,a\nthe green pear tart,b\n")), "Use this corpus")
    for page in ("accuracy", "ranking"):
        app.switch_page(f"pages/{page}.py").run()
        assert not app.exception
        assert any("no authors" in info.value for info in app.info)


def test_one_author_is_told_so():
    content = b"text,topic,author\nthe red apple pie,a,ann\nthe green pear tart,b,ann\nthe blue plum cake,a,ann\n"
    app = press(upload(("one.csv", content)), "Use this corpus")
    app.switch_page("pages/accuracy.py").run()
    assert any("one author" in info.value for info in app.info)


def test_a_fold_that_cannot_be_run_says_why_and_the_mean_says_over_how_many_it_is():
    app = press(upload(("some.csv", made_csv(alone="c"))), "Use this corpus")
    app.switch_page("pages/accuracy.py").run()
    app = run_them(app.segmented_control(key="accuracy_task").set_value("verification").run())
    (warning,) = [warning.value for warning in app.warning if "cannot be paired" in warning.value]
    assert "of 3 could not be run: in no mean." in warning
    scored = [card for card in app.metric if ":" in card.label]
    assert scored and all("2 of 3 folds" in card.delta for card in scored)


def test_where_no_fold_can_be_run_the_page_says_so():
    content = made_csv(each=3, authors=("ann", "bob", "cid"))
    app = press(upload(("few.csv", content)), "Use this corpus")
    app.switch_page("pages/accuracy.py").run()
    app = run_them(app.segmented_control(key="accuracy_task").set_value("verification").run())
    assert any("No fold could be run" in info.value for info in app.info)
    assert not app.metric


def test_the_answer_comes_before_the_scores():
    app = open_app("accuracy", accuracy_task="attribution")
    assert app.subheader[0].value.startswith("It does not show: over 24 test topics no model's accuracy")


def test_a_new_corpus_is_offered_the_quickest_run_and_nothing_starts(tmp_path, monkeypatch):
    monkeypatch.setenv("LEAKSCOPE_CACHE", str(tmp_path))
    monkeypatch.setattr("pages.shared.runs.ASK_FROM_SECONDS", 0.0)
    app = press(upload(("some.csv", made_csv(topics="abcdefg"))), "Use this corpus")
    app.switch_page("pages/accuracy.py").run()
    (offer,) = [each.value for each in app.markdown if "The quickest run to begin with" in each.value]
    assert "on 3 folds of topics" in offer and "not known yet" in offer and "not run on this machine" in offer
    assert not app.metric and app.slider(key="accuracy_k").value == 6, "nothing runs and no control has moved"
    app = press(app, "Run this")
    assert (
        app.slider(key="accuracy_k").value == 3 and len(app.multiselect(key="accuracy_models_attribution").value) == 2
    )
    assert app.metric and not [each for each in app.button if each.label in ("Run this", "Run them")]
    assert app.slider(key="accuracy_k").set_value(4).run().button, "another run is asked for again"
    assert [each.label for each in app.button if each.label in ("Run this", "Run them")] == ["Run them"]


def drawn_rows(app) -> list[str]:
    return figure(app, "rows_chart")["layout"]["yaxis"]["ticktext"]


def test_every_test_topic_has_its_row_the_most_exposed_first_with_intervals_and_the_baseline():
    app = open_app("accuracy")
    drawn = figure(app, "rows_chart")
    bars, *models = drawn["data"]
    assert len(drawn_rows(app)) == 24 and bars["x"] == sorted(bars["x"], reverse=True)
    assert len(models) == 3 and all(len(each["x"]) == 24 for each in models)
    assert all(max(each["error_x"]["array"]) > 0.01 for each in models)
    (chance,) = [each for each in drawn["layout"]["shapes"] if each["type"] == "line"]
    assert chance["x0"] == pytest.approx(float(metrics(app)["Majority"]), abs=0.001)


def test_a_metric_without_intervals_says_so():
    assert "macro F1 of a topic has no interval here." in all_text(
        open_app("accuracy", accuracy_metric_attribution="macro F1")
    )


class Row:
    def __init__(self, topic: int, *, placed: bool = True):
        self.topic, self.nearest = topic, (0,) if placed else ()


@pytest.mark.parametrize("focus", [None, 0, 50, 99])
@pytest.mark.parametrize("start", [None, 0, 40, 80])
def test_of_many_rows_both_ends_or_a_page_are_in_view_and_the_topic_in_focus_always(focus, start):
    rows = [Row(topic) for topic in range(100)]
    shown = [None if row is None else row.topic for row in in_view(rows, focus, start=start)]
    known = [topic for topic in shown if topic is not None]
    assert known == sorted(known) and (focus is None or focus in known)
    expected = {*range(13), *range(87, 100)} if start is None else set(range(start, min(start + 40, 100)))
    assert set(known) - {focus} == expected - {focus}
    assert shown[0] is not None and shown[-1] is not None
    assert in_view([], focus, start=start or 0) == []
    gaps = sum(later > earlier + 1 for earlier, later in pairwise(known))
    assert shown.count(None) == gaps, "a gap is marked exactly where topics are left out"


@pytest.mark.parametrize("placed", [0, 10, 26, 60])
def test_the_least_exposed_are_those_with_a_nearest_topic(placed):
    rows = [Row(topic, placed=topic < placed) for topic in range(100)]
    shown = [None if row is None else row.topic for row in in_view(rows, None, start=None)]
    ends = [*range(13), None, *range(placed - 13, placed)] if placed > 26 else list(range(placed))
    assert shown == (ends if placed else [*range(13), None, *range(87, 100)])


def test_past_forty_topics_both_ends_are_drawn_and_the_topic_in_focus(tmp_path, monkeypatch):
    monkeypatch.setenv("LEAKSCOPE_CACHE", str(tmp_path))
    names = [f"t{number:02}" for number in range(60)]
    app = press(upload(("many.csv", made_csv(topics=names, each=4))), "Use this corpus")
    app.switch_page("pages/accuracy.py").run()
    app = run_them(app.multiselect(key="accuracy_models_attribution").set_value(["topic_fit"]).run())
    assert len(drawn_rows(app)) == 27 and drawn_rows(app)[13] == "⋯ 34 between"
    hidden = next(name for name in names if name not in drawn_rows(app))
    app.selectbox(key="focus").set_value(hidden).run()
    assert hidden in drawn_rows(app)
    app.selectbox(key="rows").set_value("41–60").run()
    assert len([name for name in drawn_rows(app) if name in names]) >= 20
    assert figure(app.toggle(key="all_training").set_value(True).run(), "beside")["data"][0]["type"] == "heatmap"


def test_three_hundred_topics_are_no_silent_wait(tmp_path, monkeypatch):
    monkeypatch.setenv("LEAKSCOPE_CACHE", str(tmp_path))
    monkeypatch.setattr("pages.shared.runs.ASK_FROM_SECONDS", 0.0)
    names = {f"t{number:03}": 6 for number in range(300)}
    app = press(upload(("many.csv", made_topics(names))), "Use this corpus")
    before = time.process_time()
    app.switch_page("pages/accuracy.py").run()
    assert time.process_time() - before < 10, "seconds of the processor from the click to the offer; once it was 16"
    assert any("The quickest run to begin with" in each.value for each in app.markdown)


def test_a_run_on_one_page_moves_no_other_pages_controls():
    app = open_app("hits", hits_k="3")
    app.switch_page("pages/accuracy.py").run()
    app.slider(key="accuracy_k").set_value(4).run()
    app.switch_page("pages/significance.py").run()
    assert app.slider(key="significance_k").value == 6
    app.switch_page("pages/accuracy.py").run()
    assert app.slider(key="accuracy_k").value == 4, "and what was chosen is there when one returns"


def test_another_calibration_is_another_run_and_says_whether_answers_mean_what_they_say():
    choices = {"accuracy_task": "verification", "accuracy_models_verification": "CharNGram"}
    own = run_them(open_app("accuracy", **choices))
    assert own.segmented_control(key="accuracy_calibration").value == "thresholds"
    app = run_them(open_app("accuracy", accuracy_calibration="Platt", **choices))
    assert app.segmented_control(key="accuracy_calibration").value == "platt"
    errors = []
    for each, label in ((own, "p1/p2"), (app, "Platt")):
        assert any(part.label.endswith(f"Calibration: {label}") for part in each.expander)
        assert "CharNGram's answers are off by" in all_text(each)
        _, shares, counts = figure(each, "reliability")["data"]
        assert len(shares["x"]) == len(counts["y"]) == len(shares["error_y"]["array"]) > 1
        (found,) = [table.value for table in each.dataframe if "ECE" in table.value]
        assert sum(counts["y"]) == found["answered"][0]
        errors.append(found["ECE"][0])
    assert errors[1] < errors[0] and found["no answer"][0] == 0
    auc = [
        float(metrics(each.selectbox(key="accuracy_metric_verification").set_value("auc").run())["CharNGram: AUC"])
        for each in (own, app)
    ]
    assert auc[0] == pytest.approx(auc[1], abs=0.02), "p1/p2 makes ties of what lies between; no order is turned"


def test_attribution_has_nothing_to_calibrate():
    app = open_app("accuracy", accuracy_task="attribution")
    assert not [each for each in app.segmented_control if each.key == "accuracy_calibration"]
    assert not [part for part in app.expander if "Calibration" in part.label]


def test_each_view_says_what_it_is_and_offers_a_metric_where_one_counts():
    said = "What similarity is worth over all test topics"
    for view, metric in (("topic by topic", True), ("all together", False)):
        app = open_app("accuracy", accuracy_view=view)
        assert any(said in each.value for each in app.caption) == (view == "all together")
        assert ("Metric" in [each.label for each in app.selectbox]) == metric, view
