"""Corpora in memory: texts with topics and authors, parts of a corpus, and texts with several topics each."""

import hashlib
import json
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

import numpy as np

from ..arrays import Bools, Ints, Singles, digest, record, seeded
from ..errors import InputError, SettingError
from ..formats import counted

UNKNOWN_AUTHOR = "(unknown)"  # the label of an empty author cell; not an author
AUTHOR = "author"  # what models predict unless another label is chosen
MOST_NUMBERS = 20  # different numbers that may be classes; more are measurements
LONGEST_TEXT = 1_000_000  # characters; a longer cell is usually a whole file pasted into one
LONGEST_LABEL = 300
MOST_DOCUMENTS = 2_000_000
MOST_TOPICS = 200_000  # for HITS; whatever needs all pairs of topics has a lower limit
_HASHED_AT_ONCE = 4_096  # cells
NO_TOPIC = "(no topic)"  # the topic of every document of a file without topics, until some are found


def one_spelling(labels: Iterable[str]) -> tuple[list[str], tuple[str, ...]]:
    """Return the labels stripped and in Unicode's composed form (NFC), and those that this merged.

    An accented letter can be one character or a letter and a mark. Both look the same, so they are the same label.
    """
    stripped = [label.strip() for label in labels]
    composed = {label: unicodedata.normalize("NFC", label) for label in set(stripped)}
    once: set[str] = set()
    twice: set[str] = set()
    for label in composed.values():
        (twice if label in once else once).add(label)
    return [composed[label] for label in stripped], tuple(sorted(twice))


def coded(labels: Sequence[str]) -> tuple[tuple[str, ...], Ints, tuple[str, ...]]:
    """Return the sorted names, the index of each label in them, and the names that had two spellings."""
    spelt, merged = one_spelling(labels)
    spelt = [label or UNKNOWN_AUTHOR for label in spelt]  # only authors may be empty
    names = tuple(sorted(set(spelt)))
    codes = {label: code for code, label in enumerate(names)}
    return names, np.array([codes[label] for label in spelt], dtype=np.int64), merged


def present(names: tuple[str, ...], codes: Ints) -> tuple[tuple[str, ...], Ints]:
    """Return the names that occur in `codes`, and the codes renumbered for these names."""
    found, recoded = np.unique(codes, return_inverse=True)
    return tuple(names[code] for code in found), recoded.astype(np.int64)


@record
class Corpus:
    """Hold documents in file order; build one with `make_corpus`, never directly."""

    name: str
    ids: tuple[str, ...]
    texts: tuple[str, ...]
    topic_names: tuple[str, ...]  # sorted
    topic_codes: Ints  # of each document: the index of its topic in `topic_names`
    author_names: tuple[str, ...] | None = None  # sorted; None if the file had no authors, nor another label
    author_codes: Ints | None = None
    splits: tuple[str, ...] | None = None  # the file's own train/test labels
    vectors: Singles | None = None  # the file's own vectors
    merged_topics: tuple[str, ...] = ()  # labels that had two spellings which look the same
    merged_authors: tuple[str, ...] = ()
    found: bool = False  # the topics were found in the texts rather than given with them
    predicts: str = AUTHOR  # the column that models predict; its values are in `author_names`
    content_digest: str = field(init=False)  # of the documents, whatever the corpus is called
    fingerprint: str = field(init=False)  # of everything a page can show: every cache in the app is keyed on it

    def __post_init__(self) -> None:
        content = _content_digest(self)
        object.__setattr__(self, "content_digest", content)
        shown = [self.name, content, self.merged_topics, self.merged_authors, *(["found"] if self.found else [])]
        shown += [] if self.predicts == AUTHOR else [f"label {self.predicts}"]
        object.__setattr__(self, "fingerprint", digest(shown)[:32])

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def has_topics(self) -> bool:
        """Tell whether documents have topics, given or found."""
        return self.topic_names != (NO_TOPIC,)

    @property
    def topic_sizes(self) -> Ints:
        """Count the documents of each topic, in the order of `topic_names`."""
        return np.bincount(self.topic_codes, minlength=len(self.topic_names))

    @property
    def topics(self) -> list[str]:
        """Return the topic of each document."""
        return [self.topic_names[code] for code in self.topic_codes]

    @property
    def authors(self) -> list[str] | None:
        """Return the author of each document."""
        if self.author_names is None or self.author_codes is None:
            return None
        return [self.author_names[code] for code in self.author_codes]

    @property
    def has_authors(self) -> bool:
        """Tell whether models predict authors, not another label."""
        return self.author_names is not None and self.predicts == AUTHOR

    @property
    def class_word(self) -> str:
        """Return what one of the values to predict is called."""
        return "author" if self.predicts == AUTHOR else "class"

    @property
    def known_authors(self) -> Bools:
        """Return a mask of the names that are authors: unsigned texts are not texts by one person."""
        return np.array([name != UNKNOWN_AUTHOR for name in self.author_names or ()], dtype=np.bool_)


