"""Least-leakage folds: never beaten by brute force, within every constraint, with a bound."""

import re
from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.corpora import Corpus, make_corpus, take
from core.demo import bundled_corpus, bundled_vectors
from core.errors import SettingError
from core.notes import Note
from core.splits import Constraints, fold_leakage, least_leakage, make_folds, possible_balance
from core.splits.least_leakage import large_cluster, nearest_training
from core.splits.packing import Packing, pack, seen_share, topic_authors
from core.topics import TopicSpace, topic_space
from core.vectors import make_encoder
from tests.core.topics.similarities import WORKED, families, similarity_of


def spread(similarity: np.ndarray, sizes, authors=None) -> tuple[Corpus, TopicSpace]:
    """A corpus with this many documents a topic, and these similarities."""
    names = tuple(f"t{topic:02}" for topic in range(len(similarity)))
    topics = np.repeat(names, sizes).tolist()
    corpus = make_corpus(["words"] * len(topics), topics, authors=authors)
    return corpus, TopicSpace(names, np.asarray(sizes), np.zeros((len(names), 1)), np.array(similarity))


def highest_across(similarity: np.ndarray, fold_of) -> float:
    fold_of = np.asarray(fold_of)
    return float(similarity[fold_of[:, None] != fold_of].max())


def fits(sizes: np.ndarray, fold_of, k: int, room: float) -> bool:
    filled = np.bincount(fold_of, weights=sizes, minlength=k)
    return filled.max() <= room and filled.min() > 0


def test_the_worked_example():
    corpus, space = spread(WORKED, [10] * 5)
    two, three = (least_leakage(corpus, space, k=k) for k in (2, 3))
    assert (two.fold_of.tolist(), two.max, two.proven) == ([0, 0, 1, 1, 1], 0.35, True)
    assert two.mean == pytest.approx(0.225)
    assert (three.fold_of.tolist(), three.max, three.proven) == ([0, 0, 1, 1, 2], 0.50, True)
    assert (two.smallest, two.largest, two.proven) == (20, 30, True) and two.max == pytest.approx(0.35)


@pytest.fixture(scope="module")
def courier():
    corpus = bundled_corpus()
    vectors = bundled_vectors(corpus, make_encoder("sbert")).matrix
    return corpus, topic_space(vectors, corpus.topic_codes, corpus.topic_names)


def test_the_courier(courier):
    corpus, space = courier
    drawn = fold_leakage(make_folds(corpus, scheme="topic-kfold", k=6, seed=0), space)
    assert drawn.max.max() == pytest.approx(0.886, abs=5e-4)
    first, second = (least_leakage(corpus, space, k=6, goal=goal) for goal in ("max", "nearest"))
    assert (first.max, second.max) == (pytest.approx(0.541, abs=5e-4), pytest.approx(0.541, abs=5e-4))
    assert second.nearest_mean <= first.nearest_mean <= 0.438
    assert first.proven and not second.proven
    folds = make_folds(corpus, scheme="least-leakage", k=6, seed=4, space=space)
    assert fold_leakage(folds, space).max.max() == first.max
    assert sorted(np.concatenate([fold.test for fold in folds])) == list(range(len(corpus)))
    assert max(len(fold.test) for fold in folds) == first.largest <= 300


@given(st.integers(0, 10_000), st.integers(2, 3), st.sampled_from([0.1, 0.5]))
@settings(max_examples=20, deadline=None)
def test_no_partition_beats_folds_called_optimal(seed, k, balance):
    rng = np.random.default_rng(seed)
    similarity, sizes = similarity_of(seed, 7), rng.integers(2, 5, 7)
    corpus, space = spread(similarity, sizes)
    room = (1 + balance) * sizes.sum() / k
    best = min(
        (
            highest_across(similarity, fold_of)
            for fold_of in product(range(k), repeat=7)
            if fits(sizes, fold_of, k, room)
        ),
        default=None,
    )
    if best is None:
        with pytest.raises(SettingError):
            least_leakage(corpus, space, k=k, constraints=Constraints(balance))
        return
    found = least_leakage(corpus, space, k=k, constraints=Constraints(balance))
    assert found.proven and found.max == found.max_bound == best == highest_across(similarity, found.fold_of)
    assert fits(sizes, found.fold_of, k, room)
    assert found.nearest_mean == pytest.approx(nearest_training(similarity, found.fold_of).mean())


