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
    for place in words:
        parts[place] = "changed"
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
    tests = [edited(text, range(0, 10 * (place % 5), 5)) for place, text in enumerate(train)]
    rows = np.arange(40), np.arange(40, 80)
    for threshold in (0.3, 0.6, 0.9):
        found = near_duplicates(train + tests, *rows, threshold=threshold)
        assert (found.jaccard >= threshold).all() and len(found) > 0
        clear = {
            40 + place
            for place, (one, two) in enumerate(zip(train, tests, strict=True))
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
