"""Laws that every classifier keeps, and what each one adds."""

import dataclasses
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InputError, SettingError
from core.models import Documents
from core.models.attribution import CLASSIFIERS, BurrowsDelta, FunctionWords, WordSvm, make_classifier
from core.models.attribution.linear import plain_words
from tests.core.models.verification.test_contract import written

READING = sorted(name for name, kind in CLASSIFIERS.items() if not kind.needs_vectors)
EVERY = pytest.mark.parametrize("name", READING)


@pytest.fixture(scope="module")
def sides():
    """Training documents and authors, test documents and authors; codes need neither start at 0 nor be dense."""
    texts, codes, _ = written(80)
    unseen, true, _ = written(40, seed=1)
    return Documents(texts), codes * 3 + 5, Documents(unseen), true * 3 + 5


@pytest.fixture(scope="module")
def fitted(sides):
    documents, authors, _, _ = sides
    return {name: make_classifier(name).fit(documents, authors, seed=0) for name in READING}


@EVERY
def test_known_authors_are_recognised_and_only_they_are_named(name, sides, fitted):
    _, authors, unseen, true = sides
    predicted = fitted[name].predict(unseen)
    assert predicted.dtype == np.int64
    assert predicted.shape == true.shape
    assert set(predicted) <= set(authors)
    assert (predicted == true).mean() > 0.8
    assert all(note.endswith(".") for note in fitted[name].notes)


@EVERY
def test_a_seed_gives_one_model_and_predicting_leaves_it_as_it_was(name, sides, fitted):
    documents, authors, unseen, _ = sides
    before = fitted[name].predict(unseen)
    fitted[name].predict(Documents(["quite other words"]))
    assert np.array_equal(fitted[name].predict(unseen), before)
    again = make_classifier(name).fit(documents, authors, seed=0)
    assert np.array_equal(again.model.coef_, fitted[name].model.coef_)
    assert np.array_equal(again.predict(unseen), before)
    assert again.notes == fitted[name].notes


@EVERY
def test_neither_order_nor_company_changes_a_prediction(name, sides, fitted):
    _, _, unseen, _ = sides
    predicted = fitted[name].predict(unseen)
    order = np.random.default_rng(0).permutation(len(unseen))
    assert np.array_equal(fitted[name].predict(Documents(unseen.texts_of(order))), predicted[order])
    assert fitted[name].predict(Documents(unseen.texts[:1]))[0] == predicted[0]


@EVERY
def test_the_vocabulary_comes_from_training_alone(name, sides, fitted):
    size = len(fitted[name].vectorizer.terms)
    fitted[name].predict(Documents(["zebra quagga okapi"]))
    assert len(fitted[name].vectorizer.terms) == size
    assert not {"zebra", "zebr", "quagga"} & set(fitted[name].vectorizer.terms)


@EVERY
def test_odd_texts_are_given_a_known_author(name, sides, fitted):
    odd = ["", "x", " ", "\0", "漢字 и кириллица", "😀", "*** ## 123", "a" * 30_000]
    assert set(fitted[name].predict(Documents(odd))) <= set(sides[1])
    assert fitted[name].predict(Documents([])).shape == (0,)


@EVERY
def test_training_on_odd_and_identical_texts_works(name):
    texts = ["the same words again and again"] * 2_000
    texts[:4] = ["", "x", "漢字 漢字 漢字", "entirely different matter"]
    authors = np.arange(2_000) % 2
    model = make_classifier(name).fit(Documents(texts), authors, seed=0)
    assert len(set(model.predict(Documents(texts[4:])))) == 1


@EVERY
def test_what_cannot_be_learned_from_is_named(name):
    model = make_classifier(name)
    with pytest.raises(SettingError, match="2 training documents by 1 author"):
        model.fit(Documents(["some words", "more words"]), np.array([3, 3]), seed=0)
    with pytest.raises(SettingError, match="0 training documents by 0 author"):
        model.fit(Documents([]), np.array([], dtype=np.int64), seed=0)
    with pytest.raises(SettingError, match="1 authors for 2 documents"):
        model.fit(Documents(["some words", "more words"]), np.array([3]), seed=0)
    with pytest.raises(SettingError, match="check which column is the text"):
        model.fit(Documents(["", " "]), np.array([0, 1]), seed=0)


@EVERY
def test_keys_name_every_setting(name):
    plain = make_classifier(name)
    key = json.loads(plain.key())
    assert key.pop("name") == name == plain.name
    assert isinstance(key.pop("version"), int)
    assert key == dataclasses.asdict(plain)
    with pytest.raises(SettingError, match=f"'{name}' has no setting 'colour'"):
        make_classifier(name, colour="red")


