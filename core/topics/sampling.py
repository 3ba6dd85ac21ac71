"""Samples of topics: who chooses them, what becomes of the others, and what is kept at one m or at every m."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Bools, Floats, Ints, Singles, record
from ..corpora import Corpus, make_corpus, take
from ..errors import SettingError, unknown
from ..formats import choose, counted
from ..progress import Progress
from .hits import HITS_PAPER, ROUNDING, TopicPath, hits_path, over_comparable, topic_path
from .minimax import minimax_topics, optima
from .space import (
    GIVEN,
    NEEDS_DOCUMENTS,
    TopicPoints,
    TopicSpace,
    check_documents,
    merged_space,
    pair_similarities,
    part_of_space,
    topic_space,
)

BAND_QUANTILES = (0.05, 0.5, 0.95)
MOST_AT_ONCE = 400  # topics up to which a random path is read from one matrix; a larger one is slower than its rows
RANDOM_SEEDS = (0, 1, 2, 3, 4)  # the paper's five random samples

MOST_MERGED = 150  # topics up to which the similarity of merged topics is computed for every m: it costs their cube


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
    """Return topics in a seeded random order: its first m are a uniform sample of m topics among those that can be compared."""

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

    return over_comparable(similarity, shuffled)


def random_band(similarity: Floats, path: TopicPath, *, samples: int, seed: int = 0) -> RandomBand:
    """Return random samples at every m, and the rank of HITS among them."""
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
    """One way to choose topics. Without `path` and `choose`, all are taken."""

    label: str
    about: str
    path: Callable[[Floats, int], TopicPath] | None  # makes the order in which topics are taken
    takes_seed: bool = False  # the seed matters
    choose: Callable[[Floats, int], Ints] | None = None  # the m topics, where they are others for every m
    # Several m at once.
    choose_each: Callable[[Floats, Sequence[int], Progress | None], list[tuple[Ints, bool]]] | None = None
    methods: str = ""  # how {m} topics were chosen, as a paper says it
    reference: str = ""  # its BibTeX

    @property
    def takes_m(self) -> bool:
        """Return whether it leaves topics out."""
        return self.path is not None or self.choose is not None

    def selected(self, similarity: Floats, m: int, *, seed: int = 0) -> Ints:
        """Return the m topics it keeps, in the order in which they are taken."""
        if self.choose is not None:
            return self.choose(similarity, m)
        return np.arange(len(similarity)) if self.path is None else self.path(similarity, seed).order[:m]

    def at_each(
        self, similarity: Floats, sizes: Sequence[int], *, progress: Progress | None = None
    ) -> list[tuple[Ints, bool]]:
        """Return the topics it keeps at each m of `sizes`, and whether its search for them came to its end."""
        if self.choose_each is not None:
            return self.choose_each(similarity, sizes, progress)
        if self.path is not None:
            order = self.path(similarity, 0).order
            return [(order[:m], True) for m in sizes]
        return [(self.selected(similarity, m), True) for m in sizes]


SAMPLERS: dict[str, Sampler] = {
    "none": Sampler("all topics", "Every topic of the corpus.", None),
    "hits": Sampler(
        "HITS",
        "Topics that differ from each other.",
        lambda similarity, seed: hits_path(similarity),
        methods="{m} topics were chosen by heterogeneity-informed topic sampling (HITS; Sawatphol et al., 2024)",
        reference=HITS_PAPER,
    ),
    "minimax": Sampler(
        "minimax",
        "Topics whose most similar pair is least similar.",
        None,
        choose=minimax_topics,
        choose_each=lambda similarity, sizes, progress: [
            (best.topics, best.proven) for best in optima(similarity, sizes, progress=progress)
        ],
        methods="The {m} topics whose most similar pair is least similar were chosen by integer programming",
    ),
    "random": Sampler(
        "random", "Topics chosen at random.", lambda similarity, seed: random_path(similarity, seed=seed), True
    ),
}


RENAMED_SAMPLERS = {"least-maximum": "minimax"}  # names that older commands, links and benchmarks use


def unlike_samplers() -> list[str]:
    """Return the samplers that choose dissimilar topics: those that leave some out and are deterministic."""
    return [name for name, sampler in SAMPLERS.items() if sampler.takes_m and not sampler.takes_seed]


def checked_m(m: int, topics: int) -> int:
    """Return m, if that many topics can be kept."""
    if not 1 <= m <= topics:
        raise SettingError(f"m = {m}, but the corpus has {counted(topics, 'topic')}; {choose('m', 1, topics)}.")
    return m


@dataclass(frozen=True, slots=True)
class Policy:
    """What happens to the topics left out."""

    about: str
    joins: (
        Callable[[Floats, float], Bools] | None
    )  # similarity to the nearest kept topic, threshold → joins it; None: dropped
    suffix: str = ""  # of the names of samples made this way
    takes_threshold: bool = False
    fate: str = ""  # a few words beside the sampler's name
    methods: str = ". They"  # sentences of a paper, before "were assigned to folds"


POLICIES: dict[str, Policy] = {
    "cutting": Policy("They are dropped.", None),
    "grouping": Policy(
        "Each joins its most similar selected topic.",
        lambda nearest, threshold: np.full(len(nearest), True),
        ", grouped",
        fate="the others merged into the nearest",
        methods=". Every other topic was merged into the most similar of them. The merged topics",
    ),
    "hybrid": Policy(
        "Those at least this similar to a selected topic join it.",
        lambda nearest, threshold: nearest >= threshold,
        ", hybrid {threshold:g}",
        True,
        fate="near twins of the kept merged into them",
        methods=". Every other topic with a similarity of at least {threshold:.2f} to one of them was merged into the most similar. "
        "The rest were dropped, and the merged topics",
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
        """Return the step of the path at which each topic was taken, from 1; 0 for the topics left out."""
        steps = np.zeros(len(self.assigned), dtype=np.int64)
        steps[self.selected] = np.arange(1, len(self.selected) + 1)
        return steps


def make_sample(similarity: Floats, selected: Ints, *, policy: str = "cutting", threshold: float = 0.0) -> Sample:
    """Send each topic left out nowhere (cutting), to its most similar selected topic (grouping), or there
    only when they are at least `threshold` similar (hybrid) (HITS §7.2)."""
    if policy not in POLICIES:
        raise unknown("policy for the topics left out", policy, POLICIES)
    assigned = np.full(len(similarity), -1, dtype=np.int64)
    assigned[selected] = selected
    joins = POLICIES[policy].joins
    if joins is not None:
        among = np.sort(selected)  # sorted by name, so that ties go to the name that sorts first
        outside = np.flatnonzero(assigned < 0)
        # A topic with unknown similarities cannot join another.
        to_selected = np.nan_to_num(similarity[np.ix_(outside, among)], nan=-np.inf)
        nearest = to_selected.max(axis=1)
        joining = joins(nearest, threshold) & np.isfinite(nearest)
        assigned[outside[joining]] = among[to_selected.argmax(axis=1)[joining]]
    return Sample(np.array(selected, dtype=np.int64), assigned, policy)


def sampled_documents(corpus: Corpus, sample: Sample) -> tuple[Ints, list[str]]:
    """Return rows of the documents that stay, and the topic each one counts under."""
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


@record
class Setup:
    """A sample of topics as a corpus of its own, with its documents' vectors and its topics' similarities; `seed` is
    None where nothing was drawn."""

    name: str
    sampler: str
    seed: int | None
    corpus: Corpus
    vectors: Singles
    space: TopicSpace

    @property
    def key(self) -> str:
        """Return the sampler and its seed as a folder or an id carries them: hits, random-3."""
        return self.sampler if self.seed is None else f"{self.sampler}-{self.seed}"


def make_setup(
    corpus: Corpus,
    vectors: Singles,
    space: TopicSpace,
    *,
    sampler: str,
    m: int | None = None,
    seed: int = 0,
    policy: str = "cutting",
    threshold: float = 0.0,
) -> Setup:
    """Return the documents of the sampled topics; the topics left out are dropped, as in the paper (HITS §5.1), or merged
    into sampled ones (`policy`, §7.2): their documents then carry the name of the topic they went to."""
    if sampler not in SAMPLERS:
        raise unknown("sampler", sampler, SAMPLERS)
    check_documents(corpus, space, vectors)
    chosen = SAMPLERS[sampler]
    if not chosen.takes_m:
        return Setup(chosen.label, sampler, None, corpus, vectors, space)
    m = checked_m(len(space) if m is None else m, len(space))
    selected = chosen.selected(space.similarity, m, seed=seed)
    sample = make_sample(space.similarity, selected, policy=policy, threshold=threshold)
    rows, topics = sampled_documents(corpus, sample)
    part = take(corpus, rows)
    if POLICIES[policy].joins is not None:
        part = _relabelled(part, topics)
    drawn = seed if chosen.takes_seed else None
    name = chosen.label + ("" if drawn is None else f" {drawn}") + POLICIES[policy].suffix.format(threshold=threshold)
    if space.kind != GIVEN:
        own = topic_space(vectors[rows], part.topic_codes, part.topic_names, similarity=space.kind)
    elif POLICIES[policy].joins is None:
        own = part_of_space(space, np.sort(selected))
    else:
        raise SettingError(NEEDS_DOCUMENTS.format("Merging topics"))
    return Setup(name, sampler, drawn, part, vectors[rows], own)


def _relabelled(corpus: Corpus, topics: list[str]) -> Corpus:
    """Return the same documents under other topics, with a fingerprint of their own."""
    if len(set(topics)) < 2:
        raise SettingError("Merging into one topic leaves nothing to split; keep at least 2 topics.")
    return make_corpus(
        corpus.texts,
        topics,
        authors=corpus.authors,
        ids=corpus.ids,
        splits=corpus.splits,
        vectors=corpus.vectors,
        found=corpus.found,
        predicts=corpus.predicts,
        name=corpus.name,
    )


@record
class EveryM:
    """The samples of m = 1, 2, … topics under one policy; entry m − 1 of an array is the sample of m topics, `totals` are
    the topics, documents and authors there are.

    `mean` and `max` are those of `pair_summary` (NaN for one topic, and where merged topics are too many to try every m);
    topic i keeps its documents from m = `since[i]` on (0: never). `moves` are rows of topic, m and kept topic: from that m
    on, until its next row or until it is kept itself, the topic is merged into that one; in order of topic and m.
    """

    totals: tuple[int, int, int | None]
    documents: Ints
    authors: Ints | None
    mean: Floats
    max: Floats
    since: Ints
    moves: Ints
    people: str = "authors"  # what `authors` counts: authors, or the classes of another label

    def largest_without_twins(self, threshold: float) -> int | None:
        """Return the largest m whose topics, with what is merged into them, hold no pair above the threshold (1: no m of two or
        more does); None where similarities are not known at every m. Merged topics may come nearer and part again."""
        if len(self.max) > 1 and np.isnan(self.max[1:]).all():
            return None
        return max((m for m, highest in enumerate(self.max.tolist(), start=1) if highest < threshold), default=1)


def pair_summary(space: TopicSpace, sample: Sample) -> dict[str, float | None]:
    """Return mean and max similarity over pairs of the sample's topics, those that were merged counted in; null without a pair.

    Whatever shows or writes the similarity of a sample takes it from here.
    """
    merges = bool((sample.assigned >= 0).sum() > len(sample.selected))
    kept = merged_space(space, sample.assigned) if merges else part_of_space(space, sample.selected)
    pairs = pair_similarities(kept.similarity)
    if not len(pairs):
        return {"mean": None, "max": None}
    return {"mean": float(pairs.mean()), "max": float(pairs.max())}


def sample_at_every_m(
    corpus: Corpus,
    space: TopicSpace | TopicPoints,
    path: TopicPath,
    *,
    policy: str = "cutting",
    threshold: float = 0.0,
) -> EveryM:
    """Return `make_sample` with its counts, for all m of the path.

    Along the path the nearest kept topic only comes nearer, so that a topic once merged stays so, and all that is kept can
    be counted from the m at which each topic comes in.
    """
    since = np.zeros(len(corpus.topic_names), dtype=np.int64)
    since[path.order[: path.comparable]] = np.arange(1, path.comparable + 1)
    mean, maximum = path.mean[: path.comparable].copy(), path.max[: path.comparable].copy()
    moves = np.empty((0, 3), dtype=np.int64)
    joins = POLICIES[policy].joins
    if joins is not None:
        if isinstance(space, TopicPoints):
            raise SettingError(
                f"{len(space):,} topics are too many to merge; choose cutting, or leave out small topics."
            )
        moves = _moves(space.similarity, path, lambda nearest: joins(nearest, threshold))
        first, at = np.unique(moves[:, 0], return_index=True)
        since[first] = moves[at, 1]
        samples = [
            make_sample(space.similarity, path.order[:m], policy=policy, threshold=threshold)
            for m in range(1, path.comparable + 1 if path.comparable <= MOST_MERGED else 1)
        ]
        found = [pair_summary(space, sample) for sample in samples] or [{"mean": None, "max": None}] * path.comparable
        mean, maximum = (np.array([each[what] for each in found], dtype=np.float64) for what in ("mean", "max"))
    return EveryM(
        (len(corpus.topic_names), len(corpus), None if corpus.author_names is None else len(corpus.author_names)),
        _counted_along_path(since, corpus.topic_sizes, path.comparable),
        _authors_along_path(corpus, since, path.comparable),
        mean,
        maximum,
        since,
        moves,
        "authors" if corpus.class_word == "author" else "classes",
    )


def _moves(similarity: Floats, path: TopicPath, joins: Callable[[Floats], Bools]) -> Ints:
    """Return every change in where a left-out topic goes, as m grows by one."""
    count = len(similarity)
    nearest, target = np.full(count, -np.inf), np.full(count, count)
    now, left = np.full(count, -1), np.full(count, True)
    found = []
    for m, taken in enumerate(path.order[: path.comparable], start=1):
        left[taken] = False
        row = similarity[taken]
        nearer = (row > nearest) | ((row == nearest) & (taken < target))  # ties go to the name that sorts first
        nearest[nearer], target[nearer] = row[nearer], taken
        goes = np.where(joins(nearest) & np.isfinite(nearest), target, -1)
        changed = np.flatnonzero(left & (goes != now))
        now[changed] = goes[changed]
        found.append(np.stack([changed, np.full(len(changed), m), goes[changed]], axis=1))
    moves = np.concatenate([np.empty((0, 3), dtype=np.int64), *found])
    return moves[np.lexsort((moves[:, 1], moves[:, 0]))]


def _counted_along_path(since: Ints, weights: Ints, comparable: int) -> Ints:
    """Return for every m the weights of what is included by then."""
    return np.cumsum(np.bincount(since, weights=weights, minlength=comparable + 1)[1:]).astype(np.int64)


def _authors_along_path(corpus: Corpus, since: Ints, comparable: int) -> Ints | None:
    """Return for every m the number of authors kept: each comes with the first of their topics."""
    if corpus.author_names is None or corpus.author_codes is None:
        return None
    never = comparable + 1
    first = np.full(len(corpus.author_names), never)
    np.minimum.at(first, corpus.author_codes, np.where(since > 0, since, never)[corpus.topic_codes])
    return _counted_along_path(np.where(first == never, 0, first), np.ones(len(first), dtype=np.int64), comparable)
