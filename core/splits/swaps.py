"""Training sides that differ in one thing only: whether the nearest topics of the test topic are in them."""

import numpy as np

from ..arrays import Floats, Ints, record, seeded
from ..corpora import Corpus
from ..errors import SettingError
from ..topics import TopicSpace
from .folds import Fold, Folds, order_by_id

FEWEST = 2  # documents that must change places: with one the twin is hardly there
LEAST_TOPICS = 3  # beside those swapped: the one tested, and two of which the less similar gives stand-ins


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


def make_swaps(
    corpus: Corpus, space: TopicSpace, *, draws: int = 3, nearest: int = 1, seed: int = 0, most: int | None = None
) -> Swaps:
    """For every topic its `nearest` most similar ones swapped in for strangers, `draws` times; of more than `most` topics
    that can be tested so many, by lot.

    Both training sides hold equally many documents, and equally many of every author: what an author's texts in the twins
    have no counterpart for, among the strangers, stays out, and so the other way round. The draws hang on ids, not on the
    order of the file.
    """
    if draws < 1 or nearest < 1 or (most is not None and most < 1):
        raise SettingError(f"{draws} draws of the nearest {nearest}; both must be 1 or more, and so the topics tested.")
    _check_authors(corpus)
    order = order_by_id(corpus)
    made, unmatched = [], list[tuple[int, str]]()
    for topic in range(len(space)):
        twins, strangers = _sides(space, topic, nearest)
        if not len(strangers):
            unmatched.append((topic, _too_few(space, topic, nearest)))
            continue
        matched = _matched(*(_by_author(corpus, order, side) for side in (twins, strangers)))
        if matched < FEWEST:
            unmatched.append((topic, _unmatched(corpus, twins, matched)))
            continue
        made.append((topic, twins, strangers))
    if not made:
        raise SettingError(_none_can_be_tested(space, unmatched, nearest))
    if most is not None and len(made) > most:
        rank = seeded(seed, "topics tested").permutation(len(space))  # of all topics: every dose tests the same ones
        made = sorted(sorted(made, key=lambda each: rank[each[0]])[:most], key=lambda each: each[0])
    drawn = []
    for topic, twins, strangers in made:
        of_twins, of_strangers = (_by_author(corpus, order, side) for side in (twins, strangers))
        lots = (seeded(seed, f"{space.names[topic]}\0{draw}") for draw in range(draws))
        drawn.append((topic, twins, [_draw(of_twins, of_strangers, corpus.topic_codes, lot) for lot in lots]))
    return _swaps(corpus, space, drawn, tuple(unmatched))


def _swaps(
    corpus: Corpus,
    space: TopicSpace,
    drawn: list[tuple[int, Ints, list[tuple[Ints, Ints]]]],
    unmatched: tuple[tuple[int, str], ...],
) -> Swaps:
    return Swaps(
        topics=np.array([topic for topic, _, _ in drawn], dtype=np.int64),
        twins=tuple(twins for _, twins, _ in drawn),
        similarity=np.array([space.similarity[topic, twins[0]] for topic, twins, _ in drawn]),
        swapped=np.array([[len(joining) for joining, _ in draws] for _, _, draws in drawn], dtype=np.int64),
        without=_folds(corpus, [(topic, twins, None) for topic, twins, _ in drawn]),
        with_twin=tuple(
            _folds(corpus, [(topic, twins, draws[draw]) for topic, twins, draws in drawn])
            for draw in range(len(drawn[0][2]))
        ),
        unmatched=unmatched,
    )


