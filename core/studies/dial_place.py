"""Where does a corpus lie among made ones? Both dials estimated from its words and its authors, and what is to be expected."""

from math import nan
from typing import Any

import numpy as np

from ..arrays import Bools, Floats, Ints, Singles, known_mean, record, seeded
from ..corpora import Corpus
from ..formats import percent
from ..progress import Progress
from ..topics import CORRECTED, check_labels, topic_space
from ..vectors import Vectors, embed, make_encoder
from .dial_grid import DialGrid, DialRow

SISTERS = 4  # topics a family of the made corpora
FEWEST_TOPICS = 6
SPLITS = 4  # ways to halve the documents
RESAMPLES = 1_000
# In made corpora, how far the nearest topic stands out from strangers (`excess`), by the dial: recomputed by a test.
DIAL = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
EXCESS = (0.0, 0.08, 0.23, 0.455, 0.74, 1.0)
NOT_MEANT = "Nothing can be placed: the labels do not separate these texts, so that no topic has a sister and no author a family."


@record
class DialPlace:
    """Both dials of a corpus as far as they can be told: `shared` from how far a topic's nearest stands out from strangers,
    `loyal` from how often two texts of a topic, or of alike topics, are by one author; each with a 95 % interval over topics.

    `to_topic` and `to_nearest` are loyalty to the topic alone and to its nearest: far apart, authors keep to topics and not
    to families. NaN, with a `problem`, where nothing can be placed.
    """

    shared: float = nan
    shared_interval: tuple[float, float] = (nan, nan)
    loyal: float = nan
    loyal_interval: tuple[float, float] = (nan, nan)
    to_topic: float = nan
    to_nearest: float = nan
    topics: int = 0
    problem: str = ""


def place_on_dial(
    corpus: Corpus, *, vectors: Vectors | None = None, seed: int = 0, progress: Progress | None = None
) -> DialPlace:
    """The dials of a corpus. Words decide, so its similarity is by LSA, as on the made corpora (`vectors`, if at hand).

    The nearest topic is chosen on one half of every topic's documents and measured on the other: chosen and measured on the
    same, the nearest of many strangers would look like a sister.
    """
    if corpus.author_codes is None or corpus.known_authors.sum() < 2:
        return DialPlace(
            problem="Nothing can be placed: fewer than two authors are named, and how far they keep to topics is half of it."
        )
    if len(corpus.topic_names) < FEWEST_TOPICS:
        fact = f"{len(corpus.topic_names)} topics"
        return DialPlace(
            problem=f"Nothing can be placed: {fact}, and who is a sister and who a stranger takes {FEWEST_TOPICS}."
        )
    found = embed(corpus, make_encoder("lsa"), progress=progress) if vectors is None else vectors
    matrix, topics = found.matrix, len(corpus.topic_names)
    if not check_labels(matrix, corpus.topic_codes, topics, kind=CORRECTED, seed=seed).meaningful:
        return DialPlace(problem=NOT_MEANT)
    excess, nearest = _excess(corpus, matrix, seed)
    together = _together(corpus, nearest)
    usable = ~np.isnan(excess) & ~np.isnan(together).any(axis=1)
    if usable.sum() < FEWEST_TOPICS:
        return DialPlace(
            problem=f"Nothing can be placed: only {usable.sum()} topics have documents enough to be halved (four or more, by named authors)."
        )
    return _summed_up(excess[usable], together[usable], _by_chance(corpus), _most(corpus), seed)


def _summed_up(excess: Floats, together: Floats, chance: float, most: float, seed: int) -> DialPlace:
    rng = np.random.default_rng(seed)
    draws = rng.integers(0, len(excess), (RESAMPLES, len(excess)))

    def dials(rows: Ints | slice) -> Floats:
        shared = np.interp(excess[rows].mean(axis=-1), EXCESS, DIAL)
        own, near = np.moveaxis(together[rows].mean(axis=-2), -1, 0)
        return np.array(
            [shared, *(_loyalty(each, chance, most) for each in ((1 - shared) * own + shared * near, own, near))]
        )

    shared, loyal, to_topic, to_nearest = dials(slice(None))
    ends = np.quantile(dials(draws)[:2], (0.025, 0.975), axis=1)
    intervals = [(float(low), float(high)) for low, high in ends.T]
    return DialPlace(
        float(shared), intervals[0], float(loyal), intervals[1], float(to_topic), float(to_nearest), len(excess)
    )


def _loyalty(together: Floats, chance: float, most: float) -> Floats:
    """ρ of P(one author) = chance + ρ²·(most − chance): both texts must be by those at home."""
    return np.sqrt(np.clip((together - chance) / max(most - chance, 1e-9), 0, 1))


def _excess(corpus: Corpus, vectors: Singles, seed: int) -> tuple[Floats, list[Ints]]:
    """Of every topic, how far its nearest stands out: 0 like a stranger, 1 like itself; and its nearest in every split."""
    found, chosen = [], []
    for split in range(SPLITS):
        first = _half(corpus, seeded(seed, f"half {split}"))
        sides = [
            topic_space(vectors[rows], corpus.topic_codes[rows], corpus.topic_names).similarity
            for rows in (first, ~first)
        ]
        for choosing, measuring in (sides, sides[::-1]):
            others = np.where(np.isnan(choosing) | np.eye(len(choosing), dtype=np.bool_), -np.inf, choosing)
            nearest = others.argmax(axis=1)
            strangers = np.nanmedian(measuring[~np.eye(len(measuring), dtype=np.bool_)])
            likeness = measuring[np.arange(len(nearest)), nearest]
            found.append((likeness - strangers) / max(1 - float(strangers), 1e-9))
            chosen.append(nearest)
    return known_mean(np.array(found), axis=0), chosen


