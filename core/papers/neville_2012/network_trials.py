"""Count Type I error and power of tests on networks, synthetic or given: two classifiers made equal, then compared."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from math import isfinite
from typing import Any

import numpy as np

from ...arrays import Bools, Floats, Interval, Ints, known_mean, record
from ...errors import SettingError, unknown
from ...notes import Note
from ...progress import Pace, Progress
from .groups import RESAMPLING, FoldErrors, GroupSettings, Plan, Tally, Type1, check_run, make_plan
from .networks import RELATIONAL, Network, NetworkSettings, adjacency, latent_group_network, probabilities

PAPER = NetworkSettings()
FOLDS = 10  # samples a network, for every scheme (§6.4)
BATCH = 10  # networks handled at once
CLOSE = 0.005  # mean accuracies that differ by no more are equal (§6.3)
PERTURBATIONS = (0.025, 0.075, 0.15, 0.3)  # Figure 4
PAIR = ("wvrn", "nbc")  # the paper's two models

Models = tuple[str, str]
TABLE5_SHARES = (0.1, 0.3, 0.5, 0.7, 0.9)  # labelled, over which Table 5 averages
CALIBRATIONS = 10  # times each network is cut into folds to make the models equal (§7)
_CELLS = 2_000_000  # nodes × folds computed at once


@dataclass(frozen=True, slots=True)
class Equalised:
    """Two models made equally accurate."""

    settings: NetworkSettings
    labelled: float
    better: str
    worse: str
    accuracy: Mapping[str, float]  # mean, before flips
    flip: float  # share of the better model's predictions to flip
    difference: float  # how far the better model is still ahead after random flips
    networks: int

    @property
    def notes(self) -> tuple[Note, ...]:
        """Return a note where the models could not be made equal."""
        return () if abs(self.difference) <= CLOSE else (Note("unequal models", (self.difference, CLOSE)),)


@record
class NetworkRates:
    """How often each test rejects at .05 over new networks: Type I error, or power with a perturbation."""

    rates: Mapping[str, float]
    intervals: Mapping[str, Interval]
    trials: int
    difference: float  # accuracy of the better model minus the worse
    autocorrelation: float
    error_correlation: float  # φ over linked unlabelled pairs
    notes: tuple[Note, ...]


@record
class _Batch:
    """Networks, the tested and unlabelled nodes and each model's right predictions, all [network, node, fold]."""

    networks: list[Network]
    tested: Bools
    unlabelled: Bools
    right: dict[str, Bools]


