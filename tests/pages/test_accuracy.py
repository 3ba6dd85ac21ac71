"""Folds & accuracy: alive at first sight, long runs asked for, bad corpora told so."""

import numpy as np
import pytest

from core.demo import RESULTS, bundled_corpus, bundled_vectors
from core.evaluation import NamedVectors, ResultStore, evaluate
from core.splits import make_folds
from core.statistics import AdjustedSlope, Relation
from core.vectors import make_encoder
from pages.parts.accuracy_answer import answer, ties
from tests.pages.opened import all_text, figure, metrics, open_app, press, upload


@pytest.mark.parametrize("task", ["attribution", "verification"])
def test_the_bundled_corpus_brings_its_results(task):
    app = open_app("accuracy", task=task)
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
    shipped = evaluate(corpus, folds, **choices, results=ResultStore("/nowhere", shipped=RESULTS))
    assert shipped.fresh == 0
    assert (shipped.runs[0].answers == evaluate(corpus, folds, **choices).runs[0].answers).all()


def test_shipped_verification_scores_are_what_the_models_give():
    corpus = bundled_corpus()
    vectors = bundled_vectors(corpus, make_encoder("sbert"))
    folds = make_folds(corpus, scheme="topic-kfold", k=6, seed=0)
    choices = {"task": "verification", "vectors": NamedVectors(vectors.matrix, vectors.encoder_key)}
    for model in ("char_ngram", "sbert_cosine"):
        shipped = evaluate(corpus, folds, models=[model], **choices, results=ResultStore("/nowhere", shipped=RESULTS))
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
    app = open_app("accuracy", task=task)
    cards = metrics(app)
    assert 0 < float(cards["Majority"]) < 1 and cards["Authors seen"] == "100%"
    if task == "verification":
        assert int(cards["Pairs"].replace(",", "")) > 1_000 and cards["Pairs left out"] == "0"
        assert float(cards["Gap"]) == 0 and float(cards["Topic oracle AUC"]) == 0.5
    else:
        assert "Gap" not in cards and int(cards["Questions"].replace(",", "")) > 1_000
    scored = [card for card in app.metric if ":" in card.label]
    assert all("6 of 6 folds" in card.delta for card in scored)


def test_the_papers_pairs_are_a_choice_and_have_a_gap():
    app = open_app("accuracy", task="verification", pairs="As in the paper", models_verification="TopicFit")
    assert app.segmented_control(key="pairs").value == "paper"
    cards = metrics(run_them(app))
    assert float(cards["Gap"]) > 0.1 and float(cards["Topic oracle AUC"]) > 0.55


def test_lines_go_where_the_cards_rho_goes():
    app = open_app("accuracy", task="attribution")
    rises = list(drawn_slopes(app).values())
    quoted = [float(card.delta.split("ρ ")[1].split(",")[0]) for card in app.metric if "ρ" in (card.delta or "")]
    assert len(rises) == len(quoted) == 3
    assert all(np.sign(rise) == np.sign(rho) for rise, rho in zip(rises, quoted, strict=True) if abs(rho) > 0.05)


def test_the_table_has_both_errors_the_adjusted_slope_and_holms_p():
    table = open_app("accuracy", task="attribution").dataframe[0].value
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
    assert app.pills(key="fold").value == "fold 2"
    assert not app.exception


def test_long_runs_are_asked_for_first(monkeypatch):
    monkeypatch.setattr("pages.shared.runs.ASK_FROM_SECONDS", 0.0)
    app = open_app("accuracy", seed="7")
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
    app = run_them(app.segmented_control(key="task").set_value("verification").run())
    (warning,) = [warning.value for warning in app.warning if "cannot be paired" in warning.value]
    assert "of 3 could not be run: in no mean." in warning
    scored = [card for card in app.metric if ":" in card.label]
    assert scored and all("2 of 3 folds" in card.delta for card in scored)


def test_where_no_fold_can_be_run_the_page_says_so():
    content = made_csv(each=3, authors=("ann", "bob", "cid"))
    app = press(upload(("few.csv", content)), "Use this corpus")
    app.switch_page("pages/accuracy.py").run()
    app = run_them(app.segmented_control(key="task").set_value("verification").run())
    assert any("No fold could be run" in info.value for info in app.info)
    assert not app.metric


def relation(rho: float) -> Relation:
    return Relation(20, rho, rho - 0.2, rho + 0.2, 0.01)


def slope(low: float) -> AdjustedSlope:
    nothing = np.empty(0)
    return AdjustedSlope(20, low + 0.1, 0.0, low, low + 0.2, 0.01, nothing, nothing, nothing)


@pytest.mark.parametrize(
    ("rho", "low", "p", "said"),
    [
        (0.6, 0.1, 0.01, "Yes, for Made "),
        (0.6, -0.1, 0.01, "Perhaps, for Made "),
        (0.6, np.nan, 0.05, "Perhaps, for Made "),
        (0.6, 0.1, 0.051, "It does not show: over 20 test topics"),
        (-0.6, 0.1, 0.01, "accuracy of Made "),
        (np.nan, 0.1, np.nan, "It cannot be told: too few"),
    ],
)
def test_the_answer_claims_what_ranks_and_the_slope_without_authors_show(rho, low, p, said):
    found = answer({"m": "Made"}, {"m": relation(rho)}, {"m": slope(low)}, {"m": p}, metric="accuracy")
    assert found.replace("\\", "").startswith(said)
    assert ("falls with that similarity" in found) == (rho < 0)


def test_where_most_similarities_tie_the_page_says_how_few_decide():
    assert "For 3 of 4 test topics" in ties([1.0, 1.0, 1.0, 0.4, np.nan]) and "other 1" in ties([1.0, 1.0, 1.0, 0.4])
    assert ties([1.0, 1.0, 0.5, 0.4]) == "" == ties([]) == ties([np.nan])


def test_the_answer_comes_before_the_scores():
    app = open_app("accuracy", task="attribution")
    assert app.subheader[0].value.startswith("It does not show: over 24 test topics no model's accuracy")
