"""Two views of topics side by side (two encoders, two filters, two corpora): what both see, and what only one does."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays import Bools, Floats, Ints, record
from .hits import TopicPath, hits_path
from .space import TopicSpace, topic_space
from .uncertainty import LabelCheck, Resampled, check_labels, resample_topics
from .verdict import Verdict, judge, sure_twins

MOST_TWINS = 2_000  # pairs that are listed; all are counted
MOST_OTHERS = 1_500  # pairs that are no near twins: enough to see how the two views agree


@record
class TopicView:
    """The topics of one corpus by one encoder, and what a verdict on them needs."""

    space: TopicSpace
    path: TopicPath
    labels: LabelCheck | None = None
    resampled: Resampled | None = None


@dataclass(frozen=True, slots=True)
class SeenTwins:
    """A pair of topics at or past the near-twin line of either view; `sure`: the two views' answers leave no doubt."""

    topics: tuple[str, str]
    similarity: tuple[float, float]
    seen: tuple[bool, bool]
    sure: bool


@record
class SharedPairs:
    """Pairs of topics that both views place: how many are near twins in both, in the first alone, in the second alone, and
    how many of the last two beyond doubt; the closest near twins; and some others' similarities (pair × view)."""

    both: int
    first: int
    second: int
    sure: int
    twins: tuple[SeenTwins, ...]
    others: Floats


@record
class ViewComparison:
    """Two verdicts, and what lies under them, topics being the same where their names are.

    `topics` can be placed in both views, and `pairs` are of these alone; `elsewhere` counts the near twins of each view that
    hold another topic. `samples` are the first `m` topics of either's HITS path, of which `by_chance` would be common to
    random ones.
    """

    verdicts: tuple[Verdict, Verdict]
    topics: tuple[str, ...]
    pairs: SharedPairs
    elsewhere: tuple[int, int]
    m: int
    samples: tuple[tuple[str, ...], tuple[str, ...]]
    by_chance: float

    @property
    def selected_by_both(self) -> tuple[str, ...]:
        """The topics in both samples, in the order of the first."""
        return tuple(name for name in self.samples[0] if name in set(self.samples[1]))

    def sentence(self, first: str, second: str) -> str:
        """The comparison in words; `first` and `second` name the views."""
        names = first, second
        without = [name for name, each in zip(names, self.verdicts, strict=True) if each.level == "meaningless"]
        if without:
            which = f"With {without[0]}" if len(without) == 1 else "With either"
            return f"{which} the topics cannot be told from random groups: there are no near twins to compare."
        one, two = (each.sentence.partition(":")[0].lower() for each in self.verdicts)
        answers = f'Both answer "{one}"' if one == two else f'With {first} the answer is "{one}", with {second} "{two}"'
        if len(self.topics) < 2:
            return f"{answers}; fewer than two topics have the same name, so pairs and samples cannot be compared."
        return f"{answers}; {self._pairs(*names)}. {self._samples()}"

    def _pairs(self, first: str, second: str) -> str:
        pairs = self.pairs
        alone = pairs.first + pairs.second
        if not pairs.both + alone:
            return f"neither sees near twins among the {len(self.topics)} topics that both place"
        if not alone:
            return f"both see the same near-twin pairs ({pairs.both:,})"
        sure = {0: "none", alone: "all"}.get(pairs.sure, f"{pairs.sure:,}")
        doubt = f"for {sure} of the {alone:,} seen with one alone the difference is beyond doubt"
        if alone == 1:
            doubt = f"that it is seen with one alone is {'' if pairs.sure else 'not '}beyond doubt"
        return (
            f"near-twin pairs seen with both: {pairs.both:,}, with {first} alone: {pairs.first:,}, with {second} alone: "
            f"{pairs.second:,}; {doubt}"
        )

    def _samples(self) -> str:
        common = len(self.selected_by_both)
        if common == self.m:
            return f"The {self.m} topics that HITS keeps first are the same."
        return f"Of the {self.m} topics that HITS keeps first, {common} are the same; of random ones {self.by_chance:.1f} would be."


