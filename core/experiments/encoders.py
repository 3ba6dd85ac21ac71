"""Does the choice of encoder matter? What HITS keeps under each, and how alike that is in one common space."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.corpus import Corpus, take
from core.embed import Vectors
from core.errors import SettingError, unknown
from core.evaluate import TASKS, Progress
from core.experiments.similarity import Row, checked_sizes, sampled_leakage
from core.experiments.stability import Outcome, Panel, Race
from core.sampling import TopicPath, hits_path, make_sample, random_path, sampled_documents
from core.setups import RANDOM_SEEDS, Setup
from core.space import TopicSpace, merged_space, topic_space

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, slots=True)
class EncoderComparison:
    """HITS under every encoder at one m.

    `mean[i, j]` and `max[i, j]`: train/test topic similarity of encoder i's selection measured in encoder j's space,
    the last row a random sample's (averaged over seeds). Numbers compare down a column, never across: each space has
    a scale of its own. `jaccard[i, j]`: topics both keep over topics either keeps, `chance` what two random selections
    share; `agreement[i, j]`: Spearman's ρ of the two paths over all topics. `table` has a row an encoder, with the
    similarity in its own space and in that of `reference`.
    """

    m: int
    k: int
    names: tuple[str, ...]
    reference: str
    selected: dict[str, tuple[str, ...]]
    mean: Floats
    max: Floats
    jaccard: Floats
    chance: float
    agreement: Floats
    labels: dict[str, str]
    table: list[Row]
    notes: tuple[str, ...]
    fresh: int


def compare_encoders(
    corpus: Corpus,
    vectors: Mapping[str, Vectors],
    *,
    m: int,
    k: int,
    reference: str | None = None,
    panel: Panel | None = None,
    seed: int = 0,
    random_seeds: Sequence[int] = RANDOM_SEEDS,
    progress: Progress | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> EncoderComparison:
    """Each encoder's own HITS selection: overlap, similarity, ranking stability (HITS §7.3, table 10).

    `vectors` holds the encoders at hand, by the name to show; `reference` is the one whose space all are measured in
    (SBERT where it is among them, else the first). That encoder has the advantage of its home ground.
    """
    names = tuple(vectors)
    if len(names) < 2:
        raise SettingError("One encoder has nothing to be compared with; give vectors of at least two.")
    sbert = next((name for name in names if vectors[name].name == "sbert"), None)
    reference = reference or sbert or names[0]
    if reference not in vectors:
        raise unknown("encoder among the vectors given", reference, names)
    spaces = {name: topic_space(each.matrix, corpus.topic_codes, corpus.topic_names) for name, each in vectors.items()}
    (m,) = checked_sizes([m], len(corpus.topic_names))
    paths = {name: hits_path(space.similarity) for name, space in spaces.items()}
    blind = [random_path(spaces[reference].similarity, seed=draw) for draw in random_seeds]  # looks at no similarity
    mean, maximum = _measured(spaces, [*([path] for path in paths.values()), blind], m=m, k=k, seed=seed)
    jaccard, agreement = _overlap([path.order for path in paths.values()], m)
    outcomes: list[Outcome] = []
    labels: dict[str, str] = {}
    if panel is not None:
        # The models stay the same whatever the encoder under test: those that compare vectors get SBERT's.
        if sbert is not None:
            panel = replace(panel, vectors_key=vectors[sbert].encoder_key)
        elif any(getattr(TASKS[panel.task].get(model), "vectors", False) for model in panel.models):
            raise SettingError(
                "A model that compares SBERT vectors is chosen; give these vectors too, or leave it out."
            )
        race = Race(panel, k=k, seed=seed, folds=min(k, m) * len(names), progress=progress, should_stop=should_stop)
        own = None if sbert is None else vectors[sbert].matrix
        outcomes = [race.outcome(_setup(corpus, own, spaces[name], paths[name], m, name)) for name in names]
        labels = race.labels
    table: list[Row] = []
    home = names.index(reference)
    for place, name in enumerate(names):
        others = [other for other in range(len(names)) if other != place]
        row: Row = {
            "encoder": name,
            "mean, own space": float(mean[place, place]),
            "max, own space": float(maximum[place, place]),
            f"mean, {reference} space": float(mean[place, home]),
            f"max, {reference} space": float(maximum[place, home]),
            "topics shared with others": float(jaccard[place, others].mean()),
            "agreement with other paths": float(agreement[place, others].mean()),
        }
        table.append({**row, **(outcomes[place].labelled(labels) if outcomes else {})})
    if blind:
        table.append(
            {
                "encoder": f"random, mean of {len(blind)}",
                f"mean, {reference} space": float(mean[-1, home]),
                f"max, {reference} space": float(maximum[-1, home]),
            }
        )
    return EncoderComparison(
        m,
        k,
        names,
        reference,
        {name: tuple(corpus.topic_names[topic] for topic in path.order[:m]) for name, path in paths.items()},
        mean,
        maximum,
        jaccard,
        chance_jaccard(m, len(corpus.topic_names)),
        agreement,
        labels,
        table,
        tuple(note for outcome in outcomes for note in outcome.notes),
        sum(outcome.fresh for outcome in outcomes),
    )


def chance_jaccard(m: int, topics: int) -> float:
    """The expected Jaccard index of two random selections of m topics: near 1 when m nears all topics."""
    from scipy.stats import hypergeom

    shared = np.arange(m + 1)
    return float((hypergeom.pmf(shared, topics, m, m) * shared / (2 * m - shared)).sum())


def _measured(
    spaces: Mapping[str, TopicSpace], selections: Sequence[Sequence[TopicPath]], *, m: int, k: int, seed: int
) -> tuple[Floats, Floats]:
    """Selections × spaces; a selection made of several paths counts with their mean."""
    found = np.full((2, len(selections), len(spaces)), np.nan)
    for row, paths in enumerate(selections):
        for column, space in enumerate(spaces.values()):
            leaks = [sampled_leakage(space, path, m=m, k=k, seed=seed) for path in paths]
            if leaks:
                found[0, row, column] = np.mean([leak.average_mean for leak in leaks])
                found[1, row, column] = np.mean([leak.average_max for leak in leaks])
    found.setflags(write=False)
    return found[0], found[1]


def _overlap(orders: Sequence[NDArray[np.int64]], m: int) -> tuple[Floats, Floats]:
    kept = np.zeros((len(orders), len(orders[0])))
    for row, order in enumerate(orders):
        kept[row, order[:m]] = 1.0
    both = kept @ kept.T
    jaccard = both / (2 * m - both)
    # A topic's step on the path is its rank, without ties, so Pearson's formula on steps is Spearman's ρ.
    agreement = np.corrcoef([np.argsort(order) for order in orders])
    for array in (jaccard, agreement):
        array.setflags(write=False)
    return jaccard, agreement


def _setup(
    corpus: Corpus, vectors: NDArray[np.float32] | None, space: TopicSpace, path: TopicPath, m: int, name: str
) -> Setup:
    sample = make_sample(space.similarity, path.order[:m])
    rows, _ = sampled_documents(corpus, sample)
    own = np.zeros((len(rows), 1), dtype=np.float32) if vectors is None else vectors[rows]
    return Setup(name, take(corpus, rows), own, merged_space(space, sample.home))