def _half(corpus: Corpus, rng: np.random.Generator) -> Bools:
    """Half of every topic's documents, by lot."""
    order = rng.permutation(len(corpus))
    order = order[np.argsort(corpus.topic_codes[order], kind="stable")]
    starts = np.cumsum(corpus.topic_sizes) - corpus.topic_sizes
    index = np.empty(len(corpus), dtype=np.int64)
    index[order] = np.arange(len(corpus)) - np.repeat(starts, corpus.topic_sizes)
    return np.asarray(index % 2 == 0)


def _counts(corpus: Corpus) -> Any:
    """Documents of every topic (rows) by every known author (columns), sparse: 8,000 authors may have one text each."""
    from scipy.sparse import coo_matrix

    assert corpus.author_codes is not None
    shape = len(corpus.topic_names), len(corpus.known_authors)
    counts = coo_matrix((np.ones(len(corpus)), (corpus.topic_codes, corpus.author_codes)), shape=shape)
    return counts.tocsr()[:, np.flatnonzero(corpus.known_authors)]


def _together(corpus: Corpus, nearest: list[Ints]) -> Floats:
    """Of every topic, how often two of its texts are by one author, and how often one of it and one of its nearest are."""
    counts = _counts(corpus)
    sizes = _row_sums(counts)
    pairs, known = sizes * (sizes - 1), np.where(sizes > 0, sizes, nan)
    own = np.divide(_row_sums(counts.multiply(counts)) - sizes, pairs, out=np.full(len(sizes), nan), where=pairs > 0)
    near = [_row_sums(counts.multiply(counts[each])) / (known * known[each]) for each in nearest]
    return np.stack([own, known_mean(np.array(near), axis=0)], axis=1)


def _row_sums(matrix: Any) -> Floats:
    return np.asarray(matrix.sum(axis=1), dtype=np.float64).ravel()


def _by_chance(corpus: Corpus) -> float:
    """How often two texts of the corpus are by one author, whatever their topics."""
    written = _row_sums(_counts(corpus).T)
    return float((written**2).sum() - written.sum()) / max(float(written.sum() * (written.sum() - 1)), 1.0)


def _most(corpus: Corpus) -> float:
    """The same within a family all of whose texts are by those at home: families of four topics, each with authors of its own."""
    return min(1.0, max(2.0, len(corpus.topic_names) / SISTERS) * _by_chance(corpus))


def expectations(grid: DialGrid, place: DialPlace) -> tuple[DialRow, ...]:
    """What HITS changes against random topics on made corpora at the same place: every model, task and kind of pairs, in
    the metric of the task (accuracy, AUC)."""
    cell = [row for row in grid.rows if row.shared == grid.shared[0] and row.loyal == grid.loyal[0]]
    wanted = [row for row in cell if row.sampler == "hits" and row.metric in ("accuracy", "auc")]
    return tuple(
        grid.expected(place.shared, place.loyal, task=row.task, model=row.model, metric=row.metric, pairs=row.pairs)
        for row in wanted
    )


def place_sentence(place: DialPlace, expected: DialRow | None) -> str:
    """Where the corpus lies, and what made corpora there lead one to expect of TopicFit's attribution."""
    if place.problem:
        return place.problem
    where = (
        f"This corpus lies where sister topics share about {percent(place.shared)} of their words "
        f"({percent(place.shared_interval[0])} to {percent(place.shared_interval[1])}) and authors keep to a family in about "
        f"{percent(place.loyal)} of their texts ({percent(place.loyal_interval[0])} to {percent(place.loyal_interval[1])})."
    )
    if expected is None:
        return where
    points, spread = 100 * expected.change, 100 * expected.change_sd
    if abs(points) <= spread:
        return f"{where} On made corpora there HITS changes TopicFit's {expected.metric} by {points:+.1f} points, no more than one made corpus differs from the next (±{spread:.1f}).".replace(
            "-", "−"
        )
    does = "takes" if points < 0 else "gives"
    return f"{where} On made corpora there HITS {does} TopicFit {abs(points):.1f} points of {expected.metric} (±{spread:.1f} from one made corpus to the next)."


def place_cautions(corpus: Corpus, place: DialPlace, grid: DialGrid) -> tuple[str, ...]:
    """What the comparison with made corpora leaves out."""
    if place.problem:
        return ()
    said = [
        "An orientation and no prediction: made corpora have 32 topics of 30 short texts by 16 authors in equal families; this "
        f"one has {len(corpus.topic_names):,} topics and {int(corpus.known_authors.sum()):,} authors."
    ]
    edges = [
        f"{words} {percent(edge)}"
        for words, dial, edge in (
            ("words shared by", place.shared, float(grid.shared.max())),
            ("keeping to a family by", place.loyal, float(grid.loyal.max())),
        )
        if dial > edge
    ]
    if edges:
        said.append(
            f"It lies beyond the made corpora, which end at {' and '.join(edges)}: what is expected is from their edge."
        )
    if place.shared > 0.2 and place.to_nearest < place.to_topic - 0.2:
        said.append(
            f"Authors here keep to topics ({percent(place.to_topic)}) rather than to families of alike ones ({percent(place.to_nearest)}): "
            "a near twin then holds few texts by the authors tested, and HITS has less to take away than on made corpora."
        )
    return tuple(said)