def searched(similarity: np.ndarray, sizes: np.ndarray, k: int, room: float, rng) -> float:
    """From a split at random that fits: a topic of the worst pair moved, or exchanged, while that lowers the maximum."""
    fold_of = rng.integers(0, k, len(sizes))
    while not fits(sizes, fold_of, k, room):
        fold_of = rng.integers(0, k, len(sizes))
    while True:
        value = highest_across(similarity, fold_of)
        worst = np.argwhere((similarity == value) & (fold_of[:, None] != fold_of))[0]
        tried = []
        for topic, other in (worst, worst[::-1]):
            for partner in (None, *np.flatnonzero(fold_of == fold_of[other])):
                changed = fold_of.copy()
                changed[topic] = fold_of[other]
                if partner is not None and partner != other:
                    changed[partner] = fold_of[topic]
                if fits(sizes, changed, k, room):
                    tried.append((highest_across(similarity, changed), changed.tolist()))
        if not tried or min(tried)[0] >= value:
            return value
        fold_of = np.array(min(tried)[1])


@pytest.mark.parametrize("seed", [0, 2, 4])
def test_a_thousand_restarts_of_local_search_find_nothing_better(seed):
    rng = np.random.default_rng(seed)
    similarity, sizes = similarity_of(seed, 14), rng.integers(2, 9, 14)
    found = least_leakage(*spread(similarity, sizes), k=3, constraints=Constraints(0.3))
    values = [searched(similarity, sizes, 3, 1.3 * sizes.sum() / 3, rng) for _ in range(1_000)]
    assert found.proven and min(values) >= found.max
    assert min(values) == found.max, "the search is good enough to beat folds that were called optimal and are not"
    assert np.median(values) > found.max, "and the folds are not such that any would do"


def test_the_mean_nearest_is_lowered_without_a_higher_maximum_and_further_without_that_bound():
    similarity, sizes = similarity_of(2, 20), np.full(20, 4)
    corpus, space = spread(similarity, sizes)
    first, second = (least_leakage(corpus, space, k=4, goal=goal) for goal in ("max", "nearest"))
    assert second.nearest_mean <= first.nearest_mean + 1e-12
    assert second.max >= first.max
    with pytest.raises(SettingError, match="'nearest'"):
        least_leakage(corpus, space, k=4, goal="nearst")


def test_constraints_hold():
    similarity = similarity_of(4, 12)
    authors = [f"a{topic % 5}" for topic in range(12) for _ in range(4)]
    corpus, space = spread(similarity, [4] * 12, authors)
    constraints = Constraints(0.3, 0.9, together=(("t00", "t05", "t06"),), apart=(("t01", "t02"), ("t02", "t03")))
    found = least_leakage(corpus, space, k=3, constraints=constraints)
    fold = dict(zip(space.names, found.fold_of.tolist(), strict=True))
    assert fold["t00"] == fold["t05"] == fold["t06"]
    assert fold["t01"] != fold["t02"] != fold["t03"]
    assert found.seen_authors >= 0.9
    assert found.seen_authors == seen_share(topic_authors(corpus), found.fold_of, 3)
    assert found.max >= least_leakage(corpus, space, k=3, constraints=Constraints(0.3)).max
    for goal in ("max", "nearest"):
        kept = least_leakage(corpus, space, k=3, constraints=constraints, goal=goal).fold_of
        assert kept[0] == kept[5] == kept[6] and kept[1] != kept[2] != kept[3]


def test_the_order_of_documents_changes_nothing(courier):
    corpus, space = courier
    shuffled = take(corpus, np.random.default_rng(0).permutation(len(corpus)))
    assert (least_leakage(shuffled, space, k=5).fold_of == least_leakage(corpus, space, k=5).fold_of).all()


def test_equal_similarities_are_no_worse_than_they_are():
    same = np.full((6, 6), 0.4)
    np.fill_diagonal(same, 1.0)
    found = least_leakage(*spread(same, [3] * 6), k=3)
    assert (found.max, found.proven, found.smallest, found.largest) == (0.4, True, 6, 6)


