"""LUAR: the formulas against others' computations, what it learns, what it refuses, and folders of one's own."""

import json
from io import FileIO
from types import SimpleNamespace

import numpy as np
import pytest

from core.errors import EncoderError, SettingError
from core.models import Documents, verification_scores
from core.models.verification import luar, make_verifier
from core.models.verification.neural import authored
from core.progress import heard_by
from core.splits import make_pairs
from core.vectors import cut_into_excerpts, excerpts_of

from .neural_cases import habits_corpus

torch = pytest.importorskip("torch")


def rows_on(corpus, *subjects):
    return np.flatnonzero(np.isin(corpus.topics, subjects))


@pytest.fixture(scope="module")
def trained():
    """Trained on two subjects, asked about two others: 40 training pairs, pairs of other subjects, and what was told."""
    corpus = habits_corpus(each=3)
    seen = make_pairs(corpus, rows_on(corpus, "boats", "bread"), seed=0, kind="matched")
    fresh = make_pairs(corpus, rows_on(corpus, "trains", "gardens"), seed=0, kind="matched")
    documents, told = Documents(corpus.texts), []
    with heard_by(lambda *report: told.append(report)):
        model = make_verifier("luar", epochs=3, patience=3).fit(documents, seen, held=seen, seed=0)
    return SimpleNamespace(model=model, documents=documents, seen=seen, fresh=fresh, told=told)


def auc(trained, pairs) -> float:
    return verification_scores(pairs.same, trained.model.raw(trained.documents, pairs.first, pairs.second)).auc


def test_training_pairs_are_learned_by_heart_and_habits_on_unseen_subjects(trained):
    assert len(trained.seen) >= 40
    assert auc(trained, trained.seen) > 0.95
    assert auc(trained, trained.fresh) > 0.7


def test_it_tells_every_epoch_and_says_what_it_departs_from(trained):
    assert [report[2] for report in trained.told] == [f"epoch {number} of 3" for number in (1, 2, 3)]
    assert "not on the paper's paraphrase-distilroberta" in trained.model.notes[0]
    assert "of at most 3 epochs" in trained.model.notes[1]


def test_the_frozen_layers_run_once_a_text_and_change_nothing():
    text = ["The crew of the boat was late, and the tide was not. " * 5]
    ids = excerpts_of(text, tokens=32, most=16)[0]
    weights = luar.trainable(2, torch.Generator().manual_seed(0))
    whole = luar.trainable(6, torch.Generator().manual_seed(0))
    frozen, all_six = luar.frozen_states(ids, 2), luar.frozen_states(ids, 6)
    halves = [luar.unit_vector(*pair) for pair in ((weights, frozen), (whole, all_six))]
    assert halves[0] @ halves[1] > 0.999
    before = len(luar._store)
    luar.states_of(text[0], 2)
    assert len(luar._store) == before + 1
    kept = luar.states_of(text[0], 2)
    assert luar.states_of(text[0], 2) is kept


def test_states_on_disk_are_those_in_memory(monkeypatch):
    texts = [f"{word} " * count for word, count in (("boat", 5), ("tide", 90), ("crew", 700))]
    layers, rows = 2, np.arange(3)
    with luar.states_of_all(texts, rows, layers) as held:
        monkeypatch.setattr(luar, "HELD", held[0].nbytes)
        with luar.states_of_all(texts, rows, layers) as read:
            for row in (2, 0, 1, 2):
                assert torch.equal(held[row], read[row]) and held[row].dtype == read[row].dtype
                assert read.tokens(row) == held.tokens(row) == held[row].shape[1]
            assert read[0] is held[0] and read[1] is not held[1]


def test_a_full_disk_is_said(monkeypatch):
    monkeypatch.setattr(luar, "HELD", 0)
    full = pytest.raises(SettingError, match="which is full. Set TMPDIR to a folder with more room")
    with FileIO("/dev/full", "r+") as file, full:
        luar.States(file).add(0, torch.zeros(1, 2, 3))


