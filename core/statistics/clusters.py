"""Measure how errors correlate within topics, and compare two models with that taken into account."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats, Ints
from ..errors import SettingError
from .power import design_effect, naive_type1
from .significance import Test
from .t_tests import student

NO_SPREAD = 1e-24  # of a variance: what rounding leaves where nothing varies


def grouped_phi(x: Floats, codes: Ints) -> float:
    """Return φ, the mean over pairs i ≠ j of one group of (x_i − x̄)(x_j − x̄) / s², x̄ and s² over all values.

    For 0–1 errors s² = p(1 − p), and this is the φ coefficient of the pairs (Neville et al. 2012, §5.1). It is taken
    about the common mean: about a group's own mean its pairs correlate −1/(m − 1) whatever the errors are. Every pair
    has the same weight, which is what the variance of a mean needs. NaN where no value differs or no group has two.
    """
    sizes = np.bincount(codes)
    pairs = int((sizes * (sizes - 1)).sum())
    spread = float(x.var())
    if spread <= NO_SPREAD or pairs == 0:
        return float("nan")
    centred = x - x.mean()
    sums = np.bincount(codes, weights=centred)
    return float((sums @ sums - centred @ centred) / pairs / spread)


@dataclass(frozen=True, slots=True)
class ClusteredComparison:
    """A comparison of A and B over documents that share topics; NaN where undefined."""

    documents: int
    topics: int
    difference: float  # B's error rate minus A's: above 0, A is better
    phi_a: float  # correlation within topics of A's errors
    phi_b: float  # of B's errors
    phi_difference: float  # of their differences
    group_size: float
    design_effect: float  # a φ below 0 counts as 0
    effective_documents: float  # never more than `documents`
    matching: float  # Var(b − a)/(Var a + Var b): what matching the two models' documents saves in variance
    naive_p: float  # documents as independent
    corrected_p: float  # topics as independent
    expected_type1: float  # how often the naive test rejects at .05 where nothing differs
    single: bool  # no topic has two documents, so nothing can be correlated


def clustered_comparison(errors_a: ArrayLike, errors_b: ArrayLike, topics: ArrayLike) -> ClusteredComparison:
    """Return two p-values for d_i = b_i − a_i, the difference of two models' 0–1 errors on document i.

    Naive: paired t over documents, t = d̄/(s/√n), n − 1 degrees of freedom. Corrected: its squared standard error
    times the design effect 1 + φ(g − 1) and T/(T − 1), with T − 1 degrees of freedom for T topics. With φ weighted by
    pairs and g = Σ m_k²/n that is the cluster-robust variance Σ_k (Σ_{i∈k} (d_i − d̄))² / n², so the two usual
    corrections are one (Neville et al. 2012, Theorem 1; Liang and Zeger 1986). A φ below 0, which is nearly always
    chance, counts as 0: the corrected p is never below the naive one. `expected_type1` is how often the naive test
    would reject at .05 were there no difference: 2Φ(−1.96/√design effect).
    """
    a, b, codes = _checked_errors(errors_a, errors_b, topics)
    d = b - a
    n, mean, varies = len(d), float(d.mean()), bool(d.var() > 0)
    sizes = np.bincount(codes)
    count = len(sizes)
    phi = grouped_phi(d, codes)
    single = bool(varies and np.isnan(phi))
    if single:
        phi = 0.0  # one document a topic: nothing to be correlated with
    effect = design_effect(sizes, phi if np.isnan(phi) else max(phi, 0.0))
    factor = effect.factor
    apart = float(a.var() + b.var())
    corrected = float(d.var()) / n * factor * count / (count - 1)
    return ClusteredComparison(
        documents=n,
        topics=count,
        difference=mean,
        phi_a=grouped_phi(a, codes),
        phi_b=grouped_phi(b, codes),
        phi_difference=phi,
        group_size=effect.group_size,
        design_effect=factor,
        effective_documents=effect.effective,
        matching=float(d.var()) / apart if apart > NO_SPREAD else float("nan"),
        naive_p=_two_sided(mean, float(d.var(ddof=1)) / n, n - 1),
        corrected_p=_two_sided(mean, corrected, count - 1),
        expected_type1=naive_type1(factor),
        single=single,
    )


def chance_phi(errors_a: ArrayLike, errors_b: ArrayLike, topics: ArrayLike, *, seed: int, draws: int = 199) -> float:
    """Return the .95 quantile of φ of the differences over shuffled topics of the same sizes.

    A φ at or below it is not significant. NaN where φ is undefined.
    """
    a, b, codes = _checked_errors(errors_a, errors_b, topics)
    rng = np.random.default_rng(seed)
    shuffled = [grouped_phi(b - a, rng.permutation(codes)) for _ in range(draws)]
    return float(np.quantile(shuffled, 0.95))


def true_rate(test: Test, found: ClusteredComparison, *, alpha: float = 0.05) -> float:
    """Return how often a test over these documents calls two equally good models different at a two-sided p ≤ α.

    2Φ(−z_{α/2}/√factor), factor = the design effect, times `matching` for a test that does not match rows. A one-sided p is
    read for whichever model is ahead, so it counts from α/2 on.
    Only for tests whose `error_rate` is "clustered"; the others do not assume independent documents.
    """
    if test.error_rate != "clustered":
        raise SettingError(
            f"{test.label} does not assume independent documents, so documents do not show its error rate."
        )
    return naive_type1(found.design_effect * (1.0 if test.matched else found.matching), alpha=alpha)


def simulated_type1(
    errors_a: ArrayLike, errors_b: ArrayLike, topics: ArrayLike, *, trials: int = 2_000, seed: int, alpha: float = 0.05
) -> float:
    """Return how often the naive test rejects when each topic's sum of d_i − d̄ keeps its size and takes a random sign.

    Such data have the user's topic sizes and dependence and no difference. This checks `expected_type1` without assuming
    normality, which matters where one topic holds most documents. NaN where nothing varies.
    """
    if not 1 <= trials <= 1_000_000:
        raise SettingError(f"{trials:,} trials; choose from 1 to 1,000,000.")
    a, b, codes = _checked_errors(errors_a, errors_b, topics)
    centred = (b - a) - (b - a).mean()
    sums, n = np.bincount(codes, weights=centred), len(a)
    total = float((centred**2).sum())
    if total <= 1e-12:
        return float("nan")
    rng = np.random.default_rng(seed)
    rejected = 0
    for start in range(0, trials, 1_000):  # in blocks: thousands of topics would not fit in memory at once
        signs = rng.choice((-1.0, 1.0), size=(min(1_000, trials - start), len(sums)))
        mean = signs @ sums / n
        squared_error = np.maximum(total - n * mean**2, 1e-12) / (n - 1) / n
        rejected += int((student(mean, squared_error, n - 1)[1] < alpha).sum())
    return rejected / trials


def _two_sided(mean: float, squared_error: float, freedom: int) -> float:
    return float(student(mean, squared_error, freedom)[1]) if squared_error > NO_SPREAD else float("nan")


def _checked_errors(errors_a: ArrayLike, errors_b: ArrayLike, topics: ArrayLike) -> tuple[Floats, Floats, Ints]:
    a, b, names = np.asarray(errors_a), np.asarray(errors_b), np.asarray(topics)
    if a.ndim != 1 or a.shape != b.shape or a.shape != names.shape:
        raise SettingError(f"{a.size:,}, {b.size:,} errors and {names.size:,} topics; give one of each per document.")
    for name, errors in (("A", a), ("B", b)):
        if errors.dtype.kind not in "biuf" or not np.isin(errors, (0, 1)).all():
            raise SettingError(f"Model {name}'s errors must be 0 (right) or 1 (wrong) for every document.")
    codes = np.unique(names, return_inverse=True)[1].astype(np.int64)
    if len(a) < 3 or codes.max(initial=0) == 0:
        raise SettingError(f"{len(a):,} documents in one topic or none; at least 3 documents in 2 topics are needed.")
    return a.astype(np.float64), b.astype(np.float64), codes
