"""Type I error and power with real network classifiers: two made equal on some networks, then compared on new ones."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ...arrays import Bools, record
from ...errors import SettingError
from ...progress import Pace, Progress
from ..clusters import table_phi
from .groups import FoldErrors
from .networks import RELATIONAL, Network, NetworkSettings, adjacency, latent_group_network
from .schemes import Plan, make_plan, scored_sets, training_sets
from .type1 import Interval, Tally, checked_seed, checked_trials

PAPER = NetworkSettings()
FOLDS = 10  # samples a network, for every scheme (§6.4)
BATCH = 10  # networks handled at once
CLOSE = 0.005  # mean accuracies that differ by no more are equal (§6.3)
PERTURBATIONS = (0.025, 0.075, 0.15, 0.3)  # Figure 4


@dataclass(frozen=True, slots=True)
class Calibration:
    """Mean accuracies on `networks` networks, and the share of the better model's predictions to flip for equality.

    `difference` is what the better model is still ahead by after flips drawn at random; `standard_error` how far the
    difference in accuracy may be from its mean over all networks (sd over networks / √networks).
    """

    labelled: float
    better: str
    worse: str
    accuracy: Mapping[str, float]
    flip: float
    difference: float
    standard_error: float
    networks: int
    notes: tuple[str, ...]


@record
class NetworkRates:
    """How often each test rejects at .05 over `trials` new networks; `difference` is better minus worse in accuracy.

    Type I error where `perturbation` is 0, power elsewhere. `error_correlation` is φ over linked unlabelled pairs.
    """

    scheme: str
    labelled: float
    perturbation: float
    rates: Mapping[str, float]
    intervals: Mapping[str, Interval]
    undefined: Mapping[str, int]
    trials: int
    requested: int
    difference: float
    autocorrelation: float
    error_correlation: float
    notes: tuple[str, ...]


@record
class _Batch:
    """Networks, the tested and unlabelled nodes and each model's right predictions, all [network, node, fold]."""

    networks: list[Network]
    tested: Bools
    unlabelled: Bools
    right: dict[str, Bools]


