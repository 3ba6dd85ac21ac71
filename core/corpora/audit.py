"""Audits: what a corpus holds, and what in it would mislead an evaluation, as codes and counts."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from ..arrays import Bools, Floats, Ints, record
from ..errors import SettingError
from .cleaning import (
    TOPICS_OF_A_LIST,
    CleaningStep,
    DropRepeats,
    DropShared,
    DropShort,
    DropSmallTopics,
    DropTopics,
    MergeAuthors,
    MergeSmallTopics,
    MergeTopics,
    OneTopic,
    separator_of,
    topics_in,
)
from .corpus import UNKNOWN_AUTHOR, Corpus, across_topics, equal_texts, is_number, repeats
from .scripts import counted_words, has_pieces, without_spaces

if TYPE_CHECKING:
    from scipy.sparse import csr_array

DOMINATED = 0.9  # share of a topic by one author from which it counts as a topic of one author
FEW_OF_A_CLASS = 5  # documents: a class with fewer is hardly learned
WINDOW = 256  # tokens that SBERT reads, two of them markers; every word is one or more
MISSING = {"nan", "none", "null", "nil", "na", "n/a", "<na>", "nat", "-", "--", "?", "undefined", "missing", "(none)"}
NOBODY = MISSING | {"unknown", "anonymous", "anon", "anon."}
_EXAMPLES = 5
MOST_OF_A_SURNAME = 100  # names compared with each other; more Smiths than this are skipped
MOST_FOR_SLIPS = 20_000  # names; each is spelt about thirty times with a letter left out
SHORTEST_SLIP = 5  # letters: in shorter words one letter is the difference between two names
_WORDS = re.compile(r"[^\W_]+")


@record
class Finding:
    """One warning: what was found, where, and the steps that fix it. core/questions/corpus.py puts it into words."""

    code: str
    count: int  # of documents, topics or authors concerned
    examples: tuple[str, ...]  # a few of them by id or name
    rows: Ints  # of the documents, from 0
    steps: tuple[CleaningStep, ...] = ()  # any one of these fixes it
    total: int = 0  # documents, topics or authors in all
    limit: int = 0  # documents or characters below which something counts as small
    copies: tuple[tuple[str, str], ...] = ()  # of a text in two topics: id and topic of two copies


def long_texts(corpus: Corpus) -> Ints:
    """Return the rows of texts that are longer than SBERT's window, at least."""
    return np.flatnonzero([has_pieces(text, WINDOW - 1) for text in corpus.texts])


def findings_of_texts(corpus: Corpus, *, near_empty: int, window: bool) -> list[Finding]:
    """Find blank, short and equal texts, and with `window` those longer than SBERT reads."""
    lengths = np.array([len(text.strip()) for text in corpus.texts])
    empty, short = np.flatnonzero(lengths == 0), np.flatnonzero((lengths > 0) & (lengths < near_empty))
    long = long_texts(corpus) if window else empty[:0]
    return [
        *_of_rows(corpus, "empty", empty, DropShort(1)),
        *_of_rows(corpus, "near-empty", short, DropShort(near_empty), limit=near_empty),
        *_duplicates(corpus),
        *(_of_rows(corpus, "long-texts", long) if 2 * len(long) > len(corpus) else []),
    ]


def _duplicates(corpus: Corpus) -> list[Finding]:
    groups = equal_texts(corpus)
    if len(groups) == 1 and len(groups[0]) == len(corpus):
        return _of_rows(corpus, "all-equal", np.arange(len(corpus)))
    again, across = repeats(corpus, groups), across_topics(corpus, groups)
    found = _of_rows(corpus, "duplicates-within", again, DropRepeats())
    if across:
        first = across[0][0]
        other = next(row for row in across[0] if corpus.topic_codes[row] != corpus.topic_codes[first])
        copies = tuple((corpus.ids[row], corpus.topic_names[corpus.topic_codes[row]]) for row in (first, other))
        rows = np.array([row for group in across for row in group], dtype=np.int64)
        found.append(
            Finding("duplicates-across", len(across), _example_ids(corpus, rows), rows, (DropShared(),), copies=copies)
        )
    return found


