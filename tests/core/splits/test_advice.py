"""Which split to take: a sentence for every case that says what is so, and the option that it names."""

from dataclasses import replace

import pytest

from core.demo import bundled_corpus, bundled_vectors
from core.splits import Design, design_options, recommendation, recommended
from core.splits.advice import DOUBT
from core.topics import topic_space
from core.vectors import make_encoder
from tests.core.splits.test_design import a_design, an_option


@pytest.fixture(scope="module")
def design() -> Design:
    corpus = bundled_corpus()
    vectors = bundled_vectors(corpus, make_encoder("sbert")).matrix
    space = topic_space(vectors, corpus.topic_codes, corpus.topic_names)
    return design_options(corpus, space, k=6, random=4)


def test_the_courier_is_told_to_use_least_leakage_folds(design):
    said = recommendation(design)
    assert said.startswith("Use least-leakage folds: they keep all 1,500 documents")
    assert "0.54" in said and "0.89" in said
    assert recommended(design) is design.least_leakage


def test_a_recommendation_for_every_case():
    assert recommendation(a_design(0.5, 0.4)).startswith("Deal the topics at random: of 1 deals into 4 folds none")
    assert recommendation(a_design(0.8, 0.4)).startswith("Use least-leakage folds")
    costly = recommendation(a_design(0.8, 0.4, seen=0.3))
    assert costly.endswith("30 % of the test documents have theirs in training, at random 90 %.")
    samples = (
        an_option("hits", 0.5, m=4, documents=40),
        an_option("least-maximum", 0.55, m=6, documents=60),
        an_option("hits", 0.7, m=8, documents=80),
    )
    some = recommendation(a_design(0.8, 0.7, *samples))
    assert some.startswith("Keep 6 topics by least maximum: 60 of 100 documents")
    assert "least-leakage folds reach 0.70" in some
    assert recommendation(a_design(0.8, 0.7, *samples[2:])).startswith("No split into 4 folds keeps near twins")
    assert recommended(a_design(0.8, 0.7, *samples)) is samples[1]
    assert recommended(a_design(0.5, 0.4)).kind == "random"
    assert recommended(a_design(0.8, 0.7, *samples[2:])).kind == recommended(a_design(0.8, 0.4)).kind == "least-leakage"
    assert recommendation(a_design(0.8, 0.4), meaningful=False).startswith("The labels do not separate these texts")
    assert "Too little is known" in recommendation(a_design(0.8, float("nan")))


def test_what_is_not_as_wished_is_not_recommended():
    deals = (an_option("random", 0.5, as_wished=False), an_option("random", 0.5, seed=1))
    clear = a_design(0.5, 0.4)
    some = replace(clear, options=(*deals, clear.least_leakage))
    assert recommended(some) is deals[1]
    assert recommendation(some).endswith("The deal of seed 1 is the first that is as wished.")
    none = replace(clear, options=(deals[0], clear.least_leakage))
    assert recommended(none) is clear.least_leakage and "No random deal is as wished." in recommendation(none)
    samples = (an_option("hits", 0.5, m=4, documents=40), an_option("hits", 0.5, m=6, documents=60, as_wished=False))
    assert recommended(a_design(0.8, 0.7, *samples)) is samples[0]


def test_two_numbers_that_differ_are_shown_so():
    said = recommendation(a_design(0.8, 0.7, an_option("hits", 0.5961, m=4, documents=40)))
    assert "across folds than 0.596." in said and "(similarity 0.600 or more)" in said
    assert "more like a test topic than 0.60;" not in recommendation(a_design(0.8, 0.5999))


def test_what_is_not_known_is_not_recommended():
    unknown = a_design(float("nan"), float("nan"))
    assert recommended(unknown) is unknown.least_leakage
    assert recommendation(unknown).startswith("Too little is known")


def test_what_is_parted_for_pairs_in_doubt_is_said_to_be_so():
    for design in (a_design(0.8, 0.4), a_design(0.8, 0.7)):
        assert recommendation(design, sure_pairs=0) == recommendation(design, sure_pairs=1) + DOUBT
    assert DOUBT not in recommendation(a_design(0.5, 0.4), sure_pairs=0), "nothing is given up"
    assert DOUBT not in recommendation(a_design(0.8, 0.4), meaningful=False, sure_pairs=0)
