"""Resampling schemes on n instances: simple (RRS) and equal-instance (ERS) resampling, and network cross-validation (NCV)."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ...arrays import Bools, Ints, record
from ...errors import SettingError, unknown

SCHEMES: Mapping[str, str] = {
    "ncv": "Network cross-validation",
    "rrs": "Simple random resampling",
    "ers": "Equal-instance resampling",
}
DEFAULT_FOLDS: Mapping[str, int] = {"ncv": 10, "rrs": 30, "ers": 30}  # Neville et al. 2012, Table 6
MOST_INSTANCES = 20_000
MOST_FOLDS = 200


@record
class Plan:
    """Checked sizes: `train` instances to train on and `tested[f]` to score in fold f; `copies` is ERS's (0 elsewhere)."""

    scheme: str
    instances: int
    labelled: float
    train: int
    tested: Ints
    copies: int
    notes: tuple[str, ...]

    @property
    def folds(self) -> int:
        """How many test sets there are."""
        return len(self.tested)


@record
class Resample:
    """One fold's instances: to train on, to score, and to run inference over (everything not in training)."""

    train: Ints
    test: Ints
    inference: Ints


def make_plan(scheme: str, instances: int, *, labelled: float, folds: int | None = None) -> Plan:
    """The sizes of a scheme's sets, or the sentence that says why there are none (Neville et al. 2012, Tables 1–3).

    RRS: |train| = round(p·S), |test| = S − |train|. ERS: every instance in round(k·|test|/S) test sets, and the
    rest of each fold trains. NCV: test folds of ⌊S/k⌋ or ⌈S/k⌉, |train| = round(p·S) out of the other folds.
    """
    if scheme not in SCHEMES:
        raise unknown("resampling scheme", scheme, SCHEMES)
    k = DEFAULT_FOLDS[scheme] if folds is None else folds
    if not 2 <= instances <= MOST_INSTANCES:
        raise SettingError(f"{instances:,} instances; choose from 2 to {MOST_INSTANCES:,}.")
    if not 2 <= k <= MOST_FOLDS:
        raise SettingError(f"{k} folds; choose from 2 to {MOST_FOLDS}, for a test needs at least two scores.")
    if not 0 <= labelled <= 1:  # NaN is refused too
        raise SettingError(f"A labelled share of {labelled}; choose one between 0 and 1.")
    train = round(labelled * instances)
    if train == 0:
        raise SettingError(
            f"A labelled share of {labelled:g} of {instances:,} instances leaves none to train on; raise the share."
        )
    if train == instances:
        raise SettingError(
            f"A labelled share of {labelled:g} of {instances:,} instances leaves none to test; lower the share."
        )
    if scheme == "ncv":
        return _ncv_plan(instances, labelled, train, k)
    if scheme == "ers":
        return _ers_plan(instances, labelled, train, k)
    return Plan(scheme, instances, labelled, train, np.full(k, instances - train), 0, ())


def resamples(
    scheme: str, instances: int, *, labelled: float, folds: int | None = None, seed: int
) -> tuple[Resample, ...]:
    """A scheme's folds as sorted index arrays, a function of the seed alone."""
    plan = make_plan(scheme, instances, labelled=labelled, folds=folds)
    rng = np.random.default_rng(seed)
    tests = scored_sets(plan, rng, trials=1)
    trains = training_sets(plan, rng, tests)
    return tuple(
        Resample(np.flatnonzero(train), np.flatnonzero(test), np.flatnonzero(~train))
        for train, test in zip(trains[0], tests[0], strict=True)
    )


def scored_sets(plan: Plan, rng: np.random.Generator, *, trials: int) -> Bools:
    """`sets[trial, fold, instance]`: whether the fold scores the instance; trials are independent."""
    if plan.scheme == "ers":
        return _equal_sets(plan, rng, trials)
    shape = (trials, plan.folds, plan.instances)
    if plan.scheme == "rrs":
        return _drawn(rng.random(shape), plan.tested)
    home = np.repeat(np.arange(plan.folds), plan.tested)
    shuffled = rng.permuted(np.broadcast_to(home, (trials, plan.instances)), axis=1)
    return np.asarray(shuffled[:, None, :] == np.arange(plan.folds)[None, :, None])


def training_sets(plan: Plan, rng: np.random.Generator, tests: Bools) -> Bools:
    """`sets[trial, fold, instance]`: whether the fold trains on the instance; never one it scores."""
    if plan.scheme != "ncv":
        return ~tests
    keys = rng.random(tests.shape)
    keys[tests] = np.inf  # the test fold comes last, and a training set never reaches it
    return _drawn(keys, np.minimum(plan.train, plan.instances - plan.tested))


