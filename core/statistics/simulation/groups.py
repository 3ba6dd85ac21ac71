"""Simulated classifiers whose errors run in groups (Neville et al. 2012, Tables 6 and 7), many trials at once."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator

from ...arrays import Bools, Floats, Ints, Singles, record
from ...errors import SettingError
from ...formats import counted
from ..clusters import counted_phi
from .resampling import Plan

MOST_AT_ONCE, MOST_DRAWN = 500, 100  # trials between two signs of life, where counts follow a law and where they do not
MOST_CELLS = 3_000_000  # of the largest array a batch needs


@dataclass(frozen=True, slots=True)
class GroupSettings:
    """The paper's numbers (Neville et al. 2012, §5): how often classifiers err, how alike in a group, among how many.

    `folds` None is the scheme's usual number; `difference` is how much more often B errs. With `fixed_errors` a
    classifier's groups, and its errors on each instance, are the same in all folds of a trial, as a trained model's
    nearly are; else they are drawn for every fold.
    """

    error: float = 0.1
    correlation: float = 0.9
    instances: int = 300
    groups: int = 10
    folds: int | None = None
    fixed_errors: bool = False
    difference: float = 0.0


@dataclass(frozen=True, slots=True)
class GroupErrors:
    """Two classifiers that err alike often, each on its own groups.

    `chosen` groups of `groups` are misclassified with probability `inside`, the others with `outside`: A's among the
    first half, B's among the rest. B also misses the share `handicap` of what it would get right (0: no difference).
    """

    groups: int
    chosen: int
    inside: float
    outside: float
    handicap: float
    fixed: bool

    @property
    def error(self) -> float:
        """The error rate A really has: nominal P_err wherever it is a whole number of groups."""
        share = self.chosen / self.groups
        return share * self.inside + (1 - share) * self.outside


@record
class FoldErrors:
    """How many of `tested[fold]` instances A and B get wrong: `a[trial, fold]` and `b[trial, fold]`."""

    a: Ints
    b: Ints
    tested: Ints

    @property
    def rates(self) -> tuple[Floats, Floats]:
        """Error rates; counts themselves where test sets are of one size, so that equal differences stay equal."""
        if (self.tested == self.tested[0]).all():
            return self.a.astype(np.float64), self.b.astype(np.float64)
        return self.a / self.tested, self.b / self.tested


def group_errors(settings: GroupSettings) -> GroupErrors:
    """M = round(G·P_err), P(MG) = P_err + errCorr(1 − P_err), P(MG') = P_err(1 − P(MG))/(1 − P_err) (Table 7)."""
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
    """How many trials `counted_trials` makes in one go, so that its arrays stay small."""
    if plan.scheme.disjoint or plan.scheme.independent:
        return max(1, min(MOST_AT_ONCE, MOST_CELLS // (plan.folds * model.groups)))
    return max(1, min(MOST_DRAWN, MOST_CELLS // (plan.folds * (model.groups + plan.instances))))


def counted_trials(plan: Plan, model: GroupErrors, rng: Generator, *, trials: int) -> FoldErrors:
    """Tables 6 and 7 without visiting instances: every fold's errors follow from counts, whose laws are known.

    Instances of a group are alike, so a random test set holds a hypergeometric number of each kind and a binomial
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
    # In disjoint folds no instance is met twice: fixed errors and errors drawn anew are the same law.
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
    """Tables 6 and 7 instance by instance, and the measured φ of errors within groups, a value a trial.

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


def _composition(plan: Plan, model: GroupErrors, rng: Generator, trials: int) -> tuple[Ints, Bools, Singles]:
    """Each instance's group, the test sets, and `members[trial, fold, group]`, how many of a group a test set holds."""
    group_of = rng.integers(0, model.groups, size=(trials, plan.instances))
    tests = plan.test_sets(rng, trials=trials)
    return group_of, tests, tests.astype(np.float32) @ _one_hot(group_of, model.groups)


def _one_hot(group_of: Ints, groups: int) -> Singles:
    return np.asarray(group_of[:, :, None] == np.arange(groups), dtype=np.float32)


def _chosen_groups(model: GroupErrors, rng: Generator, shape: tuple[int, int]) -> tuple[Bools, Bools]:
    """Masks over groups: M of the first half for A, M of the others for B, uniformly for each trial and fold."""
    half = model.groups // 2
    masks = []
    for first, last in ((0, half), (half, model.groups)):
        mask = np.zeros((*shape, model.groups), dtype=np.bool_)
        order = np.argsort(rng.random((*shape, last - first)), axis=-1)
        np.put_along_axis(mask, first + order[..., : model.chosen], True, axis=-1)
        masks.append(mask)
    return masks[0], masks[1]


def _chosen_sizes(plan: Plan, model: GroupErrors, rng: Generator, trials: int, *, folds: int) -> tuple[Ints, Ints]:
    """How many instances the groups chosen for A and for B hold, for each trial and fold."""
    sizes = rng.multinomial(plan.instances, np.full(model.groups, 1 / model.groups), size=trials)
    shape = (trials, folds)
    if model.chosen == 1:
        half = model.groups // 2
        a = np.take_along_axis(sizes, rng.integers(0, half, size=shape), axis=1)
        return a, np.take_along_axis(sizes, rng.integers(half, model.groups, size=shape), axis=1)
    a_mask, b_mask = _chosen_groups(model, rng, shape)
    return (a_mask * sizes[:, None, :]).sum(axis=2), (b_mask * sizes[:, None, :]).sum(axis=2)


def _chances(model: GroupErrors) -> tuple[tuple[float, float], tuple[float, float]]:
    """(A's error inside, outside its groups), (B's inside, outside), B's with its handicap."""
    b = [chance + (1 - chance) * model.handicap for chance in (model.inside, model.outside)]
    return (model.inside, model.outside), (b[0], b[1])


def _drawn_errors(plan: Plan, model: GroupErrors, rng: Generator, in_a: Ints, in_b: Ints) -> FoldErrors:
    """Errors drawn anew for every fold, from how many tested instances are in A's groups and in B's."""
    (a_in, a_out), (b_in, b_out) = _chances(model)
    a = rng.binomial(in_a, a_in) + rng.binomial(plan.tested - in_a, a_out)
    return FoldErrors(a, rng.binomial(in_b, b_in) + rng.binomial(plan.tested - in_b, b_out), plan.tested)


def _fixed_kinds(model: GroupErrors, rng: Generator, in_a: Ints, in_b: Ints, rest: Ints) -> tuple[Ints, Ints, Ints]:
    """How many of a trial's instances both classifiers, only A and only B get wrong, whatever the fold."""
    (a_in, a_out), (b_in, b_out) = _chances(model)
    both = only_a = only_b = np.zeros_like(in_a)
    for count, a, b in ((in_a, a_in, b_out), (in_b, a_out, b_in), (rest, a_out, b_out)):
        wrong_a = rng.binomial(count, a)
        shared = rng.binomial(wrong_a, b)
        both, only_a = both + shared, only_a + wrong_a - shared
        only_b = only_b + rng.binomial(count - wrong_a, b)
    return both, only_a, only_b
