"""Curves of simulations: a point for what has been counted and for nothing else, at the share or the difference it was counted at."""

from core.papers.neville_2012 import (
    RESAMPLING,
    GroupSettings,
    NetworkRates,
    Type1,
    at_point,
    group_curves,
    group_points,
    network_curves,
    network_points,
    own_points,
)

TESTS = ("paired", "unpaired", "wilcoxon")


def counted(rate: float, phi: float = 0.5) -> Type1:
    return Type1(dict.fromkeys(TESTS, rate), dict.fromkeys(TESTS, (rate / 2, rate * 2)), 100, phi, ())


def test_every_scheme_is_at_every_share_and_at_every_correlation():
    points = group_points(0.9)
    for scheme in RESAMPLING:
        assert {share for each, share, phi in points if each == scheme and phi == 0.9} == {0.1, 0.3, 0.5, 0.7, 0.9}
        assert {phi for each, share, phi in points if each == scheme and share == 0.5} >= {0.0, 0.2, 0.9}
    assert len({scheme for scheme, *_ in own_points()}) == len(RESAMPLING)
    assert all(share == 0.2 or step == 0 for _, share, step in network_points(0.2))


def test_only_schemes_that_overlap_take_resamples():
    settings = GroupSettings(error=0.2)
    for scheme, kind in RESAMPLING.items():
        wanted = at_point((scheme, 0.5, 0.4), settings, 12)
        assert (wanted.folds is None) == kind.disjoint
        assert (wanted.error, wanted.correlation) == (0.2, 0.4)


def test_a_curve_has_what_was_counted_and_nothing_else():
    found = {("rrs", 0.3, 0.9): counted(0.2), ("rrs", 0.5, 0.4): counted(0.1, phi=0.31)}
    by_share, by_phi = group_curves(found, 0.9, test="paired")
    assert by_share["RRS"] == [(0.3, 0.2, 0.1, 0.4)] and by_phi["RRS"] == [(0.31, 0.1, 0.05, 0.2)]
    assert by_share["NCV"] == by_phi["NCV"] == []
    assert group_curves({("rrs", 0.5, 0.4): counted(0.1, phi=float("nan"))}, 0.9, test="paired")[1]["RRS"] == []


def test_power_stands_over_the_true_difference():
    rates = NetworkRates(dict.fromkeys(TESTS, 0.4), dict.fromkeys(TESTS, (0.3, 0.5)), 20, 0.07, 0.4, 0.2, ())
    step = max(step for _, _, step in network_points(0.3))
    type1, power = network_curves({("ncv", 0.3, step): rates}, 0.3, test="wilcoxon")
    assert power["NCV"] == [(0.07, 0.4, 0.3, 0.5)] and type1["NCV"] == []