def _ncv_plan(instances: int, labelled: float, train: int, k: int) -> Plan:
    if k > instances:
        raise SettingError(f"{k} folds of {instances:,} instances; choose at most {instances:,} folds.")
    if labelled > (k - 1) / k + 1e-9:
        raise SettingError(
            f"A labelled share of {labelled:g} is more than the other {k - 1} of {k} folds hold; "
            f"choose at most {(k - 1) / k:.3g} or more folds."
        )
    tested = np.full(k, instances // k)
    tested[: instances % k] += 1
    return Plan("ncv", instances, labelled, train, tested, 0, ())


def _ers_plan(instances: int, labelled: float, train: int, k: int) -> Plan:
    wanted = k * (instances - train) / instances
    copies = round(wanted)
    if not 0 < copies < k:
        raise SettingError(
            f"With {k} folds and a labelled share of {labelled:g} an instance would be in {wanted:.2g} test sets; "
            f"choose a share between {1 / k:.2g} and {1 - 1 / k:.2g}, or more folds."
        )
    total = copies * instances
    tested = np.full(k, total // k)
    tested[: total % k] += 1
    if tested[-1] == 0 or tested[0] == instances:
        raise SettingError(
            f"{instances:,} instances are too few for {k} test sets of {total / k:.2g}; take more instances or fewer folds."
        )
    notes: tuple[str, ...] = ()
    if tested[0] != instances - train or total % k:
        notes = (
            f"Every instance is in {copies} of {k} test sets, so a test set holds {total / k:.4g} instances on average "
            f"and not {instances - train:,}.",
        )
    return Plan("ers", instances, labelled, instances - int(tested[0]), tested, copies, notes)


def _drawn(keys: NDArray[np.float64], sizes: Ints) -> Bools:
    """In each row the instances with the `sizes[fold]` smallest keys: a uniform sample where keys are."""
    chosen = np.zeros(keys.shape, dtype=np.bool_)
    for size in np.unique(sizes):
        rows = sizes == size
        picked = np.argpartition(keys[:, rows], size - 1, axis=-1)[..., :size]
        part = np.zeros(keys[:, rows].shape, dtype=np.bool_)
        np.put_along_axis(part, picked, True, axis=-1)
        chosen[:, rows] = part
    return chosen


def _equal_sets(plan: Plan, rng: np.random.Generator, trials: int) -> Bools:
    """Each copy of an instance goes to the smallest test set that does not hold it, ties at random (Table 2).

    With ties to the first set instead, 30 folds at a labelled share of .5 would be two sets, 15 times each.
    """
    members = np.zeros((plan.instances, trials, plan.folds), dtype=np.bool_)
    sizes = np.zeros((trials, plan.folds))
    for member in members:
        keys = sizes + rng.random(sizes.shape)  # sizes differ by at most one, so the noise only settles ties
        highest = np.partition(keys, plan.copies - 1, axis=1)[:, plan.copies - 1, None]
        np.less_equal(keys, highest, out=member)
        sizes += member
    # Which of the test sets is one larger is chance, and the plan lists those first.
    by_size = np.argsort(-sizes, axis=1, kind="stable")
    return np.take_along_axis(members.transpose(1, 2, 0), by_size[:, :, None], axis=1)


def correlated_variance(variance: float, n: int, *, correlation: float, group_size: float) -> float:
    """Var = (σ²/n)(1 + ρ(g − 1)): n errors of variance σ², correlated ρ inside groups of g (Theorem 1)."""
    _check_sample(variance, n)
    return variance / n * (1 + correlation * (group_size - 1))


def overlapping_variance(variance: float, n: int, *, shared: int) -> float:
    """Var = (σ²/n)(1 − c/n): what samples of n show of it when c instances are in all of them (Theorem 2)."""
    _check_sample(variance, n, shared)
    return variance / n * (1 - shared / n)


def observed_variance(variance: float, n: int, *, shared: int, correlation: float, group_size: float) -> float:
    """Var = (σ²/n)(1 − c/n)(1 + ρ(g − 1)(1 − c/(n − 1))): both at once (proof of Theorem 3)."""
    _check_sample(variance, n, shared)
    if n < 2:
        raise SettingError("A sample of one instance has no pair to be correlated; choose n of 2 or more.")
    return variance / n * (1 - shared / n) * (1 + correlation * (group_size - 1) * (1 - shared / (n - 1)))


def variance_shortfall(variance: float, n: int, *, shared: int, correlation: float, group_size: float) -> float:
    """Δ = (σ²/n)(c/n)(1 + ρ(g − 1)(1 + (n − c)/(n − 1))): how much variance a t-test misses (Theorem 3).

    The bracket is the one the theorem's proof ends in, and equals Theorem 1's variance minus the observed one;
    the bracket in the theorem's statement does not.
    """
    _check_sample(variance, n, shared)
    if n < 2:
        raise SettingError("A sample of one instance has no pair to be correlated; choose n of 2 or more.")
    inflation = correlation * (group_size - 1) * (1 + (n - shared) / (n - 1))
    return variance / n * (shared / n) * (1 + inflation)


def _check_sample(variance: float, n: int, shared: int = 0) -> None:
    if not variance >= 0:
        raise SettingError(f"A variance of {variance}; it cannot be below 0.")
    if n < 1:
        raise SettingError(f"A sample of {n} instances; choose 1 or more.")
    if not 0 <= shared <= n:
        raise SettingError(f"{shared:,} shared instances in samples of {n:,}; choose from 0 to {n:,}.")
