"""What the tests of pairs share: corpora of authors and topics, and the laws of every draw."""

import numpy as np
from hypothesis import strategies as st

from core.corpora import Corpus, make_corpus


def corpus_of(authors, topics=None, seed: int = 0) -> Corpus:
    """A text an author, ids in random order; without topics the texts have two by turns."""
    ids = [f"d{number}" for number in np.random.default_rng(seed).permutation(len(authors))]
    topics = topics if topics is not None else ["s" if row % 2 else "t" for row in range(len(authors))]
    return make_corpus(["x"] * len(authors), list(topics), authors=list(authors), ids=ids)


def can_pair(authors) -> bool:
    return len(set(authors)) > 1 and max(authors.count(author) for author in authors) > 1


def unordered(pairs) -> list[frozenset]:
    return [frozenset(pair) for pair in zip(pairs.first.tolist(), pairs.second.tolist(), strict=True)]


def by_id(corpus, pairs) -> list[tuple[str, str, bool]]:
    """The pairs in their order, by what a file's order does not change."""
    rows = zip(pairs.first, pairs.second, pairs.same, strict=True)
    return [(corpus.ids[one], corpus.ids[two], bool(same)) for one, two, same in rows]


# Texts as (author, topic); two topics are there whatever is drawn, for a corpus needs them.
written = st.lists(st.tuples(st.sampled_from("abcde"), st.sampled_from("stu")), min_size=3, max_size=24).filter(
    lambda texts: can_pair([author for author, _ in texts]) and len({topic for _, topic in texts}) > 1
)


def check_laws(corpus, pairs, rows) -> None:
    """What holds for pairs of every kind."""
    authors, topics = corpus.author_codes, corpus.topic_codes
    assert set(pairs.rows) <= set(rows)
    assert (pairs.first != pairs.second).all()
    assert (pairs.same == (authors[pairs.first] == authors[pairs.second])).all()
    for codes, name in ((authors, "author"), (topics, "topic")):
        for side in ("first", "second"):
            assert (getattr(pairs, f"{side}_{name}") == codes[getattr(pairs, side)]).all()
    assert len(set(unordered(pairs))) == len(pairs)
    assert not pairs.same.all() and pairs.same.any()
    for kind in (pairs.same, ~pairs.same):
        assert len(set(pairs.first[kind])) == kind.sum(), "a text leads one pair of each kind at most"


def same_author_pairs(authors) -> int:
    """How many there are: as many as texts, but for an author of two texts one and of one text none."""
    return sum(size if size > 2 else size - 1 for size in map(authors.count, set(authors)))
