"""The most frequent terms, the same on every machine, and TF-IDF over them."""

import os
import subprocess
import sys

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from core.models.vocabulary import FrequentTfidf
from tests.conftest import ROOT

TEXTS = ["b a a c", "c b d", "e f d", ""]
# Names of numpy's for what it may use: as if this were an older processor.
NARROW = "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR AVX2 FMA3 X86_V3 X86_V4"
TERMS = """
import hashlib
from core.demo import bundled_corpus
from core.models.vocabulary import FrequentTfidf
made = FrequentTfidf(3_000, analyzer="char", ngram_range=(4, 4)).fit(bundled_corpus().texts)
print(hashlib.sha256("|".join(made.terms).encode()).hexdigest())
"""


def split(text: str) -> list[str]:
    return text.split()


@pytest.mark.parametrize(("most", "kept"), [(1, "a"), (2, "ab"), (3, "abc"), (4, "abcd"), (9, "abcdef")])
def test_of_equally_frequent_terms_the_first_by_name_stays(most: int, kept: str) -> None:
    assert FrequentTfidf(most, analyzer=split).fit(TEXTS).terms == list(kept)


@pytest.mark.parametrize("sublinear", [False, True])
def test_weights_are_those_of_scikit_learn(sublinear: bool) -> None:
    ours = FrequentTfidf(3, analyzer=split, sublinear=sublinear)
    theirs = TfidfVectorizer(analyzer=split, vocabulary=["a", "b", "c"], sublinear_tf=sublinear)
    assert ours.fit_transform(TEXTS).toarray() == pytest.approx(theirs.fit_transform(TEXTS).toarray())
    others = ["a c x", "y"]
    assert ours.transform(others).toarray() == pytest.approx(theirs.transform(others).toarray())


def test_rows_are_of_length_one_or_zero() -> None:
    lengths = np.sqrt(FrequentTfidf(3, analyzer=split).fit_transform(TEXTS).power(2).sum(axis=1))
    assert np.asarray(lengths).ravel() == pytest.approx([1, 1, 0, 0])


def test_another_processor_keeps_the_same_terms() -> None:
    found = {
        subprocess.run(
            [sys.executable, "-c", TERMS],
            cwd=ROOT,
            env=os.environ | {"NPY_DISABLE_CPU_FEATURES": features},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for features in ("", NARROW)
    }
    assert len(found) == 1
