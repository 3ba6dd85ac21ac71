"""Near duplicates anywhere in a corpus: against all pairs compared one by one, and against the search across a split."""

import numpy as np
import pytest

from core.splits import near_copies
from core.splits.near_documents import jaccard, near_duplicates, shingled, worded


def made_texts(count: int, seed: int) -> list[str]:
    """Random texts, every third of them an earlier one with some words changed, every seventh a copy in capitals."""
    rng = np.random.default_rng(seed)
    texts: list[str] = []
    for number in range(count):
        words = [f"w{word}" for word in rng.integers(0, 500, 60)]
        if number % 3 == 2:
            words = texts[int(rng.integers(len(texts)))].lower().split()
            for place in rng.choice(60, int(rng.integers(1, 12)), replace=False):
                words[place] = "changed"
        texts.append(texts[-1].upper() if number % 7 == 6 else " ".join(words))
    return texts


def test_what_is_found_is_what_comparing_all_pairs_finds():
    texts = [*made_texts(60, 0), "too short", "too short", ""]
    found = near_copies(texts)
    shingles = [shingled(worded(text)) for text in texts]
    likeness = [max((jaccard(one, two) for two in shingles[:row]), default=0.0) for row, one in enumerate(shingles)]
    assert found.short == 3
    assert (found.train < found.test).all() and len(set(found.test.tolist())) == len(found)
    assert found.jaccard == pytest.approx([likeness[row] for row in found.test])
    clear = [row for row, value in enumerate(likeness) if value >= 0.6]
    assert set(clear) <= set(found.test.tolist()) <= {row for row, value in enumerate(likeness) if value >= 0.5}


def test_the_last_text_is_judged_as_a_test_document_would_be():
    texts = made_texts(30, 1)
    rows = np.arange(30)
    for last in (8, 13, 20, 29):
        alone = near_duplicates(texts, rows[:last], rows[last : last + 1])
        found = near_copies(texts[: last + 1])
        assert (last in found.test) == bool(len(alone))


def test_texts_with_nothing_in_common_have_no_copies():
    rng = np.random.default_rng(2)
    texts = [" ".join(f"w{word}" for word in rng.integers(0, 10_000, 50)) for _ in range(60)]
    assert len(near_copies(texts)) == 0 and len(near_copies([])) == 0
