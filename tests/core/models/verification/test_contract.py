"""Laws that every verifier keeps, and what each one adds."""

import dataclasses
import json
import subprocess
import sys

import numpy as np
import pytest

from core.corpora import make_corpus
from core.errors import EncoderError, InputError, SettingError
from core.models import Documents, verification_scores
from core.models.verification import VERIFIERS, make_verifier
from core.models.verification.cosine import pair_cosines, tfidf_vectors
from core.models.vocabulary import CharacterNgrams, TermCounts
from core.splits import Pairs, held_out, make_pairs

EVERY = pytest.mark.parametrize("name", sorted(VERIFIERS))
# Small enough for seconds: what is held here does not depend on how long a network trains.
QUICK = {
    "luar": {"epochs": 1, "trained_layers": 1, "authors": 4},
    "o2d2": {"epochs": 8, "patience": 8, "rate": 1e-2, "word": 32, "hidden": 16},
}
# In the key besides settings and version: another torch trains other weights.
BESIDES = {"luar": {"torch"}, "o2d2": {"torch"}}


def quick(name: str, **settings):
    return make_verifier(name, **QUICK.get(name, {}) | settings)


def written(count: int, *, authors: int = 4, seed: int = 0) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Texts by authors with words and a punctuation of their own, their author codes, and vectors near each author's."""
    rng = np.random.default_rng(seed)
    common = ["the", "a", "of", "and", "to", "in", "that", "it", "was", "with", "for", "on", "as", "at", "by", "from"]
    common += ["this", "but", "not", "they"]
    own = [
        ["garden", "plowen", "seeden", "barnen"],
        ["shiply", "portly", "saily", "tidely"],
        ["coining", "banking", "loaning", "debting"],
        ["starward", "moonward", "cometward", "dustward"],
    ]
    marks = [", ", "; ", " – ", "... "]
    codes = np.arange(count) % authors
    texts = []
    for code in codes:
        words = [str(rng.choice(own[code] if rng.random() < 0.3 else common)) for _ in range(60)]
        texts.append("".join(word + (marks[code] if rng.random() < 0.15 else " ") for word in words))
    vectors = np.eye(authors)[codes] + rng.normal(scale=0.4, size=(count, authors))
    return texts, codes, vectors


