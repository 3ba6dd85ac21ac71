"""Draw training and test sets by simple (RRS) or equal-instance (ERS) resampling or network cross-validation (NCV)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from ...arrays import Bools, Floats, Ints, record
from ...errors import SettingError, unknown

MOST_INSTANCES = 20_000
MOST_FOLDS = 200
FoldSizes: TypeAlias = tuple[Ints, tuple[str, ...]]  # of the test sets, and notes


@dataclass(frozen=True, slots=True)
class Resampling:
    """One resampling scheme."""

    label: str
    folds: int  # usual number
    sizes: Callable[[int, float, int, int], FoldSizes]
    test_sets: Callable[["Plan", np.random.Generator, int], Bools]
    training_sets: Callable[["Plan", np.random.Generator, Bools], Bools]
    disjoint: bool = False  # no instance is in two test sets of a trial
    independent: bool = False  # a test set does not depend on the others


@record
class Plan:
    """Checked sizes of a scheme's sets."""

    scheme: Resampling
    instances: int
    train: int  # instances asked for in training
    tested: Ints  # instances scored in each fold
    notes: tuple[str, ...]

    @property
    def folds(self) -> int:
        """Return the number of test sets."""
        return len(self.tested)

    def test_sets(self, rng: np.random.Generator, *, trials: int) -> Bools:
        """Draw `sets[trial, fold, instance]`, whether the fold scores the instance; trials are independent."""
        return self.scheme.test_sets(self, rng, trials)

    def training_sets(self, rng: np.random.Generator, tests: Bools) -> Bools:
        """Draw `sets[trial, fold, instance]`, whether the fold trains on the instance; never one it scores."""
        return self.scheme.training_sets(self, rng, tests)


def make_plan(scheme: str, instances: int, *, labelled: float, folds: int | None = None) -> Plan:
    """Return the sizes of a scheme's sets, or raise SettingError (Neville et al. 2012, Tables 1–3).

    RRS: |train| = round(p·S), |test| = S − |train|. ERS: every instance in round(k·|test|/S) test sets, and the
    rest of each fold trains. NCV: test folds of ⌊S/k⌋ or ⌈S/k⌉, |train| = round(p·S) out of the other folds.
    """
    if scheme not in RESAMPLING:
        raise unknown("resampling scheme", scheme, RESAMPLING)
    chosen = RESAMPLING[scheme]
    k = chosen.folds if folds is None else folds
    if not 2 <= instances <= MOST_INSTANCES:
        raise SettingError(f"{instances:,} instances; choose from 2 to {MOST_INSTANCES:,}.")
    if not 2 <= k <= MOST_FOLDS:
        raise SettingError(f"{k} folds; choose from 2 to {MOST_FOLDS}, for a test needs at least two scores.")
    if not 0 <= labelled <= 1:  # NaN is refused too
        raise SettingError(f"A labelled share of {labelled}; choose one between 0 and 1.")
    train, share = round(labelled * instances), f"A labelled share of {labelled:g} of {instances:,} instances"
    if train == 0:
        raise SettingError(f"{share} leaves none to train on; raise the share.")
    if train == instances:
        raise SettingError(f"{share} leaves none to test; lower the share.")
    tested, notes = chosen.sizes(instances, labelled, train, k)
    return Plan(chosen, instances, train, tested, notes)


def _random_sizes(instances: int, labelled: float, train: int, k: int) -> FoldSizes:
    return np.full(k, instances - train), ()


def _disjoint_sizes(instances: int, labelled: float, train: int, k: int) -> FoldSizes:
    if k > instances:
        raise SettingError(f"{k} folds of {instances:,} instances; choose at most {instances:,} folds.")
    if labelled > (k - 1) / k + 1e-9:
        fact = f"A labelled share of {labelled:g} is more than the other {k - 1} of {k} folds hold"
        raise SettingError(f"{fact}; choose at most {(k - 1) / k:.3g} or more folds.")
    tested = np.full(k, instances // k)
    tested[: instances % k] += 1
    return tested, ()


def _equal_sizes(instances: int, labelled: float, train: int, k: int) -> FoldSizes:
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
        fact = f"{instances:,} instances are too few for {k} test sets of {total / k:.2g}"
        raise SettingError(f"{fact}; take more instances or fewer folds.")
    if tested[0] == instances - train and not total % k:
        return tested, ()
    fact = f"Every instance is in {copies} of {k} test sets, so a test set holds {total / k:.4g} instances on average"
    return tested, (f"{fact} and not {instances - train:,}.",)


def _random_sets(plan: Plan, rng: np.random.Generator, trials: int) -> Bools:
    return _smallest(rng.random((trials, plan.folds, plan.instances)), plan.tested)


def _disjoint_sets(plan: Plan, rng: np.random.Generator, trials: int) -> Bools:
    fold_of = np.repeat(np.arange(plan.folds), plan.tested)
    shuffled = rng.permuted(np.broadcast_to(fold_of, (trials, plan.instances)), axis=1)
    return np.asarray(shuffled[:, None, :] == np.arange(plan.folds)[None, :, None])


def _equal_sets(plan: Plan, rng: np.random.Generator, trials: int) -> Bools:
    """Put each copy of an instance into the smallest test set that does not hold it, ties at random (Table 2).

    With ties to the first set instead, 30 folds at a labelled share of .5 would be two sets, 15 times each.
    """
    copies = int(plan.tested.sum()) // plan.instances
    members = np.zeros((plan.instances, trials, plan.folds), dtype=np.bool_)
    sizes = np.zeros((trials, plan.folds))
    for member in members:
        keys = sizes + rng.random(sizes.shape)  # sizes differ by at most one, so the noise only settles ties
        highest = np.partition(keys, copies - 1, axis=1)[:, copies - 1, None]
        np.less_equal(keys, highest, out=member)
        sizes += member
    # Which of the test sets is one larger is chance, and the plan lists those first.
    by_size = np.argsort(-sizes, axis=1, kind="stable")
    return np.take_along_axis(members.transpose(1, 2, 0), by_size[:, :, None], axis=1)


def _all_others(plan: Plan, rng: np.random.Generator, tests: Bools) -> Bools:
    return ~tests


def _labelled_others(plan: Plan, rng: np.random.Generator, tests: Bools) -> Bools:
    keys = rng.random(tests.shape)
    keys[tests] = np.inf  # the test fold comes last, and a training set never reaches it
    return _smallest(keys, np.minimum(plan.train, plan.instances - plan.tested))


def _smallest(keys: Floats, sizes: Ints) -> Bools:
    """Choose in each row the instances with the `sizes[fold]` smallest keys: a uniform sample where keys are uniform."""
    chosen = np.zeros(keys.shape, dtype=np.bool_)
    for size in np.unique(sizes):
        rows = sizes == size
        picked = np.argpartition(keys[:, rows], size - 1, axis=-1)[..., :size]
        part = np.zeros(keys[:, rows].shape, dtype=np.bool_)
        np.put_along_axis(part, picked, True, axis=-1)
        chosen[:, rows] = part
    return chosen


# Folds as in Neville et al. 2012, Table 6.
RESAMPLING: Mapping[str, Resampling] = {
    "ncv": Resampling("Network cross-validation", 10, _disjoint_sizes, _disjoint_sets, _labelled_others, disjoint=True),
    "rrs": Resampling("Simple random resampling", 30, _random_sizes, _random_sets, _all_others, independent=True),
    "ers": Resampling("Equal-instance resampling", 30, _equal_sizes, _equal_sets, _all_others),
}