def findings_of_topics(corpus: Corpus, *, at_least: int) -> list[Finding]:
    """Find lists of topics, missing labels, spellings, numbers and small topics."""
    names, codes = corpus.topic_names, corpus.topic_codes
    found: list[Finding] = []
    separator = separator_of(names)
    if separator is not None:
        lists = np.flatnonzero([len(topics_in(name, separator)) > 1 for name in names])
        several = np.flatnonzero(np.isin(codes, lists))
        choices = (OneTopic(choice, separator) for choice in TOPICS_OF_A_LIST)
        found += _of_rows(corpus, "several-topics", several, *choices)
    none = _codes_named(names, MISSING)
    found += _of_labels("missing-topics", names, codes, none, DropTopics(_at(names, none)))
    found += _spellings(corpus)
    if all(map(_is_numbered, names)):
        found += _of_labels("numeric-topics", names, codes, np.arange(len(names)))
    small = np.flatnonzero(corpus.topic_sizes < at_least)
    steps = DropSmallTopics(at_least), MergeSmallTopics(at_least)
    return found + _of_labels("small-topics", names, codes, small, *steps, limit=at_least)


def _spellings(corpus: Corpus) -> list[Finding]:
    """Find topics that differ in case or marks only, and labels that were merged as they were read."""
    by_letters: dict[str, list[int]] = defaultdict(list)
    for code, name in enumerate(corpus.topic_names):
        if plain := "".join(letter for letter in name.casefold() if letter.isalnum()):
            by_letters[plain].append(code)
    sizes = corpus.topic_sizes
    groups = [sorted(codes, key=lambda code: -sizes[code]) for codes in by_letters.values() if len(codes) > 1]
    merge = MergeTopics(tuple(tuple(corpus.topic_names[code] for code in codes) for codes in groups))
    codes = np.array([code for group in groups for code in group], dtype=np.int64)
    found = _of_labels("topic-spellings", corpus.topic_names, corpus.topic_codes, codes, merge, count=len(groups))
    labels = (*corpus.merged_topics, *corpus.merged_authors)
    if labels:
        by = zip(corpus.topics, corpus.authors or corpus.topics, strict=True)
        affected = [topic in corpus.merged_topics or author in corpus.merged_authors for topic, author in by]
        found.append(Finding("merged-spellings", len(labels), labels[:_EXAMPLES], np.flatnonzero(affected)))
    return found


def findings_of_authors(corpus: Corpus, shares: Sequence[float], one_topic: Bools) -> list[Finding]:
    """Find missing and duplicate names, topics of one author (by the `shares` of the largest), authors of one topic."""
    names, codes = corpus.author_names, corpus.author_codes
    if names is None or codes is None:
        return []
    known = corpus.known_authors
    nobody = _codes_named(names, NOBODY)
    alone, local = np.flatnonzero(np.array(shares) >= DOMINATED), np.flatnonzero(one_topic & known)
    nameless = MergeAuthors(((UNKNOWN_AUTHOR, *_at(names, nobody)),))
    return [
        *_of_labels("missing-authors", names, codes, nobody, nameless),
        *_aliases(corpus),
        *_of_labels("one-author-topics", corpus.topic_names, corpus.topic_codes, alone),
        *_of_labels("one-topic-authors", names, codes, local, total=int(known.sum())),
        *_of_classes(corpus, shares),
        *_of_rows(corpus, "unknown-authors", np.flatnonzero(~known[codes])),
    ]


def _aliases(corpus: Corpus) -> list[Finding]:
    names, codes = corpus.author_names or (), corpus.author_codes
    people = [
        name for name in names if name != UNKNOWN_AUTHOR and name.casefold() not in NOBODY and not _is_numbered(name)
    ]
    if codes is None or len(people) < 2:
        return []
    index = {name: code for code, name in enumerate(names)}
    groups = author_aliases(people, np.bincount(codes, minlength=len(names))[[index[name] for name in people]])
    found = []
    kinds = {"author-spellings": True, "like-authors": False}
    for code, certain in kinds.items() if corpus.has_authors else [("author-spellings", True)]:
        merged = tuple(group.names for group in groups if group.certain is certain)
        involved = np.array([index[name] for group in merged for name in group], dtype=np.int64)
        found += _of_labels(code, names, codes, involved, MergeAuthors(merged), count=len(merged))
    return found


