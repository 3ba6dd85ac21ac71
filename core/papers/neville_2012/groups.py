"""Simulate classifiers whose errors correlate in groups, and count rejections (Neville et al. 2012, Tables 6 and 7).

Training and test sets are drawn by simple (RRS) or equal-instance (ERS) resampling or network cross-validation (NCV).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np
from numpy.random import Generator

from ...arrays import Bools, Floats, Interval, Ints, Singles, record
from ...errors import SettingError, unknown
from ...formats import counted
from ...notes import Note
from ...progress import Pace, Progress
from ...statistics import paired_t_rows, unpaired_t_rows, wilcoxon_rows, wilson

MOST_INSTANCES = 20_000
MOST_FOLDS = 200
FoldSizes: TypeAlias = tuple[Ints, tuple[Note, ...]]  # of the test sets, and notes


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
    notes: tuple[Note, ...]

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
    return tested, (Note("uneven test sets", (instances, copies, k, total / k, instances - train)),)


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


MOST_AT_ONCE, MOST_DRAWN = (
    500,
    100,
)  # trials between two progress calls, where counts follow a law and where they do not
MOST_CELLS = 3_000_000  # of the largest array a batch needs
LEVEL = 0.05
MOST_TRIALS = 100_000
MEASURED = 30  # trials simulated instance by instance to measure the error correlation


@dataclass(frozen=True, slots=True)
class GroupSettings:
    """Settings of the simulation; the defaults are the paper's (Neville et al. 2012, §5)."""

    error: float = 0.1  # error rate of both classifiers
    correlation: float = 0.9  # of errors within a group
    instances: int = 300
    groups: int = 10
    folds: int | None = None  # default: the scheme's usual number
    fixed_errors: bool = (
        False  # groups and errors are the same in all folds of a trial, as a trained model's nearly are
    )
    difference: float = 0.0  # how much more often B errs


@dataclass(frozen=True, slots=True)
class GroupErrors:
    """Two classifiers with the same error rate, each with its own groups: A's among the first half, B's among the rest."""

    groups: int
    chosen: int  # groups that a classifier mostly misclassifies
    inside: float  # probability of an error in a chosen group
    outside: float  # in another group
    handicap: float  # share of what B would get right that it misses as well (0: no difference)
    fixed: bool

    @property
    def error(self) -> float:
        """Return A's actual error rate, which is P_err wherever that is an integer of groups."""
        share = self.chosen / self.groups
        return share * self.inside + (1 - share) * self.outside


@record
class FoldErrors:
    """Error counts of A and B."""

    a: Ints  # [trial, fold]
    b: Ints  # [trial, fold]
    tested: Ints  # instances, [fold]

    @property
    def rates(self) -> tuple[Floats, Floats]:
        """Return error rates, or counts where test sets have one size, so that equal differences stay equal."""
        if (self.tested == self.tested[0]).all():
            return self.a.astype(np.float64), self.b.astype(np.float64)
        return self.a / self.tested, self.b / self.tested


def group_errors(settings: GroupSettings) -> GroupErrors:
    """Return the two classifiers of Table 7, or raise SettingError.

    M = round(G·P_err), P(MG) = P_err + errCorr(1 − P_err), P(MG') = P_err(1 − P(MG))/(1 − P_err).
    """
    error, correlation, groups = settings.error, settings.correlation, settings.groups
    if not 0 <= error < 1:
        raise SettingError(f"An error rate of {error}; choose one from 0 to below 1.")
    if not 0 <= correlation <= 1:
        raise SettingError(f"An error correlation of {correlation}; choose one from 0 to 1.")
    if not 2 <= groups <= 1_000:
        raise SettingError(f"{counted(groups, 'group')}; choose from 2 to 1,000, half for each classifier's errors.")
    chosen = round(groups * error)
    if chosen > groups // 2:
        raise SettingError(
            f"An error rate of {error:g} takes {chosen} of {groups} groups, and each classifier errs in its own half; "
            f"choose a rate of at most {(groups // 2) / groups:g}."
        )
    inside = error + correlation * (1 - error)
    model = GroupErrors(groups, chosen, inside, error * (1 - inside) / (1 - error), 0.0, settings.fixed_errors)
    right = 1 - model.error
    if not 0 <= settings.difference < right:
        raise SettingError(f"A true difference of {settings.difference:g}; choose one from 0 to below {right:.3g}.")
    return replace(model, handicap=settings.difference / right)


