"""Type I error and power with real network classifiers: two made equal on some networks, then compared on new ones."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from ...arrays import Bools, Floats, Interval, Ints, known_mean, record
from ...errors import SettingError, unknown
from ...progress import Pace, Progress
from ..clusters import table_phi
from .groups import FoldErrors
from .networks import Network, NetworkSettings, adjacency, latent_group_network
from .relational import RELATIONAL, probabilities
from .resampling import Plan, make_plan
from .type1 import Tally, check_run

PAPER = NetworkSettings()
FOLDS = 10  # samples a network, for every scheme (§6.4)
BATCH = 10  # networks handled at once
CLOSE = 0.005  # mean accuracies that differ by no more are equal (§6.3)
PERTURBATIONS = (0.025, 0.075, 0.15, 0.3)  # Figure 4
PAIR = ("wvrn", "nbc")  # the paper's two models

Models = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Equalised:
    """Mean accuracies on `networks` networks, and the share of the better model's predictions to flip for equality.

    `difference` is what the better model is still ahead by after flips drawn at random.
    """

    settings: NetworkSettings
    labelled: float
    better: str
    worse: str
    accuracy: Mapping[str, float]
    flip: float
    difference: float
    networks: int

    @property
    def notes(self) -> tuple[str, ...]:
        """Whether the models could not be made equal."""
        if abs(self.difference) <= CLOSE:
            return ()
        fact = f"After flips the models still differ by {self.difference:.3f}, more than {CLOSE}"
        return (f"{fact}; use more networks or label more.",)


@record
class NetworkRates:
    """How often each test rejects at .05 over `trials` new networks; `difference` is better minus worse in accuracy.

    Type I error without a perturbation, power with one. `error_correlation` is φ over linked unlabelled pairs.
    """

    rates: Mapping[str, float]
    intervals: Mapping[str, Interval]
    trials: int
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


def equalise(
    labelled: float,
    *,
    models: Models = PAIR,
    networks: int = 50,
    seed: int,
    settings: NetworkSettings = PAPER,
) -> Equalised:
    """The share p of flips that makes two models equally accurate over network cross-validation (§6.3).

    Flipping a share p turns accuracy a into a(1 − p) + (1 − a)p, so p = (a_better − a_worse)/(2a_better − 1); then flips
    are drawn, and p is moved until the difference that is left is at most .005.
    """
    check_models(models)
    plan = make_plan("ncv", settings.nodes, labelled=labelled, folds=FOLDS)
    right: dict[str, list[Bools]] = {name: [] for name in models}  # the tested predictions, batch by batch
    check_run(networks, seed)
    for start in range(0, networks, BATCH):
        rng = np.random.default_rng([seed, 0, start // BATCH])
        batch = _run(plan, settings, models, rng, min(BATCH, networks - start))
        for name, predicted in batch.right.items():
            right[name].append(predicted[batch.tested])
    pooled = {name: np.concatenate(parts) for name, parts in right.items()}
    better, worse, accuracy, flip, left = equal_flips(pooled, np.random.default_rng([seed, 2]))
    return Equalised(settings, labelled, better, worse, accuracy, flip, left, networks)


def equal_flips(
    right: Mapping[str, Bools], rng: np.random.Generator
) -> tuple[str, str, dict[str, float], float, float]:
    """The better and the worse of two models by their right predictions, their accuracies, the share of the better one's
    predictions to flip, and the difference that is left then."""
    accuracy = {name: int(values.sum()) / len(values) for name, values in right.items()}
    better, worse = sorted(accuracy, key=lambda name: (-accuracy[name], name))
    flip, left = _equal_flip(right[better], accuracy[worse], rng.random(len(right[better])))
    return better, worse, accuracy, flip, left


def _equal_flip(right: Bools, worse: float, drawn: Floats) -> tuple[float, float]:
    """The share of predictions to flip until the better model is `worse` too, and the difference that is left."""
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
    """Type I error of the three tests on new networks (Figure 3), or power with a `perturbation` above 0 (Figure 4).

    Every trial is a network of its own, resampled ten times. The better model's predictions are flipped until both
    are equal; for power the share `perturbation` of the worse model's is flipped too, so that this is the whole
    difference (the paper does not say whether its better model keeps the handicap). Flips are drawn for every fold or,
    with `fixed_flips`, once a node and network (the paper does not say which).
    """
    if not 0 <= perturbation <= 0.5:
        raise SettingError(f"A perturbation of {perturbation:g}; choose one from 0 to 0.5.")
    plan = make_plan(scheme, equalised.settings.nodes, labelled=equalised.labelled, folds=folds)
    flips = {equalised.better: equalised.flip, equalised.worse: perturbation}
    tally, ahead, alike, phis = Tally(), 0.0, list[float](), list[float]()
    pace = Pace()
    check_run(trials, seed)
    for start in range(0, trials, BATCH):
        rng = np.random.default_rng([seed, 1, start // BATCH])
        batch = _run(plan, equalised.settings, (equalised.better, equalised.worse), rng, BATCH)
        wrong = {name: flipped(~right, flips[name], rng, fixed=fixed_flips) for name, right in batch.right.items()}
        used = min(BATCH, trials - start)  # whole batches are drawn and cut, so that fewer trials are the first of more
        a, b = ((wrong[name] & batch.tested).sum(axis=1)[:used] for name in (equalised.better, equalised.worse))
        tally.add(*FoldErrors(a, b, plan.tested).rates)
        ahead += float(((b - a) / plan.tested).mean(axis=1).sum())
        alike += [network.autocorrelation for network in batch.networks[:used]]
        phis += [_error_phi(batch, wrong, index) for index in range(used)]
        if progress is not None:
            progress(tally.trials, trials, "networks", pace.left(tally.trials, trials - tally.trials))
    notes = (*plan.notes, *equalised.notes, *tally.notes)
    autocorrelation, phi = (float(known_mean(np.array(values))) for values in (alike, phis))
    return NetworkRates(tally.rates, tally.intervals, trials, ahead / trials, autocorrelation, phi, notes)


def flipped(wrong: Bools, share: float, rng: np.random.Generator, *, fixed: bool = False) -> Bools:
    """Errors [network, node, fold] after a share of predictions is turned round: fold by fold, or `fixed` over folds."""
    shape = (*wrong.shape[:2], 1) if fixed else wrong.shape
    return wrong ^ (rng.random(shape) < share)


def _run(plan: Plan, settings: NetworkSettings, models: Models, rng: np.random.Generator, count: int) -> _Batch:
    """New networks, resampled, with both models fitted to the labelled part and asked about the rest."""
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
    """φ of one network's errors over links between unlabelled nodes, averaged over models."""
    links, unlabelled = batch.networks[index].links, batch.unlabelled[index]
    return float(known_mean(np.array([linked_phi(links, errors[index], unlabelled) for errors in wrong.values()])))


