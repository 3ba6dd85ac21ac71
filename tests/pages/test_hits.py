"""HITS: the slider, policies, links, vectors of one's own, and the experiments."""

import numpy as np
import pytest

from core.demo import bundled_corpus
from tests.pages.opened import metrics, open_app, press, upload


def test_moving_the_slider_keeps_the_first_m_of_the_path():
    app = open_app("hits")
    app.slider(key="m").set_value(5).run()
    kept_five = metrics(app)
    app.slider(key="m").set_value(24).run()
    kept_all = metrics(app)
    assert kept_five["Topics kept"] == "5"
    assert kept_all["Documents kept"] == f"{len(bundled_corpus()):,}"
    assert float(kept_five["Mean similarity"]) < float(kept_all["Mean similarity"])


def test_one_topic_kept_has_no_similarity():
    app = open_app("hits")
    app.slider(key="m").set_value(1).run()
    assert metrics(app)["Max similarity"] == "–"
    assert not app.exception


def test_grouping_keeps_every_document():
    app = open_app("hits", policy="grouping", m="4")
    shown = metrics(app)
    assert shown["Topics kept"] == "4"
    assert shown["Documents kept"] == f"{len(bundled_corpus()):,}"


def test_settings_come_from_the_url_and_nonsense_in_it_is_ignored():
    assert open_app("hits", m="7").slider(key="m").value == 7
    assert 1 <= open_app("hits", m="9999").slider(key="m").value <= 24
    assert open_app("hits", m="abc", policy="nonsense", corpus="nothing").slider(key="m").value >= 1


def test_a_link_to_a_file_that_is_not_here_says_so():
    app = open_app("hits", corpus="Your own file")
    assert any("No file is loaded" in info.value for info in app.info)
    assert not app.slider


def test_own_vectors_are_used(tiny_csv, tmp_path):
    app = press(upload(("my.csv", tiny_csv)), "Use this corpus")
    target = tmp_path / "v.npy"
    np.save(target, np.random.default_rng(0).normal(size=(12, 5)).astype(np.float32))
    app.file_uploader(key="vectors_file").set_value(("v.npy", target.read_bytes(), "application/octet-stream")).run()
    app.button(key="use_vectors").click().run()
    assert not app.exception
    assert app.selectbox(key="encoder").value == "precomputed"
    app.switch_page("pages/hits.py").run()
    assert not app.exception
    assert metrics(app)["Topics kept"].isdigit()


@pytest.mark.parametrize("experiment", ["similarity against m", "closest train/test pairs"])
def test_quick_experiments_run_at_once(experiment):
    app = open_app("hits", experiment=experiment)
    assert not app.error
    assert app.dataframe


def test_long_experiments_are_asked_for():
    app = open_app("hits", experiment="encoders")
    assert [button for button in app.button if button.label == "Run it"]