def test_topics_that_have_too_few_documents_fill_where_there_is_room_and_are_named():
    similarity = np.array(WORKED)
    similarity[4], similarity[:, 4] = np.nan, np.nan
    found = least_leakage(*spread(similarity, [10] * 5), k=2)
    assert sorted(np.concatenate([fold.test for fold in found.folds])) == list(range(50))
    assert found.max == 0.35 and Note("placed anywhere", (("t04",),)) in found.folds.notes
    nothing = least_leakage(*spread(np.full((4, 4), np.nan), [5] * 4), k=2)
    assert np.isnan(nothing.max)


def test_a_topic_larger_than_a_fold_is_a_fold_of_its_own():
    found = least_leakage(*spread(families([1, 2, 2], outside=0.1), [50, 5, 5, 5, 5]), k=3)
    assert found.fold_of.tolist() == [0, 1, 1, 2, 2]
    assert found.max == 0.1 and Note("large topics", (("t00",), 28)) in found.folds.notes


def test_twins_that_no_fold_has_room_for_are_named_with_what_to_drop():
    chain = families([1, 1, 1, 2], inside=0.95, outside=0.1)
    chain[0, 1] = chain[1, 0] = chain[1, 2] = chain[2, 1] = 0.9
    corpus, space = spread(chain, [20, 20, 20, 8, 7])
    (note,) = least_leakage(corpus, space, k=3).folds.notes
    assert note == Note("large cluster", (("t00", "t01", "t02"), 0.8, 0.4, 3, 1, "t01"))
    assert large_cluster(space, 0.8, 60, 3) is None


@pytest.mark.parametrize(
    ("k", "constraints", "words"),
    [
        (1, Constraints(), "at least 2 folds"),
        (6, Constraints(), "k = 6, but 5 topics"),
        (4, Constraints(together=(("t00", "t01", "t02"),)), "k = 4, but 3 topics, or groups kept together"),
        (
            2,
            Constraints(together=(("t00", "t01"),), apart=(("t00", "t01"),)),
            "'t00' and 't01' are to be together and apart",
        ),
        (
            2,
            Constraints(apart=(("t00", "t01"), ("t01", "t02"), ("t00", "t02"))),
            "No 2 folds were found for the topics apart",
        ),
        (2, Constraints(0.0), "No 2 folds were found for a balance of 0%; allow 20%, or choose another k."),
        (2, Constraints(-0.5), "balance is 0 or more"),
        (2, Constraints(seen_authors=0.5), "names no authors"),
        (2, Constraints(apart=(("t00", "t9"),)), "No topic is called 't9'"),
    ],
)
def test_what_cannot_be_is_refused_with_the_reason(k, constraints, words):
    with pytest.raises(SettingError, match=words):
        least_leakage(*spread(WORKED, [10, 10, 10, 10, 7]), k=k, constraints=constraints)


def test_authors_of_one_topic_are_never_seen_and_two_constraints_can_conflict():
    alone = [f"a{topic}" for topic in range(5) for _ in range(4)]
    with pytest.raises(SettingError, match=r"At most 0.0% of the test documents.*Drop that constraint"):
        least_leakage(*spread(WORKED, [4] * 5, alone), k=2, constraints=Constraints(seen_authors=0.2))
    both = [f"a{topic // 2}" for topic in range(4) for _ in range(4)] + ["b"] * 4
    with pytest.raises(
        SettingError,
        match="on one topic only, or on topics that are to be together; you asked for 50.0%. Ask for 40.0%",
    ):
        constraints = Constraints(1.0, 0.5, together=(("t00", "t01"),))
        least_leakage(*spread(WORKED, [4] * 5, both), k=2, constraints=constraints)
    # Pairs of topics by one author each: three folds of two topics part no more than all of them.
    pairs = [f"a{topic // 2}" for topic in range(4) for _ in range(4)]
    constraints = Constraints(0.0, 1.0, apart=(("t00", "t02"), ("t00", "t03")))
    with pytest.raises(SettingError, match="seen authors and the topics apart at once"):
        least_leakage(*spread(families([2, 2]), [4] * 4, pairs), k=2, constraints=constraints)


