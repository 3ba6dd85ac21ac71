"""Shortcut test: models run here, a benchmark built, answers brought back, and refusals."""

import json

import numpy as np
import pytest

from core.demo import bundled_corpus, bundled_vectors
from core.evaluation import NamedVectors
from core.papers.hits_2024 import answer_sheet, benchmark_zip, build_benchmark
from core.vectors import make_encoder
from tests.pages.opened import figure, open_app, press, run_models, shown_page, upload
from tests.pages.topics import made_csv, sized


@pytest.fixture(scope="module")
def benchmark():
    corpus = bundled_corpus()
    vectors = bundled_vectors(corpus, make_encoder("sbert"))
    return build_benchmark(corpus, NamedVectors(vectors.matrix, vectors.encoder_key), m=4, k=2, random_seeds=(0,))


def bring_back(archive: bytes, answers: bytes):
    app = open_app("shortcut", systems="answers of your own")
    app.file_uploader(key="benchmark_file").set_value(("raven.zip", archive, "application/zip"))
    app.file_uploader(key="answer_files").set_value([("mine.jsonl", answers, "application/json")]).run()
    assert not app.exception, app.exception
    return app


def plain(text: str) -> str:
    return text.replace("\\", "")


def readings(app) -> dict[str, str]:
    """Return each system's reading."""
    return numbers(app)["relies on topic?"].to_dict()


def numbers(app):
    """The table of the test, a row a system."""
    return next(frame.value for frame in app.dataframe if "rank by Diff" in frame.value).set_index("system")


def test_the_bundled_corpus_is_tested_at_first_sight():
    app = shown_page("shortcut")
    assert not app.error and "Inconclusive" in app.subheader[0].value
    assert not [button for button in app.button if button.label == "Run them"]
    assert set(readings(app).values()) == {"inconclusive"}


def test_a_hollow_mark_is_an_interval_that_holds_0():
    app = shown_page("shortcut")
    table = numbers(app)
    for trace in figure(app, "avg_diff")["data"]:
        row = table.loc[trace["name"]]
        assert trace["marker"]["symbol"].endswith("-open") == (row["95% CI from"] <= 0 <= row["to"])
        lowest = trace["y"][0] - trace["error_y"]["arrayminus"][0]
        assert (lowest < 1e-9) == (row["95% CI from"] <= 0 <= row["to"]), "and its bar reaches 0"


def test_pairs_as_in_the_paper_are_run_and_said_to_let_topic_help(tmp_path, monkeypatch):
    monkeypatch.setenv("LEAKSCOPE_CACHE", str(tmp_path))
    app = run_models(open_app("shortcut", shortcut_pairs="As in the paper", shortcut_k="2", shortcut_m="4"))
    told = next(frame.value for frame in app.dataframe if "topic oracle AUC" in frame.value).set_index("sample")
    hits, random = told.loc["hits", "gap"], told["gap"].drop("hits").mean()
    assert (told["gap"] > 0).all() and (told["topic oracle AUC"] > 0.5).all()
    assert any("raises scores under HITS" in plain(text.value) for text in app.markdown) == (hits - random > 0.005)


def test_labels_that_mean_nothing_leave_nothing_to_test(tmp_path, monkeypatch):
    monkeypatch.setenv("LEAKSCOPE_CACHE", str(tmp_path))
    app = press(upload(("c.csv", made_csv(sized(6, 12), shuffled=True))), "Use this corpus")
    app.switch_page("pages/shortcut.py").run()
    app = run_models(app)
    assert "labels do not separate" in app.subheader[0].value
    assert not any("rank by Diff" in frame.value for frame in app.dataframe), "no system has a reading"


def test_three_documents_a_topic_are_tested_without_a_claim(tmp_path, monkeypatch):
    monkeypatch.setenv("LEAKSCOPE_CACHE", str(tmp_path))
    app = press(upload(("c.csv", made_csv(sized(6, 3)))), "Use this corpus")
    app.switch_page("pages/shortcut.py").run()
    app = run_models(app)
    assert not app.error
    assert set(readings(app).values()) <= {"inconclusive"}


def test_a_benchmark_can_be_built_with_what_the_page_opens_with():
    """Twenty small topics by many authors, where six folds would leave one without a pair."""
    rng = np.random.default_rng(0)
    rows = [
        f"{' '.join(rng.choice([f'w{topic}x{n}' for n in range(20)], 25))},t{topic},author {rng.integers(12)}"
        for topic in range(20)
        for _ in range(4)
    ]
    app = press(upload(("c.csv", "\n".join(["text,topic,author", *rows]).encode())), "Use this corpus")
    app.switch_page("pages/shortcut.py").run()
    app = press(app, "Build it")
    assert not app.error
    assert any("train pairs" in frame.value for frame in app.dataframe)


def test_a_benchmark_is_built_when_asked():
    app = press(open_app("shortcut"), "Build it")
    assert not app.error
    held = next(frame.value for frame in app.dataframe if "train pairs" in frame.value)
    assert "random-4" in set(held["sample"]), "what each setup holds is shown"
    assert (held["gap"] == 0).all()
    assert any("Ids are opaque" in text.value for text in app.markdown)


def test_answers_come_back_and_are_tested(benchmark):
    ids = answer_sheet(benchmark).ids.index
    answers = "\n".join(json.dumps({"id": each, "value": 0.25 + 0.5 * (place % 2)}) for place, each in enumerate(ids))
    app = bring_back(benchmark_zip(benchmark), answers.encode())
    assert not app.error
    assert "no control shows" in app.subheader[0].value
    assert readings(app) == {"mine": "inconclusive"}


def test_answers_for_another_benchmark_are_refused(benchmark):
    app = bring_back(benchmark_zip(benchmark), b'{"id": "elsewhere-1", "value": 0.4}\n')
    assert len(app.error) == 1


def test_a_changed_benchmark_is_refused(benchmark):
    archive = bytearray(benchmark_zip(benchmark))
    archive[len(archive) // 2] ^= 0xFF
    assert len(bring_back(bytes(archive), b'{"id": "x", "value": 0.4}\n').error) == 1


def test_models_and_samples_of_ones_choice_are_tested_and_without_the_control_nothing_is_claimed():
    app = open_app("shortcut", shortcut_models_verification=["PPM", "CharNGram"], shortcut_samples="2")
    assert not app.exception and set(numbers(app).index) == {"PPM", "CharNGram"}
    assert "no control shows" in app.subheader[0].value
    assert set(readings(app).values()) == {"inconclusive"}


def test_a_new_corpus_is_offered_a_quick_run_with_the_control(tmp_path, monkeypatch):
    monkeypatch.setenv("LEAKSCOPE_CACHE", str(tmp_path))
    monkeypatch.setattr("pages.shared.runs.ASK_FROM_SECONDS", 0.0)
    app = press(upload(("some.csv", made_csv(dict.fromkeys("abcdefgh", 12)))), "Use this corpus")
    app.switch_page("pages/shortcut.py").run()
    assert not any("Quick start" in each.value for each in app.markdown), "the whole is as quick"
    monkeypatch.setattr("core.questions.runs.QUICK_SECONDS", 0.0)
    (offer,) = [each.value for each in app.run().markdown if "Quick start" in each.value]
    assert "TopicFit" in offer and "on HITS and 2 random samples" in offer
    app = press(app, "Run this")
    assert app.slider(key="shortcut_samples").value == 2
    assert "topic_fit" in app.multiselect(key="shortcut_models_verification").value
    assert not [each for each in app.button if each.label in ("Run this", "Run them")], "it has run"
