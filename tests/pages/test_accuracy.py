"""Folds & accuracy: alive at first sight, long runs asked for, bad corpora told so."""

import json
import time
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

from core.demo import RESULTS, bundled_corpus, bundled_vectors
from core.evaluation import NamedVectors, ResultStore, author_labels, curve_plan, evaluate, plan_lines
from core.questions import calibration
from core.render import materialised, report_html
from core.report import make_report
from core.splits import make_folds
from core.study import Study
from core.topics import topic_space
from core.vectors import make_encoder
from tests.pages.opened import all_text, figure, headline, metrics, open_app, press, run_models, shown_page, upload
from tests.pages.topics import made_csv as made_topics


def to_topic_by_topic(app):
    """Go to the view whose runs are chosen."""
    app.query_params["accuracy_view"] = "topic by topic"
    return app.switch_page("pages/accuracy.py").run()


@pytest.mark.parametrize(
    ("view", "card", "drawn"),
    [
        ("leakage curve", "Gain, content words", ("curve", "differences")),
        ("forecast", "Expect on new topics", ("promises", "line")),
    ],
)
def test_the_first_view_and_the_forecast_open_on_shipped_results(view, card, drawn):
    app = shown_page("accuracy", **({} if view == "leakage curve" else {"accuracy_view": view}))
    assert not [button for button in app.button if button.label == "Run them"] and not app.error
    assert card in metrics(app) and all(figure(app, name)["data"] for name in drawn)


def test_another_model_is_asked_for_before_it_runs_along_the_curve(monkeypatch):
    monkeypatch.setattr("pages.shared.runs.ASK_FROM_SECONDS", 0.0)
    app = open_app("accuracy", curve_models="TopicFit")
    assert [button for button in app.button if button.label == "Run them"] and not app.metric


def test_a_long_curve_offers_a_quick_one_that_says_what_it_left_out(tmp_path, monkeypatch):
    monkeypatch.setenv("LEAKSCOPE_CACHE", str(tmp_path))
    for name, value in {"QUICK_TOPICS": 3, "QUICK_TRAINING": 60, "ASK_FROM_SECONDS": 0.0}.items():
        monkeypatch.setattr(f"pages.shared.runs.{name}", value)
    app = open_app("accuracy", curve_seed="9", curve_draws="1")
    (offer,) = [each.value for each in app.markdown if "Quick start" in each.value]
    assert "The controls on 3 test topics, with at most 60 training documents." in offer
    app = press(app, "Run this")
    assert app.query_params["curve_most_topics"] == "3"
    assert any("of 3 topics" in card.delta for card in app.metric)


def test_no_quick_curve_is_offered_that_takes_as_long_as_the_whole(tmp_path, monkeypatch):
    monkeypatch.setenv("LEAKSCOPE_CACHE", str(tmp_path))
    for name, value in {"QUICK_TOPICS": 24, "QUICK_TRAINING": 1_500, "ASK_FROM_SECONDS": 0.0}.items():
        monkeypatch.setattr(f"pages.shared.runs.{name}", value)
    app = open_app("accuracy", curve_seed="9", curve_draws="1")
    assert "Run them" in [button.label for button in app.button]
    assert not any("Quick start" in each.value for each in app.markdown)


def test_a_topic_of_the_curve_shows_its_documents():
    app = open_app("accuracy", curve_topic="chess")
    assert "begins" in app.dataframe[0].value


def test_answers_to_the_plan_are_drawn_beside_ours_and_those_to_another_plan_refused():
    corpus = bundled_corpus()
    vectors = bundled_vectors(corpus, make_encoder("sbert"))
    space = topic_space(vectors.matrix, corpus.topic_codes, corpus.topic_names)
    plan = curve_plan(corpus, space, author_labels(corpus))
    author = dict(zip(corpus.ids, corpus.authors, strict=True))
    header, *sets = (json.loads(line) for line in plan_lines(corpus, plan))
    lines = [
        header,
        *(
            {key: each[key] for key in ("topic", "level", "draw")} | {"answers": [author[id] for id in each["test"]]}
            for each in sets
        ),
    ]

    def upload_answers(app, lines):
        content = "".join(f"{json.dumps(line)}\n" for line in lines).encode()
        return app.file_uploader(key="curve_answers").set_value([("mine.jsonl", content, "application/json")]).run()

    app = open_app("accuracy")
    assert [button for button in app.get("download_button") if button.label.startswith("Download plan")]
    upload_answers(app, lines)
    mine = next(trace for trace in figure(app, "curve")["data"] if trace.get("name") == "mine")
    assert mine["customdata"] == ["100%"] * len(plan.levels) and not app.exception
    drawn, about = app.session_state["seen_drawn"]["curve"]
    assert about == (corpus.fingerprint, make_encoder("sbert").key(), "corrected"), (
        "as the sidebar names what it reports on"
    )
    report = make_report(Study(corpus, vectors), [("curve", None)], more=[materialised(drawn)])
    assert [answer.headline for answer in report.answers] == [drawn.headline]
    assert "mine" in report_html(report, when=datetime.now(UTC)), "a report takes the answer as its page drew it"
    upload_answers(app, [header | {"plan": "another"}, *lines[1:]])
    assert "Export the plan again." in " ".join(each.value for each in app.error)
    assert not app.session_state["seen_drawn"], "a report asks again"