def equalise(
    labelled: float,
    *,
    models: Models = PAIR,
    networks: int = 50,
    seed: int,
    settings: NetworkSettings = PAPER,
) -> Equalised:
    """Find the share p of flips that makes two models equally accurate over network cross-validation (§6.3).

    Flipping a share p turns accuracy a into a(1 − p) + (1 − a)p, so p = (a_better − a_worse)/(2a_better − 1); then flips
    are drawn, and p is moved until the difference that is left is at most .005.
    """
    check_models(models)
    plan = make_plan("ncv", settings.nodes, labelled=labelled, folds=FOLDS)
    right: dict[str, list[Bools]] = {name: [] for name in models}  # the tested predictions, batch by batch
    check_run(networks, seed)
    for start in range(0, networks, BATCH):
        rng = np.random.default_rng([seed, 0, start // BATCH])
        batch = _run_batch(plan, settings, models, rng, min(BATCH, networks - start))
        for name, predicted in batch.right.items():
            right[name].append(predicted[batch.tested])
    pooled = {name: np.concatenate(parts) for name, parts in right.items()}
    better, worse, accuracy, flip, left = equal_flips(pooled, np.random.default_rng([seed, 2]))
    return Equalised(settings, labelled, better, worse, accuracy, flip, left, networks)


def equal_flips(
    right: Mapping[str, Bools], rng: np.random.Generator
) -> tuple[str, str, dict[str, float], float, float]:
    """Return the better and the worse model, their accuracies, the share to flip, and the difference left."""
    accuracy = {name: int(values.sum()) / len(values) for name, values in right.items()}
    better, worse = sorted(accuracy, key=lambda name: (-accuracy[name], name))
    flip, left = _equal_flip(right[better], accuracy[worse], rng.random(len(right[better])))
    return better, worse, accuracy, flip, left


def _equal_flip(right: Bools, worse: float, drawn: Floats) -> tuple[float, float]:
    """Return the share of predictions to flip until the accuracy is `worse`, and the difference left."""
    accuracy = int(right.sum()) / len(right)
    room = 2 * accuracy - 1
    flip = min((accuracy - worse) / room, 0.5) if room > 0 else 0.0
    tried = []
    for _ in range(20):
        left = float((right ^ (drawn < flip)).mean()) - worse
        tried.append((flip, left))
        if abs(left) <= CLOSE or room <= 0:
            break
        flip = min(max(flip + left / room, 0.0), 0.5)
    return min(tried, key=lambda pair: abs(pair[1]))  # small networks can step over equality again and again


def network_rates(
    scheme: str,
    equalised: Equalised,
    *,
    trials: int = 100,
    seed: int,
    perturbation: float = 0.0,
    folds: int = FOLDS,
    fixed_flips: bool = False,
    progress: Progress | None = None,
) -> NetworkRates:
    """Count rejections on new networks: Type I error (Figure 3), or power with a `perturbation` above 0 (Figure 4).

    Every trial is a network of its own, resampled ten times. The better model's predictions are flipped until both
    are equal; for power the share `perturbation` of the worse model's is flipped too, so that this is the whole
    difference (the paper does not say whether its better model keeps the handicap). Flips are drawn for every fold or,
    with `fixed_flips`, once a node and network (the paper does not say which).
    """
    if not 0 <= perturbation <= 0.5:
        raise SettingError(f"A perturbation of {perturbation:g}; choose one from 0 to 0.5.")
    plan = make_plan(scheme, equalised.settings.nodes, labelled=equalised.labelled, folds=folds)
    flips = {equalised.better: equalised.flip, equalised.worse: perturbation}
    tally, ahead, autocorrelations, phis = Tally(), 0.0, list[float](), list[float]()
    pace = Pace()
    check_run(trials, seed)
    for start in range(0, trials, BATCH):
        rng = np.random.default_rng([seed, 1, start // BATCH])
        batch = _run_batch(plan, equalised.settings, (equalised.better, equalised.worse), rng, BATCH)
        wrong = {name: flipped(~right, flips[name], rng, fixed=fixed_flips) for name, right in batch.right.items()}
        used = min(BATCH, trials - start)  # whole batches are drawn and cut, so that fewer trials are the first of more
        a, b = ((wrong[name] & batch.tested).sum(axis=1)[:used] for name in (equalised.better, equalised.worse))
        tally.add(*FoldErrors(a, b, plan.tested).rates)
        ahead += float(((b - a) / plan.tested).mean(axis=1).sum())
        autocorrelations += [network.autocorrelation for network in batch.networks[:used]]
        phis += [_error_phi(batch, wrong, index) for index in range(used)]
        if progress is not None:
            progress(tally.trials, trials, "networks", pace.left(tally.trials, trials - tally.trials))
    notes = (*plan.notes, *equalised.notes, *tally.notes)
    autocorrelation, phi = (float(known_mean(np.array(values))) for values in (autocorrelations, phis))
    return NetworkRates(tally.rates, tally.intervals, trials, ahead / trials, autocorrelation, phi, notes)


def flipped(wrong: Bools, share: float, rng: np.random.Generator, *, fixed: bool = False) -> Bools:
    """Return errors [network, node, fold] after a share of predictions is flipped, per fold or `fixed` over folds."""
    shape = (*wrong.shape[:2], 1) if fixed else wrong.shape
    return wrong ^ (rng.random(shape) < share)


def _run_batch(plan: Plan, settings: NetworkSettings, models: Models, rng: np.random.Generator, count: int) -> _Batch:
    """Draw and resample networks, fit both models to the labelled part and predict the rest."""
    networks = [latent_group_network(settings, rng) for _ in range(count)]
    tests = plan.test_sets(rng, trials=count)
    known = np.ascontiguousarray(plan.training_sets(rng, tests).transpose(0, 2, 1))
    links, labels = adjacency(networks), np.stack([network.labels for network in networks])
    right = {
        name: (probabilities(links, labels, known, model=name) > 0.5) == labels[:, :, None]
        for name in sorted(models, key=list(RELATIONAL).index)
    }
    return _Batch(networks, tests.transpose(0, 2, 1), ~known, right)


def _error_phi(batch: _Batch, wrong: Mapping[str, Bools], index: int) -> float:
    """Return φ of one network's errors over links between unlabelled nodes, averaged over models."""
    links, unlabelled = batch.networks[index].links, batch.unlabelled[index]
    return float(known_mean(np.array([linked_phi(links, errors[index], unlabelled) for errors in wrong.values()])))


def linked_phi(links: Ints, wrong: Bools, unlabelled: Bools) -> float:
    """Return φ of errors [node, fold] over links between unlabelled nodes, pairs pooled over folds (Table 5)."""
    first, second = links.T
    pairs = unlabelled[first] & unlabelled[second]
    one, other = wrong[first], wrong[second]
    both, either = int((pairs & one & other).sum()), int((pairs & (one ^ other)).sum())
    return table_phi(2 * both, either, 2 * (int(pairs.sum()) - both - either))


def table_phi(both: float, differ: float, neither: float) -> float:
    """Return φ = (n₁₁n₀₀ − n₁₀²)/((n₁₁ + n₁₀)(n₁₀ + n₀₀)) of pairs counted from both ends; NaN where a margin is empty."""
    margins = (both + differ) * (differ + neither)
    return (both * neither - differ**2) / margins if margins else float("nan")


def check_models(models: Models) -> None:
    """Raise for an unknown classifier, and for one model against itself."""
    for name in models:
        if name not in RELATIONAL:
            raise unknown("relational classifier", name, RELATIONAL)
    if models[0] == models[1]:
        raise SettingError(f"'{models[0]}' against itself: there is nothing to compare; choose two classifiers.")


def sized(nodes: int) -> NetworkSettings:
    """Return the paper's settings for another number of nodes, with as many links per node to other groups.

    With unchanged rates twice the nodes would have twice the links to other groups, and labels' correlation along
    links would fall from .38 to .32; the paper does not say what its 600 nodes have.
    """
    share = PAPER.nodes / max(nodes, 1)
    between = {name: min(getattr(PAPER, name) * share, 1.0) for name in ("between_a", "between_b")}
    return replace(PAPER, nodes=nodes, **between)


@lru_cache(maxsize=32)
def _equalised(labelled: float, networks: int, models: Models, nodes: int) -> Equalised:
    return equalise(labelled, models=models, networks=networks, seed=0, settings=sized(nodes))


def rates_when_equal(
    scheme: str,
    labelled: float,
    *,
    trials: int,
    seed: int,
    perturbation: float = 0.0,
    networks: int = 50,
    models: Models = PAIR,
    nodes: int = PAPER.nodes,
) -> NetworkRates:
    """Run `network_rates` on two models made equal on `networks` networks first, once for each share labelled."""
    equal = _equalised(labelled, networks, models, nodes)
    return network_rates(scheme, equal, trials=trials, seed=seed, perturbation=perturbation)


@dataclass(frozen=True, slots=True)
class PublishedNetwork:
    """One row of the paper's Table 5."""

    network: str
    task: str
    error_correlation: float
    autocorrelation: float


PUBLISHED_NETWORKS = (
    PublishedNetwork("Enron email", "Executive?", 0.18, 0.17),
    PublishedNetwork("Citeseer", "Neural nets?", 0.23, 0.59),
    PublishedNetwork("Political books", "Neutral?", 0.25, 0.22),
    PublishedNetwork("Cora", "Info. retrieval?", 0.28, 0.61),
    PublishedNetwork("Reality mining", "In study?", 0.32, 0.79),
    PublishedNetwork("Reality mining", "Student?", 0.52, 0.91),
)


@record
class NetworkProfile:
    """One network's autocorrelation and every classifier's accuracy and error correlation.

    φ is NaN where no two linked nodes were both unlabelled, or there were no errors.
    """

    nodes: int
    links: int
    positives: int
    autocorrelation: float  # of labels along links
    models: tuple[str, ...]
    shares: tuple[float, ...]  # labelled
    accuracy: Floats  # [classifier, without and with collective inference, share labelled]
    phi: Floats  # the same

    @property
    def means(self) -> tuple[Floats, Floats]:
        """Return accuracy and φ [classifier, without and with collective inference], averaged over shares labelled."""
        return known_mean(self.accuracy, axis=2), known_mean(self.phi, axis=2)

    @property
    def error_correlation(self) -> float:
        """Return φ averaged over classifiers and shares labelled, as in Table 5."""
        return float(known_mean(self.phi))


@record
class OwnRates:
    """How often each test rejects at .05 when given networks are resampled."""

    rates: Mapping[str, float]  # mean over networks
    intervals: Mapping[str, Interval]
    by_network: Mapping[str, Floats]
    difference: Floats  # how far ahead the better model was on each network
    trials: int
    held_out: bool  # the models were made equal on the other networks; else on the same one
    notes: tuple[Note, ...]


def network_profile(
    network: Network,
    *,
    seed: int,
    progress: Progress | None = None,
) -> NetworkProfile:
    """Return error correlation and autocorrelation of one network (Table 5), over `FOLDS` resamples per share."""
    models, shares = tuple(RELATIONAL), TABLE5_SHARES
    accuracy, phi = (np.full((len(models), 2, len(shares)), np.nan) for _ in range(2))
    pace = Pace()
    for column, labelled in enumerate(shares):
        plan = make_plan("rrs", len(network), labelled=labelled, folds=FOLDS)
        rng = np.random.default_rng([seed, 3, column])
        tests = plan.test_sets(rng, trials=1)
        known = np.ascontiguousarray(plan.training_sets(rng, tests).transpose(0, 2, 1))
        for row, model in enumerate(models):
            for collective in (False, True):
                wrong = ~_right_predictions(network, known, model, collective=collective)[0]
                accuracy[row, int(collective), column] = 1 - wrong[~known[0]].mean()
                phi[row, int(collective), column] = linked_phi(network.links, wrong, ~known[0])
        if progress is not None:
            progress(column + 1, len(shares), "shares", pace.left(column + 1, len(shares) - column - 1))
    return NetworkProfile(
        len(network),
        len(network.links),
        int(network.labels.sum()),
        network.autocorrelation,
        models,
        shares,
        accuracy,
        phi,
    )


def own_rates(
    networks: Sequence[Network],
    scheme: str,
    labelled: float,
    *,
    models: Models = PAIR,
    trials: int = 50,
    seed: int,
    progress: Progress | None = None,
) -> OwnRates:
    """Count Type I errors on given networks (Figure 5): `trials` resamplings of each.

    With several, one is held out at a time and the models are made equal on the others: a rejection on it is then an
    error, true of this network but not of its kind. With a single one the models are made equal on itself, and its
    resamples are independent: RRS then errs no more often than it should, which tells nothing about other networks.
    """
    check_models(models)
    check_run(trials, seed)
    plans = [make_plan(scheme, len(network), labelled=labelled, folds=FOLDS) for network in networks]
    pools = [
        _calibration(network, labelled, models, np.random.default_rng([seed, 4, index]))
        for index, network in enumerate(networks)
    ]
    held_out, pace = len(networks) > 1, Pace()
    tallies, ahead, notes = [], [], list[Note]()
    for index, network in enumerate(networks):
        others = [pool for other, pool in enumerate(pools) if other != index] if held_out else pools
        pooled = {name: np.concatenate([pool[name] for pool in others]) for name in models}
        better, worse, _, flip, left = equal_flips(pooled, np.random.default_rng([seed, 5, index]))
        rng = np.random.default_rng([seed, 6, index])
        errors = _trials(network, plans[index], {better: flip, worse: 0.0}, trials, rng)
        tallies.append(Tally())
        tallies[-1].add(*errors.rates)
        ahead.append(float(((errors.b - errors.a) / errors.tested).mean()))
        notes += [
            *([Note("unequal elsewhere", (CLOSE,))] if abs(left) > CLOSE else []),
            *plans[index].notes,
            *tallies[-1].notes,
        ]
        if progress is not None:
            progress(index + 1, len(networks), "networks", pace.left(index + 1, len(networks) - index - 1))
    by_network = {name: np.array([tally.rates[name] for tally in tallies]) for name in tallies[0].rates}
    return OwnRates(
        {name: float(rates.mean()) for name, rates in by_network.items()},
        # Resamplings of one network are not new networks: their number narrows no interval, so the range is shown.
        {name: (float(rates.min()), float(rates.max())) for name, rates in by_network.items()}
        if held_out
        else tallies[0].intervals,
        by_network,
        np.array(ahead),
        trials * len(networks),
        held_out,
        tuple(dict.fromkeys(notes)),
    )


def _calibration(network: Network, labelled: float, models: Models, rng: np.random.Generator) -> dict[str, Bools]:
    """Return each model's right predictions on test folds of network cross-validation, repeated ten times."""
    plan = make_plan("ncv", len(network), labelled=labelled, folds=FOLDS)
    found: dict[str, list[Bools]] = {name: [] for name in models}
    for tested, right in _resampled_batches(network, plan, models, CALIBRATIONS, rng):
        for name in models:
            found[name].append(right[name][tested])
    return {name: np.concatenate(parts) for name, parts in found.items()}


def _trials(
    network: Network, plan: Plan, flips: Mapping[str, float], trials: int, rng: np.random.Generator
) -> FoldErrors:
    """Return both models' errors in every fold of every resampling, after flips."""
    better, worse = flips
    counts: dict[str, list[Ints]] = {name: [] for name in flips}
    for tested, right in _resampled_batches(network, plan, (better, worse), trials, rng):
        for name, share in flips.items():
            wrong = flipped(~right[name][None], share, rng)[0] & tested
            counts[name].append(wrong.sum(axis=0).reshape(-1, plan.folds))
    a, b = (np.concatenate(counts[name]) for name in flips)
    return FoldErrors(a, b, plan.tested)


def _resampled_batches(
    network: Network, plan: Plan, models: Models, trials: int, rng: np.random.Generator
) -> list[tuple[Bools, dict[str, Bools]]]:
    """Return batches of resamplings: what is tested and each model's right predictions, both [node, trial · fold]."""
    at_once = max(1, _CELLS // (len(network) * plan.folds))
    batches = []
    for start in range(0, trials, at_once):
        tests = plan.test_sets(rng, trials=min(at_once, trials - start))
        known = plan.training_sets(rng, tests).reshape(-1, len(network)).T
        right = {name: _right_predictions(network, np.ascontiguousarray(known)[None], name)[0] for name in models}
        batches.append((tests.reshape(-1, len(network)).T, right))
    return batches


def _right_predictions(network: Network, known: Bools, model: str, *, collective: bool = True) -> Bools:
    labels = network.labels[None]
    if len(network.links) == 0:
        raise SettingError("A network has no link, so neighbours say nothing of a node; give its links.")
    found = probabilities(adjacency([network]), labels, known, model=model, collective=collective)
    return np.asarray((found > 0.5) == labels[:, :, None])


SHARES = (0.1, 0.3, 0.5, 0.7, 0.9)  # labelled
CORRELATIONS = (0.0, 0.2, 0.4, 0.6, 0.8, 0.9)
NETWORK_SHARES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9)
OWN_SHARES = (0.1, 0.2, 0.3, 0.4, 0.5)  # the paper's figure 5

Point = tuple[str, float, float]  # a scheme, the share labelled, and the correlation of errors or the perturbation
OwnPoint = tuple[str, float]  # a scheme and the share labelled
Curves = dict[str, list[tuple[float, float, float, float]]]  # by scheme: x, the rate, and its interval


def group_points(correlation: float) -> list[Point]:
    """Return every scheme at every share labelled with this error correlation, and at every correlation with half."""
    by_share = [(scheme, labelled, correlation) for scheme in RESAMPLING for labelled in SHARES]
    return by_share + [(scheme, 0.5, value) for scheme in RESAMPLING for value in CORRELATIONS]


def at_point(point: Point, settings: GroupSettings, resamples: int) -> GroupSettings:
    """Return the settings at one point; schemes whose test sets overlap take this many resamples."""
    scheme, _, correlation = point
    folds = None if RESAMPLING[scheme].disjoint else resamples
    return replace(settings, correlation=correlation, folds=folds)


def group_curves(found: Mapping[Point, Type1], correlation: float, *, test: str) -> tuple[Curves, Curves]:
    """Return Type I error against the share labelled and, with half labelled, against the measured correlation of errors."""
    by_share = _rate_curves(found, [(share, correlation) for share in SHARES], test, lambda point, _: point[0])
    half = [(0.5, value) for value in CORRELATIONS]
    return by_share, _rate_curves(found, half, test, lambda _, counted: counted.error_correlation)


def network_points(labelled: float) -> list[Point]:
    """Return every scheme at every share labelled with equal models, and at every perturbation with this share labelled."""
    equal = [(scheme, share, 0.0) for share in NETWORK_SHARES for scheme in RESAMPLING]
    return equal + [(scheme, labelled, step) for step in PERTURBATIONS for scheme in RESAMPLING]


def network_curves(found: Mapping[Point, NetworkRates], labelled: float, *, test: str) -> tuple[Curves, Curves]:
    """Return Type I error against the share labelled, and power against the true difference."""
    type1 = _rate_curves(found, [(share, 0.0) for share in NETWORK_SHARES], test, lambda point, _: point[0])
    better = [(labelled, step) for step in PERTURBATIONS]
    return type1, _rate_curves(found, better, test, lambda _, counted: counted.difference)


def own_points() -> list[OwnPoint]:
    """Return every scheme at every share labelled."""
    return [(scheme, share) for share in OWN_SHARES for scheme in RESAMPLING]


def own_curves(found: Mapping[OwnPoint, OwnRates], *, test: str) -> Curves:
    """Return Type I error on resamples against the share labelled."""
    return _rate_curves(found, [(share,) for share in OWN_SHARES], test, lambda point, _: point[0])


def _rate_curves(
    found: Mapping[Any, Any], points: Sequence[tuple[float, ...]], test: str, x: Callable[[Any, Any], float]
) -> Curves:
    """Return the test's rate under every scheme at the points that have been counted and have an x."""
    curves: Curves = {scheme.upper(): [] for scheme in RESAMPLING}
    for scheme, point in product(RESAMPLING, points):
        counted = found.get((scheme, *point))
        if counted is not None and isfinite(at := x(point, counted)):
            curves[scheme.upper()].append((at, counted.rates[test], *counted.intervals[test]))
    return curves
