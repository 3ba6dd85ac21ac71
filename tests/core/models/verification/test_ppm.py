"""PPM against the worked values, a dictionary implementation, and its laws."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.ppm import by_dictionaries as cross_entropy
from core.errors import SettingError
from core.models import Documents
from core.models.verification import cross_entropies, make_verifier
from core.models.verification import ppm as ppm_module
from core.models.verification.ppm import pair_features

CAT, DOG = "the cat sat on the mat", "the dog sat on the log"


def entropy(model: str, text: str) -> float:
    return float(cross_entropies([model, text], np.array([0]), np.array([1]))[0])


@pytest.mark.parametrize(
    ("model", "text", "bits"),
    [
        ("abracadabra", "abracab", 0.448215),
        ("abracab", "abracadabra", 1.055883),
        (CAT, DOG, 2.205264),
        (DOG, CAT, 1.395465),
    ],
)
def test_worked_values(model, text, bits):
    assert entropy(model, text) == pytest.approx(bits, abs=5e-7)
    assert cross_entropy(model, text) == pytest.approx(bits, abs=5e-7)


# Few letters make deep contexts, many make backing off; the last two reach past the first plane and into surrogates.
texts = st.one_of(
    st.text(alphabet="ab", max_size=120),
    st.text(alphabet="abcde ", max_size=200),
    st.text(alphabet=["a", "é", "漢", "\0", "\U0001f600", "\U0010ffff"], max_size=80),
    st.text(alphabet=st.characters(), max_size=60),
)


@given(texts, texts)
@settings(max_examples=300, deadline=None)
def test_equal_to_the_dictionary_implementation(model, text):
    assert entropy(model, text) == pytest.approx(cross_entropy(model, text), abs=1e-9)


@given(st.lists(texts, min_size=1, max_size=6), st.data())
@settings(max_examples=60, deadline=None)
def test_many_entries_at_once_equal_each_alone(documents, data):
    entry = st.integers(0, len(documents) - 1)
    models = np.array(data.draw(st.lists(entry, min_size=1, max_size=20)))
    targets = np.array([data.draw(entry) for _ in models])
    together = cross_entropies(documents, models, targets)
    alone = [cross_entropy(documents[model], documents[target]) for model, target in zip(models, targets, strict=True)]
    np.testing.assert_allclose(together, alone, atol=1e-9)


def test_noise_outgrows_the_first_table_and_stays_exact():
    rng = np.random.default_rng(0)
    model, text = ("".join(map(chr, rng.integers(33, 5_000, size=3_000))) for _ in range(2))
    assert entropy(model, text) == pytest.approx(cross_entropy(model, text), abs=1e-9)
    assert entropy(model, model) == pytest.approx(cross_entropy(model, model), abs=1e-9)


def test_neither_tasks_nor_threads_change_a_value(monkeypatch):
    rng = np.random.default_rng(1)
    documents = ["".join(rng.choice(list("abcd "), size=size)) for size in rng.integers(0, 300, size=30)]
    models, targets = rng.integers(0, 30, size=(2, 400))
    whole = cross_entropies(documents, models, targets, threads=1)
    monkeypatch.setattr(ppm_module, "TASK", 700)
    assert np.array_equal(cross_entropies(documents, models, targets, threads=2), whole)


def test_only_the_first_characters_are_read():
    long, other = CAT * 5, DOG * 7
    cut = cross_entropies([long, other], np.array([0]), np.array([1]), characters=30)
    assert cut[0] == pytest.approx(cross_entropy(long[:30], other[:30]), abs=1e-9)


def test_features_are_the_mean_and_the_absolute_difference_of_both_directions():
    features = pair_features(Documents([CAT, DOG]), np.array([0, 1]), np.array([1, 0]), characters=100)
    forth, back = cross_entropy(CAT, DOG), cross_entropy(DOG, CAT)
    np.testing.assert_allclose(features, [[(forth + back) / 2, abs(forth - back)]] * 2, atol=1e-9)
    assert np.array_equal(features[0], features[1])


def test_empty_texts_and_no_pairs():
    assert entropy("", "abc") == entropy("abc", "") == entropy("", "") == 8.0
    none = np.array([], dtype=np.int64)
    assert cross_entropies(["a"], none, none).shape == (0,)
    assert cross_entropies([], none, none).shape == (0,)


@pytest.mark.parametrize("characters", [0, 300_001])
def test_impossible_lengths_are_refused(characters):
    with pytest.raises(SettingError, match="choose from 1 to 300,000"):
        make_verifier("ppm", characters=characters)