def test_labels_and_sentences_for_the_pages():
    assert len({kind.label for kind in CLASSIFIERS.values()}) == len(CLASSIFIERS)
    assert all(kind.about.endswith(".") for kind in CLASSIFIERS.values())
    with pytest.raises(SettingError, match="Did you mean 'char_svm'"):
        make_classifier("char_svn")


def test_logistic_regression_on_vectors_reads_the_vectors_alone():
    texts, codes, vectors = written(80)
    unseen, true, others = written(40, seed=1)
    model = make_classifier("vector_max_ent").fit(Documents([""] * len(texts), vectors), codes, seed=0)
    predicted = model.predict(Documents([""] * len(unseen), others))
    assert (predicted == true).mean() > 0.8
    assert np.array_equal(model.predict(Documents(unseen, 7 * others)), predicted), (
        "the length of a vector says nothing"
    )
    with pytest.raises(InputError, match="needs the documents' vectors"):
        make_classifier("vector_max_ent").fit(Documents(texts), codes, seed=0)


def test_words_are_prepared_as_schein_et_al_do():
    assert plain_words("Don't  STOP – it's e-mail_42,\tnow!") == ["dont", "stop", "its", "email42", "now"]


@given(st.text(max_size=80))
def test_prepared_words_hold_letters_and_digits_only(text):
    kept = "".join(character for character in text if character.isalnum() or character.isspace())
    assert plain_words(text) == kept.lower().split()


def test_maximum_entropy_counts_words_only_when_asked(sides):
    documents, authors, _, _ = sides
    repeated = Documents(["the the the", "the"])
    for counts, most in ((False, 1), (True, 3)):
        model = make_classifier("max_ent", counts=counts).fit(documents, authors, seed=0)
        assert model.vectorizer.transform(repeated.texts).max() == most


def test_a_fit_that_did_not_come_to_rest_says_so(sides):
    documents, authors, _, _ = sides
    assert (
        "before it came to rest" in make_classifier("max_ent", iterations=2).fit(documents, authors, seed=0).notes[-1]
    )
    assert "before it came to rest" not in make_classifier("max_ent").fit(documents, authors, seed=0).notes[-1]


def test_topic_fit_sees_no_masked_word(sides, fitted):
    vocabulary = set(fitted["topic_fit"].vectorizer.terms)
    documents, authors, _, _ = sides
    unmasked = make_classifier("topic_fit", k=0).fit(documents, authors, seed=0)
    assert vocabulary < set(unmasked.vectorizer.terms)
    assert "the" not in vocabulary


def test_impossible_settings_are_refused():
    for name, wrong in (("char_svm", {"shortest": 5}), ("char_svm", {"features": 0}), ("max_ent", {"iterations": 0})):
        with pytest.raises(SettingError):
            make_classifier(name, **wrong)


def test_delta_is_the_mean_absolute_difference_of_z_scores():
    texts = ["the cat and the dog", "the the the cat", "a dog and a cat", "and and a dog a", "the bird and a cow"]
    authors = np.array([7, 7, 2, 2, 4])
    fitted = BurrowsDelta(most=3).fit(Documents(texts), authors, seed=0)
    assert fitted.vectorizer.terms == ["a", "and", "the"]
    shares = np.array(
        [[text.split().count(word) / len(text.split()) for word in ("a", "and", "the")] for text in texts]
    )
    z = (shares - shares.mean(axis=0)) / shares.std(axis=0)
    profiles = np.stack([z[authors == author].mean(axis=0) for author in (2, 4, 7)])
    unseen = ["the the owl", "and a and an owl", "owl"]
    asked = np.array(
        [[text.split().count(word) / len(text.split()) for word in ("a", "and", "the")] for text in unseen]
    )
    asked = (asked - shares.mean(axis=0)) / shares.std(axis=0)
    delta = np.abs(asked[:, None] - profiles).mean(axis=2)
    assert np.allclose(fitted.model.coef_, profiles)
    assert np.array_equal(fitted.predict(Documents(unseen)), np.array([2, 4, 7])[delta.argmin(axis=1)])


def test_the_word_model_reads_all_words_or_some_of_them(sides):
    documents, authors, _, _ = sides
    every = WordSvm().fit(documents, authors, seed=0).vectorizer.terms
    some = tuple(every[:10])
    assert FunctionWords(most=10).fit(documents, authors, seed=0).vectorizer.terms == sorted(
        WordSvm(most=10).fit(documents, authors, seed=0).vectorizer.terms
    )
    assert WordSvm(only=some).fit(documents, authors, seed=0).vectorizer.terms == list(some)
    assert WordSvm(without=some).fit(documents, authors, seed=0).vectorizer.terms == every[10:]
    with pytest.raises(SettingError, match="choose 1 or more"):
        BurrowsDelta(most=0)
