"""Does a cross-topic split of this corpus leak? Whether its labels mean anything, near twins, and how often folds part them."""

from typing import Literal

import numpy as np

from ..arrays import Bools, Floats, Ints, record
from ..formats import counted
from .hits import TopicPath
from .pairs import closest_pairs, pair_similarities
from .space import CORRECTED, TopicSpace
from .uncertainty import LabelCheck, Resampled

Level = Literal["clear", "some", "leaks", "meaningless"]

LEAKING_SHARE = 0.25  # of the topics, from which a split leaks and no longer leaks a little
HIGHEST_LINE = 0.95  # random groups of one population have a corrected similarity of 1: all of them lie above
FOUND_CAUTION = (
    "The topics were found in the texts, not given: they lie apart because they were cut so. This is on the groups, and says "
    "little of subjects that people would name."
)
ALL_ALIKE = 0.8  # typical corrected similarity from which no pair can stand out: every topic is like every other
FEW_TOPICS = 3  # of which the line is drawn from the very pairs it judges
UNRELIABLE = 0.5  # share of signal in a centroid below which it is mostly noise


@record
class Verdict:
    """`twins[i]` counts topic i's near twins; `leaking_topics` is the number of test topics that meet one of
    theirs in training, expected over random topic folds; `sure_pairs` and `surely_leaking` are the same of those pairs
    alone that are near twins beyond doubt (`sure_twins`), and a corpus leaks only by these; `keep` is the largest m of HITS without near twins, with its
    95 % interval over resamples of the documents (None where none were drawn) and the documents it keeps. `all_alike`: no pair
    stands out as near twins because the typical pair is already so alike."""

    level: Level
    k: int
    topics: int
    typical: float
    line: float
    twins: Ints
    twin_pairs: int
    leaking_topics: float
    sure_pairs: int
    surely_leaking: float
    keep: int
    keep_interval: tuple[int, int] | None
    keep_documents: int
    documents: int
    labels: LabelCheck | None
    cautions: tuple[str, ...]
    all_alike: bool

    @property
    def sentence(self) -> str:
        """The verdict in words."""
        if self.level == "meaningless":
            return self._no_answer()
        if self.all_alike:
            return (
                f"Perhaps: the {self.topics:,} topics are much alike (median similarity {self.typical:.2f}). No pair stands "
                "out from the others as near twins, and whichever topic is tested, what is in training is much like it."
            )
        places = "In places" if self.surely_leaking >= 1 else "Perhaps"
        answer = {"leaks": "Yes", "some": places, "clear": "Hardly"}[self.level]
        least, most, doubt = _about(self.surely_leaking), _about(self.leaking_topics), ""
        count = most if least == most else f"{least} to {most}"
        if not self.twin_pairs:
            count = "none"
        if self.sure_pairs < self.twin_pairs == 1:
            doubt = ": the one pair past the line is no near twin beyond doubt"
        elif self.sure_pairs < self.twin_pairs:
            are = "is a near twin" if self.sure_pairs == 1 else "are near twins"
            doubt = f": {self.sure_pairs:,} of {self.twin_pairs:,} pairs past the line {are} beyond doubt"
        return (
            f"{answer}: dealt into {min(self.k, self.topics):,} folds at random, {count} of the {self.topics:,} topics will, "
            f"on average, be tested while a near twin is in training{doubt}."
        )

    def _no_answer(self) -> str:
        if self.labels is None or not np.isfinite(self.typical):
            # Of topics of one document each, plain similarity could not be held against shuffled labels either.
            plain = "" if self.labels is not None and not self.labels.checked else ", or look at plain similarity"
            return (
                f"No two topics can be compared: fewer than two of the {self.topics:,} have documents enough, and enough in "
                f"common, to be placed. Give topics more documents{plain}."
            )
        low, high = self.labels.shuffled.min(), self.labels.shuffled.max()
        of = f" of {self.labels.compared:,} of them" if self.labels.compared < self.topics else ""
        return (
            f"The labels do not separate these texts: the {self.topics:,} topics are as alike (median similarity{of} "
            f"{self.labels.median:.2f}) as groups drawn at random ({low:.2f} to {high:.2f}). Every split of them is a "
            "random split, and HITS has nothing to choose."
        )