def test_new_texts_move_the_forecast_and_those_without_a_text_column_are_refused():
    app = open_app(
        "accuracy", accuracy_view="forecast", encoder="LSA", similarity="plain", forecast_models="Function words"
    )
    app = run_models(app)
    assert "On topics unlike yours" in headline(app)
    rows = [f"the train is late and the {word} train is full again" for word in ("red", "old", "long", "new")] * 4
    new = "text\n" + "\n".join(rows)
    app.file_uploader(key="forecast_target").set_value(("new.csv", new.encode(), "text/csv")).run()
    assert "On your new texts" in headline(app) and not app.exception
    bad = new.replace("text", "body", 1).encode()
    app.file_uploader(key="forecast_target").set_value(("new.csv", bad, "text/csv")).run()
    assert "no column 'text'" in " ".join(each.value for each in app.error)


@pytest.mark.parametrize("task", ["attribution", "verification"])
def test_the_bundled_corpus_brings_its_results(task):
    app = shown_page("accuracy", run_task=task)
    assert not [button for button in app.button if button.label == "Run them"]
    scores = [float(value) for label, value in metrics(app).items() if ":" in label]
    assert len(scores) == (3 if task == "attribution" else 4)
    assert all(0.2 < score < 1 for score in scores)


SHIPPED = {"attribution": ("char_svm", "topic_fit"), "verification": ("char_ngram", "sbert_cosine")}


def test_shipped_answers_are_what_the_models_give():
    corpus = bundled_corpus()
    vectors = bundled_vectors(corpus, make_encoder("sbert"))
    folds = make_folds(corpus, scheme="topic-kfold", k=6, seed=0)
    named, first = NamedVectors(vectors.matrix, vectors.encoder_key), replace(folds, folds=folds.folds[:1])
    store = ResultStore("/proc/nowhere", shipped=RESULTS)
    for task, models in SHIPPED.items():
        choices = {"task": task, "models": list(models), "vectors": named}
        shipped, fresh = evaluate(corpus, first, **choices, results=store), evaluate(corpus, first, **choices)
        assert shipped.fresh == 0
        for one, other in zip(shipped.runs, fresh.runs, strict=True):
            tolerance = 0 if task == "attribution" else 1e-9  # a choice of an author, and a score
            np.testing.assert_allclose(one.answers, other.answers, rtol=0, atol=tolerance, err_msg=one.model)


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
    app = shown_page("accuracy", run_task=task)
    cards = metrics(app)
    assert 0 < float(cards["Majority"]) < 1 and cards["Authors seen"] == "100%"
    if task == "verification":
        pairs, left_out = (int(cards[name].replace(",", "")) for name in ("Pairs", "Pairs left out"))
        assert pairs > 1_000 and left_out < 0.1 * pairs
        assert float(cards["Gap"]) == 0 and float(cards["Topic oracle AUC"]) == 0.5
    else:
        assert "Gap" not in cards and int(cards["Questions"].replace(",", "")) > 1_000
    scored = [card for card in app.metric if ":" in card.label]
    assert all("6 of 6 folds" in card.delta for card in scored)


def test_the_papers_pairs_are_a_choice_and_have_a_gap():
    app = open_app(
        "accuracy",
        run_task="verification",
        run_pairs="As in the paper",
        run_models_verification="TopicFit",
    )
    assert app.segmented_control(key="run_pairs").value == "paper"
    cards = metrics(run_them(app))
    assert float(cards["Gap"]) > 0.1 and float(cards["Topic oracle AUC"]) > 0.55


