"""A part of a corpus: some of its rows, topics of some size, the authors who wrote most, texts that stand more than once."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..arrays import Ints, seeded
from ..errors import SettingError
from ..formats import counted
from .corpus import Corpus, present


def take(corpus: Corpus, rows: Ints) -> Corpus:
    """The documents at `rows`, in that order; topics and authors without documents fall away."""
    topic_names, topic_codes = present(corpus.topic_names, corpus.topic_codes[rows])
    author_names = author_codes = None
    if corpus.author_names is not None and corpus.author_codes is not None:
        author_names, author_codes = present(corpus.author_names, corpus.author_codes[rows])
    return replace(
        corpus,
        ids=tuple(corpus.ids[row] for row in rows),
        texts=tuple(corpus.texts[row] for row in rows),
        topic_names=topic_names,
        topic_codes=topic_codes,
        author_names=author_names,
        author_codes=author_codes,
        splits=None if corpus.splits is None else tuple(corpus.splits[row] for row in rows),
        vectors=None if corpus.vectors is None else corpus.vectors[rows],
        merged_topics=tuple(label for label in corpus.merged_topics if label in topic_names),
        merged_authors=tuple(label for label in corpus.merged_authors if label in (author_names or ())),
    )


def filtered(corpus: Corpus, *, at_least: int = 1, at_most: int | None = None, seed: int = 0) -> Corpus:
    """Keep topics with `at_least` documents and draw `at_most` documents from each.

    The draw depends on ids, not on the order of the file.
    """
    if at_least < 1 or (at_most is not None and at_most < 1):
        raise SettingError("The minimum and the cap of documents per topic must be 1 or more.")
    if at_least == 1 and at_most is None:
        return corpus
    selected = []
    by_topic = np.split(np.argsort(corpus.topic_codes, kind="stable"), np.cumsum(corpus.topic_sizes)[:-1])
    for topic, rows in zip(corpus.topic_names, by_topic, strict=True):
        if len(rows) < at_least:
            continue
        if at_most is not None and len(rows) > at_most:
            rows = rows[np.argsort([corpus.ids[row] for row in rows], kind="stable")]
            rows = seeded(seed, topic).choice(rows, at_most, replace=False)
        selected.append(rows)
    if len(selected) < 2:
        fact = f"Only {counted(len(selected), 'topic', 'has', 'have')} {at_least} or more documents"
        raise SettingError(f"{fact}; lower the minimum to keep at least 2.")
    return take(corpus, np.sort(np.concatenate(selected)))


def with_prolific_authors(corpus: Corpus, *, at_least: int = 1, at_most: int | None = None) -> Corpus:
    """Keep the texts of authors with `at_least` texts, and of these of the `at_most` authors with most texts.

    Texts without an author go with the first author that is dropped: no model can use them.
    """
    if at_least < 1 or (at_most is not None and at_most < 2):
        raise SettingError("Authors: at least 1 text each, and at least 2 of them.")
    if corpus.author_codes is None or corpus.author_names is None or (at_least == 1 and at_most is None):
        return corpus
    texts = np.bincount(corpus.author_codes, minlength=len(corpus.author_names)) * corpus.known_authors
    chosen = np.argsort(-texts, kind="stable")[:at_most]  # equal ones by name
    chosen = chosen[texts[chosen] >= at_least]
    if len(chosen) < 2:
        raise SettingError(
            f"Only {counted(len(chosen), 'author', 'has', 'have')} {at_least} or more texts; lower the minimum."
        )
    rows = np.flatnonzero(np.isin(corpus.author_codes, chosen))
    if len(np.unique(corpus.topic_codes[rows])) < 2:
        raise SettingError("The authors that are left write on one topic only; keep more authors.")
    return take(corpus, rows)


def equal_texts(corpus: Corpus) -> list[list[int]]:
    """Rows of every text that stands more than once, outer white space and blank texts aside; by their ids."""
    copies: dict[str, list[int]] = defaultdict(list)
    for row, text in enumerate(corpus.texts):
        if stripped := text.strip():
            copies[stripped].append(row)
    return [sorted(rows, key=corpus.ids.__getitem__) for rows in copies.values() if len(rows) > 1]


def repeats(corpus: Corpus, groups: Sequence[Sequence[int]]) -> Ints:
    """Rows whose text stands in the same topic already: of each topic's copies the one whose id sorts first is none."""
    found: list[int] = []
    for rows in groups:
        _, originals = np.unique(corpus.topic_codes[list(rows)], return_index=True)
        found += np.delete(rows, originals).tolist()
    return np.array(sorted(found), dtype=np.int64)


def across_topics(corpus: Corpus, groups: Sequence[Sequence[int]]) -> list[list[int]]:
    """The groups of equal texts that stand in two or more topics."""
    return [list(rows) for rows in groups if len(np.unique(corpus.topic_codes[list(rows)])) > 1]
