"""What may be said of a ranking, of two systems and of a test's errors: a sentence, and the cautions that belong to it."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite, isnan

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats
from ..formats import listed, number, percent
from .clusters import ClusteredComparison
from .equivalence import equivalence
from .power import weighted_summary
from .ranks import lead, rank_models, stability_interval
from .significance import SOME, STRONG, Names, Significance, matched_scores, shown_p, sign_of
from .signs import MICRO_SIGN

FEWEST_SIGNS = 6  # that agree: with five, p of a two-sided sign test is .0625
NO_LABELS = (
    "The labels do not separate these texts: HITS is one more random sample here, and its difference from the others says "
    "nothing of topics."
)


@dataclass(frozen=True, slots=True)
class Conclusion:
    """An answer in words, and what keeps one from making more of it."""

    answer: str
    cautions: tuple[str, ...] = ()


def ranking_conclusion(
    tables: Sequence[Floats], models: Sequence[str], *, metric: str, meaningful: bool = True
) -> Conclusion:
    """Who wins under HITS, if anybody does, and whether folds and random samples agree.

    `tables` hold scores, a row a model and a column a fold: under HITS first, then on each random sample.
    """
    scores, *random = tables
    ahead = [models[index] for index in lead(rank_models(scores)).models]
    known = np.isfinite(scores)
    cautions = [] if meaningful else [NO_LABELS]
    if known.any(axis=1).sum() < 2:
        who = f"only {ahead[0]} could be run" if ahead else "no fold could be run"
        return Conclusion(f"Nobody wins: {who} under HITS.", tuple(cautions))
    both = scores[:, known.all(axis=0)]
    if len(ahead) == 1:
        answer = f"{ahead[0]} wins by {metric} under HITS; {_agreement(scores)}."
    elif both.size and (both == both[0]).all():
        answer = f"Too close to call: under HITS all {len(models)} models have the same {metric} in every fold."
    else:
        answer = f"Too close to call by {metric} under HITS: {listed(ahead)}; {_agreement(scores)}."
    folds = int(known.any(axis=0).sum())
    if folds < FEWEST_SIGNS:
        cautions.append(f"{folds} folds cannot name a winner, whatever the scores: it takes {FEWEST_SIGNS} that agree.")
    if random:
        cautions.append(_on_random_samples(scores, random, models))
    return Conclusion(answer, tuple(cautions))


def _agreement(scores: Floats) -> str:
    mean, low, high = stability_interval(scores)
    if isnan(mean):
        return "how well the folds agree cannot be told"
    if low == high == 1:
        return f"all {scores.shape[1]} folds rank the models alike"
    sure = (
        "how sure that is, so few folds do not show"
        if isnan(low)
        else f"95 %: {number(low, '.2f')} to {number(high, '.2f')}"
    )
    return f"rankings of two folds agree with a mean ρ of {number(mean, '.2f')} ({sure})"


def _on_random_samples(scores: Floats, random: Sequence[Floats], models: Sequence[str]) -> str:
    """On how many random samples the model of the best mean rank under HITS has the best mean rank too."""
    first = lead(rank_models(scores)).models[0]
    means = [mean for mean in (rank_models(table).mean for table in random) if np.isfinite(mean).any()]
    if not means:
        return "No random sample could be ranked."
    same = sum(bool(mean[first] == np.nanmin(mean)) for mean in means)
    return f"The best mean rank under HITS is {models[first]}'s, and so it is on {same} of {len(means)} random samples."


def comparison_conclusion(
    a: ArrayLike,
    b: ArrayLike,
    *,
    names: Names,
    margin: float,
    sizes: ArrayLike | None = None,
    rows: str = "topics",
) -> Conclusion:
    """Whether A is better than B, equivalent within the margin, or neither can be told, over rows that count alike.

    Better: the exact two-sided sign test over rows that differ, p ≤ .05. Equivalent: `equivalence` at .05. With `sizes`
    it is said as how many rows of equal size they count, (Σ w)²/Σ w² (Kish 1965).
    """
    matched = matched_scores(a, b)
    if isinstance(matched, str):
        return Conclusion(f"Nothing can be said of {names[0]} and {names[1]}: {matched[0].lower()}{matched[1:]}")
    cautions = _row_cautions(matched.d, sizes, np.asarray(a) - np.asarray(b), rows)
    if not matched.d.any():
        same = f"{names[0]} and {names[1]} score the same on all {len(matched.d):,} {rows}"
        return Conclusion(f"Nothing tells them apart: {same}.", cautions)
    p, first, second, fact = _signs(matched.d, names, rows)
    fact += _on_average(matched.d if first == names[0] else -matched.d, first)
    equal = equivalence(a, b, margin=margin, names=names)
    within = equal.p is not None and equal.p <= SOME
    if p <= SOME:
        small = f", though by less than {margin:g}" if within else ""
        return Conclusion(f"{first} is better than {second}{small}: {fact}.", cautions)
    if within:
        return Conclusion(f"{names[0]} and {names[1]} are equivalent within {margin:g}: {fact}.", cautions)
    neither = f"That they differ by less than {margin:g} is not shown either."
    return Conclusion(f"Cannot tell: {fact}. {neither}", cautions)


def decisions_conclusion(a: ArrayLike, b: ArrayLike, *, names: Names) -> Conclusion:
    """The same of single decisions (1 right, 0 wrong) whose topics are not known, where equality cannot be shown."""
    matched = matched_scores(a, b)
    if isinstance(matched, str):
        return Conclusion(f"Nothing can be said of {names[0]} and {names[1]}: {matched[0].lower()}{matched[1:]}")
    if not matched.d.any():
        return Conclusion(
            f"Nothing tells them apart: {names[0]} and {names[1]} are right on the same {len(matched.d):,} decisions."
        )
    p, first, second, fact = _signs(matched.d, names, "decisions")
    answer = f"{first} is better than {second}, if decisions are independent" if p <= SOME else "Cannot tell"
    return Conclusion(
        f"{answer}: {fact}.",
        (
            "Decisions from one document or one topic are not independent, and this finds too much then: how much, the "
            "table does not show. A row a category would.",
        ),
    )


def decisions_caution(by_decision: Significance, *, rate: float | None, alike: bool, share_texts: bool) -> str:
    """What the micro sign test over single decisions finds, and how far that may be believed: `rate` is how often it errs
    on this run (None: not known), `alike` whether decisions are more alike within topics than shuffled topics make them."""
    found = f"By single decisions: {by_decision.reading}"
    shared = " Pairs also share texts and authors, which is not counted in." if share_texts else ""
    if rate is None:
        return f"{found} This takes decisions for independent; how often it errs cannot be told here.{shared}"
    promised = percent(MICRO_SIGN.promised_rate)
    if not alike:
        return (
            f"{found} This takes decisions for independent and should err in {promised} of studies, for one or the other; "
            f"that they are more alike within topics does not show.{shared}"
        )
    return (
        f"{found} This takes decisions for independent, but they are more alike within topics: it would call two equally good "
        f"models different in about {percent(rate)} of studies instead of {promised}.{shared}"
    )


def _signs(d: Floats, names: Names, rows: str) -> tuple[float, str, str, str]:
    """The exact two-sided p, who is ahead in more rows, who is behind, and both in words."""
    from scipy.stats import binomtest

    wins, losses = int((d > 0).sum()), int((d < 0).sum())
    p = float(binomtest(wins, wins + losses).pvalue)
    first, second = names if wins >= losses else names[::-1]
    strength = "strong evidence, " if p <= STRONG else "some evidence, " if p <= SOME else ""
    who = f"{first} is ahead of {second}" if wins != losses else f"{first} and {second} are each ahead"
    count = f"{max(wins, losses):,} of the {wins + losses:,} {rows} that differ"
    if wins + losses == 1:
        count = f"the only one of the {rows} that differs"
    return p, first, second, f"{who} in {count} ({strength}{shown_p(p)}, two-sided)"


def _on_average(d: Floats, first: str) -> str:
    """By how much the first is ahead on average; a few rows may outweigh the others."""
    mean = float(d.mean())
    return f"; on average {first} is {'ahead' if mean >= 0 else 'behind'} by {abs(mean):.3f}"


def _row_cautions(d: Floats, sizes: ArrayLike | None, given: Floats, rows: str) -> tuple[str, ...]:
    """How many rows that is, how many of equal size, and where they are too few for any answer."""
    said = []
    if sizes is not None:
        worth = weighted_summary(given, sizes).effective
        said.append(
            f"Every one of the {len(d):,} {rows} counts alike; by their documents they would count as {worth:.1f} of equal size."
        )
    differ = int((d != 0).sum())
    if differ < FEWEST_SIGNS:
        said.append(
            f"{differ} {rows} that differ cannot tell two systems apart, whatever the scores: it takes {FEWEST_SIGNS}."
        )
    return tuple(said)


def error_conclusion(found: ClusteredComparison, *, by_chance: float, simulated: float, names: Names) -> Conclusion:
    """How often a test that takes these questions for independent finds what is not there, and what it finds here.

    `by_chance` is how large φ gets with shuffled topics (`chance_phi`), `simulated` the rate by random signs
    (`simulated_type1`): where the formula and it differ, both are said.
    """
    if not isfinite(found.expected_type1):
        same = "the two are right on the very same questions"
        apart = "one is right and the other wrong on every question"
        return Conclusion(f"There is nothing to test: {same if found.difference == 0 else apart}.")
    test = f"test that takes these {found.documents:,} questions for independent"
    if not found.phi_difference > by_chance:
        answer = (
            f"As far as topics go, nothing shows that a {test} errs more often than it should: φ is no larger than shuffled "
            "topics make it."
        )
    else:
        known = [rate for rate in (found.expected_type1, simulated) if isfinite(rate)]
        low, high = (f"{100 * rate:.0f}" for rate in (min(known), max(known)))
        rate = f"{high} %" if low == high else f"{low} to {high} %"
        answer = f"A {test} would find a difference between two equally good models in about {rate} of studies instead of 5 %."
    return Conclusion(answer, (_two_readings(found, names),))


def _two_readings(found: ClusteredComparison, names: Names) -> str:
    """Who is right more often by how many percentage points, and the two p-values."""
    ahead, behind = names if sign_of(found.difference) >= 0 else names[::-1]
    points = 100 * abs(found.difference)
    said = f"{ahead} is right on more of the questions than {behind}, by {points:.1f} percentage points."
    if points == 0:
        said = f"{names[0]} and {names[1]} are right equally often."
    if not isfinite(found.corrected_p):
        return said
    return (
        f"{said} Taking all questions for independent gives {shown_p(found.naive_p)}; counting the {found.topics} topics as "
        f"what they are, {shown_p(found.corrected_p)}."
    )
