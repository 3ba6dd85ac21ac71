"""Masking: what is hidden, what stays, and which words are chosen."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import SettingError
from core.models.vocabulary import WORD, Masking, checked_k, fit_masking, words

TEXTS = ["The cat saw the dog.", "the cat's 12 lives", "A dog and the sea"]


def mask(text: str, masking: Masking) -> str:
    """The papers' definition: each hidden word as asterisks of its length and each digit as #."""

    def hidden(found: re.Match[str]) -> str:
        word = found.group()
        return "*" * len(word) if word.lower() in masking.words else word

    return re.sub(r"\d", "#", WORD.sub(hidden, text))


def test_frequent_words_become_asterisks_of_their_length_and_digits_become_hashes():
    masking = fit_masking(TEXTS, k=2)  # the ×4, dog ×2
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
        fit_masking(TEXTS, k=10_000)
    with pytest.raises(SettingError, match="choose 0 or more"):
        checked_k(-1)
    checked_k(None)
    assert fit_masking(TEXTS, k=0).words == frozenset()