def test_lines_go_where_the_cards_rho_goes():
    app = shown_page("accuracy", run_task="attribution")
    rises = list(drawn_slopes(app).values())
    quoted = [float(card.delta.split("ρ = ")[1].split(",")[0]) for card in app.metric if "ρ" in (card.delta or "")]
    assert len(rises) == len(quoted) == 3
    assert all(np.sign(rise) == np.sign(rho) for rise, rho in zip(rises, quoted, strict=True) if abs(rho) > 0.05)


def test_fitted_encoders_say_that_they_saw_the_test_texts():
    for page in ("accuracy", "ranking"):
        app = run_them(press(upload(("some.csv", made_csv(topics="abcd"))), "Use this corpus"))
        app = to_topic_by_topic(app) if page == "accuracy" else app.switch_page(f"pages/{page}.py").run()
        assert "test texts included" in all_text(run_them(app))
        assert "test texts included" not in all_text(open_app(page))


def test_a_topic_in_focus_opens_its_documents():
    app = shown_page("accuracy", focus="cooking")
    assert any("In focus: cooking" in heading.value for heading in app.subheader)
    assert any("restaurants" in text.value for text in app.markdown)


def test_one_fold_shows_its_topics_only():
    app = shown_page("accuracy", fold="fold 2")
    assert app.selectbox(key="fold").value == "fold 2"
    assert not app.exception


def test_long_runs_are_asked_for_first(monkeypatch):
    monkeypatch.setattr("pages.shared.runs.ASK_FROM_SECONDS", 0.0)
    app = open_app("accuracy", run_seed="7")
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
    to_topic_by_topic(app)
    assert any("one author" in info.value for info in app.info)


def test_a_fold_that_cannot_be_run_says_why_and_the_mean_says_over_how_many_it_is():
    app = press(upload(("some.csv", made_csv(alone="c"))), "Use this corpus")
    to_topic_by_topic(app)
    app = run_them(app.segmented_control(key="run_task").set_value("verification").run())
    assert "of 3 could not be run" in all_text(app)
    scored = [card for card in app.metric if ":" in card.label]
    assert scored and all("2 of 3 folds" in card.delta for card in scored)


def test_where_no_fold_can_be_run_the_page_says_so():
    content = made_csv(each=3, authors=("ann", "bob", "cid"))
    app = press(upload(("few.csv", content)), "Use this corpus")
    to_topic_by_topic(app)
    app = run_them(app.segmented_control(key="run_task").set_value("verification").run())
    assert any("No fold could be run" in error.value for error in app.error)
    assert not app.metric


def test_a_new_corpus_is_offered_the_quickest_run_and_nothing_starts(tmp_path, monkeypatch):
    monkeypatch.setenv("LEAKSCOPE_CACHE", str(tmp_path))
    monkeypatch.setattr("pages.shared.runs.ASK_FROM_SECONDS", 0.0)
    app = press(upload(("some.csv", made_csv(topics="abcdefg"))), "Use this corpus")
    to_topic_by_topic(app)
    (offer,) = [each.value for each in app.markdown if "Quick start" in each.value]
    assert "on 3 topic folds" in offer and "not run on this machine" in offer
    assert not app.metric and app.slider(key="run_k").value == 6, "nothing runs and no control has moved"
    app = press(app, "Run this")
    assert app.slider(key="run_k").value == 3 and len(app.multiselect(key="run_models_attribution").value) == 2
    assert app.metric and not [each for each in app.button if each.label in ("Run this", "Run them")]
    assert app.slider(key="run_k").set_value(4).run().button, "another run is asked for again"
    assert [each.label for each in app.button if each.label in ("Run this", "Run them")] == ["Run them"]


def drawn_rows(app) -> list[str]:
    return figure(app, "rows_chart")["layout"]["yaxis"]["ticktext"]


def test_every_test_topic_has_its_row_the_most_exposed_first_with_intervals_and_the_baseline():
    app = shown_page("accuracy", accuracy_view="topic by topic")
    drawn = figure(app, "rows_chart")
    bars, *models = drawn["data"]
    assert len(drawn_rows(app)) == 24 and bars["x"] == sorted(bars["x"], reverse=True)
    assert len(models) == 3 and all(len(each["x"]) == 24 for each in models)
    assert all(max(each["error_x"]["array"]) > 0.01 for each in models)
    (chance,) = [each for each in drawn["layout"]["shapes"] if each["type"] == "line"]
    assert chance["x0"] == pytest.approx(float(metrics(app)["Majority"]), abs=0.001)