@given(st.lists(st.integers(1, 9), min_size=3, max_size=7), st.integers(2, 3), st.integers(5, 20))
@settings(max_examples=40, deadline=None)
def test_packing_is_right_about_what_is_possible(sizes, k, room):
    found = pack(Packing(np.array(sizes), k, room, np.empty((0, 2), dtype=np.int64)))
    possible = any(fits(np.array(sizes), fold_of, k, room) for fold_of in product(range(k), repeat=len(sizes)))
    assert (found.fold_of is not None) == possible and found.impossible == (not possible)
    assert not possible or fits(np.array(sizes), found.fold_of, k, room)


def test_similarities_of_other_documents_and_a_scheme_without_any_are_refused():
    corpus, _ = spread(WORKED, [10] * 5)
    with pytest.raises(SettingError, match="of other documents"):
        least_leakage(corpus, spread(WORKED[:4, :4], [10] * 4)[1], k=2)
    with pytest.raises(SettingError, match="compares topics"):
        make_folds(corpus, scheme="least-leakage", k=2, seed=0)


def test_a_search_that_ends_at_its_limit_says_so(monkeypatch):
    sizes = [7, 7, 7, 6, 6, 6, 6, 5, 5, 5]
    corpus, space = spread(similarity_of(1, 10), sizes)
    exact = least_leakage(corpus, space, k=3, constraints=Constraints(0.05))
    monkeypatch.setattr("core.splits.packing.MOST_VARIABLES", 0)
    try:
        loose = least_leakage(corpus, space, k=3, constraints=Constraints(0.05))
    except SettingError:
        return
    assert loose.max_bound <= exact.max <= loose.max
    if not loose.proven:
        assert not loose.proven and Note("not proven") in loose.folds.notes


