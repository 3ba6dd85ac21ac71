"""Which topics to keep: HITS, a random baseline, and what becomes of the topics left out."""

from typing import Literal, get_args

import numpy as np

from ..arrays import Floats, Ints, record
from ..corpora import Corpus
from ..errors import SettingError, unknown

Policy = Literal["cutting", "grouping", "hybrid"]
POLICIES: tuple[Policy, ...] = get_args(Policy)

# Scores this close are one score: sums taken in another order differ by about this much, and the name must decide.
ROUNDING = 1e-12
BAND_QUANTILES = (0.05, 0.5, 0.95)


@record
class TopicPath:
    """Topics in the order they are taken; the first m of them are the sample of size m.

    `leakage[i]` = mean · max of topic `order[i]`'s similarities to those before it (NaN for the first);
    `mean[i]` and `max[i]` are over all pairs among the first i + 1 topics (NaN for one topic).
    """

    order: Ints
    leakage: Floats
    mean: Floats
    max: Floats

    def __len__(self) -> int:
        return len(self.order)


@record
class RandomBand:
    """Low, middle and high quantile (rows) of mean and max similarity of random samples of m = 1, 2, … topics."""

    samples: int
    mean: Floats
    max: Floats


@record
class Sample:
    """The selected topics in path order, and `home[i]`: the selected topic that topic i goes to, or −1."""

    selected: Ints
    home: Ints
    policy: Policy


def hits_path(similarity: Floats) -> TopicPath:
    """Every HITS selection at once: the choice never looks at m, so the first m of the path answer any m.

    First the topic with the lowest mean similarity to all others; then always the topic with the
    lowest l_i = mean(S_i) · max(S_i) over the topics taken so far (Sawatphol et al. 2024, §4).
    Topics must be in sorted order of name: ties go to the first.
    """
    count = len(similarity)
    first = _lowest((similarity.sum(axis=1) - np.diag(similarity)) / max(count - 1, 1))
    order = np.full(count, first, dtype=np.int64)
    joined_sum, joined_max = np.full(count, np.nan), np.full(count, np.nan)
    running_sum, running_max = similarity[first].copy(), similarity[first].copy()
    taken = np.zeros(count)
    taken[first] = np.inf
    score = np.empty(count)
    for step in range(1, count):
        np.multiply(running_sum, running_max, out=score)
        score += taken
        chosen = _lowest(score, tolerance=ROUNDING * step)
        order[step], joined_sum[step], joined_max[step] = chosen, running_sum[chosen], running_max[chosen]
        taken[chosen] = np.inf
        running_sum += similarity[chosen]
        np.maximum(running_max, similarity[chosen], out=running_max)
    return _path(order, joined_sum, joined_max)


def random_path(similarity: Floats, *, seed: int) -> TopicPath:
    """Topics in a seeded random order: its first m are a uniform sample of m topics."""
    order = np.random.default_rng(seed).permutation(len(similarity))
    joined_sum, joined_max = np.full(len(order), np.nan), np.full(len(order), np.nan)
    for step in range(1, len(order)):
        to_earlier = similarity[order[step], order[:step]]
        joined_sum[step], joined_max[step] = to_earlier.sum(), to_earlier.max()
    return _path(order, joined_sum, joined_max)


def random_band(similarity: Floats, *, samples: int, seed: int = 0) -> RandomBand:
    """What chance gives at every m: quantiles over `samples` random paths."""
    paths = [random_path(similarity, seed=seed + draw) for draw in range(samples)]
    # A sample of one topic has no pair, so every path's first value is NaN, and stays so.
    mean = np.quantile([path.mean for path in paths], BAND_QUANTILES, axis=0)
    maximum = np.quantile([path.max for path in paths], BAND_QUANTILES, axis=0)
    return RandomBand(samples, mean, maximum)


def make_sample(similarity: Floats, selected: Ints, *, policy: str = "cutting", threshold: float = 0.0) -> Sample:
    """Send each topic left out nowhere (cutting), to its most similar selected topic (grouping), or there
    only when they are at least `threshold` alike (hybrid) (HITS §7.2)."""
    if policy not in POLICIES:
        raise unknown("policy for the topics left out", policy, POLICIES)
    home = np.full(len(similarity), -1, dtype=np.int64)
    home[selected] = selected
    if policy != "cutting":
        among = np.sort(selected)  # sorted by name, so that ties go to the name that sorts first
        outside = np.flatnonzero(home < 0)
        to_selected = similarity[np.ix_(outside, among)]
        nearest = to_selected.argmax(axis=1)
        close = to_selected[np.arange(len(outside)), nearest] >= (threshold if policy == "hybrid" else -np.inf)
        home[outside[close]] = among[nearest[close]]
    return Sample(np.asarray(selected, dtype=np.int64), home, policy)


def sampled_documents(corpus: Corpus, sample: Sample) -> tuple[Ints, list[str]]:
    """Rows of the documents that stay, and the topic each one counts under."""
    homes = sample.home[corpus.topic_codes]
    rows = np.flatnonzero(homes >= 0)
    return rows, [corpus.topic_names[home] for home in homes[rows]]


def checked_m(m: int, topics: int) -> int:
    """m, if that many topics can be kept."""
    if not 1 <= m <= topics:
        raise SettingError(f"m = {m}, but the corpus has {topics} topics; choose m from 1 to {topics}.")
    return m


def _lowest(score: Floats, tolerance: float = ROUNDING) -> int:
    lowest = int(score.argmin())
    ties = np.flatnonzero(score[:lowest] <= score[lowest] + tolerance)
    return int(ties[0]) if len(ties) else lowest


def _path(order: Ints, joined_sum: Floats, joined_max: Floats) -> TopicPath:
    """The path from each topic's sum and maximum of similarities to the topics taken before it."""
    earlier = np.arange(len(order))
    pairs = earlier * (earlier + 1) / 2
    mean, maximum = np.full(len(order), np.nan), np.full(len(order), np.nan)
    mean[1:] = np.cumsum(joined_sum[1:]) / pairs[1:]
    maximum[1:] = np.maximum.accumulate(joined_max[1:])
    leakage = joined_sum / np.maximum(earlier, 1) * joined_max
    for array in (order, leakage, mean, maximum):
        array.setflags(write=False)
    return TopicPath(order, leakage, mean, maximum)
