"""Words of any script: the usual pattern where it serves, pairs of characters where nothing parts words."""

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer

from core.corpora import audit, long_texts, make_corpus, without_spaces, word_options
from core.corpora.scripts import counted_words, has_pieces, has_terms, in_order, tokenizer, weight_of
from core.topics import check_labels, shared_terms, term_weights, topic_space
from core.vectors import embed, make_encoder
from core.vectors.words import WORD
from tests.core.vectors.other_languages import MADE, texts_in


def test_the_usual_pattern_alone_where_scripts_have_spaces():
    for language in ("English", "German", "Greek", "in Arabic letters"):
        texts, _ = texts_in(language)
        assert word_options(texts, WORD) == {"token_pattern": WORD} and not without_spaces(texts)


@pytest.mark.parametrize("texts", [["the of", ""], ["", " "], ["1 . !"], ["the", "oven"], ["面包"], []])
def test_texts_have_terms_where_scikit_learn_can_count_some(texts):
    counter = CountVectorizer(stop_words=["the", "of"], **word_options(texts, WORD))
    if has_terms(counter, texts):
        assert counter.fit_transform(texts).sum() > 0
    else:
        with pytest.raises(ValueError, match="empty vocabulary"):
            counter.fit_transform(texts)


def test_stray_letters_of_another_script_are_no_script():
    texts = [f"an opinion of the court, number {number}" for number in range(99)] + ["misread ง here"]
    assert without_spaces(texts) and not without_spaces(texts, share=0.01) and without_spaces(texts, share=0.009)
    vectors = embed(make_corpus(texts, ["a", "b"] * 50), make_encoder("lsa", components=5))
    assert "neighbouring characters" not in " ".join(vectors.notes)


def test_words_that_the_pattern_finds_stay_what_they_were():
    words = tokenizer(WORD)
    assert words("two words, a x") == ["two", "words"]
    assert words("用Python写 code x") == ["Python", "code", "用", "写"]


def test_scripts_without_spaces_give_every_pair_of_neighbours():
    words = tokenizer(WORD)
    assert words("望远镜和行星。月亮") == ["望远", "远镜", "镜和", "和行", "行星", "月亮"]
    assert words("กินข้าว") == ["กิ", "ิน", "นข", "ข้", "้า", "าว"]
    assert words("कक्षा, आकाशगंगा।") == ["कक्षा", "आकाशगंगा"], "vowel signs stand inside words"


def test_words_in_order_take_characters_of_scripts_without_spaces_one_by_one():
    assert in_order("用Python写 code_2, 好!") == ["用", "Python", "写", "code_2", "好"]
    assert in_order("कक्षा, आकाशगंगा।") == ["कक्षा", "आकाशगंगा"]
    assert in_order("cafe\u0301 bar") == ["cafe", "bar"], "an accent that stands by itself splits no word"
    assert in_order("กินข้าว") == ["ก", "น", "ข", "า", "ว"], "vowel and tone marks are no letters"
    assert [weight_of(word) for word in ("用", "カ", "ก", "Python", "x", "é", "कक्षा")] == [6, 6, 3, 10, 10, 10, 10]


@pytest.mark.parametrize("name", ["lsa", "nmf"])
@pytest.mark.parametrize("language", MADE)
def test_topics_of_any_script_are_told_apart(language: str, name: str):
    texts, codes = texts_in(language)
    corpus = make_corpus(texts, [("cooking", "sky")[code] for code in codes])
    vectors = embed(corpus, make_encoder(name, components=10))
    space = topic_space(vectors.matrix, codes, corpus.topic_names)
    assert space.similarity[0, 1] < 0.8
    assert check_labels(vectors.matrix, codes, 2, kind=space.kind).meaningful
    said = "pairs of neighbouring characters" in " ".join(vectors.notes)
    assert said == (language in ("Chinese", "Japanese"))


@pytest.mark.parametrize("language", MADE)
def test_words_explain_topics_in_any_script(language: str):
    texts, codes = texts_in(language)
    _, *subjects = MADE[language]
    weights = term_weights(make_corpus(texts, [("cooking", "sky")[code] for code in codes]))
    spaceless = language in ("Chinese", "Japanese")
    for topic, subject in enumerate(subjects):
        best = [weights.terms[term] for term in np.argsort(-weights.weights[[topic]].toarray()[0])[:4]]
        things = subject.lower().split()
        assert any(best[0] in thing for thing in things)
        # A pair may lie across the end of a word.
        assert all(set(word) & set(subject) if spaceless else word in things for word in best), best
    shared = set(shared_terms(weights, 0, 1).terms)
    assert not shared & {"und", "nicht", "aber"}, "small words explain nothing"


def test_lengths_are_counted_in_words_and_of_scripts_without_spaces_in_characters():
    assert counted_words("Two words, 3 marks!") == ["Two", "words", "3", "marks"]
    assert len(counted_words("望远镜和行星。月亮")) == 8
    assert counted_words("用Python写 code") == ["Python", "code", "用", "写"]
    assert len(counted_words("कक्षा, आकाशगंगा।")) == 2, "vowel signs stand inside words"
    assert len(counted_words("γειά σου")) == len(counted_words("γεια\u0301 σου")) == 2, "however an accent is written"
    assert len(counted_words("كِتَاب جديد")) == 2
    assert len(counted_words("กินข้าว")) == 5, "vowels above and tones are no characters of their own"


@pytest.mark.parametrize(("language", "counted"), [("Chinese", "characters"), ("Greek", "words"), ("English", "words")])
def test_an_audit_says_what_it_counts(language: str, counted: str):
    texts, codes = texts_in(language)
    found = audit(make_corpus(texts, [("cooking", "sky")[code] for code in codes]))
    assert found.counted == counted
    if language == "Chinese":
        assert np.median(found.words) == np.median([sum(letter.isalnum() for letter in text) for text in texts])


def test_long_texts_of_chinese_characters_are_found_by_their_characters():
    short, long = "望远镜" * 80, "望远镜" * 90
    assert long_texts(make_corpus([long, short, long + "和"], ["a", "b", "b"])).tolist() == [0, 2]


def test_pieces_are_never_more_than_sbert_reads():
    from core.vectors.sbert import _tokenised

    for language in (*MADE, "English"):
        for text in texts_in(language)[0][:20]:
            text = f"{text} (it’s 3.5 % – well_known; e-mail: a@b.org)"
            read = sum(len(window) - 2 for window in _tokenised([text])[0])
            assert has_pieces(text, 12) and not has_pieces(text, read + 1), text