def test_the_contrastive_loss_is_its_definition():
    rng = np.random.default_rng(0)
    vectors, authors = rng.normal(size=(6, 5)), np.array([0, 0, 1, 1, 2, 2])
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    likes = np.exp(unit @ unit.T / 0.05)
    expected = np.mean([-np.log(likes[i, i ^ 1] / (likes[i].sum() - likes[i, i])) for i in range(6)])
    found = luar.contrastive_loss(torch.from_numpy(vectors), torch.from_numpy(authors), 0.05)
    assert float(found) == pytest.approx(expected)


def test_filling_up_a_short_excerpt_changes_nothing():
    weights = luar.trainable(1, torch.Generator().manual_seed(1))
    texts = ["Short.", "A much longer text about harbours, sails, anchors and tides; " * 6]
    states = [luar.frozen_states(ids, 1) for ids in excerpts_of(texts, tokens=32, most=16)]
    with torch.no_grad():
        together = luar.text_vectors(weights, states)
    for row, alone in enumerate(states):
        vector = together[row].double().numpy()
        assert vector @ luar.unit_vector(weights, alone) / np.linalg.norm(vector) > 0.999


def test_excerpts_cover_a_text_from_its_first_token_to_its_last():
    marks = np.array([101, 102])
    for length in (0, 1, 29, 30, 31, 75, 480, 5_000):
        cut = cut_into_excerpts(np.arange(length), marks, tokens=32, most=16)
        assert len(cut) == min(max(-(-length // 30), 1), 16)
        assert all(each[0] == 101 and each[-1] == 102 for each in cut)
        assert all(len(each) == min(length, 30) + 2 for each in cut)
        if length:
            assert (cut[0][1], cut[-1][-2]) == (0, length - 1)
        if length <= 480:
            assert set(np.concatenate([each[1:-1] for each in cut])) == set(range(length))


def test_an_epoch_meets_authors_evenly_and_pairs_two_different_texts():
    rows = tuple(np.arange(start, start + size) for start, size in ((0, 3), (10, 40), (60, 5)))
    met = list(luar.batches(luar.Authored(rows), 2, np.random.default_rng(0)))
    assert len(met) == 12  # 48 texts, four a batch
    counts = np.zeros(3)
    for texts, codes in met:
        assert len(set(texts.tolist())) == 4
        assert (codes[::2] == codes[1::2]).all() and codes[0] != codes[2]
        assert all(text in rows[code] for text, code in zip(texts, codes, strict=True))
        counts[codes[::2]] += 1
    assert counts.max() - counts.min() <= 1


def test_too_few_authors_with_two_texts_are_refused():
    corpus = habits_corpus(each=2, subjects=("boats", "bread"))
    pairs = make_pairs(corpus, np.array([0, 1, 2, 4]), seed=0, kind="paper")
    with pytest.raises(SettingError, match="LUAR learns from at least two authors .* 1 of 3 authors have that many"):
        authored(Documents(corpus.texts), pairs, model="LUAR")
    with pytest.raises(SettingError, match="choose from 1 to 6"):
        make_verifier("luar", trained_layers=7)


def test_texts_shorter_than_an_excerpt_are_said():
    corpus = habits_corpus(each=2, subjects=("boats", "bread"))
    pairs = make_pairs(corpus, np.arange(8), seed=0, kind="paper")
    short = Documents(["the boat", "a tide", *corpus.texts[2:]])
    model = make_verifier("luar", epochs=1, trained_layers=1).fit(short, pairs, held=pairs, seed=0)
    said = "2 of 8 training texts are shorter than an excerpt of 32 tokens and read as one short excerpt."
    assert said in model.notes


@pytest.fixture
def folder(tmp_path):
    """A small folder as LUAR is published: one layer of 64 numbers, a tokenizer of words."""
    from safetensors.torch import save_file
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    names = ["<s>", "</s>", "[UNK]", *["the", "crew", "of", "boat", "was", "late", "and", "tide", "not"]]
    tokenizer = Tokenizer(models.WordLevel({name: code for code, name in enumerate(names)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.BertProcessing(("</s>", 1), ("<s>", 0))
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    draws, at = torch.Generator().manual_seed(0), "transformer.encoder.layer.0."
    shapes = {f"{at}{name}": (64, 64) for part in ("into", "out") for name in luar.PARTS[part]}
    shapes |= {f"{at}intermediate.dense": (128, 64), f"{at}output.dense": (64, 128), "linear": (16, 64)}
    norms = (f"{at}attention.output.LayerNorm", f"{at}output.LayerNorm", "transformer.embeddings.LayerNorm")
    tensors = {f"{name}.weight": torch.randn(shape, generator=draws) * 0.1 for name, shape in shapes.items()}
    tensors |= {f"{name}.bias": torch.zeros(shape[0]) for name, shape in shapes.items()}
    tensors |= {f"{name}.weight": torch.ones(64) for name in norms} | {
        f"{name}.bias": torch.zeros(64) for name in norms
    }
    sizes = {"word_embeddings": len(names), "position_embeddings": 40, "token_type_embeddings": 1}
    for name, size in sizes.items():
        tensors[f"transformer.embeddings.{name}.weight"] = torch.randn(size, 64, generator=draws)
    save_file(tensors, tmp_path / "model.safetensors")
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "LUAR", "embedding_size": 16}))
    return tmp_path


def test_a_folder_of_ones_own_is_used_as_it_is(folder, monkeypatch):
    corpus = habits_corpus(each=2, subjects=("boats", "bread"))
    pairs = make_pairs(corpus, np.arange(8), seed=0, kind="paper")
    monkeypatch.setenv("LEAKSCOPE_LUAR_WEIGHTS", str(folder))
    model = make_verifier("luar")
    assert str(folder) not in model.key()
    assert model.key() != make_verifier("luar", weights="").key()
    fitted = model.fit(Documents(corpus.texts), pairs, held=pairs, seed=0)
    assert "as it is" in fitted.notes[0]
    vector = luar.checked_folder(str(folder)).vector("the crew was late")
    assert vector.shape == (16,)
    assert vector @ vector == pytest.approx(1)


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda folder: (folder / "model.safetensors").unlink(), "pickled pytorch_model.bin is never opened"),
        (lambda folder: (folder / "tokenizer.json").unlink(), "holds no tokenizer.json"),
        (lambda folder: (folder / "config.json").write_text("{"), "cannot be read"),
        (lambda folder: (folder / "config.json").write_text('{"model_type": "bert"}'), "model type 'bert', not 'LUAR'"),
        (
            lambda folder: (folder / "model.safetensors").write_bytes(b"\x80\x04pickle"),
            "model.safetensors cannot be read",
        ),
        (lambda folder: (folder / "tokenizer.json").write_text("[]"), "tokenizer.json cannot be read"),
    ],
)
def test_a_folder_that_is_not_one_is_refused(folder, spoil, said):
    spoil(folder)
    with pytest.raises(EncoderError, match=said):
        make_verifier("luar", weights=str(folder)).weights and luar.checked_folder(str(folder)).vector("x")


def test_a_path_that_is_no_folder_and_tensors_of_another_model_are_refused(folder, tmp_path):
    from safetensors.torch import save_file

    with pytest.raises(EncoderError, match="is no folder; name one that holds config.json"):
        make_verifier("luar", weights=str(tmp_path / "nowhere"))
    save_file({"other": torch.zeros(2)}, folder / "model.safetensors")
    with pytest.raises(EncoderError, match="has no tensor 'linear.weight'"):
        luar.checked_folder(str(folder)).vector("x")
