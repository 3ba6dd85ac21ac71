"""Which split to take: a sentence for every case that says what is so, and the option that it names."""

from dataclasses import replace

import numpy as np
import pytest

from core.corpora import make_corpus
from core.demo import bundled_corpus, bundled_vectors
from core.splits import Constraints, Design, design_options, option_folds, recommended
from core.topics import bootstrap_topics, topic_space
from core.vectors import make_encoder
from tests.core.splits.test_design import a_design, an_option


@pytest.fixture(scope="module")
def design() -> Design:
    corpus = bundled_corpus()
    vectors = bundled_vectors(corpus, make_encoder("sbert")).matrix
    space = topic_space(vectors, corpus.topic_codes, corpus.topic_names)
    return design_options(corpus, space, k=6, random=4)


def test_the_courier_is_told_to_use_least_leakage_folds(design):
    assert recommended(design) is design.least_leakage


def test_a_recommendation_for_every_case():
    samples = (
        an_option("hits", 0.5, m=4, documents=40),
        an_option("minimax", 0.55, m=6, documents=60),
        an_option("hits", 0.7, m=8, documents=80),
    )
    assert recommended(a_design(0.8, 0.7, *samples)) is samples[1]
    assert recommended(a_design(0.5, 0.4)).kind == "random"
    assert recommended(a_design(0.5, 0.4), cost_small=False).kind == "least-leakage"
    assert recommended(a_design(0.8, 0.7, *samples[2:])).kind == recommended(a_design(0.8, 0.4)).kind == "least-leakage"


def test_what_breaks_a_constraint_is_not_recommended():
    splits = (an_option("random", 0.5, meets_constraints=False), an_option("random", 0.5, seed=1))
    clear = a_design(0.5, 0.4)
    some = replace(clear, options=(*splits, clear.least_leakage))
    assert recommended(some) is splits[1]
    none = replace(clear, options=(splits[0], clear.least_leakage))
    assert recommended(none) is clear.least_leakage
    samples = (
        an_option("hits", 0.5, m=4, documents=40),
        an_option("hits", 0.5, m=6, documents=60, meets_constraints=False),
    )
    assert recommended(a_design(0.8, 0.7, *samples)) is samples[0]


def test_what_is_not_known_is_not_recommended():
    unknown = a_design(float("nan"), float("nan"))
    assert recommended(unknown) is unknown.least_leakage


def test_a_split_that_may_part_one_topic_gives_way_to_any_that_does_not():
    doubtful = an_option("random", 0.5, perhaps_one=3)
    clear = a_design(0.5, 0.4)
    assert recommended(replace(clear, options=(doubtful, clear.least_leakage))) is clear.least_leakage
    whole = an_option("least-leakage", 0.4, balance=0.2, perhaps_one=3)
    sample = an_option("hits", 0.5, m=6, documents=60, perhaps_twins=2)
    larger = an_option("hits", 0.5, m=8, documents=80, perhaps_one=1)
    some = replace(clear, options=(doubtful, whole, sample, larger))
    assert recommended(some) is sample
    uneven = an_option("least-leakage", 0.4, balance=0.5)
    assert recommended(replace(some, options=(*some.options, uneven))) is sample, (
        "as even as asked for, and half is kept"
    )
    few = replace(sample, documents=45)
    less_even = replace(clear, options=(doubtful, whole, few, larger, uneven))
    assert recommended(less_even) is uneven
    sliver = replace(uneven, smallest_fold=2)
    assert recommended(replace(clear, options=(doubtful, whole, few, larger, sliver))) is few, (
        "a fold of two is no answer"
    )


def test_a_handful_for_certaintys_sake_is_not_recommended():
    whole = an_option("least-leakage", 0.8, balance=0.2, perhaps_one=30)
    handful = an_option("hits", 0.4, m=4, documents=4)
    larger = an_option("minimax", 0.5, m=8, documents=45, perhaps_one=7)
    design = replace(a_design(0.8, 0.8), options=(an_option("random", 0.8), whole, handful, larger))
    assert recommended(design) is whole


def cut_population(cuts: int, size: int, others: int, *, seed: int):
    """One population cut at random into this many topics, named "cut…", and others that are topics of their own."""
    rng = np.random.default_rng(seed)
    means = rng.normal(size=(1 + others, 60)) / np.sqrt(60)
    of = np.repeat([*[0] * cuts, *range(1, 1 + others)], size)
    names = np.repeat([*(f"cut{part}" for part in range(cuts)), *(f"other{part}" for part in range(others))], size)
    vectors = 0.4 * means[of] + rng.normal(size=(len(of), 60)) / np.sqrt(60)
    corpus = make_corpus([f"text {row}" for row in range(len(of))], names.tolist())
    space = topic_space(vectors, corpus.topic_codes, corpus.topic_names)
    return corpus, space, bootstrap_topics(vectors, corpus.topic_codes, len(space), kind=space.kind)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("cuts", "size", "others"), [(10, 12, 2), (10, 30, 2), (8, 30, 3)])
def test_pieces_of_one_topic_are_never_separated_where_they_need_not_be(cuts, size, others, seed):
    """The lowest of the similarities of random pieces lie below the threshold by chance, and whoever looks for the lowest finds these."""
    corpus, space, bootstrap = cut_population(cuts, size, others, seed=seed)
    design = design_options(corpus, space, k=2, bootstrap=bootstrap, random=3)
    choice = recommended(design)
    fold_of = option_folds(corpus, space, choice, k=2, constraints=Constraints(design.balance))
    pieces = [fold for name, fold in zip(space.names, fold_of.tolist(), strict=True) if name.startswith("cut")]
    if not choice.clear:  # of a dozen documents the centroid of a piece may be mostly noise
        assert size < 30
        return
    assert len({*pieces} - {-1}) <= 1


@pytest.mark.parametrize("seed", range(4))
def test_of_few_documents_a_topic_it_is_said_that_nothing_can_be_told(seed):
    corpus, space, bootstrap = cut_population(8, 3, 8, seed=seed)
    design = design_options(corpus, space, k=4, bootstrap=bootstrap, random=3)
    assert not recommended(design).clear


def test_what_is_recommended_does_not_depend_on_the_seed():
    corpus, space, bootstrap = cut_population(6, 25, 14, seed=1)
    told = {
        (choice.kind, choice.m, choice.max)
        for seed in range(8)
        for choice in [recommended(design_options(corpus, space, k=6, seed=seed, bootstrap=bootstrap, random=2))]
    }
    assert len(told) == 1
