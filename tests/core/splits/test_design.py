"""Which split to use: every option measured as its folds would be, and a recommendation for every case."""

from dataclasses import replace

import numpy as np
import pytest

from core.corpora import make_corpus
from core.demo import bundled_corpus, bundled_vectors
from core.errors import SettingError
from core.splits import (
    Design,
    Option,
    Wishes,
    design_options,
    fold_leakage,
    make_folds,
    recommendation,
    split_kinds,
    topic_kfold,
)
from core.statistics import reliable_difference
from core.topics import make_setup, pair_similarities, topic_space
from core.vectors import make_encoder


@pytest.fixture(scope="module")
def courier():
    corpus = bundled_corpus()
    vectors = bundled_vectors(corpus, make_encoder("sbert")).matrix
    return corpus, vectors, topic_space(vectors, corpus.topic_codes, corpus.topic_names)


@pytest.fixture(scope="module")
def design(courier) -> Design:
    corpus, _, space = courier
    return design_options(corpus, space, k=6, seed=3, random=4)


def test_every_kind_is_there_and_keeps_what_it_says(courier, design):
    corpus, _, space = courier
    assert {option.kind for option in design.options} == set(split_kinds())
    assert [option.seed for option in design.of("random")] == [3, 4, 5, 6]
    for option in design.options:
        assert option.documents <= len(corpus) and option.smallest_fold * design.k <= option.documents
        assert option.mean <= option.nearest_mean <= option.max
    for kind in ("random", "grouping", "least-leakage"):
        assert {option.documents for option in design.of(kind)} == {len(corpus)}
    assert [option.m for option in design.of("hits")] == list(range(6, len(space) + 1))


def test_options_are_measured_as_their_folds_are(courier, design):
    corpus, vectors, space = courier
    for option in design.of("random"):
        leakage = fold_leakage(topic_kfold(corpus, k=6, seed=option.seed), space)
        assert option.max == leakage.max.max()
        nearest = [exposure.similarity[0] for exposure in leakage.exposures]
        assert option.nearest_mean == pytest.approx(np.mean(nearest))
    for kind in ("hits", "least-maximum"):
        option = next(each for each in design.of(kind) if each.m == 12)
        setup = make_setup(corpus, vectors, space, sampler=kind, m=12)
        leakage = fold_leakage(make_folds(setup.corpus, scheme="topic-kfold", k=6, seed=3), setup.space)
        assert option.max == pytest.approx(pair_similarities(setup.space.similarity).max()), "in whatever deal"
        assert option.max >= leakage.max.max() - 1e-9
        assert option.documents == len(setup.corpus)
    leakage = fold_leakage(make_folds(corpus, scheme="least-leakage", k=6, seed=0, space=space), space)
    assert design.least_leakage.max == leakage.max.max()


def test_authors_and_power_are_counted(courier, design):
    corpus, _, _ = courier
    option = design.of("random")[0]
    seen = 0
    for fold in topic_kfold(corpus, k=6, seed=option.seed):
        seen += np.isin(corpus.author_codes[fold.test], corpus.author_codes[fold.train]).sum()
    assert option.seen_authors == pytest.approx(seen / len(corpus))
    sizes = corpus.topic_sizes
    effective = sizes.sum() ** 2 / (sizes**2).sum()
    expected = reliable_difference(1.0, len(sizes), effective=effective, sides=2, paired=True)
    assert option.detectable == pytest.approx(expected)
    assert option.authors == len(corpus.author_names)
    fewer = design.of("hits")[0]
    assert fewer.detectable > option.detectable


def test_least_leakage_is_lowest_of_what_keeps_all_documents(design):
    kept = [option for option in design.options if option.documents == design.documents and option.balance is None]
    loosest = max(design.of("least-leakage"), key=lambda option: option.balance)
    assert loosest.max <= min(option.max for option in kept)
    assert design.least_leakage.max < min(option.max for option in design.of("random"))
    values = [option.max for option in sorted(design.of("least-leakage"), key=lambda option: option.balance)]
    assert values == sorted(values, reverse=True)


def test_options_say_whether_they_are_as_wished(courier):
    corpus, _, space = courier
    wishes = Wishes(0.5, 0.9, together=(("astronomy", "cricket"),), apart=(("chess", "trams"),))
    found = design_options(corpus, space, k=4, wishes=wishes, random=20)
    assert all(option.as_wished for option in found.of("least-leakage"))
    told = {True: 0, False: 0}
    for option in found.of("random"):
        folds = topic_kfold(corpus, k=4, seed=option.seed)
        sides = {space.names[topic]: number for number, fold in enumerate(folds) for topic in fold.test_topics}
        kept = sides["astronomy"] == sides["cricket"] and sides["chess"] != sides["trams"]
        assert option.as_wished == (kept and option.seen_authors >= 0.9)
        told[option.as_wished] += 1
    assert told[True] and told[False]
    assert all(option.as_wished for option in design_options(corpus, space, k=4, random=2).options)


def test_equal_similarities_everywhere_are_dealt_at_random(courier):
    corpus, _, space = courier
    same = np.full((24, 24), 0.3)
    np.fill_diagonal(same, 1.0)
    found = design_options(corpus, replace(space, similarity=same), k=4, random=3)
    assert {option.max for option in found.options} == {0.3} and found.least_leakage.proven
    assert recommendation(found).startswith("Deal the topics at random")


def test_one_topic_that_can_be_placed_is_nothing_to_split_between():
    corpus = make_corpus(["a b c"] * 5, ["only"] * 4 + ["a single text"])
    space = topic_space(np.eye(5)[:, :2] + 1, corpus.topic_codes, corpus.topic_names)
    with pytest.raises(SettingError, match="Fewer than two topics can be placed, so there is nothing to split between"):
        design_options(corpus, space, k=2)


def an_option(kind: str, highest: float, **more) -> Option:
    plain = Option(kind, None, None, None, 100, 10, highest, 0.2, 0.3, 0.9, 10, 0.5)
    return replace(plain, **{"near_twins": int(highest >= 0.6)} | more)


def a_design(random: float, least: float, *others: Option, seen: float = 0.9) -> Design:
    options = (an_option("random", random), an_option("least-leakage", least, balance=0.2, seen_authors=seen), *others)
    return Design(4, 100, 0.6, 0.2, options, np.zeros(10, dtype=np.int64), ())


def test_the_largest_clear_option_or_else_the_least_alike():
    samples = (an_option("hits", 0.5, documents=40), an_option("hits", 0.55, documents=60), an_option("hits", 0.7))
    assert a_design(0.8, 0.4, *samples).largest_clear("hits") is samples[1]
    assert a_design(0.8, 0.4, samples[2], an_option("hits", 0.9)).largest_clear("hits") is samples[2]


def test_progress_is_told_and_too_many_folds_are_refused(courier):
    corpus, _, space = courier
    with pytest.raises(SettingError, match="k = 30, but 24 topics can be placed"):
        design_options(corpus, space, k=30)
    told: list[str] = []
    design_options(
        corpus, space, k=23, random=1, wishes=Wishes(1.0), progress=lambda done, total, label, left: told.append(label)
    )
    assert {"balances", "sizes"} <= set(told)
