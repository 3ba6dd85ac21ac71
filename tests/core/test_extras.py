"""Without an extra, everything else works, and what does not says how to add it."""

import json
from types import SimpleNamespace

import numpy as np
import pytest

from core import extras
from core.__main__ import main
from core.evaluation import usual_models
from core.evaluation.store import LIBRARIES, runs_from_json, versions
from core.models.verification import cross_entropies
from core.questions.topic_map import Settings, layout_used
from core.topics import map_layout, topic_space, warm_layout
from core.vectors import fetch_model, instead_of, make_encoder
from tests.pages.opened import open_app

HOW = r"pip install 'leakscope\[sbert\]'"


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """An installation without any extra."""
    monkeypatch.setattr(extras, "find_spec", lambda module: None)


def test_an_extra_is_there_when_all_of_its_modules_are(monkeypatch: pytest.MonkeyPatch):
    assert extras.installed("sbert")
    monkeypatch.setattr(extras, "find_spec", lambda module: None if module == "umap" else SimpleNamespace())
    assert not extras.installed("sbert") and extras.installed("cluster")


def test_models_and_encoders_that_lack_it_say_how_to_add_it(bare: None):
    with pytest.raises(extras.MissingExtra, match=f"SBERT needs .* Run: {HOW}, or choose LSA."):
        list(make_encoder("sbert").batches(["a text"]))
    with pytest.raises(extras.MissingExtra, match=HOW):
        fetch_model("all-MiniLM-L12-v2")
    with pytest.raises(extras.MissingExtra, match=f"PPM needs .*{HOW}"):
        cross_entropies(["a", "b"], np.array([0]), np.array([1]))
    assert usual_models("verification") == ["char_ngram", "topic_fit", "sbert_cosine"]
    assert instead_of("sbert")[0] == "lsa" and instead_of("lsa") == ("lsa", "")


def test_the_map_is_drawn_by_pca_and_says_why(bare: None):
    vectors = np.random.default_rng(0).normal(size=(40, 5)).astype(np.float32)
    codes = np.arange(40) % 4
    layout = map_layout(vectors, codes, topic_space(vectors, codes, ("a", "b", "c", "d")))
    assert layout.method == "pca"
    said = layout_used(Settings(find=(), colour="topic", layout="umap", first="a", second="b"), layout)
    assert said == "PCA, because UMAP is not installed (pip install 'leakscope[sbert]')."
    warm_layout()  # compiles nothing, and does not fail


def test_a_command_goes_on_with_lsa_and_the_bundled_vectors(bare: None, capsys, tmp_path, tiny_csv):
    (tmp_path / "tiny.csv").write_bytes(tiny_csv)
    assert main(["hits", str(tmp_path / "tiny.csv"), "--m", "2", "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["m"] == 2
    assert err.startswith("SBERT is not installed, so LSA compares the topics. To add it: pip install")
    long = "".join(f"{'word ' * 300},{topic}\n" for topic in "aabb")
    (tmp_path / "long.csv").write_text(f"text,topic\n{long}")
    assert main(["audit", str(tmp_path / "long.csv")]) == 0 and "SBERT reads" not in capsys.readouterr().out
    assert main(["hits", str(tmp_path / "tiny.csv"), "--encoder", "sbert"]) == 2
    assert "pip install 'leakscope[sbert]'" in capsys.readouterr().err
    assert main(["hits", "demo", "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == "" and len(json.loads(out)["topics"]) == 24


def test_answers_that_ship_are_read_without_the_libraries_that_are_missing(monkeypatch: pytest.MonkeyPatch):
    everything = versions()
    assert set(everything) == set(LIBRARIES)
    here = {name: each for name, each in everything.items() if name != "numba"}
    kept = {"runs": {"key": [[0.5], [], None]}, "versions": everything}
    monkeypatch.setattr("core.evaluation.store.versions", lambda: here)
    assert list(runs_from_json(kept)) == ["key"]
    monkeypatch.setattr("core.evaluation.store.versions", lambda: here | {"numpy": "0.1"})
    assert runs_from_json(kept) == {}


def test_overview_and_map_open_without_extras(bare: None):
    assert open_app("overview").metric
    open_app("topic_map")
