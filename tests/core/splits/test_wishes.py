"""What folds must keep to: no folds that keep to it leak less, by brute force; what cannot hold is named."""

import re
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import SettingError
from core.splits import Wishes, least_leakage, possible_balance
from tests.core.splits.test_least_leakage import spread
from tests.core.topics.similarities import families


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
    fold_of: np.ndarray, sizes: np.ndarray, authors: list[str] | None, wishes: Wishes, names: list[str]
) -> bool:
    """The wishes read word for word, document by document."""
    topic = {name: number for number, name in enumerate(names)}
    room = (1 + wishes.balance) * sizes.sum() / (fold_of.max() + 1)
    bound = {topic[name]: topic[group[0]] for group in wishes.together for name in group}
    for fold in range(fold_of.max() + 1):
        inside = np.flatnonzero(fold_of == fold)
        units = {bound.get(each, each) for each in inside.tolist()}
        if sizes[inside].sum() > room + 1e-9 and len(units) > 1:  # one topic larger than a fold may be a fold
            return False
    if any(len({fold_of[topic[name]] for name in group}) > 1 for group in wishes.together):
        return False
    if any(fold_of[topic[one]] == fold_of[topic[two]] for one, two in wishes.apart):
        return False
    if wishes.seen_authors > 0 and authors is not None:
        where: dict[str, set[int]] = {}
        for author, fold in zip(authors, np.repeat(fold_of, sizes), strict=True):
            where.setdefault(author, set()).add(int(fold))
        return sum(len(where[author]) > 1 for author in authors) >= wishes.seen_authors * len(authors) - 1e-9
    return True


def made_case(seed: int):
    """Topics with ties, equal similarities, unplaced or giant ones, and wishes of every kind."""
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
    wishes = Wishes(
        float(rng.choice([0, 0.2, 0.5, 1])),
        float(rng.choice([0, 0.5, 0.9])) if authors else 0.0,
        (tuple(rng.permutation(names)[:2].tolist()),) if rng.random() < 0.3 else (),
        tuple(tuple(rng.permutation(names)[:2].tolist()) for _ in range(rng.integers(0, 3))),
    )
    return similarity, sizes, authors, names, k, wishes


@given(st.integers(0, 100_000))
@settings(max_examples=60, deadline=None)
def test_no_folds_that_keep_to_the_wishes_leak_less(seed):
    similarity, sizes, authors, names, k, wishes = made_case(seed)
    allowed = [
        np.array(fold_of)
        for fold_of in partitions(len(sizes), k)
        if keeps_to(np.array(fold_of), sizes, authors, wishes, names)
    ]
    corpus, space = spread(similarity, sizes, authors)
    if not allowed:
        with pytest.raises(SettingError):
            least_leakage(corpus, space, k=k, wishes=wishes)
        return
    across = (similarity[fold_of[:, None] != fold_of] for fold_of in allowed)
    best = min(np.nan_to_num(each, nan=-np.inf).max() for each in across)
    for goal in ("max", "nearest"):
        found = least_leakage(corpus, space, k=k, wishes=wishes, goal=goal)
        assert keeps_to(found.fold_of, sizes, authors, wishes, names)
        if goal == "max":
            assert found.proven and (found.max == best if np.isfinite(best) else np.isnan(found.max))
        else:
            assert np.isnan(found.max) or found.max >= best


@pytest.mark.parametrize(
    ("wishes", "words"),
    [
        (Wishes(0.0, 1.0), "a balance of 0 % and 100 % seen authors at once"),
        (Wishes(0.0, apart=(("t00", "t03"),)), "a balance of 0 % and the topics apart at once"),
    ],
)
def test_the_two_wishes_that_conflict_are_named(wishes, words):
    # Of 3, 2, 2 and 1 documents the only even halves are {t00, t03} and {t01, t02}, and each half has an author of its own.
    authors = ["a"] * 3 + ["b"] * 2 + ["b"] * 2 + ["a"]
    corpus, space = spread(families([1, 1, 1, 1]), [3, 2, 2, 1], authors)
    with pytest.raises(SettingError, match=words):
        least_leakage(corpus, space, k=2, wishes=wishes)


def test_a_share_that_is_reached_exactly_is_enough():
    authors = ["a", "b", "c"] * 2 + ["a", "b", "d"] * 2 + ["x"] * 3
    found = least_leakage(*spread(families([1, 1, 1]), [6, 6, 3], authors), k=2, wishes=Wishes(1.0, 8 / 15))
    assert found.seen_authors == pytest.approx(8 / 15)


def test_the_usual_balance_gives_way_where_no_folds_are_so_even():
    assert possible_balance(np.full(12, 10), 6) == possible_balance(np.array([90, 1, 1, 1]), 4) == 0.2
    assert possible_balance(np.full(8, 10), 6) == 0.5  # two of eight in a fold are half as much again as the mean
    assert possible_balance(np.full(3, 10), 4) == 0.2, "what is not possible at all is refused for its own reason"
    corpus, space = spread(families([3, 1, 1, 1, 1, 1]), [10] * 8)
    found = least_leakage(corpus, space, k=6)
    assert (found.smallest, found.largest) == (10, 20)
    with pytest.raises(
        SettingError, match="No 6 folds were found for a balance of 20 %; allow 50 %, or choose another k."
    ):
        least_leakage(corpus, space, k=6, wishes=Wishes(0.2))


@pytest.mark.parametrize("seed", range(6))
def test_the_share_of_seen_authors_that_a_refusal_offers_can_be_had(seed):
    rng = np.random.default_rng(seed)
    authors = [f"a{writer}" for writer in rng.integers(0, 60, 84)]
    corpus, space = spread(families([1] * 7), [12] * 7, authors)
    with pytest.raises(SettingError, match="At most") as refused:
        least_leakage(corpus, space, k=2, wishes=Wishes(0.5, 1.0))
    highest, wished, offered = (float(each) / 100 for each in re.findall(r"([\d.]+) %", str(refused.value)))
    assert offered <= highest < wished == 1.0
    assert least_leakage(corpus, space, k=2, wishes=Wishes(0.5, offered)).seen_authors >= offered - 1e-9