def topic_view(
    vectors: NDArray[np.floating], topic_codes: Ints, names: tuple[str, ...], *, similarity: str
) -> TopicView:
    """Everything that a verdict needs, from a corpus's vectors."""
    space = topic_space(vectors, topic_codes, names, similarity=similarity)
    documents = vectors, topic_codes, len(names)
    return TopicView(
        space,
        hits_path(space.similarity),
        check_labels(*documents, kind=similarity),
        resample_topics(*documents, kind=similarity),
    )


def compare_views(first: TopicView, second: TopicView, *, k: int) -> ViewComparison:
    """Set two views beside each other; k folds of topics are what the verdicts are on."""
    views = first, second
    verdicts = judge_view(first, k=k), judge_view(second, k=k)
    placed = [
        {name for name, there in zip(view.space.names, view.space.placed, strict=True) if there} for view in views
    ]
    common = tuple(sorted(placed[0] & placed[1]))
    pairs = _shared_pairs(views, verdicts, common)
    m = max(1, min(*(verdict.keep for verdict in verdicts), *(view.path.placed for view in views)))
    sizes = [max(1, view.path.placed) for view in views]
    return ViewComparison(
        verdicts=verdicts,
        topics=common,
        pairs=pairs,
        elsewhere=(
            verdicts[0].twin_pairs - pairs.both - pairs.first,
            verdicts[1].twin_pairs - pairs.both - pairs.second,
        ),
        m=m,
        samples=(_sample(first, m), _sample(second, m)),
        by_chance=len(common) * m * m / (sizes[0] * sizes[1]),
    )


def judge_view(view: TopicView, *, k: int) -> Verdict:
    """The verdict on one view."""
    return judge(view.space, view.path, k=k, labels=view.labels, resampled=view.resampled)


def _sample(view: TopicView, m: int) -> tuple[str, ...]:
    return tuple(view.space.names[topic] for topic in view.path.order[:m])


def _shared_pairs(
    views: tuple[TopicView, TopicView], verdicts: tuple[Verdict, Verdict], common: tuple[str, ...]
) -> SharedPairs:
    """Every pair of topics of both views, looked at in both."""
    first, second = np.triu_indices(len(common), k=1)
    similarity, seen, sure, unsure = [], [], [], []
    for view, verdict in zip(views, verdicts, strict=True):
        position = {name: index for index, name in enumerate(view.space.names)}
        here = np.array([position[name] for name in common], dtype=np.int64)
        pairs = here[first], here[second]
        similarity.append(view.space.similarity[pairs])
        seen.append(similarity[-1] >= verdict.line)
        sure.append(sure_twins(view.space, verdict.line, view.resampled)[pairs])
        unsure.append(_perhaps_past(view, verdict.line)[pairs])
    values = np.stack(similarity, axis=1).reshape(-1, 2)
    agreed = sure[0] & sure[1] | sure[0] & ~unsure[1] | sure[1] & ~unsure[0]
    either = np.flatnonzero(seen[0] | seen[1])
    either = either[np.argsort(-values[either].max(axis=1, initial=-1), kind="stable")][:MOST_TWINS]
    twins = tuple(
        SeenTwins(
            (common[first[pair]], common[second[pair]]),
            (float(values[pair, 0]), float(values[pair, 1])),
            (bool(seen[0][pair]), bool(seen[1][pair])),
            bool(agreed[pair]),
        )
        for pair in either
    )
    rest = np.flatnonzero(~(seen[0] | seen[1]))
    return SharedPairs(
        both=int((seen[0] & seen[1]).sum()),
        first=int((seen[0] & ~seen[1]).sum()),
        second=int((seen[1] & ~seen[0]).sum()),
        sure=int((agreed & (seen[0] ^ seen[1])).sum()),
        twins=twins,
        others=values[rest[:: max(1, -(-len(rest) // MOST_OTHERS))]],
    )


def _perhaps_past(view: TopicView, line: float) -> Bools:
    """Topic × topic: the pairs that may lie past the line by their interval; all of them where none is known."""
    if view.resampled is None or view.resampled.high is None:
        return np.ones_like(view.space.similarity, dtype=bool)
    return np.asarray(~(view.resampled.high < line))