def trials_at_once(plan: Plan, model: GroupErrors) -> int:
    """Return how many trials `counted_trials` makes at once, so that its arrays stay small."""
    if plan.scheme.disjoint or plan.scheme.independent:
        return max(1, min(MOST_AT_ONCE, MOST_CELLS // (plan.folds * model.groups)))
    return max(1, min(MOST_DRAWN, MOST_CELLS // (plan.folds * (model.groups + plan.instances))))


def counted_trials(plan: Plan, model: GroupErrors, rng: Generator, *, trials: int) -> FoldErrors:
    """Simulate Tables 6 and 7 from counts per fold, whose distributions are known, without visiting instances.

    Instances of a group are interchangeable, so a random test set holds a hypergeometric number of each kind and a binomial
    number of errors among them; disjoint folds of instances that are assigned to groups at random are independent.
    Other test sets depend on one another, so they are drawn as they are and their members counted.
    """
    if plan.scheme.disjoint:
        return _disjoint_trials(plan, model, rng, trials)
    if plan.scheme.independent:
        return (_fixed_trials if model.fixed else _random_trials)(plan, model, rng, trials)
    if model.fixed:
        return explicit_trials(plan, model, rng, trials=trials)[0]
    _, _, members = _composition(plan, model, rng, trials)
    masks = _chosen_groups(model, rng, (trials, plan.folds))
    in_a, in_b = ((mask * members).sum(axis=2).astype(np.int64) for mask in masks)
    return _drawn_errors(plan, model, rng, in_a, in_b)


def _disjoint_trials(plan: Plan, model: GroupErrors, rng: Generator, trials: int) -> FoldErrors:
    # In disjoint folds no instance is tested twice: fixed errors and errors drawn per fold have the same distribution.
    share = model.chosen / model.groups
    in_a = rng.binomial(plan.tested, share, size=(trials, plan.folds))
    in_b = rng.binomial(plan.tested - in_a, min(share / (1 - share), 1.0))
    return _drawn_errors(plan, model, rng, in_a, in_b)


def _random_trials(plan: Plan, model: GroupErrors, rng: Generator, trials: int) -> FoldErrors:
    n = plan.instances
    a_sizes, b_sizes = _chosen_sizes(plan, model, rng, trials, folds=plan.folds)
    in_a = rng.hypergeometric(a_sizes, n - a_sizes, plan.tested)
    in_b = rng.hypergeometric(b_sizes, n - a_sizes - b_sizes, plan.tested - in_a)
    return _drawn_errors(plan, model, rng, in_a, in_b)


def _fixed_trials(plan: Plan, model: GroupErrors, rng: Generator, trials: int) -> FoldErrors:
    n, tested = plan.instances, plan.tested
    a_sizes, b_sizes = _chosen_sizes(plan, model, rng, trials, folds=1)
    both, only_a, only_b = _fixed_kinds(model, rng, a_sizes, b_sizes, n - a_sizes - b_sizes)
    seen_both = rng.hypergeometric(both, n - both, tested, size=(trials, plan.folds))
    seen_a = rng.hypergeometric(only_a, n - both - only_a, tested - seen_both)
    seen_b = rng.hypergeometric(only_b, n - both - only_a - only_b, tested - seen_both - seen_a)
    return FoldErrors(seen_both + seen_a, seen_both + seen_b, tested)


def explicit_trials(plan: Plan, model: GroupErrors, rng: Generator, *, trials: int) -> tuple[FoldErrors, Floats]:
    """Simulate Tables 6 and 7 instance by instance; return errors and the measured φ within groups of each trial.

    φ is over pairs of the same group and test set, averaged over groups and over both classifiers (§5.1).
    """
    group_of, tests, members = _composition(plan, model, rng, trials)
    one_hot = _one_hot(group_of, model.groups)
    folds = 1 if model.fixed else plan.folds
    counts, phis = [], []
    for chosen, handicap in zip(_chosen_groups(model, rng, (trials, folds)), (0.0, model.handicap), strict=True):
        misses = np.where(chosen, model.inside, model.outside)
        misses += (1 - misses) * handicap
        rows = np.arange(trials)[:, None, None]
        chance = misses[rows, np.arange(folds)[None, :, None], group_of[:, None, :]]
        wrong = (rng.random(chance.shape) < chance) & tests
        by_group = wrong.astype(np.float32) @ one_hot
        counts.append(by_group.sum(axis=2).round().astype(np.int64))
        phis.append(counted_phi(by_group.astype(np.float64), members.astype(np.float64)))
    return FoldErrors(counts[0], counts[1], plan.tested), (phis[0] + phis[1]) / 2


def counted_phi(errors: Floats, members: Floats) -> Floats:
    """Return φ within groups for each trial, from `errors[trial, fold, group]` out of `members[trial, fold, group]`.

    Pairs are of the same group and fold; Σ (x_i − p)(x_j − p) = e(e − 1) − 2pe(m − 1) + p²m(m − 1), with p the trial's
    error rate; averaged over groups. NaN for a trial without errors, without successes or without pairs.
    """
    rate = errors.sum(axis=(1, 2)) / members.sum(axis=(1, 2))
    p = rate[:, None, None]
    products = errors * (errors - 1) - 2 * p * errors * (members - 1) + p * p * members * (members - 1)
    pairs = (members * (members - 1)).sum(axis=1)
    known = pairs > 0
    by_group = np.where(known, products.sum(axis=1) / np.where(known, pairs, 1.0), 0.0)
    spread = rate * (1 - rate) * known.sum(axis=1)
    return np.where(spread > 0, by_group.sum(axis=1) / np.where(spread > 0, spread, 1.0), np.nan)


def _composition(plan: Plan, model: GroupErrors, rng: Generator, trials: int) -> tuple[Ints, Bools, Singles]:
    """Return each instance's group, the test sets, and the sizes of groups in them, `members[trial, fold, group]`."""
    group_of = rng.integers(0, model.groups, size=(trials, plan.instances))
    tests = plan.test_sets(rng, trials=trials)
    return group_of, tests, tests.astype(np.float32) @ _one_hot(group_of, model.groups)


def _one_hot(group_of: Ints, groups: int) -> Singles:
    return np.asarray(group_of[:, :, None] == np.arange(groups), dtype=np.float32)


def _chosen_groups(model: GroupErrors, rng: Generator, shape: tuple[int, int]) -> tuple[Bools, Bools]:
    """Draw masks over groups: M of the first half for A, M of the others for B, uniformly for each trial and fold."""
    half = model.groups // 2
    masks = []
    for first, last in ((0, half), (half, model.groups)):
        mask = np.zeros((*shape, model.groups), dtype=np.bool_)
        order = np.argsort(rng.random((*shape, last - first)), axis=-1)
        np.put_along_axis(mask, first + order[..., : model.chosen], True, axis=-1)
        masks.append(mask)
    return masks[0], masks[1]


def _chosen_sizes(plan: Plan, model: GroupErrors, rng: Generator, trials: int, *, folds: int) -> tuple[Ints, Ints]:
    """Draw how many instances the groups chosen for A and for B hold, for each trial and fold."""
    sizes = rng.multinomial(plan.instances, np.full(model.groups, 1 / model.groups), size=trials)
    shape = (trials, folds)
    if model.chosen == 1:
        half = model.groups // 2
        a = np.take_along_axis(sizes, rng.integers(0, half, size=shape), axis=1)
        return a, np.take_along_axis(sizes, rng.integers(half, model.groups, size=shape), axis=1)
    a_mask, b_mask = _chosen_groups(model, rng, shape)
    return (a_mask * sizes[:, None, :]).sum(axis=2), (b_mask * sizes[:, None, :]).sum(axis=2)


def _chances(model: GroupErrors) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return (A's error inside, outside its groups), (B's inside, outside), B's with its handicap."""
    b = [chance + (1 - chance) * model.handicap for chance in (model.inside, model.outside)]
    return (model.inside, model.outside), (b[0], b[1])


def _drawn_errors(plan: Plan, model: GroupErrors, rng: Generator, in_a: Ints, in_b: Ints) -> FoldErrors:
    """Draw errors for every fold from how many tested instances are in A's groups and in B's."""
    (a_in, a_out), (b_in, b_out) = _chances(model)
    a = rng.binomial(in_a, a_in) + rng.binomial(plan.tested - in_a, a_out)
    return FoldErrors(a, rng.binomial(in_b, b_in) + rng.binomial(plan.tested - in_b, b_out), plan.tested)


def _fixed_kinds(model: GroupErrors, rng: Generator, in_a: Ints, in_b: Ints, rest: Ints) -> tuple[Ints, Ints, Ints]:
    """Draw how many of a trial's instances both classifiers, only A and only B get wrong, whatever the fold."""
    (a_in, a_out), (b_in, b_out) = _chances(model)
    both = only_a = only_b = np.zeros_like(in_a)
    for count, a, b in ((in_a, a_in, b_out), (in_b, a_out, b_in), (rest, a_out, b_out)):
        wrong_a = rng.binomial(count, a)
        shared = rng.binomial(wrong_a, b)
        both, only_a = both + shared, only_a + wrong_a - shared
        only_b = only_b + rng.binomial(count - wrong_a, b)
    return both, only_a, only_b


PAPER = GroupSettings()


@dataclass(frozen=True, slots=True)
class SimulatedTest:
    """A two-sided test whose rejections are counted."""

    label: str
    short: str  # in links to the Trust lab
    run: Callable[[Floats, Floats], tuple[Floats, Floats]]  # statistic and p of two tables of scores, row by row


SIMULATED_TESTS: Mapping[str, SimulatedTest] = {
    "paired": SimulatedTest("paired t-test", "paired t", paired_t_rows),
    "unpaired": SimulatedTest("unpaired t-test", "unpaired t", unpaired_t_rows),
    "wilcoxon": SimulatedTest("Wilcoxon signed-rank test", "Wilcoxon", wilcoxon_rows),
}


@record
class Type1:
    """How often each test rejects at .05: Type I error, or power where B truly errs more often."""

    rates: Mapping[str, float]
    intervals: Mapping[str, Interval]  # Wilson's, 95%
    trials: int
    error_correlation: float  # φ within groups, measured on trials simulated instance by instance
    notes: tuple[Note, ...]


def type1_rates(
    scheme: str,
    *,
    labelled: float,
    trials: int,
    seed: int,
    settings: GroupSettings = PAPER,
    progress: Progress | None = None,
) -> Type1:
    """Count how often the tests reject two equal classifiers, or with a `difference` a worse B (power).

    Fewer trials with the same seed are the first of more; `progress` is called after every few hundred.
    """
    plan = make_plan(scheme, settings.instances, labelled=labelled, folds=settings.folds)
    model = group_errors(settings)
    check_run(trials, seed)
    phi = _measured_phi(plan, model, np.random.default_rng([seed, 0]), min(trials, MEASURED))
    batch = trials_at_once(plan, model)
    tally, pace = Tally(), Pace()
    while tally.trials < trials:
        rng = np.random.default_rng([seed, 1 + tally.trials // batch])
        a, b = counted_trials(plan, model, rng, trials=batch).rates
        left = trials - tally.trials  # whole batches are drawn and cut, so that fewer trials are the first of more
        tally.add(a[:left], b[:left])
        if progress is not None:
            progress(tally.trials, trials, "trials", pace.left(tally.trials, trials - tally.trials))
    notes = (*plan.notes, *_model_notes(model, settings), *tally.notes)
    return Type1(tally.rates, tally.intervals, trials, phi, notes)


@dataclass(slots=True)
class Tally:
    """Rejections so far, test by test."""

    trials: int = 0
    rejected: dict[str, int] = field(default_factory=lambda: dict.fromkeys(SIMULATED_TESTS, 0))
    undefined: dict[str, int] = field(default_factory=lambda: dict.fromkeys(SIMULATED_TESTS, 0))  # scores do not vary

    def add(self, a: Floats, b: Floats) -> None:
        """Test every row (a trial) of two classifiers' scores over columns (folds)."""
        self.trials += len(a)
        for name, test in SIMULATED_TESTS.items():
            _, p = test.run(a, b)
            self.undefined[name] += int(np.isnan(p).sum())
            self.rejected[name] += int((p < LEVEL).sum())  # NaN is not below it

    @property
    def rates(self) -> dict[str, float]:
        """Return rejections over trials; NaN before the first."""
        return {name: count / self.trials if self.trials else float("nan") for name, count in self.rejected.items()}

    @property
    def intervals(self) -> dict[str, Interval]:
        """Return a Wilson interval for each rate."""
        return {name: wilson(count, self.trials) for name, count in self.rejected.items()}

    @property
    def notes(self) -> tuple[Note, ...]:
        """Return a note for each test that was undefined in some trials."""
        return tuple(
            Note("no variation", (count, self.trials, SIMULATED_TESTS[name].label))
            for name, count in self.undefined.items()
            if count
        )


def check_run(trials: int, seed: int) -> None:
    """Raise SettingError for a number of trials or a seed out of range."""
    if not 1 <= trials <= MOST_TRIALS:
        raise SettingError(f"{trials:,} trials; choose from 1 to {MOST_TRIALS:,}.")
    if seed < 0:
        raise SettingError(f"A seed of {seed}; choose 0 or more.")


def _measured_phi(plan: Plan, model: GroupErrors, rng: np.random.Generator, trials: int) -> float:
    cells = (plan.folds + model.groups) * plan.instances
    few = max(1, min(trials, MOST_CELLS // cells))  # many instances tell as much in fewer trials
    phis = explicit_trials(plan, model, rng, trials=few)[1]
    return float(np.nanmean(phis)) if not np.isnan(phis).all() else float("nan")


def _model_notes(model: GroupErrors, settings: GroupSettings) -> tuple[Note, ...]:
    notes = []
    if abs(model.error - settings.error) > 0.0005:
        notes.append(Note("other error rate", (settings.error, model.groups, model.chosen, model.error)))
    if settings.instances < 2 * model.groups:
        notes.append(Note("small groups", (settings.instances, model.groups)))
    return tuple(notes)
