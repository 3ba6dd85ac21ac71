"""Networks of one's own: how alike labels and errors are along their links, and how tests err when they are resampled."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...arrays import Bools, Floats, Interval, Ints, known_mean, record
from ...errors import SettingError
from ...progress import Pace, Progress
from .groups import FoldErrors
from .network_trials import CLOSE, FOLDS, PAIR, Models, check_models, equal_flips, flipped, linked_phi
from .networks import Network, adjacency
from .relational import RELATIONAL, probabilities
from .resampling import Plan, make_plan
from .type1 import Tally, check_run

TABLE5_SHARES = (0.1, 0.3, 0.5, 0.7, 0.9)  # labelled, over which Table 5 averages
CALIBRATIONS = 10  # times each network is cut into folds to make the models equal (§7)
_CELLS = 2_000_000  # nodes × folds computed at once
UNEQUAL = (
    f"After flips the models still differ by more than {CLOSE} on the networks they were made equal on; label more nodes, or "
    "give larger networks."
)


@dataclass(frozen=True, slots=True)
class PublishedNetwork:
    """A line of the paper's Table 5."""

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
    """One network: its labels' correlation along links, and every classifier's accuracy and error correlation.

    `accuracy` and `phi` are [classifier, without and with collective inference, share labelled]; NaN where no two
    linked nodes were both unlabelled, or nobody erred.
    """

    nodes: int
    links: int
    positives: int
    autocorrelation: float
    models: tuple[str, ...]
    shares: tuple[float, ...]
    accuracy: Floats
    phi: Floats

    @property
    def means(self) -> tuple[Floats, Floats]:
        """Accuracy and φ of every classifier, without and with collective inference, averaged over shares labelled."""
        return known_mean(self.accuracy, axis=2), known_mean(self.phi, axis=2)

    @property
    def error_correlation(self) -> float:
        """φ averaged over classifiers and shares labelled, as in Table 5."""
        return float(known_mean(self.phi))


@record
class OwnRates:
    """How often each test rejects at .05 when a network is resampled: the mean over networks, and each network's rate.

    With several networks the models were made equal on the others, with one on itself (`held_out` says which).
    `difference` is how far ahead the better model was on each network.
    """

    rates: Mapping[str, float]
    intervals: Mapping[str, Interval]
    by_network: Mapping[str, Floats]
    difference: Floats
    trials: int
    held_out: bool
    notes: tuple[str, ...]


def network_profile(
    network: Network,
    *,
    seed: int,
    progress: Progress | None = None,
) -> NetworkProfile:
    """Error correlation and autocorrelation of one network (Neville et al. 2012, Table 5), `FOLDS` draws a share."""
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
                wrong = ~_right(network, known, model, collective=collective)[0]
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
    """Type I error on networks of one's own (Figure 5): `trials` resamplings of each.

    With several, one is held out at a time, the models are made equal on the others, and what the test then finds on
    it is an error: it holds of this network and not of its kind. With a single one the models are made equal on itself,
    and resamples of it are independent: RRS then errs no more often than it should, which says nothing of other networks.
    """
    check_models(models)
    check_run(trials, seed)
    plans = [make_plan(scheme, len(network), labelled=labelled, folds=FOLDS) for network in networks]
    pools = [
        _calibration(network, labelled, models, np.random.default_rng([seed, 4, index]))
        for index, network in enumerate(networks)
    ]
    held_out, pace = len(networks) > 1, Pace()
    tallies, ahead, notes = [], [], list[str]()
    for index, network in enumerate(networks):
        others = [pool for other, pool in enumerate(pools) if other != index] if held_out else pools
        pooled = {name: np.concatenate([pool[name] for pool in others]) for name in models}
        better, worse, _, flip, left = equal_flips(pooled, np.random.default_rng([seed, 5, index]))
        rng = np.random.default_rng([seed, 6, index])
        errors = _trials(network, plans[index], {better: flip, worse: 0.0}, trials, rng)
        tallies.append(Tally())
        tallies[-1].add(*errors.rates)
        ahead.append(float(((errors.b - errors.a) / errors.tested).mean()))
        notes += [*([UNEQUAL] if abs(left) > CLOSE else []), *plans[index].notes, *tallies[-1].notes]
        if progress is not None:
            progress(index + 1, len(networks), "networks", pace.left(index + 1, len(networks) - index - 1))
    by_network = {name: np.array([tally.rates[name] for tally in tallies]) for name in tallies[0].rates}
    return OwnRates(
        {name: float(rates.mean()) for name, rates in by_network.items()},
        _spread(by_network) if held_out else tallies[0].intervals,
        by_network,
        np.array(ahead),
        trials * len(networks),
        held_out,
        tuple(dict.fromkeys(notes)),
    )


def _spread(by_network: Mapping[str, Floats]) -> dict[str, Interval]:
    """The lowest and the highest rate: resamplings of one network are no new networks, and their number proves nothing."""
    return {name: (float(rates.min()), float(rates.max())) for name, rates in by_network.items()}


def _calibration(network: Network, labelled: float, models: Models, rng: np.random.Generator) -> dict[str, Bools]:
    """Each model's right predictions on test folds of network cross-validation, the network cut ten times."""
    plan = make_plan("ncv", len(network), labelled=labelled, folds=FOLDS)
    found: dict[str, list[Bools]] = {name: [] for name in models}
    for tested, right in _resampled(network, plan, models, CALIBRATIONS, rng):
        for name in models:
            found[name].append(right[name][tested])
    return {name: np.concatenate(parts) for name, parts in found.items()}


def _trials(
    network: Network, plan: Plan, flips: Mapping[str, float], trials: int, rng: np.random.Generator
) -> FoldErrors:
    """Both models' errors in every fold of every resampling, the better one's predictions flipped as it needs."""
    better, worse = flips
    counts: dict[str, list[Ints]] = {name: [] for name in flips}
    for tested, right in _resampled(network, plan, (better, worse), trials, rng):
        for name, share in flips.items():
            wrong = flipped(~right[name][None], share, rng)[0] & tested
            counts[name].append(wrong.sum(axis=0).reshape(-1, plan.folds))
    a, b = (np.concatenate(counts[name]) for name in flips)
    return FoldErrors(a, b, plan.tested)


def _resampled(
    network: Network, plan: Plan, models: Models, trials: int, rng: np.random.Generator
) -> list[tuple[Bools, dict[str, Bools]]]:
    """Batches of resamplings: what is tested, and each model's right predictions, both [node, trial · fold]."""
    at_once = max(1, _CELLS // (len(network) * plan.folds))
    batches = []
    for start in range(0, trials, at_once):
        tests = plan.test_sets(rng, trials=min(at_once, trials - start))
        known = plan.training_sets(rng, tests).reshape(-1, len(network)).T
        right = {name: _right(network, np.ascontiguousarray(known)[None], name)[0] for name in models}
        batches.append((tests.reshape(-1, len(network)).T, right))
    return batches


def _right(network: Network, known: Bools, model: str, *, collective: bool = True) -> Bools:
    labels = network.labels[None]
    if len(network.links) == 0:
        raise SettingError("A network has no link, so neighbours say nothing of a node; give its links.")
    found = probabilities(adjacency([network]), labels, known, model=model, collective=collective)
    return np.asarray((found > 0.5) == labels[:, :, None])