def linked_phi(links: Ints, wrong: Bools, unlabelled: Bools) -> float:
    """φ of errors [node, fold] over links between unlabelled nodes, pairs pooled over folds (Table 5)."""
    first, second = links.T
    pairs = unlabelled[first] & unlabelled[second]
    one, other = wrong[first], wrong[second]
    both, either = int((pairs & one & other).sum()), int((pairs & (one ^ other)).sum())
    return table_phi(2 * both, either, 2 * (int(pairs.sum()) - both - either))


def check_models(models: Models) -> None:
    """Refuse names that no classifier has, and one model against itself."""
    for name in models:
        if name not in RELATIONAL:
            raise unknown("relational classifier", name, RELATIONAL)
    if models[0] == models[1]:
        raise SettingError(f"'{models[0]}' against itself: there is nothing to compare; choose two classifiers.")


def sized(nodes: int) -> NetworkSettings:
    """The paper's networks with other numbers of nodes, which keep the links a node has to other groups.

    With the rates as they stand twice the nodes would have twice the links to strangers, and labels' correlation along
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
    """`network_rates` of two models made equal on `networks` networks first, once for each share labelled."""
    equal = _equalised(labelled, networks, models, nodes)
    return network_rates(scheme, equal, trials=trials, seed=seed, perturbation=perturbation)