def _of_classes(corpus: Corpus, shares: Sequence[float]) -> list[Finding]:
    """Find a label that every topic has one value of, and one with few documents per class."""
    if corpus.has_authors or corpus.author_codes is None:
        return []
    found, classes = [], int(corpus.known_authors.sum())
    if min(shares) == 1:
        found.append(Finding("constant-label", len(corpus.topic_names), (), np.arange(len(corpus))))
    sizes = np.bincount(corpus.author_codes)[corpus.known_authors]
    if classes and np.median(sizes) < FEW_OF_A_CLASS:
        rare = np.flatnonzero(corpus.known_authors)[sizes < FEW_OF_A_CLASS]
        found += _of_labels(
            "many-classes", corpus.author_names or (), corpus.author_codes, rare, total=classes, limit=FEW_OF_A_CLASS
        )
    return found


def _of_rows(corpus: Corpus, code: str, rows: Ints, *steps: CleaningStep, limit: int = 0) -> list[Finding]:
    """Return a warning about documents; none where there are no rows."""
    if not len(rows):
        return []
    return [Finding(code, len(rows), _example_ids(corpus, rows), rows, steps, len(corpus), limit)]


def _of_labels(
    code: str,
    names: tuple[str, ...],
    codes: Ints,
    found: Ints,
    *steps: CleaningStep,
    count: int | None = None,
    total: int | None = None,
    limit: int = 0,
) -> list[Finding]:
    """Return a warning about the topics or authors `found`: their names as examples, their documents as rows."""
    if not len(found):
        return []
    rows, examples = np.flatnonzero(np.isin(codes, found)), _at(names, found[:_EXAMPLES])
    return [Finding(code, count or len(found), examples, rows, steps, total or len(names), limit)]


def _codes_named(names: tuple[str, ...], words: set[str]) -> Ints:
    return np.array([code for code, name in enumerate(names) if name.casefold() in words], dtype=np.int64)


def _at(names: tuple[str, ...], codes: Ints) -> tuple[str, ...]:
    return tuple(names[code] for code in codes)


def _is_numbered(name: str) -> bool:
    return is_number(name) and name.casefold() not in MISSING


def _example_ids(corpus: Corpus, rows: Ints) -> tuple[str, ...]:
    return tuple(corpus.ids[row] for row in rows[:_EXAMPLES])


@dataclass(frozen=True, slots=True)
class Aliases:
    """Names that may belong to one author."""

    names: tuple[str, ...]  # the one with most texts first
    certain: bool  # they differ in spelling only


def author_aliases(names: Sequence[str], texts: Ints) -> tuple[Aliases, ...]:
    """Return groups of names with the same words (ignoring case, accents, marks and order), then of similar names.

    Similar are a name and its initials if these fit no third name, and names that differ by one letter of one word.
    `texts` counts the texts of each name.
    """
    by_words: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for index, name in enumerate(names):
        if words := _name_words(name):
            by_words[tuple(sorted(words))].append(index)
    classes = list(by_words.values())
    written = [_name_words(names[members[0]]) for members in classes]
    pairs = [*_initials(written), *_slips(written)]

    def group(members: list[int], *, certain: bool) -> Aliases:
        ordered = sorted(members, key=lambda index: (-texts[index], names[index]))
        return Aliases(tuple(names[index] for index in ordered), certain)

    certain = [group(members, certain=True) for members in classes if len(members) > 1]
    likely = [
        group([index for each in part for index in classes[each]], certain=False) for part in _connected_groups(pairs)
    ]
    return (*sorted(certain, key=lambda each: each.names), *sorted(likely, key=lambda each: each.names))


