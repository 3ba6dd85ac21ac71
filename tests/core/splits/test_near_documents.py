"""Near duplicates: planted ones are found under any seed, strangers never, and a thousand forms stay cheap."""

import numpy as np
import pytest

from core.errors import SettingError
from core.splits import near_documents as duplicates_module
from core.splits.near_documents import jaccard, near_duplicates, shingled, worded

WORDS = [f"{a}{b}{c}" for a in "bdfgk" for b in "aeiou" for c in "lmnrst"]


def a_text(rng, words=60):
    return " ".join(rng.choice(WORDS, words))


def edited(text, words):
    parts = text.split()
    for position in words:
        parts[position] = "changed"
    return " ".join(parts)


@pytest.mark.parametrize("seed", range(4))
def test_planted_twins_are_found_and_strangers_are_not(seed):
    rng = np.random.default_rng(0)
    train = [a_text(rng) for _ in range(60)]
    tests = [train[3], train[4].upper().replace(" ", " -- "), edited(train[5], [7, 30]), f"Re: {train[6]} yours, A."]
    tests += [a_text(rng) for _ in range(60)] + ["", "two words"]
    texts = train + tests
    found = near_duplicates(texts, np.arange(60), np.arange(60, len(texts)), seed=seed)
    assert found.test.tolist() == [60, 61, 62, 63]
    assert found.train.tolist() == [3, 4, 5, 6]
    assert found.short == 2
    for one, two, value in zip(found.test, found.train, found.jaccard, strict=True):
        assert value == jaccard(shingled(worded(texts[one])), shingled(worded(texts[two])))
    assert found.jaccard[:2].tolist() == [1, 1]


def test_the_threshold_is_on_true_jaccard():
    rng = np.random.default_rng(1)
    train = [a_text(rng) for _ in range(40)]
    tests = [edited(text, range(0, 10 * (row % 5), 5)) for row, text in enumerate(train)]
    rows = np.arange(40), np.arange(40, 80)
    for threshold in (0.3, 0.6, 0.9):
        found = near_duplicates(train + tests, *rows, threshold=threshold)
        assert (found.jaccard >= threshold).all() and len(found) > 0
        clear = {
            40 + row
            for row, (one, two) in enumerate(zip(train, tests, strict=True))
            if jaccard(shingled(one), shingled(two)) >= min(1.0, threshold + 0.15)
        }
        assert clear <= set(found.test.tolist())
    with pytest.raises(SettingError, match="above 0 and at most 1"):
        near_duplicates(train, *rows, threshold=0.0)


def test_many_forms_of_one_letter_stay_cheap(monkeypatch):
    rng = np.random.default_rng(2)
    letter = a_text(rng)
    texts = [f"{letter} number {n} of {n * 7}" for n in range(300)]
    compared = []
    monkeypatch.setattr(duplicates_module, "jaccard", lambda one, two: compared.append(1) or jaccard(one, two))
    found = near_duplicates(texts, np.arange(200), np.arange(200, 300))
    assert len(found) == 100
    assert len(compared) <= 100 * duplicates_module.FAMILY * 2


def test_a_pair_exactly_at_the_threshold_counts():
    words = [f"w{number}" for number in range(102)]
    texts = [" ".join(words), " ".join(words[:52])]  # 100 shingles and 50 of them
    rows = np.array([0]), np.array([1])
    found = near_duplicates(texts, *rows, threshold=0.5)
    assert (found.test.tolist(), found.train.tolist(), found.jaccard.tolist()) == ([1], [0], [0.5])
    assert len(near_duplicates(texts, *rows, threshold=0.5 + 1e-9)) == 0
    assert len(near_duplicates([texts[0], texts[0]], *rows, threshold=1.0)) == 1


def test_the_most_alike_training_document_is_named_and_of_equals_the_first():
    rng = np.random.default_rng(3)
    text = a_text(rng)
    texts = [edited(text, [5, 30]), edited(text, [30]), edited(text, [10]), text.upper(), "one two three", text]
    assert near_duplicates(texts, np.array([0, 2, 1]), np.array([5])).train.tolist() == [2]
    assert near_duplicates(texts, np.array([0, 1, 2]), np.array([5])).train.tolist() == [1]
    copy = near_duplicates(texts, np.array([1, 3]), np.array([4, 5]))
    assert (copy.train.tolist(), copy.jaccard.tolist(), copy.short) == ([3], [1.0], 0)


def test_progress_counts_documents_of_both_sides(monkeypatch):
    monkeypatch.setattr(duplicates_module, "EVERY", 2)
    seen = []
    near_duplicates(["a b c"] * 5, np.arange(3), np.arange(3, 5), progress=lambda *step: seen.append(step))
    assert seen == [(done, 5, "near duplicates", None) for done in (0, 2, 4)]
