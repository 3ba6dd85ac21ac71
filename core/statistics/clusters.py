"""How alike the errors of linked or grouped instances are, from counts alone; design effect and effective number."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import Floats, Ints
from ..errors import SettingError

Weights = Literal["groups", "pairs"]


@dataclass(frozen=True, slots=True)
class DesignEffect:
    """`factor` = 1 + ρ(g − 1) with g = Σ m_k²/n, and what n documents are worth: n / factor."""

    factor: float
    group_size: float
    effective: float


def grouped_phi(values: ArrayLike, groups: ArrayLike, *, weights: Weights = "groups") -> float:
    """Mean over groups of φ_k = mean over pairs i ≠ j in group k of (x_i − x̄)(x_j − x̄) / s², x̄ and s² over all.

    For 0–1 errors s² = p(1 − p), and this is the φ coefficient of the pairs (Neville et al. 2012, §5.1). It is taken
    about the common mean: about a group's own mean its pairs correlate −1/(m − 1) whatever the errors are. Groups of
    one have no pair. `weights="pairs"` weighs a group by its pairs, which is what the variance of a mean needs.
    NaN where no value differs or no group has two.
    """
    x, codes = _checked(values, groups)
    sizes = np.bincount(codes)
    spread = float(x.var())
    if spread <= 1e-24 or not (sizes > 1).any():
        return float("nan")
    centred = x - x.mean()
    sums = np.bincount(codes, weights=centred)
    squares = np.bincount(codes, weights=centred**2)
    return _averaged(np.asarray(sums**2 - squares, dtype=np.float64), sizes * (sizes - 1), spread, weights)


def counted_phi(errors: NDArray[np.floating], members: NDArray[np.floating]) -> Floats:
    """φ within groups for each trial, from `errors[trial, fold, group]` out of `members[trial, fold, group]`.

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


def linked_phi(errors: ArrayLike, links: ArrayLike) -> float:
    """φ of 0–1 errors over linked pairs, each link counted from both ends: (n₁₁n₀₀ − n₁₀n₀₁)/√(product of the margins).

    n₁₁ and n₀₀ are twice the links whose ends are both wrong or both right, n₁₀ = n₀₁ the links whose ends differ
    (Neville et al. 2012, §4). NaN where all errors are alike.
    """
    wrong = np.asarray(errors, dtype=np.float64)
    pairs = np.asarray(links, dtype=np.int64)
    if pairs.size == 0:
        raise SettingError("The network has no link, so no pair of errors can be compared; raise the link rates.")
    if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.min() < 0 or pairs.max() >= len(wrong):
        raise SettingError(f"Links must be pairs of instances from 0 to {len(wrong) - 1:,}; two columns are needed.")
    first, second = wrong[pairs[:, 0]], wrong[pairs[:, 1]]
    both = 2 * float(first @ second)
    differ = float(first @ (1 - second) + second @ (1 - first))
    neither = 2 * float((1 - first) @ (1 - second))
    return table_phi(both, differ, neither)


def table_phi(both: float, differ: float, neither: float) -> float:
    """φ = (n₁₁n₀₀ − n₁₀²)/((n₁₁ + n₁₀)(n₁₀ + n₀₀)) of pairs counted from both ends; NaN where a margin is empty."""
    margins = (both + differ) * (differ + neither)
    return (both * neither - differ**2) / margins if margins else float("nan")


def design_effect(sizes: ArrayLike, correlation: float) -> DesignEffect:
    """By how much correlated errors in groups of these sizes inflate the variance of their mean: 1 + ρ(g − 1).

    With unequal groups g = Σ m_k²/n, the size of the group a random document is in: the n² Var of the mean is
    σ²(n + ρ Σ m_k(m_k − 1)), so Theorem 1 of Neville et al. holds with this g and with no other (Kish 1965, §5.4).
    """
    m = np.asarray(sizes, dtype=np.float64)
    if m.ndim != 1 or len(m) == 0 or not (m > 0).all():
        raise SettingError("A group without documents; give the sizes of groups that have some.")
    total = float(m.sum())
    size = float((m**2).sum()) / total
    factor = 1 + correlation * (size - 1)
    return DesignEffect(factor, size, total / factor if factor > 0 else float("nan"))


def naive_type1(factor: float, *, alpha: float = 0.05) -> float:
    """2Φ(−z_{α/2}/√factor): how often a test rejects that takes a variance for `factor` times smaller than it is.

    The statistic of such a test is normal with variance `factor` when nothing differs, not 1.
    """
    from scipy.special import ndtr, ndtri

    if not 0 < alpha < 1:
        raise SettingError(f"A level of {alpha}; choose one between 0 and 1.")
    if not factor > 0:
        return float("nan") if np.isnan(factor) else 0.0
    return float(2 * ndtr(ndtri(alpha / 2) / np.sqrt(factor)))


def _averaged(products: Floats, pairs: Ints, spread: float, weights: Weights) -> float:
    known = pairs > 0
    if weights == "pairs":
        return float(products[known].sum() / pairs[known].sum() / spread)
    if weights != "groups":
        raise SettingError(f"Groups cannot be weighted by '{weights}'; choose 'groups' or 'pairs'.")
    return float((products[known] / pairs[known]).mean() / spread)


