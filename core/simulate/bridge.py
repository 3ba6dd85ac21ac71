"""From a user's own errors by topic to how far a test over documents may be trusted: topics are the groups."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.errors import SettingError
from core.simulate.error_correlation import design_effect, grouped_phi, naive_type1

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


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
    a, b, codes = _checked(errors_a, errors_b, topics)
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
    a, b, codes = _checked(errors_a, errors_b, topics)
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


def _checked(errors_a: ArrayLike, errors_b: ArrayLike, topics: ArrayLike) -> tuple[Floats, Floats, Ints]:
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