def corpus_of(count: int, *, seed: int = 0):
    texts, codes, vectors = written(count, seed=seed)
    corpus = make_corpus(texts, ["x", "y"] * (count // 2), authors=[f"author {code}" for code in codes])
    return corpus, Documents(corpus.texts, vectors)


@pytest.fixture(scope="module")
def sides():
    """Documents, fitting pairs, held-out pairs, and test documents with their pairs."""
    corpus, documents = corpus_of(120)
    fit, held = held_out(make_pairs(corpus, np.arange(120), seed=0, kind="paper"), share=0.3, seed=0)
    other, unseen = corpus_of(60, seed=1)
    return documents, fit, held, unseen, make_pairs(other, np.arange(60), seed=1, kind="paper")


@pytest.fixture(scope="module")
def fitted(sides):
    """Every verifier by name, fitted when it is first asked for."""
    documents, fit, held, _, _ = sides

    class Fitted(dict):
        def __missing__(self, name):
            self[name] = quick(name).fit(documents, fit, held=held, seed=0)
            return self[name]

    return Fitted()


def pairs_of(first, second, same) -> Pairs:
    codes = np.arange(len(first))
    authors, topics = (codes, np.where(same, codes, codes + 1)), (np.zeros_like(codes),) * 2
    return Pairs(np.array(first), np.array(second), np.array(same), *authors, *topics, "paper")


@EVERY
def test_scores_are_probabilities_that_tell_authors_apart(name, sides, fitted):
    *_, unseen, pairs = sides
    scores = fitted[name].score(unseen, pairs.first, pairs.second)
    assert scores.shape == pairs.first.shape
    assert scores.dtype == np.float64
    assert np.isfinite(scores).all()
    assert ((scores >= 0) & (scores <= 1)).all()
    assert verification_scores(pairs.same, scores).auc > 0.8
    assert fitted[name].notes
    assert all(note.endswith(".") for note in fitted[name].notes)


@EVERY
def test_a_seed_gives_one_model_and_scoring_leaves_it_as_it_was(name, sides, fitted):
    documents, fit, held, unseen, pairs = sides
    before = fitted[name].score(unseen, pairs.first, pairs.second)
    fitted[name].score(Documents(["quite other words"] * 3, np.eye(3, 4)), np.array([0, 1]), np.array([1, 2]))
    assert np.array_equal(fitted[name].score(unseen, pairs.first, pairs.second), before)
    again = quick(name).fit(documents, fit, held=held, seed=0)
    assert np.array_equal(again.score(unseen, pairs.first, pairs.second), before)
    assert again.notes == fitted[name].notes


@EVERY
def test_neither_order_nor_company_nor_direction_changes_a_score(name, sides, fitted):
    *_, unseen, pairs = sides
    scores = fitted[name].score(unseen, pairs.first, pairs.second)
    rng = np.random.default_rng(2)
    order = rng.permutation(len(scores))
    assert np.array_equal(fitted[name].score(unseen, pairs.first[order], pairs.second[order]), scores[order])
    assert np.array_equal(fitted[name].score(unseen, pairs.second, pairs.first), scores)
    shuffle = rng.permutation(len(unseen))
    place = np.argsort(shuffle)
    shuffled = Documents(unseen.texts_of(shuffle), unseen.vectors[shuffle])
    assert np.array_equal(fitted[name].score(shuffled, place[pairs.first], place[pairs.second]), scores)
    assert np.array_equal(fitted[name].score(unseen, pairs.first[:1], pairs.second[:1]), scores[:1])


@EVERY
def test_documents_outside_the_pairs_are_never_looked_at(name, sides, fitted):
    documents, fit, held, unseen, pairs = sides
    used = np.union1d(fit.rows, held.rows)
    texts, vectors = list(documents.texts) + ["zebra quagga"] * 50, np.vstack([documents.vectors, np.ones((50, 4))])
    for row in np.setdiff1d(np.arange(len(documents)), used):
        texts[row], vectors[row] = "zebra", 9.0
    wider = quick(name).fit(Documents(texts, vectors), fit, held=held, seed=0)
    assert wider.notes == fitted[name].notes
    expected = fitted[name].score(unseen, pairs.first, pairs.second)
    assert np.array_equal(wider.score(unseen, pairs.first, pairs.second), expected)


@EVERY
def test_odd_texts_and_no_pairs_are_scored(name, fitted):
    odd = ["", "x", " ", "\n\n", "\0", "漢字 и кириллица", "😀😀😀", "İstanbul ﬁ Ǆ", "*** ## 123", "a" * 30_000]
    vectors = np.zeros((len(odd), 4))
    vectors[3:] = -1.0
    first, second = (axis.ravel() for axis in np.indices((len(odd), len(odd))))
    scores = fitted[name].score(Documents(odd, vectors), first, second)
    assert np.isfinite(scores).all()
    assert ((scores >= 0) & (scores <= 1)).all()
    none = np.array([], dtype=np.int64)
    assert fitted[name].score(Documents([], np.empty((0, 4))), none, none).shape == (0,)


@EVERY
def test_training_on_odd_and_identical_texts_works(name):
    count = 400 if VERIFIERS[name].by_choice else 3_000
    texts = ["the same words again and again"] * count
    texts[:4] = ["", "x", "漢字 漢字 漢字", "entirely different matter"]
    documents = Documents(texts, np.ones((count, 4)))
    first = np.arange(0, count, 2)
    pairs = pairs_of(first, first + 1, first % 4 == 0)
    model = quick(name, **({"epochs": 1} if VERIFIERS[name].by_choice else {})).fit(
        documents, pairs, held=pairs, seed=0
    )
    scores = model.score(documents, first, first + 1)
    assert ((scores >= 0) & (scores <= 1)).all()
    assert len(np.unique(scores[10:])) == 1


@EVERY
def test_keys_name_every_setting(name):
    plain = make_verifier(name)
    key = json.loads(plain.key())
    assert key["name"] == name == plain.name
    assert isinstance(key.pop("version"), int)
    key.pop("name")
    assert {each for each in BESIDES.get(name, ()) if key.pop(each)} == BESIDES.get(name, set())
    assert key == dataclasses.asdict(plain)
    for setting, value in key.items():
        if isinstance(value, str):  # a folder of weights: see test_luar.py
            continue
        assert make_verifier(name, **{setting: (value or 10) + 1}).key() != plain.key()
    with pytest.raises(SettingError, match=f"'{name}' has no setting 'colour'"):
        make_verifier(name, colour="red")


def test_labels_and_sentences_for_the_pages():
    assert len({kind.label for kind in VERIFIERS.values()}) == len(VERIFIERS)
    assert all(kind.about.endswith(".") for kind in VERIFIERS.values())
    assert [name for name, kind in VERIFIERS.items() if kind.needs_vectors] == ["sbert_cosine"]
    with pytest.raises(SettingError, match="Did you mean 'ppm'"):
        make_verifier("ppn")


def test_importing_the_registry_loads_nothing_heavy():
    heavy = "sklearn", "numba", "scipy", "torch", "streamlit"
    code = f"import sys, core.models.verification, core.models.attribution; print([m for m in {heavy!r} if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_cosines_equal_their_definition():
    texts, _, _ = written(12)
    vectors = tfidf_vectors(texts[:8], TermCounts(CharacterNgrams(4, 4, lower=True)), features=50)
    assert len(vectors.vectorizer.terms) == 50
    first, second = (axis.ravel() for axis in np.indices((12, 12)))
    dense = vectors.vectorizer.transform(texts).toarray()
    expected = (dense[first] * dense[second]).sum(axis=1)
    np.testing.assert_allclose(pair_cosines(vectors, Documents(texts), first, second), expected, atol=1e-12)


def test_vocabulary_comes_from_the_fitting_pairs_alone(sides):
    documents, fit, held, _, _ = sides
    texts = list(documents.texts)
    for row in np.setdiff1d(held.rows, fit.rows):
        texts[row] += " qqqqqq"
    model = make_verifier("char_ngram").fit(Documents(texts), fit, held=held, seed=0)
    assert "qqqq" not in model.vectors.vectorizer.terms


def test_topic_fit_compares_no_masked_word_and_reports_how_many_there_are(sides):
    documents, fit, held, _, _ = sides
    model = make_verifier("topic_fit", k=20).fit(documents, fit, held=held, seed=0)
    assert model.notes[0].startswith("The 20 most frequent of 36 distinct")
    assert len(model.vectors.vectorizer.terms) == 16
    same = Documents(["the a of and to 12", "the a of and to 12"])
    assert model.score(same, np.array([0]), np.array([1]))[0] == 0.0


def test_negative_cosines_count_as_zero_and_vectors_are_needed(sides, fitted):
    *_, unseen, pairs = sides
    opposite = Documents(["a", "b", "c"], np.array([[1.0, 0, 0, 0], [-1.0, 0, 0, 0], [0, 0, 0, 0]]))
    assert fitted["sbert_cosine"].score(opposite, np.array([0, 0]), np.array([1, 2])).tolist() == [0.0, 0.0]
    with pytest.raises(EncoderError, match="these documents have none; embed them with 'sbert'"):
        fitted["sbert_cosine"].score(Documents(unseen.texts), pairs.first, pairs.second)
    with pytest.raises(InputError, match="2 vectors for 3 documents"):
        Documents(["a", "b", "c"], np.ones((2, 4)))


def test_what_cannot_be_learned_from_is_named(sides):
    documents, fit, held, _, _ = sides
    similar = pairs_of(fit.first[fit.same], fit.second[fit.same], fit.same[fit.same])
    with pytest.raises(SettingError, match="all of one kind, and PPM learns from both"):
        make_verifier("ppm").fit(documents, similar, held=held, seed=0)
    assert "all of one kind" in make_verifier("char_ngram").fit(documents, fit, held=similar, seed=0).notes[-1]
    short = Documents(["ab", "c", "", "d"])
    pairs = pairs_of([0, 1], [2, 3], [True, False])
    with pytest.raises(SettingError, match="too short to compare"):
        make_verifier("char_ngram").fit(short, pairs, held=pairs, seed=0)
    for name in ("char_ngram", "topic_fit"):
        with pytest.raises(SettingError):
            make_verifier(name, features=0)
