"""Which topics leave which side: the fewest documents, by brute force."""

from itertools import product

import numpy as np

from core.splits.covers import leaks, least_cover, movable, whole_families


def test_the_cover_is_the_least_by_brute_force():
    rng = np.random.default_rng(0)
    for _ in range(15):
        alike = np.triu(rng.random((4, 4)) < 0.3, k=1)
        alike |= alike.T | np.eye(4, dtype=bool)
        sizes = rng.integers(0, 6, (2, 4))
        leaking = leaks(alike, sizes)
        if not len(leaking) or not sizes.sum(axis=1).all():
            continue
        leaving, proven = least_cover(alike, sizes, 0.01)
        possible = [
            (sizes * chosen).sum()
            for chosen in (np.array(bits).reshape(2, 4) for bits in product((0, 1), repeat=8))
            if all(chosen[0, one] or chosen[1, two] for one, two in leaking)
            and ((sizes * chosen).sum(axis=1) <= 0.99 * sizes.sum(axis=1)).all()
        ]
        assert (leaving is None) == (not possible)
        if possible:
            assert proven and (sizes * leaving).sum() == min(possible)
            moving = movable(alike, sizes, leaving)
            present = ((sizes > 0) & ~leaving) | moving[::-1]
            assert not (alike & present[0][:, None] & present[1][None, :]).any()


def test_where_every_topic_is_on_both_sides_families_go_to_one_side_whole():
    rng = np.random.default_rng(0)
    for _ in range(10):
        alike = np.triu(rng.random((5, 5)) < 0.2, k=1)
        alike |= alike.T | np.eye(5, dtype=bool)
        sizes = rng.integers(1, 9, (2, 5))
        leaving = whole_families(alike, sizes, 0.5)
        possible = []
        for bits in product((False, True), repeat=5):
            in_test = np.array(bits)
            if (alike & (in_test[:, None] != in_test)).any():
                continue
            after = np.array([sizes[:, ~in_test].sum(), sizes[:, in_test].sum()])
            if (after >= 0.5 * sizes.sum(axis=1)).all():
                possible.append(sizes[0, in_test].sum() + sizes[1, ~in_test].sum())
        assert (leaving is None) == (not possible)
        if possible:
            assert (sizes * leaving).sum() == min(possible)
            assert movable(alike, sizes, leaving).sum() == leaving.sum(), "all of them can move"
