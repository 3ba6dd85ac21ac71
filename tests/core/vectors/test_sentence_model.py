"""Any sentence-transformers model: the shipped one as a folder gives our own vectors; what is no model is refused in words."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from core.corpora import make_corpus
from core.errors import EncoderError, SettingError
from core.vectors import VectorStore, embed, estimate, fetch_model, is_fetched, make_encoder, sbert
from core.vectors.sbert import AT_ONCE
from tests.core.vectors.test_encoders import LONG, TEXTS, matrix_of


def test_the_shipped_weights_as_a_folder_give_our_own_vectors():
    texts = [*TEXTS, LONG, *(f"text {number} on rivers and lamps" for number in range(AT_ONCE))]
    theirs = matrix_of(make_encoder("model", model=str(sbert.folder())), texts)
    ours = matrix_of(make_encoder("sbert"), texts)
    least = (
        0.9999 if "float32" in make_encoder("sbert").key() else 0.999
    )  # ours in half the digits where that is faster
    assert (theirs * ours).sum(axis=1).min() >= least
    assert "first 256 tokens" in make_encoder("model", model=str(sbert.folder())).describe(texts)[0]


def test_vectors_go_through_the_store(tmp_path: Path):
    corpus = make_corpus(["one text", "another text", "a third"], ["a", "b", "b"])
    encoder, store = make_encoder("model", model=str(sbert.folder())), VectorStore(tmp_path)
    assert estimate(corpus, encoder, store=store) == 3
    first = embed(corpus, encoder, store=store)
    assert estimate(corpus, encoder, store=store) == 0
    again = embed(corpus, encoder, store=store)
    assert (again.encoded, again.from_store) == (0, 3) and np.array_equal(first.matrix, again.matrix)


def test_the_key_is_of_the_files_that_make_the_model_wherever_they_lie(tmp_path: Path):
    copy = tmp_path / "copy"
    shutil.copytree(sbert.folder(), copy)
    here, there = (make_encoder("model", model=str(folder)) for folder in (sbert.folder(), copy))
    key = here.key()
    assert there.key() == key
    (copy / "README.md").write_text("another description")
    assert there.key() == key, "a description is no part of it"
    pooling = copy / "1_Pooling" / "config.json"
    pooling.write_text(pooling.read_text().replace("true", "false", 1) + " ")
    assert there.key() != key, "the modules' settings are"
    shutil.copy(sbert.folder() / "1_Pooling" / "config.json", pooling)
    assert there.key() == key
    with (copy / "model.safetensors").open("r+b") as file:
        file.seek(1_000_000)
        file.write(b"altered")
    assert there.key() != key, "and so are the weights"


def test_what_is_no_model_is_refused_with_what_would_do(tmp_path: Path):
    empty = tmp_path / "empty"
    empty.mkdir()
    cases = {
        "": "No model is named",
        "   ": "No model is named",
        str(empty): "neither modules.json nor config.json",
        str(tmp_path / "absent"): "There is no folder",
        "../absent": "There is no folder",
        "a/b/c": "There is no folder",
        "name with spaces": "There is no folder",
    }
    for model, fact in cases.items():
        with pytest.raises(EncoderError, match=fact) as refused:
            make_encoder("model", model=model).key()
        assert "Give the folder of a sentence-transformers model" in str(refused.value)
    bare = tmp_path / "own"
    bare.mkdir()
    (bare / "config.json").write_text("{}")
    with pytest.raises(EncoderError, match="no weights in safetensors"):
        make_encoder("model", model=str(bare)).key()
    (bare / "model.safetensors").write_bytes(b"not weights")
    broken = make_encoder("model", model=str(bare))
    with pytest.raises(EncoderError, match=r"'own' cannot be loaded by sentence-transformers \("):
        list(broken.batches(["text"]))
    with pytest.raises(SettingError, match="the limit is 300"):
        make_encoder("model", model="x" * 301)


def test_code_that_a_folder_brings_is_not_run(tmp_path: Path):
    folder, mark = tmp_path / "evil", tmp_path / "mark"
    shutil.copytree(sbert.folder(), folder)
    (folder / "evil_module.py").write_text(f"open({str(mark)!r}, 'w').close()\nclass Evil: pass\n")
    modules = json.loads((folder / "modules.json").read_text())
    modules[-1] |= {"type": "evil_module.Evil"}
    (folder / "modules.json").write_text(json.dumps(modules))
    with pytest.raises(EncoderError, match="cannot be loaded"):
        list(make_encoder("model", model=str(folder)).batches(["text"]))
    assert not mark.exists()


def test_names_are_looked_for_here_then_fetched_without_credentials(monkeypatch: pytest.MonkeyPatch):
    asked = []

    def download(name: str, *, local_files_only: bool, token: bool, allow_patterns: list[str]) -> str:
        asked.append((name, local_files_only))
        assert token is False and all("py" not in pattern and "bin" not in pattern for pattern in allow_patterns)
        if local_files_only and not fetched:
            raise FileNotFoundError("not here")
        fetched.append(name)
        return str(sbert.folder())

    fetched: list[str] = []
    monkeypatch.setattr("huggingface_hub.snapshot_download", download)
    encoder = make_encoder("model", model="all-MiniLM-L6-v2")
    assert not is_fetched(encoder) and not fetched
    assert fetch_model("all-MiniLM-L6-v2") == "all-MiniLM-L6-v2"
    assert is_fetched(encoder)
    assert {name for name, _ in asked} == {"sentence-transformers/all-MiniLM-L6-v2"}
    assert encoder.key() == make_encoder("model", model=str(sbert.folder())).key()


def test_a_name_without_internet_says_so(monkeypatch: pytest.MonkeyPatch):
    def no_internet(*_args: object, **_options: object) -> str:
        raise OSError("no route to host\nmore")

    monkeypatch.setattr("huggingface_hub.snapshot_download", no_internet)
    with pytest.raises(EncoderError, match=r"'owner/name' is not on this machine .* \(no route to host\)\. Connect"):
        make_encoder("model", model="owner/name").key()
    assert is_fetched(make_encoder("sbert"))


def test_too_many_files_are_no_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sbert, "MOST_FILES", 3)
    with pytest.raises(EncoderError, match="more than a model has"):
        make_encoder("model", model=str(sbert.folder())).key()