def make_corpus(
    texts: Sequence[str],
    topics: Sequence[str] | None,
    *,
    authors: Sequence[str] | None = None,
    ids: Sequence[str] | None = None,
    splits: Sequence[str] | None = None,
    vectors: Singles | None = None,
    found: bool = False,
    predicts: str = AUTHOR,
    name: str = "corpus",
) -> Corpus:
    """Check the columns and join them into a Corpus; rows in messages count from 1. Topics may be None, to be found later.

    `authors` are what models predict: authors, or the classes of the label called `predicts`.
    """
    count = len(texts)
    given = topics is not None
    topics = [NO_TOPIC] * count if topics is None else topics
    _check_counts(count, {"topic": topics, "author": authors, "id": ids, "split": splits}, name)
    for row, topic in enumerate(topics, start=1):
        if not topic.strip():
            raise InputError(f"Row {row} has no topic. Fill it in or delete the row.")
    _check_cell_lengths(texts, "text", LONGEST_TEXT, " Split or delete it.")
    _check_cell_lengths(topics, "topic", hint=" Is another column the topic?")
    clean_ids = _checked_ids(ids, count)
    topic_names, topic_codes, merged_topics = coded(topics)
    if given and len(topic_names) < 2:
        raise InputError(f"{name}: every document has the topic '{topic_names[0]}'. Give at least 2 topics.")
    if len(topic_names) > MOST_TOPICS:
        raise InputError(
            f"{name}: {len(topic_names):,} topics; the limit is {MOST_TOPICS:,}. Is another column the topic?"
        )
    if authors is not None:
        _check_cell_lengths(authors, predicts)
    author_names, author_codes, merged_authors = (None, None, ()) if authors is None else coded(authors)
    if author_names is not None and predicts != AUTHOR:
        labelled = sum(bool(each.strip()) for each in authors or ())
        _check_classes([each for each in author_names if each != UNKNOWN_AUTHOR], labelled, predicts, name)
    return Corpus(
        name=name,
        ids=clean_ids,
        texts=tuple(texts),
        topic_names=topic_names,
        topic_codes=topic_codes,
        author_names=author_names,
        author_codes=author_codes,
        splits=None if splits is None else tuple(splits),
        vectors=None if vectors is None else _checked_vectors(vectors, count, name),
        merged_topics=merged_topics,
        merged_authors=merged_authors,
        found=found,
        predicts=predicts,
    )


def _check_classes(classes: Sequence[str], labelled: int, label: str, name: str) -> None:
    """Refuse a label with nothing to tell apart or to learn, and numbers that are measurements."""
    if len(classes) < 2:
        only = f"always '{classes[0][:50]}'" if classes else "empty"
        raise InputError(f"{name}: column '{label}' is {only}, so there is nothing to predict. Choose another column.")
    if len(classes) > MOST_NUMBERS and all(map(is_number, classes)):
        raise InputError(
            f"{name}: column '{label}' has {len(classes):,} different numbers. Group them into at most {MOST_NUMBERS} classes, "
            "such as 'low' and 'high'."
        )
    if len(classes) == labelled > MOST_NUMBERS:
        raise InputError(
            f"{name}: column '{label}' has another value in every row, so no class can be learned. Choose another column."
        )


def is_number(cell: str) -> bool:
    try:
        float(cell.replace(",", "."))
    except ValueError:
        return False
    return True


def _check_counts(count: int, columns: Mapping[str, Sequence[str] | None], name: str) -> None:
    """Refuse an empty or too large corpus, and columns of different lengths."""
    if count == 0:
        raise InputError(f"{name}: the file has no rows below its header. Add one row per document.")
    if count > MOST_DOCUMENTS:
        raise InputError(f"{name}: {count:,} documents; the limit is {MOST_DOCUMENTS:,}. Take a sample first.")
    for what, column in columns.items():
        if column is not None and len(column) != count:
            raise InputError(
                f"{name}: {count:,} texts but {len(column):,} values of '{what}'. Give one value per text."
            )


