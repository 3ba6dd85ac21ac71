"""Terms: counted once per text, the most frequent the same on every machine, TF-IDF over them, and which words are masked."""

import os
import re
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

from core.errors import SettingError
from core.models import vocabulary
from core.models.vocabulary import (
    WORD,
    CharacterNgrams,
    FrequentTfidf,
    Masking,
    Occurrences,
    TermCounts,
    checked_k,
    fit_masking,
    words,
)
from tests.conftest import ROOT

TEXTS = ["b a a c", "c b d", "e f d", ""]
# Names of numpy's for what it may use: as if this were an older processor.
NARROW = "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR AVX2 FMA3 X86_V3 X86_V4"
TERMS = """
import hashlib
from core.demo import bundled_corpus
from core.models.vocabulary import CharacterNgrams, FrequentTfidf, TermCounts
made = FrequentTfidf(TermCounts(CharacterNgrams(4, 4, lower=True)), most=3_000)
made.fit_transform(bundled_corpus().texts)
print(hashlib.sha256("|".join(made.terms).encode()).hexdigest())
"""
MASKED = ["The cat saw the dog.", "the cat's 12 lives", "A dog and the sea"]


def split(text: str) -> list[str]:
    return text.split()


@pytest.mark.parametrize(("most", "kept"), [(1, "a"), (2, "ab"), (3, "abc"), (4, "abcd"), (9, "abcdef")])
def test_of_equally_frequent_terms_the_first_by_name_stays(most: int, kept: str) -> None:
    made = FrequentTfidf(TermCounts(split), most=most)
    made.fit_transform(TEXTS)
    assert made.terms == list(kept)


@pytest.mark.parametrize("sublinear", [False, True])
def test_weights_are_those_of_scikit_learn(sublinear: bool) -> None:
    ours = FrequentTfidf(TermCounts(split), most=3, sublinear=sublinear)
    theirs = TfidfVectorizer(analyzer=split, vocabulary=["a", "b", "c"], sublinear_tf=sublinear)
    assert ours.fit_transform(TEXTS).toarray() == pytest.approx(theirs.fit_transform(TEXTS).toarray())
    others = ["a c x", "y"]
    assert ours.transform(others).toarray() == pytest.approx(theirs.transform(others).toarray())


@given(
    texts=st.lists(st.text("aäA \n\t'b😀", max_size=30), min_size=1), shortest=st.integers(1, 4), lower=st.booleans()
)
def test_counts_are_those_of_scikit_learn(texts: list[str], shortest: int, lower: bool) -> None:
    ours = TermCounts(CharacterNgrams(shortest, 4, lower=lower))
    theirs = CountVectorizer(analyzer="char", ngram_range=(shortest, 4), lowercase=lower)
    ours.of([*texts, "c b a"])  # what others met before changes nothing
    found, terms = ours.of(texts)
    if not terms:
        return
    assert np.array_equal(found.toarray(), theirs.fit_transform(texts).toarray())
    assert terms == list(theirs.get_feature_names_out()) and found.has_sorted_indices
    asked = ["aä bb", "", *texts[:2], "zzzz"]
    assert np.array_equal(ours.over(asked, terms).toarray(), theirs.transform(asked).toarray())


def test_a_text_is_read_once_and_past_the_limit_again(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def noted(text: str) -> list[str]:
        read.append(text)
        return text.split()

    counts = TermCounts(noted)
    first, terms = counts.of(TEXTS)
    assert np.array_equal(counts.over(TEXTS, terms).toarray(), first.toarray()) and read == TEXTS
    monkeypatch.setattr(vocabulary, "HELD", 0)
    counts.of(["new", "new"])
    assert read == [*TEXTS, "new", "new"]


def test_words_that_are_left_out_take_no_column() -> None:
    made = FrequentTfidf(TermCounts(split), most=2, without=frozenset("ab"))
    assert made.fit_transform(TEXTS).shape == (4, 2) and made.terms == ["c", "d"]
    none = FrequentTfidf(TermCounts(split), without=frozenset("abcdef"))
    assert none.fit_transform(TEXTS).shape == (4, 0)


def test_occurrences_are_ones_or_counts() -> None:
    for counts, most in ((False, 1), (True, 2)):
        made = Occurrences(TermCounts(split), counts=counts)
        assert made.fit_transform(TEXTS).max() == made.transform(["a a x"]).max() == most


def test_rows_are_of_length_one_or_zero() -> None:
    lengths = np.sqrt(FrequentTfidf(TermCounts(split), most=3).fit_transform(TEXTS).power(2).sum(axis=1))
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


def mask(text: str, masking: Masking) -> str:
    """The papers' definition: each hidden word as asterisks of its length and each digit as #."""

    def hidden(found: re.Match[str]) -> str:
        word = found.group()
        return "*" * len(word) if word.lower() in masking.words else word

    return re.sub(r"\d", "#", WORD.sub(hidden, text))


def test_frequent_words_become_asterisks_of_their_length_and_digits_become_hashes():
    masking = fit_masking(MASKED, k=2)  # the ×4, dog ×2
    assert masking.words == {"the", "dog"}
    assert masking.distinct == 9
    assert mask("The DOG ate 12 thedogs on the_3rd day.", masking) == "*** *** ate ## thedogs on ***_#rd day."
    assert words(mask("The dog's 7 lives", masking)) == ["dog's", "lives"]
    assert masking.note == "The 2 most frequent of 9 distinct training words are masked."


def test_ties_go_to_the_word_that_sorts_first_in_any_order_of_texts():
    assert fit_masking(["b a", "c d"], k=2).words == fit_masking(["d c", "a b"], k=2).words == {"a", "b"}


@pytest.mark.parametrize(("distinct", "masked"), [(1, 0), (2, 1), (30, 15), (100, 30), (2_500, 150)])
def test_the_default_grows_with_the_root_of_the_vocabulary_and_leaves_half(distinct, masked):
    letters = [f"{chr(97 + i % 26)}{chr(97 + i // 26 % 26)}{chr(97 + i // 676)}" for i in range(distinct)]
    assert len(fit_masking([" ".join(letters)]).words) == masked


@given(st.lists(st.text(max_size=60), max_size=5), st.text(max_size=80))
@settings(max_examples=150, deadline=None)
def test_what_a_mask_leaves_are_the_words_that_are_not_hidden(texts, text):
    masking = fit_masking([*texts, "some words of our own"])
    masked = mask(text, masking)
    assert len(masked) == len(text)
    assert not re.search(r"\d", masked)
    assert words(mask(text, masking)) == [word for word in words(text) if word not in masking.words]
    assert all(after == before or after in "*#" for before, after in zip(text, masked, strict=True))


def test_words_of_other_scripts_are_words():
    assert words("Größe naïve Привет 東京 don’t x2y") == ["größe", "naïve", "привет", "東京", "don’t", "x", "y"]
    assert mask("Привет мир", Masking(frozenset({"привет"}), 2)) == "****** мир"


def test_what_cannot_be_masked_is_named():
    with pytest.raises(SettingError, match="hold no words"):
        fit_masking(["1 2 3", ""])
    with pytest.raises(SettingError, match="k = 10,000 masks all 9 distinct words"):
        fit_masking(MASKED, k=10_000)
    with pytest.raises(SettingError, match="choose 0 or more"):
        checked_k(-1)
    checked_k(None)
    assert fit_masking(MASKED, k=0).words == frozenset()
