"""Shortcut test: models run here, a benchmark built, answers brought back, and refusals."""

import json

import pytest

from core.demo import bundled_corpus, bundled_vectors
from core.studies import answer_sheet
from core.studies.raven import benchmark_zip, build_benchmark
from core.vectors import make_encoder
from tests.pages.opened import open_app, press


@pytest.fixture(scope="module")
def benchmark():
    corpus = bundled_corpus()
    vectors = bundled_vectors(corpus, make_encoder("sbert"))
    return build_benchmark(corpus, vectors.matrix, encoder_key=vectors.encoder_key, m=4, k=2, random_seeds=(0,))


def bring_back(archive: bytes, answers: bytes):
    app = open_app("shortcut", systems="answers of your own")
    app.file_uploader(key="benchmark_file").set_value(("raven.zip", archive, "application/zip"))
    app.file_uploader(key="answer_files").set_value([("mine.jsonl", answers, "application/json")]).run()
    assert not app.exception, app.exception
    return app


def test_models_run_here_are_tested_at_first_sight():
    app = open_app("shortcut")
    assert not app.error
    assert not [button for button in app.button if button.label == "Run them"]
    assert any("under HITS" in text.value for text in app.markdown)


def test_a_benchmark_is_built_when_asked():
    app = press(open_app("shortcut"), "Build it")
    assert not app.error
    assert any("random-4" in frame.value.to_string() for frame in app.dataframe), "what each setup holds is shown"


def test_answers_come_back_and_are_tested(benchmark):
    ids = answer_sheet(benchmark).ids.index
    answers = "\n".join(json.dumps({"id": each, "value": 0.25 + 0.5 * (place % 2)}) for place, each in enumerate(ids))
    app = bring_back(benchmark_zip(benchmark), answers.encode())
    assert not app.error
    assert any("mine" in text.value for text in app.markdown)


def test_answers_for_another_benchmark_are_refused(benchmark):
    app = bring_back(benchmark_zip(benchmark), b'{"id": "elsewhere-1", "value": 0.4}\n')
    assert len(app.error) == 1


def test_a_changed_benchmark_is_refused(benchmark):
    archive = bytearray(benchmark_zip(benchmark))
    archive[len(archive) // 2] ^= 0xFF
    assert len(bring_back(bytes(archive), b'{"id": "x", "value": 0.4}\n').error) == 1
