"""Training sides that differ in one thing only: whether the nearest topics of the test topic are in them."""

import numpy as np

from ..arrays import Floats, Ints, record, seeded
from ..corpora import Corpus
from ..errors import SettingError
from ..topics import TopicSpace
from .folds import Fold, Folds, order_by_id

FEWEST = 2  # documents that must change places: with one the twin is hardly there


@record
class Swaps:
    """A fold a test topic (`topics`), trained on all topics but its `twins`, its nearest; and for every draw the same
    folds, in which documents of the twins take the places of stand-ins by the same authors from the less similar half.

    `swapped` counts these documents, a row a topic and a column a draw; `similarity` is that of the test topic and its
    nearest. `unmatched`: topics that could not be tested so, each with the reason.
    """

    topics: Ints
    twins: tuple[Ints, ...]
    similarity: Floats
    swapped: Ints
    without: Folds
    with_twin: tuple[Folds, ...]
    unmatched: tuple[tuple[int, str], ...]


def make_swaps(corpus: Corpus, space: TopicSpace, *, draws: int = 3, nearest: int = 1, seed: int = 0) -> Swaps:
    """For every topic its `nearest` most similar ones swapped in for strangers, `draws` times.

    Both training sides hold equally many documents, and equally many of every author: what an author's texts in the twins
    have no counterpart for, among the strangers, stays out, and so the other way round. The draws hang on ids, not on the
    order of the file.
    """
    if corpus.author_codes is None or corpus.author_names is None:
        raise SettingError(
            "The corpus names no authors, and stand-ins are drawn author by author; choose an author column."
        )
    if draws < 1 or nearest < 1:
        raise SettingError(f"{draws} draws of the nearest {nearest}; both must be 1 or more.")
    order = order_by_id(corpus)
    made, unmatched = [], []
    for topic, name in enumerate(space.names):
        twins, strangers = _sides(space, topic, nearest)
        if not len(strangers):
            unmatched.append((topic, _too_few(space, topic, nearest)))
            continue
        pool = _by_author(corpus, order, twins), _by_author(corpus, order, strangers)
        drawn = [_draw(*pool, corpus.topic_codes, seeded(seed, f"{name}\0{draw}")) for draw in range(draws)]
        if len(drawn[0][0]) < FEWEST:
            unmatched.append(
                (topic, "fewer than two documents of its nearest topic have a stand-in by the same author")
            )
            continue
        made.append((topic, twins, drawn))
    if not made:
        raise SettingError(
            f"No topic can be tested with and without its twin: {unmatched[0][1]} ('{space.names[unmatched[0][0]]}', and "
            f"{len(unmatched) - 1} more). Swaps need authors who write in several topics; keep only those, or merge author "
            "names that mean one person."
        )
    return Swaps(
        topics=np.array([topic for topic, _, _ in made], dtype=np.int64),
        twins=tuple(twins for _, twins, _ in made),
        similarity=np.array([space.similarity[topic, twins[0]] for topic, twins, _ in made]),
        swapped=np.array([[len(joining) for joining, _ in drawn] for _, _, drawn in made], dtype=np.int64),
        without=_folds(corpus, [(topic, twins, None) for topic, twins, _ in made]),
        with_twin=tuple(
            _folds(corpus, [(topic, twins, drawn[draw]) for topic, twins, drawn in made]) for draw in range(draws)
        ),
        unmatched=tuple(unmatched),
    )


def _sides(space: TopicSpace, topic: int, nearest: int) -> tuple[Ints, Ints]:
    """The topic's nearest, most similar first, and the less similar half of the others; nothing for one not placed."""
    similarity = space.similarity[topic]
    others = np.array([code for code in np.flatnonzero(~np.isnan(similarity)) if code != topic], dtype=np.int64)
    order = others[np.argsort(-similarity[others], kind="stable")]
    rest = order[nearest:]
    return order[:nearest], rest[len(rest) - len(rest) // 2 :]


def _too_few(space: TopicSpace, topic: int, nearest: int) -> str:
    if not space.placed[topic]:
        return "it cannot be placed among the others"
    return f"too few topics are left for stand-ins when its nearest {nearest} are set apart"


def _by_author(corpus: Corpus, order: Ints, topics: Ints) -> dict[int, Ints]:
    """Rows of these topics by known authors, in the order given."""
    assert corpus.author_codes is not None
    rows = order[np.isin(corpus.topic_codes[order], topics)]
    authors = corpus.author_codes[rows]
    return {int(author): rows[authors == author] for author in np.unique(authors) if corpus.known_authors[author]}


def _draw(
    twins: dict[int, Ints], strangers: dict[int, Ints], topics: Ints, rng: np.random.Generator
) -> tuple[Ints, Ints]:
    """Documents of the twins and their stand-ins: of every author as many as both have.

    The twins are few topics, and an author seen on many is learned better than one seen on few, whatever the topics: so
    stand-ins are taken from as few strangers as will do, in an order drawn by lot.
    """
    place = rng.permutation(topics.max() + 1)
    joining, leaving = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
    for author in sorted(twins.keys() & strangers.keys()):
        count = min(len(twins[author]), len(strangers[author]))
        joining.append(rng.choice(twins[author], count, replace=False))
        shuffled = rng.permutation(strangers[author])
        leaving.append(shuffled[np.argsort(place[topics[shuffled]], kind="stable")][:count])
    return np.concatenate(joining), np.concatenate(leaving)


def _folds(corpus: Corpus, sides: list[tuple[int, Ints, tuple[Ints, Ints] | None]]) -> Folds:
    folds = []
    for topic, twins, exchange in sides:
        trained = ~np.isin(corpus.topic_codes, [topic, *twins])
        if exchange is not None:
            trained[exchange[0]], trained[exchange[1]] = True, False
        train, test = np.flatnonzero(trained), np.flatnonzero(corpus.topic_codes == topic)
        folds.append(Fold(train, test, np.unique(corpus.topic_codes[train]), np.array([topic], dtype=np.int64)))
    return Folds("swap", corpus.topic_names, tuple(folds))
