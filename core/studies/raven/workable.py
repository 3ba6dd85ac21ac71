"""Which benchmark a corpus allows: how many topics and folds leave every side of every fold something to pair."""

from collections.abc import Sequence

import numpy as np

from ...arrays import Ints
from ...corpora import Corpus, take
from ...splits import PAIRINGS, topic_kfold
from ...topics import RANDOM_SEEDS, SAMPLERS, TopicSpace, random_path

FOLDS = 6
FEWEST_TOPICS = 3


def workable_size(
    corpus: Corpus,
    space: TopicSpace,
    *,
    pairs: str = "matched",
    m: int | None = None,
    k: int | None = None,
    most_folds: int = FOLDS,
    seed: int = 0,
    random_seeds: Sequence[int] = RANDOM_SEEDS,
    sampler: str = "hits",
) -> tuple[int, int] | None:
    """m and k with which a benchmark can be built: half of the topics that have a place, in up to `most_folds` folds;
    in fewer folds, and then of more topics, where some side could not be paired; None where none was found.

    An m or k that is given stays as it is.
    """
    placed = int(space.placed.sum())
    orders = [random_path(space.similarity, seed=drawn).order for drawn in random_seeds]
    for topics in _kept(placed) if m is None else [m]:
        chosen = [SAMPLERS[sampler].selected(space.similarity, topics), *(order[:topics] for order in orders)]
        samples = [take(corpus, np.flatnonzero(np.isin(corpus.topic_codes, each))) for each in chosen]
        for folds in range(most_folds, 1, -1) if k is None else [k]:
            if folds <= topics and all(_pairable(sample, folds, seed, pairs) for sample in samples):
                return topics, folds
    return None


def _kept(placed: int) -> list[int]:
    """Half of the topics that have a place, and a few larger parts up to all of them."""
    half = max(FEWEST_TOPICS, placed // 2)
    return [half + (placed - half) * part // 3 for part in range(4)] if half <= placed else [placed]


def _pairable(sample: Corpus, k: int, seed: int, pairs: str) -> bool:
    folds = topic_kfold(sample, k=k, seed=seed)
    return all(can_pair(sample, side, kind=pairs) for fold in folds for side in (fold.test, fold.train))


def can_pair(corpus: Corpus, rows: Ints, *, kind: str) -> bool:
    """Whether `make_pairs` finds a pair among these texts whatever it draws: two authors, and one of them with two texts.

    Where pairs are matched by topic, somebody else must have written on the topic of any one of an author's three texts
    or more, or of both where there are two: in a ring of two, chance decides which is the second.
    """
    assert corpus.author_codes is not None
    rows = rows[corpus.known_authors[corpus.author_codes[rows]]]
    authors, topics = corpus.author_codes[rows], corpus.topic_codes[rows]
    texts = np.bincount(authors, minlength=1)
    if (texts > 0).sum() < 2 or texts.max() < 2:
        return False
    if not PAIRINGS[kind].by_topic:
        return True
    wrote = np.unique(np.stack([topics, authors]), axis=1)  # who wrote on what, once each
    shared = (np.bincount(wrote[0]) > 1)[topics]  # whether a text's topic has another author
    matched = np.bincount(authors, weights=shared)
    return bool(((texts > 2) & (matched > 0) | (texts == 2) & (matched == 2)).any())
