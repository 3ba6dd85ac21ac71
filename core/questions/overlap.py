"""How much variance do overlapping samples hide? The three theorems of Neville et al. (2012)."""

import math
from dataclasses import dataclass

from ..formats import percent
from ..plots import trust as plots
from ..render import Answer, Drawing, Level
from ..statistics import correlated_variance, observed_variance, variance_shortfall
from .settings import Settings as Base
from .settings import integer, number
from .wording import works

NAME, LABEL, QUESTION = "overlap", "Three theorems", "How much variance do overlapping samples hide?"
HELP = "Compute how far overlapping samples understate the variance of a mean error."
METHODS = "Theorems 1 to 3 of Neville et al. (2012), for errors of variance 0.09."
FORMULAS = (
    r"\mathrm{Var} = \frac{\sigma^2}{n}\bigl(1 + \rho(g-1)\bigr)",
    r"\mathrm{Var}_{obs} = \frac{\sigma^2}{n}\Bigl(1-\frac{c}{n}\Bigr)\Bigl(1+\rho(g-1)\bigl(1-\tfrac{c}{n-1}\bigr)\Bigr)",
)
VARIANCE = 0.09  # of single errors
NOTICEABLE = 1.05  # a ratio of standard errors that rounds to 1.1


@dataclass(frozen=True)
class Settings(Base):
    """How samples overlap and errors correlate."""

    n: int = integer(
        "Instances in a sample (n)",
        low=10,
        high=1_000,
        default=300,
        key="n",
        steps=tuple(range(10, 1_001, 10)),
        help="In each sample.",
    )
    shared: float = number(
        "Share of n in all samples",
        low=0.0,
        high=1.0,
        step=0.05,
        default=0.9,
        key="shared",
        help="How far samples overlap.",
    )
    rho: float = number(
        "Error correlation (ρ)", low=0.0, high=1.0, step=0.05, default=0.2, key="rho", help="Within a group."
    )
    g: int = integer("Group size (g)", low=1, high=100, default=30, key="g", help="Instances in a group.")


def answer(about: None, settings: Settings) -> Answer:
    """Answer how far the standard error is understated."""
    shared = round(settings.shared * settings.n)
    true = correlated_variance(VARIANCE, settings.n, correlation=settings.rho, group_size=settings.g)
    seen = observed_variance(VARIANCE, settings.n, shared=shared, correlation=settings.rho, group_size=settings.g)
    missed = variance_shortfall(VARIANCE, settings.n, shared=shared, correlation=settings.rho, group_size=settings.g)
    ratio = math.sqrt(true / seen) if seen > 0 else math.inf
    how: Level = "good" if ratio < NOTICEABLE else "bad"
    return Answer(
        NAME,
        QUESTION,
        how,
        headline(ratio, shared=shared, n=settings.n),
        (f"They show {percent(seen / true)} of the true variance of the mean error. A t-test misses the rest.",),
        figures=(
            Drawing(
                "variances", "Three variances", lambda: plots.variances(true, VARIANCE / settings.n, seen), lead=True
            ),
        ),
        make_data=lambda: {"true": true, "observed": seen, "missed": missed},
        settings=settings.rows(None),
        methods=METHODS,
        references=works("trust"),
    )


def headline(ratio: float, *, shared: int, n: int) -> str:
    """Say how many times too small the standard error is."""
    samples = f"Samples that share {shared:,} of {n:,} instances"
    if math.isinf(ratio):
        return f"{samples} show no variance at all."
    if ratio < NOTICEABLE:
        return f"{samples} show nearly the true standard error."
    return f"{samples} show a standard error {ratio:.1f} times too small."