def with_vectors(corpus: Corpus, vectors: Singles) -> Corpus:
    """Return the same documents with these vectors as their own."""
    return replace(corpus, vectors=_checked_vectors(vectors, len(corpus), corpus.name))


def with_labels(corpus: Corpus, *, topics: Sequence[str] | None = None, authors: Sequence[str] | None = None) -> Corpus:
    """Return the same documents with other topics, authors or both, one label per document."""
    changed: dict[str, Any] = {}
    for what, labels in (("topic", topics), ("author", authors)):
        if labels is not None:
            names, codes, _ = coded(labels)
            merged = tuple(label for label in getattr(corpus, f"merged_{what}s") if label in names)
            changed |= {f"{what}_names": names, f"{what}_codes": codes, f"merged_{what}s": merged}
    return replace(corpus, **changed)


def _check_cell_lengths(cells: Sequence[str], what: str, longest: int = LONGEST_LABEL, hint: str = "") -> None:
    for row, cell in enumerate(cells, start=1):
        if len(cell) > longest:
            raise InputError(f"Row {row}: the {what} has {len(cell):,} characters; the limit is {longest:,}.{hint}")


def _checked_ids(ids: Sequence[str] | None, count: int) -> tuple[str, ...]:
    if ids is None:
        return tuple(str(row) for row in range(1, count + 1))
    _check_cell_lengths(ids, "id")
    seen: dict[str, int] = {}
    for row, identity in enumerate(ids, start=1):
        if not identity.strip():
            raise InputError(f"Row {row} has no id. Fill it in, or choose no id column (--id none) to number the rows.")
        if identity in seen:
            raise InputError(
                f"Rows {seen[identity]} and {row} have the same id, '{identity}'. Rename one, or choose no id column "
                "(--id none) to number the rows."
            )
        seen[identity] = row
    return tuple(ids)


def _checked_vectors(vectors: Singles, count: int, name: str) -> Singles:
    with np.errstate(over="ignore"):
        vectors = np.array(vectors, dtype=np.float32, order="C")  # a copy: ours is frozen, the caller's stays writable
    if vectors.ndim != 2 or len(vectors) != count or vectors.shape[1] == 0:
        raise InputError(
            f"{name}: vectors of shape {vectors.shape} for {count:,} documents. Give one row per document."
        )
    bad = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
    if len(bad):
        raise InputError(
            f"{name}: the vector of document {bad[0] + 1} has a value that is not a finite number. Compute it again."
        )
    return vectors


def _content_digest(corpus: Corpus) -> str:
    """Return a SHA-256 of the columns as JSON and of the arrays, in parts, so that nothing is held twice."""
    content = hashlib.sha256()
    for part in (corpus.ids, corpus.texts, corpus.topic_names, corpus.author_names, corpus.splits):
        if part is None:
            content.update(b"null")
        else:
            content.update(b"[")
            for start in range(0, len(part), _HASHED_AT_ONCE):
                cells = json.dumps(part[start : start + _HASHED_AT_ONCE], ensure_ascii=False)[1:-1]
                content.update(f"{', ' if start else ''}{cells}".encode("utf-8", "surrogatepass"))
            content.update(b"]")
        content.update(b"\0")
    for array in (corpus.topic_codes, corpus.author_codes, corpus.vectors):
        content.update(b"\0" if array is None else memoryview(np.ascontiguousarray(array).reshape(-1).view(np.uint8)))
    return content.hexdigest()[:32]


def take(corpus: Corpus, rows: Ints) -> Corpus:
    """Return the documents at `rows`, in that order, without topics and authors that have none of them."""
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
    """Keep topics with at least `at_least` documents, and a random `at_most` documents of each.

    The sample depends on ids, not on the order of the file.
    """
    if at_least < 1 or (at_most is not None and at_most < 1):
        raise SettingError("Set the minimum and maximum documents per topic to 1 or more.")
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
        raise SettingError(f"{fact}. Lower the minimum to keep at least 2.")
    return take(corpus, np.sort(np.concatenate(selected)))