def _name_words(name: str) -> list[str]:
    """Return the words of a name without case and accents, surname last: what precedes a comma goes to the end."""
    plain = "".join(
        letter for letter in unicodedata.normalize("NFKD", name.casefold()) if not unicodedata.combining(letter)
    )
    surname, comma, given = plain.partition(",")
    return _WORDS.findall(f"{given} {surname}" if comma else plain)


def _initials(written: Sequence[list[str]]) -> Iterator[tuple[int, int]]:
    """Yield pairs such as 'J. Smith' and 'John Smith' if all names that could be meant fit each other."""
    by_surname: dict[str, list[int]] = defaultdict(list)
    for index, words in enumerate(written):
        if len(words) > 1 and len(words[-1]) > 1:
            by_surname[words[-1]].append(index)
    for block in by_surname.values():
        if len(block) > MOST_OF_A_SURNAME:
            continue
        fitting = {pair for pair in combinations(block, 2) if _names_agree(written[pair[0]], written[pair[1]])}
        for part in _connected_groups(fitting):
            if all(pair in fitting for pair in combinations(sorted(part), 2)):
                yield from combinations(sorted(part), 2)


def _names_agree(one: list[str], two: list[str]) -> bool:
    """Tell whether the given names agree in order, each equal or an initial of the other."""
    return all(a == b or (min(len(a), len(b)) == 1 and a[0] == b[0]) for a, b in zip(one[:-1], two[:-1], strict=False))


def _slips(written: Sequence[list[str]]) -> Iterator[tuple[int, int]]:
    """Yield pairs that differ by one letter of one long word: left out, added, changed or swapped."""
    if len(written) > MOST_FOR_SLIPS:
        return
    spelt: dict[tuple[str, ...], list[tuple[int, str]]] = defaultdict(list)
    for index, words in enumerate(written):
        for number, word in enumerate(words):
            if len(words) < 2 or len(word) < SHORTEST_SLIP or not word.isalpha():
                continue
            rest = sorted(words[:number] + words[number + 1 :])
            for shorter in {word, *(word[:at] + word[at + 1 :] for at in range(len(word)))}:
                spelt[(shorter, *rest)].append((index, word))
    for entries in spelt.values():
        for (one, first), (two, second) in combinations(entries[:MOST_OF_A_SURNAME], 2):
            if one != two and _one_slip(first, second):
                yield one, two


def _one_slip(one: str, two: str) -> bool:
    """Tell whether words that share all letters but one each differ by a single slip."""
    if len(one) != len(two):
        return True
    differ = [at for at, (a, b) in enumerate(zip(one, two, strict=True)) if a != b]
    swapped = len(differ) == 2 and differ[1] - differ[0] == 1 and one[differ[0]] == two[differ[1]]
    return len(differ) == 1 or (swapped and one[differ[1]] == two[differ[0]])


def _connected_groups(pairs: Iterable[tuple[int, int]]) -> list[list[int]]:
    """Return the groups of indices that pairs connect, each sorted."""
    above: dict[int, int] = {}

    def top(index: int) -> int:
        while above.setdefault(index, index) != index:
            index = above[index]
        return index

    for one, two in pairs:
        above[top(two)] = top(one)
    groups: dict[int, list[int]] = defaultdict(list)
    for index in sorted(above):
        groups[top(index)].append(index)
    return list(groups.values())


@dataclass(frozen=True, slots=True)
class TopicRow:
    """Counts of one topic."""

    topic: str
    documents: int
    authors: int
    largest_author: str | None  # None if no author is known
    largest_author_share: float  # of the topic's documents; 0 if no author is known
    median_words: float


@record
class Audit:
    """Counts of a corpus, and warnings."""

    documents: int
    topics: int
    authors: int  # known ones
    topic_names: tuple[str, ...]
    author_names: tuple[str, ...]  # with '(unknown)' if a document has no author
    counts: "csr_array"  # topics × author names, sparse because most authors write in one topic
    per_topic: tuple[TopicRow, ...]
    words: Ints  # of each document
    vocabulary: int  # distinct words
    by_character: bool  # most texts are in a script without spaces, so "words" are mostly characters
    warnings: tuple[Finding, ...]

    @property
    def counted(self) -> str:
        """Return the unit of text lengths."""
        return "characters" if self.by_character else "words"

    @property
    def largest_author_share(self) -> Floats:
        """Return, per topic, the share of its documents that its most frequent author wrote."""
        return np.array([row.largest_author_share for row in self.per_topic])


