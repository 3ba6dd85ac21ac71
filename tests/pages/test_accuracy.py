"""Folds & accuracy: alive at first sight, long runs asked for, bad corpora told so."""

import pytest

from core.demo import RESULTS, bundled_corpus, bundled_vectors
from core.evaluation import ResultStore, evaluate
from core.splits import make_folds
from core.vectors import make_encoder
from tests.pages.opened import metrics, open_app, press, upload


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
    choices = {"task": "attribution", "models": [model], "vectors": vectors.matrix, "vectors_key": vectors.encoder_key}
    shipped = evaluate(corpus, folds, **choices, results=ResultStore("/nowhere", shipped=RESULTS))
    assert shipped.fresh == 0
    assert (shipped.runs[0].answers == evaluate(corpus, folds, **choices).runs[0].answers).all()


def test_shipped_verification_scores_are_what_the_models_give():
    corpus = bundled_corpus()
    vectors = bundled_vectors(corpus, make_encoder("sbert"))
    folds = make_folds(corpus, scheme="topic-kfold", k=6, seed=0)
    choices = {"task": "verification", "vectors": vectors.matrix, "vectors_key": vectors.encoder_key}
    for model in ("char_ngram", "sbert_cosine"):
        shipped = evaluate(corpus, folds, models=[model], **choices, results=ResultStore("/nowhere", shipped=RESULTS))
        fresh = evaluate(corpus, folds, models=[model], **choices)
        assert shipped.fresh == 0
        assert shipped.runs[0].answers == pytest.approx(fresh.runs[0].answers, abs=1e-9)


def test_a_topic_in_focus_opens_its_documents():
    app = open_app("accuracy", focus="cooking")
    assert any("In focus: cooking" in heading.value for heading in app.subheader)
    assert any("restaurants" in text.value for text in app.markdown)


def test_one_fold_shows_its_topics_only():
    app = open_app("accuracy", fold="fold 2")
    assert app.pills(key="fold").value == "fold 2"
    assert not app.exception


def test_long_runs_are_asked_for_first():
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


def test_a_fold_that_cannot_be_run_says_why_and_the_page_stands():
    rows = ["text,topic,author"]
    for topic in ("a", "b", "c"):
        for number in range(6):
            author = "ann" if topic == "c" else ("ann", "bob")[number % 2]
            rows.append(f"word{number} of {topic} and more {number * 7} text by {author},{topic},{author}")
    app = press(upload(("some.csv", "\n".join(rows).encode())), "Use this corpus")
    app.switch_page("pages/accuracy.py").run()
    app.segmented_control(key="task").set_value("verification").run()
    for button in [button for button in app.button if button.label == "Run them"]:
        button.click().run()
    assert not app.exception
    assert any("cannot be paired" in warning.value for warning in app.warning)
    assert app.metric
