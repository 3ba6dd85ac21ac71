"""Does similarity go with being right, once authors are accounted for? Topic means of author-free residuals, regressed."""

from dataclasses import replace

import numpy as np

from ..arrays import Floats, Ints, record
from ..errors import SettingError
from ..formats import counted
from .t_tests import student, t_interval

FEWEST = 4  # topics: two are taken by the line itself, and a spread needs two more
NO_SPREAD = 1e-9  # of shares and similarities: what rounding leaves where nothing varies
_NAN = float("nan")


@record
class AdjustedSlope:
    """What similarity is worth after authors are taken out: `slope` per unit of similarity, its 95 % interval and p.

    `similarity` and `residual` are the points of the regression, a topic each, with their `weight`; the line through
    them is `intercept + slope · similarity`. Numbers are NaN, and `problem` says why, where too little varies.
    """

    topics: int
    slope: float
    intercept: float
    low: float
    high: float
    p: float
    similarity: Floats
    residual: Floats
    weight: Floats
    problem: str = ""

    def worth(self, difference: float = 0.1) -> tuple[float, float, float]:
        """What so much more similarity goes with: points of the score, from, to."""
        return self.slope * difference, self.low * difference, self.high * difference


def adjusted_slope(right: Floats, authors: Ints, training: Floats, topics: Ints, similarity: Floats) -> AdjustedSlope:
    """Topic means of what is left of `right` (0 or 1) after authors, against the topics' nearest similarity.

    A fixed effect per author and the number of the author's training documents are taken out of every answer; what is
    left is averaged per test topic and regressed on `similarity[topic]`, weighted by √answers, with t on topics − 2
    degrees of freedom. Answers to one topic share its difficulty, so topics are the units (docs/methods.md, "Once
    authors are accounted for"). Where authors keep to few topics, their effects take part of the slope along: it is
    then too flat. A topic of undefined similarity (NaN) is left out.
    """
    right, training = np.asarray(right, dtype=np.float64), np.asarray(training, dtype=np.float64)
    topics, similarity = np.asarray(topics), np.asarray(similarity, dtype=np.float64)
    _check(right, authors, training, topics, similarity)
    counts = np.bincount(topics, minlength=len(similarity)).astype(np.float64)
    used = (counts > 0) & np.isfinite(similarity)
    sums = np.bincount(topics, weights=_without_authors(right, authors, training), minlength=len(similarity))
    x, y, weight = similarity[used], sums[used] / counts[used], np.sqrt(counts[used])
    n = len(x)
    nothing = AdjustedSlope(n, _NAN, _NAN, _NAN, _NAN, _NAN, x, y, weight, _problem(x, y))
    if nothing.problem:
        return nothing
    share = weight / weight.sum()
    from_mean = x - share @ x
    spread = float(share @ from_mean**2)
    slope = float(share @ (from_mean * y)) / spread
    intercept = float(share @ y - slope * (share @ x))
    # Weighted least squares: Var(slope) = s²/Σ w(x − x̄)², s² = Σ w e²/(n − 2).
    squared_error = float(share @ (y - intercept - slope * x) ** 2) / (n - 2) / spread
    if squared_error <= NO_SPREAD**2:
        return replace(nothing, problem="The topics lie on a line: nothing is left to judge it by.")
    low, high = t_interval(slope, squared_error, n - 2)
    p = float(student(slope, squared_error, n - 2)[1])
    return AdjustedSlope(n, slope, intercept, low, high, p, x, y, weight)


def slope_sentence(label: str, found: AdjustedSlope) -> str:
    """What a tenth of similarity is worth to a model once authors are taken out, and whether that can be told from nothing."""
    if found.problem:
        return f"{label}: {found.problem[0].lower()}{found.problem[1:]}"
    middle, low, high = (signed_points(value) for value in found.worth(0.1))
    said = f"{middle} points of right answers ({low} to {high}, {found.topics} topics)"
    if found.low > 0:
        return f"Authors taken out, 0.1 of similarity is worth {label} {said}."
    if found.high < 0:
        return f"Authors taken out, {label} is right less often where training is more alike: {said} for 0.1 of similarity."
    return f"Authors taken out, nothing can be told of {label}: 0.1 of similarity goes with {said}."


def worth_said(found: AdjustedSlope) -> str:
    """Such as "+1.2 points (−0.5 to +2.9)": what 0.1 of similarity goes with once authors are taken out."""
    if found.problem:
        return found.problem
    middle, low, high = (signed_points(each) for each in found.worth(0.1))
    return f"{middle} points ({low} to {high})"


def signed_points(share: float) -> str:
    """A difference of shares in percentage points, such as "+1.2" or "−0.5"."""
    return f"{round(100 * share, 1) + 0.0:+.1f}".replace("-", "−")


def _problem(x: Floats, y: Floats) -> str:
    if len(x) < FEWEST:
        return f"{counted(len(x), 'topic')} with answers and a similarity; a line and its error need {FEWEST} or more."
    if np.ptp(x) <= NO_SPREAD:
        return "All topics are equally similar to training, so similarity can go with nothing."
    if np.ptp(y) <= NO_SPREAD:
        return "Nothing is left to explain once authors are taken out: all answers are alike, or each author has one topic."
    return ""


def _without_authors(right: Floats, authors: Ints, training: Floats) -> Floats:
    """Residuals of least squares on one effect per author and the author's training documents (Frisch and Waugh 1933)."""
    codes = np.unique(authors, return_inverse=True)[1]
    counts = np.bincount(codes)

    def within(values: Floats) -> Floats:
        centred: Floats = values - (np.bincount(codes, weights=values) / counts)[codes]
        return centred

    answer, count = within(right), within(training)
    spread = float(count @ count)
    residual: Floats = answer - count * (float(count @ answer) / spread) if spread > NO_SPREAD else answer
    return residual


def _check(right: Floats, authors: Ints, training: Floats, topics: Ints, similarity: Floats) -> None:
    if not (right.ndim == 1 and right.shape == np.shape(authors) == training.shape == topics.shape):
        raise SettingError(
            "Answers, authors, training counts and topics differ in number; give one of each a question."
        )
    if not ((right >= 0) & (right <= 1)).all() or not np.isfinite(training).all():
        raise SettingError("An answer is not from 0 (wrong) to 1 (right), or a training count is no number.")
    if len(topics) and (topics.dtype.kind not in "iu" or topics.min() < 0 or topics.max() >= len(similarity)):
        raise SettingError(f"A topic is no index into {len(similarity):,} similarities; number topics from 0.")
