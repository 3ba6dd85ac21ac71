"""Languages by script and small words: what is told, what is not, and the advice that follows."""

import pytest

from core.vectors import language_advice, languages_of, make_encoder, small_words
from core.vectors.language import SMALL_WORDS, UNKNOWN, language_of
from tests.core.vectors.other_languages import MADE, texts_in


def advice(texts: list[str]) -> str | None:
    return language_advice(texts, "SBERT")


@pytest.mark.parametrize("language", MADE)
def test_texts_are_told_by_script_or_small_words(language: str):
    texts, _ = texts_in(language)
    assert languages_of(texts).texts == {language: len(texts)}
    assert languages_of(texts).mostly == (None if language == "English" else language)


@pytest.mark.parametrize("text", ["", "1 2 3 — !!", "flour oven dough yeast", "xqz wrt bnm " * 50, "𓀀𓀁𓀂"])
def test_what_does_not_tell_is_unknown(text: str):
    assert language_of(text) == UNKNOWN
    assert advice([text] * 10) is None, "nothing is said where nothing is known"


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
    found = languages_of(english[:5] * 600 + german[:5] * 600)
    assert sum(found.texts.values()) <= 500
    assert set(found.texts) == {"English", "German"}


def test_small_words_are_those_of_the_languages_there():
    assert small_words(texts_in("English")[0]) == frozenset()
    german = small_words(texts_in("German")[0])
    assert {"und", "der", "nicht"} <= german and german == SMALL_WORDS["German"]