def _checked(values: ArrayLike, groups: ArrayLike) -> tuple[Floats, Ints]:
    x = np.asarray(values, dtype=np.float64)
    names = np.asarray(groups)
    if x.ndim != 1 or x.shape != names.shape:
        raise SettingError(f"{x.size:,} values and {names.size:,} groups; give one group a value.")
    if len(x) == 0:
        raise SettingError("No values; give at least two, in at least one group of two.")
    if not np.isfinite(x).all():
        raise SettingError("A value is missing or not a number; drop it and its group.")
    return x, np.unique(names, return_inverse=True)[1].astype(np.int64)


@dataclass(frozen=True, slots=True)
class Bridge:
    """What topics do to a comparison of A and B over documents; NaN where undefined.

    `difference` is B's error rate minus A's (above 0: A is better); `phi_…` the correlation within topics of A's
    errors, B's errors and their differences; `naive_p` treats documents as independent, `corrected_p` topics.
    """

    documents: int
    topics: int
    difference: float
    phi_a: float
    phi_b: float
    phi_difference: float
    group_size: float
    design_effect: float
    effective_documents: float
    naive_p: float
    corrected_p: float
    expected_type1: float
    notes: tuple[str, ...]


def bridge(errors_a: ArrayLike, errors_b: ArrayLike, topics: ArrayLike) -> Bridge:
    """Two p-values for d_i = b_i − a_i, the difference of two models' 0–1 errors on document i.

    Naive: paired t over documents, t = d̄/(s/√n), n − 1 degrees of freedom. Corrected: its squared standard error
    times the design effect 1 + φ(g − 1) and T/(T − 1), with T − 1 degrees of freedom for T topics. With φ weighted by
    pairs and g = Σ m_k²/n that is the cluster-robust variance Σ_k (Σ_{i∈k} (d_i − d̄))² / n², so the two usual
    corrections are one (Neville et al. 2012, Theorem 1; Liang and Zeger 1986). `expected_type1` is how often the naive
    test would reject at .05 were there no difference: 2Φ(−1.96/√design effect).
    """
    a, b, codes = _checked_errors(errors_a, errors_b, topics)
    sizes = np.bincount(codes)
    n, count = len(a), len(sizes)
    d = b - a
    phi = grouped_phi(d, codes, weights="pairs")
    notes = []
    if np.isnan(phi) and d.var() > 0:
        phi = 0.0  # one document a topic: nothing to be correlated with
        notes.append("No topic has two documents, so errors cannot be correlated within topics.")
    if d.var() == 0:
        notes.append("The two models differ alike on every document, so no test of the difference is possible.")
    effect = design_effect(sizes, phi)
    factor = max(effect.factor, 0.0) if not np.isnan(phi) else float("nan")
    if factor < 1:
        notes.append(
            "Errors are less alike within topics than chance would make them (φ below 0), "
            "so the corrected test is the more lenient one; with few topics that is often chance."
        )
    if count < 10:
        notes.append(f"With {count} topics φ is itself uncertain; read the corrected p as rough.")
    squared_error = float(d.var(ddof=1)) / n
    corrected = float(d.var()) / n * factor * count / (count - 1)
    return Bridge(
        n, count, float(d.mean()),
        grouped_phi(a, codes, weights="pairs"), grouped_phi(b, codes, weights="pairs"), phi,
        effect.group_size, factor, effect.effective,
        _two_sided(float(d.mean()), squared_error, n - 1), _two_sided(float(d.mean()), corrected, count - 1),
        naive_type1(factor), tuple(notes),
    )  # fmt: skip


def simulated_type1(
    errors_a: ArrayLike, errors_b: ArrayLike, topics: ArrayLike, *, trials: int = 2_000, seed: int, alpha: float = 0.05
) -> float:
    """How often the naive test rejects when each topic's sum of d_i − d̄ keeps its size and takes a random sign.

    Such data have the user's topic sizes and dependence and no difference: a check of `Bridge.expected_type1` that
    does not assume normality, which matters where one topic holds most documents. NaN where nothing varies.
    """
    from scipy.special import stdtr

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
    for start in range(0, trials, 1_000):  # in parts: thousands of topics would not fit at once
        signs = rng.choice((-1.0, 1.0), size=(min(1_000, trials - start), len(sums)))
        mean = signs @ sums / n
        squared_error = np.maximum(total - n * mean**2, 1e-12) / (n - 1) / n
        rejected += int((2 * stdtr(n - 1, -np.abs(mean) / np.sqrt(squared_error)) < alpha).sum())
    return rejected / trials


def _two_sided(mean: float, squared_error: float, freedom: int) -> float:
    from scipy.special import stdtr

    if not squared_error > 1e-24:
        return float("nan")
    return float(2 * stdtr(freedom, -abs(mean) / np.sqrt(squared_error)))


def _checked_errors(errors_a: ArrayLike, errors_b: ArrayLike, topics: ArrayLike) -> tuple[Floats, Floats, Ints]:
    a, b, names = np.asarray(errors_a), np.asarray(errors_b), np.asarray(topics)
    if a.ndim != 1 or a.shape != b.shape or a.shape != names.shape:
        raise SettingError(f"{a.size:,}, {b.size:,} errors and {names.size:,} topics; give one of each a document.")
    for name, errors in (("A", a), ("B", b)):
        if errors.dtype.kind not in "biuf" or not np.isin(errors, (0, 1)).all():
            raise SettingError(f"Model {name}'s errors must be 0 (right) or 1 (wrong) for every document.")
    codes = np.unique(names, return_inverse=True)[1].astype(np.int64)
    if len(a) < 3 or codes.max(initial=0) == 0:
        raise SettingError(f"{len(a):,} documents in one topic or none; at least 3 documents in 2 topics are needed.")
    return a.astype(np.float64), b.astype(np.float64), codes