def with_prolific_authors(corpus: Corpus, *, at_least: int = 1, at_most: int | None = None) -> Corpus:
    """Keep the texts of authors with at least `at_least` texts, of these only the `at_most` with most texts.

    Texts without an author are dropped as soon as any author is: no model can use them.
    """
    if at_least < 1 or (at_most is not None and at_most < 2):
        raise SettingError("Set the minimum texts per author to 1 or more, and the number of authors to 2 or more.")
    if corpus.author_codes is None or corpus.author_names is None or (at_least == 1 and at_most is None):
        return corpus
    texts = np.bincount(corpus.author_codes, minlength=len(corpus.author_names)) * corpus.known_authors
    chosen = np.argsort(-texts, kind="stable")[:at_most]  # equal ones by name
    chosen = chosen[texts[chosen] >= at_least]
    if len(chosen) < 2:
        raise SettingError(
            f"Only {counted(len(chosen), 'author', 'has', 'have')} {at_least} or more texts. Lower the minimum."
        )
    rows = np.flatnonzero(np.isin(corpus.author_codes, chosen))
    if len(np.unique(corpus.topic_codes[rows])) < 2:
        raise SettingError("The remaining authors write on one topic only. Keep more authors.")
    return take(corpus, rows)


def equal_texts(corpus: Corpus) -> list[list[int]]:
    """Return the rows of every text that occurs more than once, ignoring outer white space and blank texts; sorted by id."""
    copies: dict[str, list[int]] = defaultdict(list)
    for row, text in enumerate(corpus.texts):
        if stripped := text.strip():
            copies[stripped].append(row)
    return [sorted(rows, key=corpus.ids.__getitem__) for rows in copies.values() if len(rows) > 1]


def repeats(corpus: Corpus, groups: Sequence[Sequence[int]]) -> Ints:
    """Return the rows that repeat a text of their topic; the copy whose id sorts first is not a repeat."""
    found: list[int] = []
    for rows in groups:
        _, originals = np.unique(corpus.topic_codes[list(rows)], return_index=True)
        found += np.delete(rows, originals).tolist()
    return np.array(sorted(found), dtype=np.int64)


def across_topics(corpus: Corpus, groups: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return the groups of equal texts that occur in two or more topics."""
    return [list(rows) for rows in groups if len(np.unique(corpus.topic_codes[list(rows)])) > 1]


_SIDES = {"train": True, "training": True, "test": False, "testing": False}


@record
class LabelledCorpus:
    """Hold documents with several topics each and a fixed split into training and test."""

    name: str
    texts: tuple[str, ...]
    categories: tuple[str, ...]  # topics of the training documents, sorted: no other can be learned
    labels: Bools  # documents × categories
    training: Bools  # of each document
    notes: tuple[str, ...]


def make_labelled(
    texts: Sequence[str], topics: Sequence[Sequence[str]], split: Sequence[str], *, name: str = "corpus"
) -> LabelledCorpus:
    """Check these columns and join them; rows in messages count from 1."""
    if not len(texts) == len(topics) == len(split):
        raise InputError(
            f"{name}: {len(texts):,} texts, {len(topics):,} lists of topics, {len(split):,} splits. Give one per text."
        )
    for row, value in enumerate(split, start=1):
        if str(value).strip().lower() not in _SIDES:
            raise InputError(f"{name}: row {row} has the split '{str(value)[:50]}'. Write train or test.")
    training = np.array([_SIDES[str(value).strip().lower()] for value in split], dtype=np.bool_)
    if not training.any() or training.all():
        side = "training" if not training.any() else "test"
        raise InputError(
            f"{name}: there are no {side} documents. Write train or test in the split column of every row."
        )
    spelt, merged = one_spelling(topic for names in topics for topic in names)
    following = iter(spelt)
    topics = [[next(following) for _ in names] for names in topics]
    known = sorted({topic for names, train in zip(topics, training, strict=True) if train for topic in names})
    if not known:
        raise InputError(f"{name}: no training document has a topic. Check which column holds the topics.")
    columns = {topic: column for column, topic in enumerate(known)}
    labels = np.zeros((len(texts), len(known)), dtype=np.bool_)
    unlearned: dict[str, int] = {}
    for row, names in enumerate(topics):
        for topic in names:
            if topic in columns:
                labels[row, columns[topic]] = True
            else:
                unlearned[topic] = unlearned.get(topic, 0) + 1
    notes = []
    if unlearned:
        notes.append(
            f"{len(unlearned):,} topics with {sum(unlearned.values()):,} test labels have no training document and are "
            f"left out: {', '.join(sorted(unlearned)[:5])}{', …' if len(unlearned) > 5 else ''}."
        )
    if merged:
        notes.append(
            f"{counted(len(merged), 'topic')} in two spellings that look the same, an accent being part of its letter or a mark "
            f"after it, are taken as one: {', '.join(merged[:5])}{', …' if len(merged) > 5 else ''}."
        )
    return LabelledCorpus(name, tuple(texts), tuple(known), labels, training, tuple(notes))