def calibrate(
    labelled: float,
    *,
    networks: int = 50,
    seed: int,
    settings: NetworkSettings = PAPER,
    folds: int = FOLDS,
    progress: Progress | None = None,
) -> Calibration:
    """The share p of flips that makes wvRN and nBC equally accurate over network cross-validation (§6.3).

    Flipping a share p turns accuracy a into a(1 − p) + (1 − a)p, so p = (a_better − a_worse)/(2a_better − 1); then flips
    are drawn, and p is moved until the difference that is left is at most .005.
    """
    plan = make_plan("ncv", settings.nodes, labelled=labelled, folds=folds)
    counts, rows, gaps = dict.fromkeys(RELATIONAL, 0), [], list[float]()
    tested = done = 0
    checked_trials(networks)
    pace = Pace()
    while done < networks:
        rng = np.random.default_rng([checked_seed(seed), 0, done // BATCH])
        batch = _run(plan, settings, rng, min(BATCH, networks - done))
        for name, right in batch.right.items():
            counts[name] += int(right[batch.tested].sum())
        rows.append({name: right[batch.tested] for name, right in batch.right.items()})
        first, second = ((right & batch.tested).sum(axis=(1, 2)) / settings.nodes for right in batch.right.values())
        gaps += (first - second).tolist()
        tested += int(batch.tested.sum())
        done += len(batch.networks)
        if progress is not None:
            progress(done, networks, "networks", pace.left(done, networks - done))
    accuracy = {name: count / tested for name, count in counts.items()}
    better, worse = sorted(accuracy, key=lambda name: (-accuracy[name], name))
    gap, room = accuracy[better] - accuracy[worse], 2 * accuracy[better] - 1
    flip = min(gap / room, 0.5) if room > 0 else 0.0
    right = np.concatenate([row[better] for row in rows])
    drawn = np.random.default_rng([seed, 2]).random(len(right))
    tried = []
    for _ in range(20):
        tried.append((float((right ^ (drawn < flip)).mean()) - accuracy[worse], flip))
        if abs(tried[-1][0]) <= CLOSE or room <= 0:
            break
        flip = min(max(flip + tried[-1][0] / room, 0.0), 0.5)
    left, flip = min(tried, key=lambda pair: abs(pair[0]))  # small networks can step over equality again and again
    spread = float(np.std(gaps, ddof=1)) / done**0.5 if done > 1 else float("nan")
    notes: tuple[str, ...] = ()
    if abs(left) > CLOSE:
        notes += (
            f"After flips the models still differ by {left:.3f}, more than {CLOSE}; use more networks or label more.",
        )
    return Calibration(labelled, better, worse, accuracy, flip, left, spread, done, notes)


def network_rates(
    scheme: str,
    calibration: Calibration,
    *,
    trials: int = 100,
    seed: int,
    settings: NetworkSettings = PAPER,
    folds: int = FOLDS,
    perturbation: float = 0.0,
    progress: Progress | None = None,
) -> NetworkRates:
    """Type I error of the three tests on new networks (Figure 3), or power with a `perturbation` above 0 (Figure 4).

    Every trial is a network of its own, resampled `folds` times. The better model's predictions are flipped as
    calibrated; for power the share `perturbation` of the worse model's is flipped too, so that this is the whole
    difference (the paper does not say whether its better model keeps the handicap).
    """
    if not 0 <= perturbation <= 0.5:
        raise SettingError(f"A perturbation of {perturbation:g}; choose one from 0 to 0.5.")
    plan = make_plan(scheme, settings.nodes, labelled=calibration.labelled, folds=folds)
    flips = {calibration.better: calibration.flip, calibration.worse: perturbation}
    checked_trials(trials)
    tally, ahead, alike, phis = Tally(), 0.0, [], []
    pace = Pace()
    while tally.trials < trials:
        rng = np.random.default_rng([checked_seed(seed), 1, tally.trials // BATCH])
        batch = _run(plan, settings, rng, BATCH)
        wrong = {}
        for name, right in batch.right.items():
            wrong[name] = ~right ^ (rng.random(right.shape) < flips[name])
        left = min(trials - tally.trials, BATCH)
        counts = [(wrong[name] & batch.tested).sum(axis=1)[:left] for name in (calibration.better, calibration.worse)]
        errors = FoldErrors(counts[0], counts[1], plan.tested)
        ahead += float(((errors.b - errors.a) / plan.tested).mean(axis=1).sum())
        alike += [network.autocorrelation for network in batch.networks[:left]]
        phis += [_error_phi(batch, wrong, place) for place in range(left)]
        tally.add(*errors.rates)
        if progress is not None:
            progress(tally.trials, trials, "networks", pace.left(tally.trials, trials - tally.trials))
    done = tally.trials
    notes = (*plan.notes, *calibration.notes, *tally.notes)
    return NetworkRates(
        scheme, calibration.labelled, perturbation, tally.rates, tally.intervals, dict(tally.undefined), done, trials,
        ahead / done, _mean(alike), _mean(phis), notes,
    )  # fmt: skip


def _run(plan: Plan, settings: NetworkSettings, rng: np.random.Generator, count: int) -> _Batch:
    """New networks, resampled, with both models fitted to the labelled part and asked about the rest."""
    networks = [latent_group_network(settings, rng) for _ in range(count)]
    tests = scored_sets(plan, rng, trials=count)
    known = np.ascontiguousarray(training_sets(plan, rng, tests).transpose(0, 2, 1))
    links, labels = adjacency(networks), np.stack([network.labels for network in networks])
    right = {name: (model(links, labels, known) > 0.5) == labels[:, :, None] for name, model in RELATIONAL.items()}
    return _Batch(networks, tests.transpose(0, 2, 1), ~known, right)


def _error_phi(batch: _Batch, wrong: Mapping[str, Bools], place: int) -> float:
    """φ of one network's errors over links between unlabelled nodes, pairs pooled over folds, averaged over models."""
    first, second = batch.networks[place].links.T
    pairs = batch.unlabelled[place][first] & batch.unlabelled[place][second]
    found = []
    for errors in wrong.values():
        one, other = errors[place][first], errors[place][second]
        both, either = int((pairs & one & other).sum()), int((pairs & (one ^ other)).sum())
        found.append(table_phi(2 * both, either, 2 * (int(pairs.sum()) - both - either)))
    return _mean(found)


def _mean(values: list[float]) -> float:
    known = [value for value in values if not np.isnan(value)]
    return float(np.mean(known)) if known else float("nan")