def audit(corpus: Corpus, *, at_least: int = 10, near_empty: int = 20, window: bool = True) -> Audit:
    """Count a corpus and warn of topics under `at_least` documents and texts under `near_empty` characters.

    With `window`, also of texts longer than SBERT's: they matter only where it reads them.
    """
    if at_least < 1 or near_empty < 1:
        raise SettingError("Set the minimum documents and characters to 1 or more.")
    counts = _author_counts(corpus)
    words, vocabulary = _word_counts(corpus.texts)
    per_topic = _per_topic(corpus, counts, words)
    one_topic = np.bincount(counts.indices, minlength=len(corpus.author_names or ())) == 1
    return Audit(
        documents=len(corpus),
        topics=len(corpus.topic_names),
        authors=int(corpus.known_authors.sum()),
        topic_names=corpus.topic_names,
        author_names=corpus.author_names or (),
        counts=counts,
        per_topic=per_topic,
        words=words,
        vocabulary=vocabulary,
        by_character=without_spaces(corpus.texts, share=0.5),
        warnings=(
            *findings_of_texts(corpus, near_empty=near_empty, window=window),
            *findings_of_topics(corpus, at_least=at_least),
            *findings_of_authors(corpus, [row.largest_author_share for row in per_topic], one_topic),
        ),
    )


def _author_counts(corpus: Corpus) -> "csr_array":
    from scipy.sparse import csr_array

    shape = (len(corpus.topic_names), len(corpus.author_names or ()))
    if corpus.author_codes is None:
        return csr_array(shape, dtype=np.int64)
    # Duplicate entries of a cell add up.
    ones = np.ones(len(corpus), dtype=np.int64)
    counts = csr_array((ones, (corpus.topic_codes, corpus.author_codes)), shape=shape)
    counts.sum_duplicates()
    counts.data.setflags(write=False)
    return counts


def _word_counts(texts: tuple[str, ...]) -> tuple[Ints, int]:
    lengths = np.zeros(len(texts), dtype=np.int64)
    vocabulary: set[str] = set()
    for row, text in enumerate(texts):
        tokens = counted_words(text.lower())
        lengths[row] = len(tokens)
        vocabulary.update(tokens)
    return lengths, len(vocabulary)


def largest_author_shares(corpus: Corpus) -> Floats:
    """Return, per topic, the share of its documents by its most frequent author, without a whole audit."""
    return np.array([share for _, share, _ in _main_authors(corpus, _author_counts(corpus))])


def _main_authors(corpus: Corpus, counts: "csr_array") -> Iterator[tuple[str | None, float, int]]:
    """Yield, per topic, the author with most documents, their share, and the number of authors."""
    sizes, known = corpus.topic_sizes, corpus.known_authors
    for code, size in enumerate(sizes):
        cells = slice(counts.indptr[code], counts.indptr[code + 1])
        authors, numbers = counts.indices[cells], counts.data[cells]
        authors, numbers = authors[known[authors]], numbers[known[authors]]
        if len(authors):
            # Names are sorted, so ties go to the name that sorts first.
            top = int(authors[numbers == numbers.max()].min())
            yield (corpus.author_names or ())[top], float(numbers.max() / size), len(authors)
        else:
            yield None, 0.0, 0


def _per_topic(corpus: Corpus, counts: "csr_array", words: Ints) -> tuple[TopicRow, ...]:
    sizes = corpus.topic_sizes
    by_topic = np.split(words[np.argsort(corpus.topic_codes, kind="stable")], np.cumsum(sizes)[:-1])
    rows = []
    for code, (author, share, authors) in enumerate(_main_authors(corpus, counts)):
        topic = corpus.topic_names[code]
        rows.append(TopicRow(topic, int(sizes[code]), authors, author, share, float(np.median(by_topic[code]))))
    return tuple(rows)