def _about(count: float) -> str:
    """An expected count: tenths of a topic say nothing where there are a hundred."""
    return f"{count:,.0f}" if count >= 100 else f"{count:,.1f}"


def twin_line(similarity: Floats, *, kind: str = CORRECTED) -> float:
    """min((1 + median pair similarity) / 2, 0.95): from there on, two topics are nearer to being one than to being a
    typical pair.

    Half-way, because similarity itself has no fixed scale: it depends on the encoder and on the genre; and never above
    0.95, where random groups of one population lie. Plain similarity has no such point, and its line no such bound.
    """
    return _line(_typical(pair_similarities(similarity)), kind)


def _typical(pairs: Floats) -> float:
    return float(np.median(pairs)) if len(pairs) else float("nan")


def _line(typical: float, kind: str) -> float:
    half_way = 1.0 if np.isnan(typical) else (1.0 + typical) / 2.0
    return min(half_way, HIGHEST_LINE) if kind == CORRECTED else half_way


def largest_without_twins(path: TopicPath, line: float) -> int:
    """The largest m whose topics hold no pair as similar as the line; the maximum never falls along the path."""
    return 1 + int((path.max[1 : path.placed] < line).sum())


def judge(
    space: TopicSpace,
    path: TopicPath,
    *,
    k: int,
    line: float | None = None,
    labels: LabelCheck | None = None,
    resampled: Resampled | None = None,
    found: bool = False,
) -> Verdict:
    """The verdict on k-fold cross-validation over all topics; whether the labels mean anything comes before all else.

    `found`: the topics were found in the texts, not given with them.
    """
    typical = _typical(pair_similarities(space.similarity))
    line = _line(typical, space.kind) if line is None else line
    twins, sure = (alike.sum(axis=1) for alike in (_twins(space, line), sure_twins(space, line, resampled)))
    leaking, surely = (expected_leaking_topics(each, k=k) for each in (twins, sure))
    level: Level = "clear" if leaking < 1 else "leaks" if surely / len(twins) >= LEAKING_SHARE else "some"
    much_alike = space.kind == CORRECTED and typical >= ALL_ALIKE
    all_alike = level == "clear" and much_alike
    level = "some" if all_alike else level
    if np.isnan(typical) or (labels is not None and not labels.meaningful):
        level = "meaningless"
    keep = largest_without_twins(path, line)
    kept = int(space.sizes[path.order[:keep]].sum())
    return Verdict(
        level=level,
        k=k,
        topics=len(space),
        typical=typical,
        line=line,
        twins=twins,
        twin_pairs=int(twins.sum()) // 2,
        leaking_topics=leaking,
        sure_pairs=int(sure.sum()) // 2,
        surely_leaking=surely,
        keep=keep,
        keep_interval=None if resampled is None else keep_interval(resampled, kind=space.kind),
        keep_documents=kept,
        documents=int(space.sizes.sum()),
        labels=labels,
        cautions=(
            *((FOUND_CAUTION,) if found else ()),
            *_cautions(space, kept, level, labels, typical if much_alike and not all_alike else None),
        ),
        all_alike=all_alike,
    )


def keep_interval(resampled: Resampled, *, kind: str = CORRECTED) -> tuple[int, int]:
    """Where the largest m without near twins lies in 95 % of the resamples, each with a line of its own."""
    lines = (1.0 + resampled.medians) / 2.0
    lines = np.minimum(lines, HIGHEST_LINE) if kind == CORRECTED else lines
    steps = np.arange(1, resampled.paths_max.shape[1])
    clear = (resampled.paths_max[:, 1:] < lines[:, None]) & (steps < resampled.placed[:, None])
    keeps = 1 + clear.sum(axis=1)
    low, high = np.quantile(keeps, [0.025, 0.975])
    return int(np.floor(low)), int(np.ceil(high))