def test_past_forty_topics_both_ends_are_drawn_and_the_topic_in_focus(tmp_path, monkeypatch):
    monkeypatch.setenv("LEAKSCOPE_CACHE", str(tmp_path))
    names = [f"t{number:02}" for number in range(60)]
    app = press(upload(("many.csv", made_csv(topics=names, each=4))), "Use this corpus")
    to_topic_by_topic(app)
    app = run_them(app.multiselect(key="run_models_attribution").set_value(["topic_fit"]).run())
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
    to_topic_by_topic(app)
    assert time.process_time() - before < 10, "seconds of the processor from the click to the offer; once it was 16"
    assert any("Quick start" in each.value for each in app.markdown)


def test_a_run_chosen_on_one_page_holds_on_the_others():
    app = open_app("hits", hits_k="3")
    to_topic_by_topic(app)
    app.slider(key="run_k").set_value(4).run()
    app.segmented_control(key="run_task").set_value("verification").run()
    app.multiselect(key="run_models_verification").set_value(["char_ngram", "topic_fit"]).run()
    for page in ("significance", "trust"):
        app.switch_page(f"pages/{page}.py").run()
        assert app.slider(key="run_k").value == 4, page
        assert app.segmented_control(key="run_task").value == "verification", page
        assert app.multiselect(key="run_models_verification").value == ["char_ngram", "topic_fit"], page
    app.slider(key="run_k").set_value(5).run()
    to_topic_by_topic(app)
    assert app.slider(key="run_k").value == 5, "changed anywhere"


def test_another_calibration_is_another_run():
    choices = {"run_task": "verification", "run_models_verification": "CharNGram", "run_calibration": "Platt"}
    app = run_them(open_app("accuracy", **choices))
    assert app.segmented_control(key="run_calibration").value == "platt"
    assert any(part.label == calibration.QUESTION for part in app.expander)
    _, shares, counts = figure(app, "reliability")["data"]
    (found,) = [table.value for table in app.dataframe if "ECE" in table.value]
    assert sum(counts["y"]) == found["answered"][0] and len(shares["x"]) == len(counts["y"])


def test_ordinary_folds_stand_beside_unseen_topics():
    app = shown_page("accuracy", ordinary="true")
    assert not app.error
    assert "training sets differ" in all_text(app), "the paper's warning stays beside it"
    assert "Topics by authors as CSV" in {button.proto.label for button in app.get("download_button")}


def test_attribution_has_nothing_to_calibrate():
    app = shown_page("accuracy", run_task="attribution")
    assert not [each for each in app.segmented_control if each.key == "run_calibration"]
    assert not [part for part in app.expander if part.label == calibration.QUESTION]


def own_file(prediction: str = "") -> tuple[str, bytes, str]:
    """Return a file of answers to the folds that the page opens with: the truth, or always the same author."""
    corpus = bundled_corpus()
    folds = make_folds(corpus, scheme="topic-kfold", k=6, seed=0)
    rows = [(corpus.ids[row], number, corpus.authors[row]) for number, fold in enumerate(folds, 1) for row in fold.test]
    lines = [f"{id},{number},{prediction or author}" for id, number, author in rows]
    return "mine.csv", "\n".join(["id,fold,prediction", *lines]).encode(), "text/csv"


def models_in(app):
    return next(list(each.value["model"]) for each in app.dataframe if "model" in each.value)


def test_answers_of_ones_own_join_the_models_here_and_on_significance_until_they_are_removed():
    app = open_app("accuracy", accuracy_view="topic by topic")
    app.file_uploader(key="own_models_answers_0").set_value([own_file()]).run()
    assert not app.exception and not app.error
    assert models_in(app) == ["Maximum entropy", "Character SVM", "TopicFit", "mine"]
    assert metrics(app)["mine: accuracy"] == "1.000"
    app.switch_page("pages/significance.py").run()
    assert not app.exception and "mine" in app.session_state["own_answers"][bundled_corpus().fingerprint]
    assert any("mine" in each.options for each in (*app.segmented_control, *app.pills) if each.label == "B")
    other = open_app("accuracy", accuracy_view="topic by topic")
    assert "mine" not in models_in(other), "what one visitor loads is nobody else's"
    app = press(to_topic_by_topic(app), "Remove")
    assert "mine" not in models_in(app)


def test_a_wrong_file_of_answers_is_refused_with_its_line():
    app = open_app("accuracy", accuracy_view="topic by topic")
    app.file_uploader(key="own_models_answers_0").set_value([own_file("nobody")]).run()
    for _ in range(40):  # until the worker has read it
        if app.error:
            break
        time.sleep(0.1)
        app.run()
    assert "is none of the classes" in app.error[0].value and "line 2" in app.error[0].value
    assert "mine" not in models_in(app)
