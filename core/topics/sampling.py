"""Samples of topics: HITS's, the least alike or random ones, and what becomes of the topics left out."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Bools, Floats, Ints, record
from ..corpora import Corpus
from ..errors import SettingError, unknown
from ..formats import choose, counted
from ..progress import Progress
from .hits import HITS_PAPER, ROUNDING, TopicPath, hits_path, over_placed, topic_path
from .least_maximum import least_maximum, optima
from .many_topics import hits_path_to

BAND_QUANTILES = (0.05, 0.5, 0.95)
MOST_AT_ONCE = 400  # topics up to which a random path is read from one matrix; a larger one is slower than its rows
RANDOM_SEEDS = (0, 1, 2, 3, 4)  # the paper's five random samples


@record
class RandomBand:
    """Random samples of m = 1, 2, … topics: low, middle and high quantile (rows) of their mean and max similarity, and how
    many of the `samples` lie at or below HITS at each m (`mean_rank`, `max_rank`)."""

    samples: int
    mean: Floats
    max: Floats
    mean_rank: Ints
    max_rank: Ints


def random_path(similarity: Floats, *, seed: int) -> TopicPath:
    """Topics in a seeded random order: its first m are a uniform sample of m topics among those that can be placed."""

    def shuffled(known: Floats) -> TopicPath:
        order = np.random.default_rng(seed).permutation(len(known))
        if len(order) <= MOST_AT_ONCE:
            taken, before = known[np.ix_(order, order)], np.tri(len(order), k=-1, dtype=np.bool_)
            joined_sum, joined_max = (taken * before).sum(axis=1), np.where(before, taken, -np.inf).max(axis=1)
        else:
            joined_sum, joined_max = np.empty(len(order)), np.empty(len(order))
            for step, topic in enumerate(order):
                to_earlier = known[topic].take(order[:step])
                joined_sum[step], joined_max[step] = to_earlier.sum(), to_earlier.max(initial=-np.inf)
        joined_sum[0] = joined_max[0] = np.nan
        return topic_path(order, joined_sum, joined_max)

    return over_placed(similarity, shuffled)


def random_band(similarity: Floats, path: TopicPath, *, samples: int, seed: int = 0) -> RandomBand:
    """What chance gives at every m, and where the path of HITS stands among it."""
    paths = [random_path(similarity, seed=seed + draw) for draw in range(samples)]
    mean, maximum = np.array([each.mean for each in paths]), np.array([each.max for each in paths])
    # A sample of one topic has no pair, so every path's first value is NaN, and stays so.
    return RandomBand(
        samples,
        np.quantile(mean, BAND_QUANTILES, axis=0),
        np.quantile(maximum, BAND_QUANTILES, axis=0),
        (mean <= path.mean + ROUNDING).sum(axis=0),
        (maximum <= path.max + ROUNDING).sum(axis=0),
    )


@dataclass(frozen=True, slots=True)
class Sampler:
    """One way to choose topics, as a page or the command line offers it: `path` makes the order in which they are taken,
    or `choose` the m topics where they are others for every m (neither: all topics are taken); `takes_seed` says whether
    the seed matters. Where several m are cheaper together, `choose_each` finds them; where the path needs no matrix of all
    pairs, `path_to` walks it over points. `methods` says in a paper how {m} topics were chosen, `reference` is its BibTeX."""

    label: str
    about: str
    path: Callable[[Floats, int], TopicPath] | None
    takes_seed: bool = False
    choose: Callable[[Floats, int], Ints] | None = None
    choose_each: Callable[[Floats, Sequence[int], Progress | None], list[Ints]] | None = None
    path_to: Callable[..., TopicPath] | None = None
    methods: str = ""
    reference: str = ""

    @property
    def takes_m(self) -> bool:
        """Whether it leaves topics out."""
        return self.path is not None or self.choose is not None

    def selected(self, similarity: Floats, m: int, *, seed: int = 0) -> Ints:
        """The m topics it keeps, in the order in which they are taken."""
        if self.choose is not None:
            return self.choose(similarity, m)
        return np.arange(len(similarity)) if self.path is None else self.path(similarity, seed).order[:m]

    def at_each(self, similarity: Floats, sizes: Sequence[int], *, progress: Progress | None = None) -> list[Ints]:
        """The topics it keeps at each m of `sizes`."""
        if self.choose_each is not None:
            return self.choose_each(similarity, sizes, progress)
        if self.path is not None:
            order = self.path(similarity, 0).order
            return [order[:m] for m in sizes]
        return [self.selected(similarity, m) for m in sizes]


SAMPLERS: dict[str, Sampler] = {
    "none": Sampler("all topics", "Every topic of the corpus.", None),
    "hits": Sampler(
        "HITS",
        "Topics unlike each other.",
        lambda similarity, seed: hits_path(similarity),
        path_to=hits_path_to,
        methods="{m} topics were chosen by heterogeneity-informed topic sampling (HITS; Sawatphol et al., 2024)",
        reference=HITS_PAPER,
    ),
    "least-maximum": Sampler(
        "least maximum",
        "Topics whose most similar pair is as little alike as can be.",
        None,
        choose=least_maximum,
        choose_each=lambda similarity, sizes, progress: [
            best.topics for best in optima(similarity, sizes, progress=progress)
        ],
        methods="The {m} topics whose most similar pair is least similar were chosen by integer programming",
    ),
    "random": Sampler(
        "random", "Topics drawn at random.", lambda similarity, seed: random_path(similarity, seed=seed), True
    ),
}


def unlike_samplers() -> list[str]:
    """The samplers that choose topics unlike each other: those that leave some out, and draw nothing."""
    return [name for name, sampler in SAMPLERS.items() if sampler.takes_m and not sampler.takes_seed]


def checked_m(m: int, topics: int) -> int:
    """m, if that many topics can be kept."""
    if not 1 <= m <= topics:
        raise SettingError(f"m = {m}, but the corpus has {counted(topics, 'topic')}; {choose('m', 1, topics)}.")
    return m


@dataclass(frozen=True, slots=True)
class Policy:
    """What becomes of the topics left out: `joins` tells from their similarity to the nearest selected topic, and a
    threshold, which of them go there (None: all are dropped); `suffix` marks the setups made so, `fate` says it beside
    the name of a sampler, and `methods` in a paper, before "dealt into folds"."""

    about: str
    joins: Callable[[Floats, float], Bools] | None
    suffix: str = ""
    takes_threshold: bool = False
    fate: str = ""
    methods: str = " and"


POLICIES: dict[str, Policy] = {
    "cutting": Policy("They are dropped.", None),
    "grouping": Policy(
        "Each joins its most similar selected topic.",
        lambda nearest, threshold: np.full(len(nearest), True),
        ", grouped",
        fate="the others merged into the nearest",
        methods=", every other topic was merged into the most similar of them, and these were",
    ),
    "hybrid": Policy(
        "Those at least so similar to a selected topic join it.",
        lambda nearest, threshold: nearest >= threshold,
        ", hybrid {threshold:g}",
        True,
        fate="near twins of the kept merged into them",
        methods=", every other topic that is at least {threshold:.2f} alike to one of them was merged into the most similar, "
        "and the others dropped; they were",
    ),
}


@record
class Sample:
    """The selected topics in path order, and `assigned[i]`: the selected topic that topic i goes to, or −1."""

    selected: Ints
    assigned: Ints
    policy: str

    @property
    def steps(self) -> Ints:
        """The step of the path at which each topic was taken, from 1; 0 for the topics left out."""
        steps = np.zeros(len(self.assigned), dtype=np.int64)
        steps[self.selected] = np.arange(1, len(self.selected) + 1)
        return steps


def make_sample(similarity: Floats, selected: Ints, *, policy: str = "cutting", threshold: float = 0.0) -> Sample:
    """Send each topic left out nowhere (cutting), to its most similar selected topic (grouping), or there
    only when they are at least `threshold` alike (hybrid) (HITS §7.2)."""
    if policy not in POLICIES:
        raise unknown("policy for the topics left out", policy, POLICIES)
    assigned = np.full(len(similarity), -1, dtype=np.int64)
    assigned[selected] = selected
    joins = POLICIES[policy].joins
    if joins is not None:
        among = np.sort(selected)  # sorted by name, so that ties go to the name that sorts first
        outside = np.flatnonzero(assigned < 0)
        # Where nothing is known of a topic's likeness, it cannot join another.
        to_selected = np.nan_to_num(similarity[np.ix_(outside, among)], nan=-np.inf)
        nearest = to_selected.max(axis=1)
        joining = joins(nearest, threshold) & np.isfinite(nearest)
        assigned[outside[joining]] = among[to_selected.argmax(axis=1)[joining]]
    return Sample(np.array(selected, dtype=np.int64), assigned, policy)


def sampled_documents(corpus: Corpus, sample: Sample) -> tuple[Ints, list[str]]:
    """Rows of the documents that stay, and the topic each one counts under."""
    assigned = sample.assigned[corpus.topic_codes]
    rows = np.flatnonzero(assigned >= 0)
    return rows, [corpus.topic_names[topic] for topic in assigned[rows]]


@dataclass(frozen=True, slots=True)
class SampleCounts:
    """Documents and authors that stay under a sample; authors are None where the corpus has none."""

    documents: int
    authors: int | None


def sample_counts(corpus: Corpus, sample: Sample) -> SampleCounts:
    """Count what stays of a corpus under a sample; an author does while a document of theirs stays."""
    rows, _ = sampled_documents(corpus, sample)
    codes = corpus.author_codes
    return SampleCounts(len(rows), None if codes is None else len(np.unique(codes[rows])))