def sure_twins(space: TopicSpace, line: float, resampled: Resampled | None = None) -> Bools:
    """Topic × topic: the pairs at or past the line of which their documents leave no doubt.

    Both centroids are more signal than noise, and the lower end of the pair's interval, where it is known, lies at or
    past the line as well. Of few documents chance makes many pairs look alike: docs/methods.md, "Near twins and the verdict".
    """
    weak = space.reliability < UNRELIABLE  # unknown is not
    sure = _twins(space, line) & ~weak[:, None] & ~weak[None, :]
    return sure if resampled is None or resampled.low is None else sure & (resampled.low >= line)


def _twins(space: TopicSpace, line: float) -> Bools:
    """Topic × topic: the pairs at or past the line."""
    alike: Bools = space.similarity >= line  # NaN is not
    np.fill_diagonal(alike, False)
    return alike


def near_twins(space: TopicSpace, line: float, *, most: int = 100) -> list[tuple[int, int, float]]:
    """The pairs at or past the line, the closest first."""
    return [pair for pair in closest_pairs(space.similarity, most=most) if pair[2] >= line]


def _cautions(
    space: TopicSpace, kept: int, level: Level, labels: LabelCheck | None, much_alike: float | None
) -> tuple[str, ...]:
    """What must be said with the verdict; nothing of near twins where the labels mean nothing. `much_alike`: the typical
    similarity, where it is so high that labels may be other names of one topic."""
    cautions = [] if labels is None or not labels.caution or level == "meaningless" else [labels.caution]
    if not cautions and level != "meaningless" and much_alike is not None:
        cautions.append(
            f"The typical pair is much alike (similarity {much_alike:.2f}): some labels may be one topic under several names."
        )
    total = int(space.sizes.sum())
    if unplaced := len(space.unplaced):
        documents = counted(int(space.sizes[~space.placed].sum()), "document")
        them = "it" if unplaced == 1 else "them"
        cautions.append(f"{unplaced} of {len(space)} topics ({documents}) cannot be placed; nothing is said of {them}.")
    if weak := int((space.reliability[space.placed] < UNRELIABLE).sum()):
        by_chance = "" if level == "meaningless" else ", and with them near twins are found and missed by chance"
        what, whose = (
            ("centroid", "is more noise than signal: its")
            if weak == 1
            else ("centroids", "are more noise than signal: their")
        )
        cautions.append(
            f"The {what} of {weak:,} of the {int(space.placed.sum()):,} topics {whose} documents are few or have little in common{by_chance}."
        )
    if level != "meaningless" and space.placed.sum() <= FEW_TOPICS:
        cautions.append("Of so few topics, the near-twin line is drawn from the very pairs that it judges.")
    if kept < total / 2 and level != "meaningless":
        cautions.append(
            f"Keeping topics without near twins would leave {kept:,} of {total:,} documents, less than half."
        )
    return tuple(cautions)


def expected_leaking_topics(twins: Ints, *, k: int) -> float:
    """Expected number of topics with a twin on the training side, over all ways to deal topics into k folds.

    A topic with w twins is safe only when all w share its fold of f topics, which happens with probability
    C(n − 1 − w, f − 1 − w) / C(n − 1, f − 1); folds of both sizes count by the topics they hold.
    """
    count = len(twins)
    k = min(k, count)
    small, larger = divmod(count, k)
    expected = 0.0
    for size, folds in ((small, k - larger), (small + 1, larger)):
        if folds:
            # The quotient as a product of w fractions: of a thousand topics the coefficients themselves pass every number.
            earlier = np.arange(size - 1)
            safe = np.concatenate([[1.0], np.cumprod((size - 1 - earlier) / (count - 1 - earlier)), [0.0]])
            expected += float((1.0 - safe[np.minimum(twins, size)]).sum()) * size * folds / count
    return expected