def partitions(topics: int, k: int, start: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    """Every way to part topics into k folds, each once."""
    used = max(start, default=-1) + 1
    if len(start) == topics:
        if used == k:
            yield start
        return
    for fold in range(min(used + 1, k)):
        yield from partitions(topics, k, (*start, fold))


def keeps_to(
    fold_of: np.ndarray, sizes: np.ndarray, authors: list[str] | None, constraints: Constraints, names: list[str]
) -> bool:
    """The constraints read word for word, document by document."""
    topic = {name: number for number, name in enumerate(names)}
    room = (1 + constraints.balance) * sizes.sum() / (fold_of.max() + 1)
    bound = {topic[name]: topic[group[0]] for group in constraints.together for name in group}
    for fold in range(fold_of.max() + 1):
        inside = np.flatnonzero(fold_of == fold)
        units = {bound.get(each, each) for each in inside.tolist()}
        if sizes[inside].sum() > room + 1e-9 and len(units) > 1:  # one topic larger than a fold may be a fold
            return False
    if any(len({fold_of[topic[name]] for name in group}) > 1 for group in constraints.together):
        return False
    if any(fold_of[topic[one]] == fold_of[topic[two]] for one, two in constraints.apart):
        return False
    if constraints.seen_authors > 0 and authors is not None:
        where: dict[str, set[int]] = {}
        for author, fold in zip(authors, np.repeat(fold_of, sizes), strict=True):
            where.setdefault(author, set()).add(int(fold))
        return sum(len(where[author]) > 1 for author in authors) >= constraints.seen_authors * len(authors) - 1e-9
    return True


def made_case(seed: int):
    """Topics with ties, equal similarities, incomparable or giant ones, and constraints of every kind."""
    rng = np.random.default_rng(seed)
    topics, k = int(rng.integers(3, 7)), int(rng.integers(2, 4))
    similarity = np.round(rng.uniform(-1, 1, (topics, topics)), int(rng.choice([1, 6])))
    similarity = np.triu(np.full_like(similarity, 0.4) if rng.random() < 0.2 else similarity, k=1)
    similarity = similarity + similarity.T + np.eye(topics)
    if rng.random() < 0.3:
        lost = rng.permutation(topics)[: rng.integers(1, topics)]
        similarity[lost], similarity[:, lost] = np.nan, np.nan
    sizes = rng.integers(1, 7, topics)
    if rng.random() < 0.3:
        sizes[rng.integers(topics)] = 40
    names = [f"t{topic:02}" for topic in range(topics)]
    authors = [f"a{writer}" for writer in rng.integers(0, 4, sizes.sum())] if rng.random() < 0.7 else None
    constraints = Constraints(
        float(rng.choice([0, 0.2, 0.5, 1])),
        float(rng.choice([0, 0.5, 0.9])) if authors else 0.0,
        (tuple(rng.permutation(names)[:2].tolist()),) if rng.random() < 0.3 else (),
        tuple(tuple(rng.permutation(names)[:2].tolist()) for _ in range(rng.integers(0, 3))),
    )
    return similarity, sizes, authors, names, k, constraints


@given(st.integers(0, 100_000))
@settings(max_examples=60, deadline=None)
def test_no_folds_that_keep_to_the_constraints_leak_less(seed):
    similarity, sizes, authors, names, k, constraints = made_case(seed)
    allowed = [
        np.array(fold_of)
        for fold_of in partitions(len(sizes), k)
        if keeps_to(np.array(fold_of), sizes, authors, constraints, names)
    ]
    corpus, space = spread(similarity, sizes, authors)
    if not allowed:
        with pytest.raises(SettingError):
            least_leakage(corpus, space, k=k, constraints=constraints)
        return
    across = (similarity[fold_of[:, None] != fold_of] for fold_of in allowed)
    best = min(np.nan_to_num(each, nan=-np.inf).max() for each in across)
    for goal in ("max", "nearest"):
        found = least_leakage(corpus, space, k=k, constraints=constraints, goal=goal)
        assert keeps_to(found.fold_of, sizes, authors, constraints, names)
        if goal == "max":
            assert found.proven and (found.max == best if np.isfinite(best) else np.isnan(found.max))
        else:
            assert np.isnan(found.max) or found.max >= best


@pytest.mark.parametrize(
    ("constraints", "words"),
    [
        (Constraints(0.0, 1.0), "a balance of 0% and 100% seen authors at once"),
        (Constraints(0.0, apart=(("t00", "t03"),)), "a balance of 0% and the topics apart at once"),
    ],
)
def test_the_two_constraints_that_conflict_are_named(constraints, words):
    # Of 3, 2, 2 and 1 documents the only even halves are {t00, t03} and {t01, t02}, and each half has an author of its own.
    authors = ["a"] * 3 + ["b"] * 2 + ["b"] * 2 + ["a"]
    corpus, space = spread(families([1, 1, 1, 1]), [3, 2, 2, 1], authors)
    with pytest.raises(SettingError, match=words):
        least_leakage(corpus, space, k=2, constraints=constraints)


def test_a_share_that_is_reached_exactly_is_enough():
    authors = ["a", "b", "c"] * 2 + ["a", "b", "d"] * 2 + ["x"] * 3
    found = least_leakage(*spread(families([1, 1, 1]), [6, 6, 3], authors), k=2, constraints=Constraints(1.0, 8 / 15))
    assert found.seen_authors == pytest.approx(8 / 15)


def test_the_usual_balance_gives_way_where_no_folds_are_so_even():
    assert possible_balance(np.full(12, 10), 6) == possible_balance(np.array([90, 1, 1, 1]), 4) == 0.2
    assert possible_balance(np.full(8, 10), 6) == 0.5  # two of eight in a fold are half as much again as the mean
    assert possible_balance(np.full(3, 10), 4) == 0.2, "what is not possible at all is refused for its own reason"
    corpus, space = spread(families([3, 1, 1, 1, 1, 1]), [10] * 8)
    found = least_leakage(corpus, space, k=6)
    assert (found.smallest, found.largest) == (10, 20)
    with pytest.raises(
        SettingError, match="No 6 folds were found for a balance of 20%; allow 50%, or choose another k."
    ):
        least_leakage(corpus, space, k=6, constraints=Constraints(0.2))


@pytest.mark.parametrize("seed", range(6))
def test_the_share_of_seen_authors_that_a_refusal_offers_can_be_had(seed):
    rng = np.random.default_rng(seed)
    authors = [f"a{writer}" for writer in rng.integers(0, 60, 84)]
    corpus, space = spread(families([1] * 7), [12] * 7, authors)
    with pytest.raises(SettingError, match="At most") as refused:
        least_leakage(corpus, space, k=2, constraints=Constraints(0.5, 1.0))
    highest, asked, offered = (float(each) / 100 for each in re.findall(r"([\d.]+)%", str(refused.value)))
    assert offered <= highest < asked == 1.0
    assert least_leakage(corpus, space, k=2, constraints=Constraints(0.5, offered)).seen_authors >= offered - 1e-9