def _check_authors(corpus: Corpus) -> None:
    """Refuse a corpus in which nothing can be matched, with what would help."""
    if corpus.author_codes is None or corpus.author_names is None:
        raise SettingError(
            "The corpus names no authors, and stand-ins are drawn author by author; choose an author column."
        )
    known = corpus.known_authors[corpus.author_codes]
    authors, topics = corpus.author_codes[known], corpus.topic_codes[known]
    texts = np.unique(authors, return_counts=True)[1]
    if not len(texts):
        raise SettingError(
            "No text names its author, and stand-ins are drawn author by author; choose an author column."
        )
    if len(texts) < 2:
        raise SettingError(
            "All texts with a known author are by one, so there is nobody to tell apart, with a twin or without; add texts "
            "of other authors, or choose another author column."
        )
    written_in = np.unique(np.unique(np.stack([authors, topics]), axis=1)[0], return_counts=True)[1]
    if written_in.max() > 1:
        return
    if texts.max() == 1:
        raise SettingError(
            f"Each of {len(texts):,} authors wrote one text, so nobody can stand in for anybody and nothing can be matched; merge "
            "author names that mean one person, or choose a column of those who wrote more."
        )
    raise SettingError(
        f"None of {len(texts):,} authors writes on two topics, so what would stand in for a twin is always by others and nothing "
        "can be matched; add texts of these authors on other topics, or merge author names that mean one person."
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
    apart = "its nearest is" if nearest == 1 else f"its nearest {nearest} are"
    return f"too few topics are left for stand-ins when {apart} set apart"


def _none_can_be_tested(space: TopicSpace, unmatched: list[tuple[int, str]], nearest: int) -> str:
    """A topic's reason, how many more there are, and what would help."""
    topic, reason = next((each for each in unmatched if space.placed[each[0]]), unmatched[0])
    placed = int(space.placed.sum())
    if placed < LEAST_TOPICS + nearest:
        helps = f"Swapping the nearest {nearest} takes {LEAST_TOPICS + nearest} topics that can be placed, and here are {placed}"
        fewer = f"; swap {placed - LEAST_TOPICS} or fewer" if placed > LEAST_TOPICS else ""
        small = "; give topics two documents or more" if placed < len(space) else ""
        helps += fewer or small or "; add topics"
    else:
        helps = "A twin can be swapped where authors of its texts write on topics far from it too; add such texts, or merge "
        helps += "author names that mean one person"
    return (
        f"No topic can be tested with and without its twin: {reason} ('{space.names[topic]}', and "
        f"{len(unmatched) - 1:,} more). {helps}."
    )


def _unmatched(corpus: Corpus, twins: Ints, matched: int) -> str:
    """Why too few documents can change places."""
    held = int(corpus.topic_sizes[twins].sum())
    one = f"its nearest topic, '{corpus.topic_names[twins[0]]}',"
    name = one if len(twins) == 1 else f"its nearest {len(twins)} topics"
    if held < FEWEST:
        return f"{name} has one document, and a twin needs two: merge it with another, or leave small topics out"
    have = "has" if matched == 1 else "have"
    return (
        f"fewer than two documents of {name} have a stand-in by the same author among the less similar topics "
        f"({matched} of {held} {have})"
    )


def _by_author(corpus: Corpus, order: Ints, topics: Ints) -> dict[int, Ints]:
    """Rows of these topics by known authors, in the order given."""
    assert corpus.author_codes is not None
    rows = order[np.isin(corpus.topic_codes[order], topics)]
    rows = rows[corpus.known_authors[corpus.author_codes[rows]]]
    rows = rows[np.argsort(corpus.author_codes[rows], kind="stable")]
    authors, starts = np.unique(corpus.author_codes[rows], return_index=True)
    return dict(zip(authors.tolist(), np.split(rows, starts[1:]), strict=True)) if len(rows) else {}


def _matched(twins: dict[int, Ints], strangers: dict[int, Ints]) -> int:
    """How many documents of the twins have a stand-in by the same author."""
    return sum(min(len(twins[author]), len(strangers[author])) for author in twins.keys() & strangers.keys())


def _draw(
    twins: dict[int, Ints], strangers: dict[int, Ints], topics: Ints, rng: np.random.Generator
) -> tuple[Ints, Ints]:
    """Documents of the twins and their stand-ins: of every author as many as both have.

    The twins are few topics, and an author seen on many is learned better than one seen on few, whatever the topics: so
    stand-ins are taken from as few strangers as will do, in an order drawn by lot.
    """
    rank = rng.permutation(topics.max() + 1)
    joining, leaving = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
    for author in sorted(twins.keys() & strangers.keys()):
        count = min(len(twins[author]), len(strangers[author]))
        joining.append(rng.choice(twins[author], count, replace=False))
        shuffled = rng.permutation(strangers[author])
        leaving.append(shuffled[np.argsort(rank[topics[shuffled]], kind="stable")][:count])
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
