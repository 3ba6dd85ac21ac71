"""What in a corpus would mislead an evaluation: each finding with its code, its sentence, its rows and its remedies."""

from collections import defaultdict
from collections.abc import Sequence, Sized

import numpy as np

from ..arrays import Bools, Ints, record
from ..formats import counted, percent
from .advice import ADVICE, Advice
from .aliases import author_aliases
from .cleaning_steps import (
    CleaningStep,
    DropRepeats,
    DropShared,
    DropShort,
    DropSmallTopics,
    DropTopics,
    MergeAuthors,
    MergeSmallTopics,
    MergeTopics,
)
from .corpus import UNKNOWN_AUTHOR, Corpus
from .scripts import has_pieces
from .selection import across_topics, equal_texts, repeats
from .topic_lists import TOPICS_OF_A_LIST, OneTopic, separator_of, topics_in

DOMINATED = 0.9  # share of a topic from which its largest author counts as its only one
WINDOW = 256  # tokens that SBERT reads, two of them marks; every word is a token or more
CUT = f"longer than the {WINDOW} tokens that SBERT reads"
MISSING = {"nan", "none", "null", "nil", "na", "n/a", "<na>", "nat", "-", "--", "?", "undefined", "missing", "(none)"}
NOBODY = MISSING | {"unknown", "anonymous", "anon", "anon."}
_EXAMPLES = 5


@record
class Finding:
    """One warning: its code, a sentence, how many it concerns, some of them by id or name, their rows from 0, and the steps
    that would mend it, any one of which will do."""

    code: str
    text: str
    count: int
    examples: tuple[str, ...]
    rows: Ints
    steps: tuple[CleaningStep, ...] = ()

    @property
    def advice(self) -> Advice:
        """Why it matters and what can be done."""
        return ADVICE[self.code]


def read_in_part(corpus: Corpus) -> str | None:
    """What must be said with a verdict by SBERT's first window; None where that holds most texts whole."""
    long = _long_texts(corpus)
    if 2 * len(long) <= len(corpus):
        return None
    return (
        f"At least {len(long):,} of the {len(corpus):,} texts are {CUT}: this is about their beginnings. Settings, in the "
        "sidebar, has the mean of all windows."
    )


def _long_texts(corpus: Corpus) -> Ints:
    return np.flatnonzero([has_pieces(text, WINDOW - 1) for text in corpus.texts])


def findings_of_texts(corpus: Corpus, *, near_empty: int) -> list[Finding]:
    """Blank, short, long and equal texts."""
    lengths = np.array([len(text.strip()) for text in corpus.texts])
    empty, short = np.flatnonzero(lengths == 0), np.flatnonzero((lengths > 0) & (lengths < near_empty))
    nothing = f"{_number(empty, 'text holds', 'texts hold')} nothing but white space."
    little = f"{_number(short, 'text has', 'texts have')} under {near_empty} characters."
    long = _long_texts(corpus)
    cut = f"At least {len(long):,} of the {len(corpus):,} texts are {CUT}."
    return [
        *_of_rows(corpus, "empty", empty, nothing, DropShort(1)),
        *_of_rows(corpus, "near-empty", short, little, DropShort(near_empty)),
        *_duplicates(corpus),
        *(_of_rows(corpus, "long-texts", long, cut) if 2 * len(long) > len(corpus) else []),
    ]


def _duplicates(corpus: Corpus) -> list[Finding]:
    groups = equal_texts(corpus)
    if len(groups) == 1 and len(groups[0]) == len(corpus):
        same = f"{len(corpus):,} documents, and all of them have the same text."
        return _of_rows(corpus, "all-equal", np.arange(len(corpus)), same)
    again, across = repeats(corpus, groups), across_topics(corpus, groups)
    text = f"{_number(again, 'document repeats', 'documents repeat')} the exact text of another document of the same topic."
    found = _of_rows(corpus, "duplicates-within", again, text, DropRepeats())
    if across:
        first = across[0][0]
        other = next(row for row in across[0] if corpus.topic_codes[row] != corpus.topic_codes[first])
        names = corpus.topic_names
        one_of = ", for example" if len(across) > 1 else ""
        text = (
            f"{_number(across, 'text stands', 'texts stand')} word for word in two or more topics, which is leakage of its own: "
            f"document '{corpus.ids[first]}' of '{names[corpus.topic_codes[first]]}' and "
            f"'{corpus.ids[other]}' of '{names[corpus.topic_codes[other]]}'{one_of}."
        )
        involved = np.array([row for group in across for row in group], dtype=np.int64)
        found.append(Finding("duplicates-across", text, len(across), _ids(corpus, involved), involved, (DropShared(),)))
    return found


def findings_of_topics(corpus: Corpus, *, at_least: int) -> list[Finding]:
    """Lists of topics, labels that are none, spellings, numbers and small topics."""
    names, total = corpus.topic_names, len(corpus.topic_names)
    found: list[Finding] = []
    separator = separator_of(names)
    if separator is not None:
        lists = np.flatnonzero([len(topics_in(name, separator)) > 1 for name in names])
        several = np.flatnonzero(np.isin(corpus.topic_codes, lists))
        text = f"{_number(several, 'document has', 'documents have')} several topics in one cell."
        choices = (OneTopic(choice, separator) for choice in TOPICS_OF_A_LIST)
        found += _of_rows(corpus, "several-topics", several, text, *choices)
    none = _named(names, MISSING)
    said = f"{_number(none, 'topic is', 'topics are')} a word for a missing value."
    found += _of_labels("missing-topics", said, names, corpus.topic_codes, none, DropTopics(_at(names, none)))
    found += _spellings(corpus)
    if all(map(_is_number, names)):
        said = f"{total:,} topics, and all of them are numbers."
        found += _of_labels("numeric-topics", said, names, corpus.topic_codes, np.arange(total))
    small = np.flatnonzero(corpus.topic_sizes < at_least)
    said = f"{_number(small, 'topic has', 'topics have')} under {at_least} documents, too few for a firm centroid ({counted(total, 'topic')} in all)."
    remedies = DropSmallTopics(at_least), MergeSmallTopics(at_least)
    return found + _of_labels("small-topics", said, names, corpus.topic_codes, small, *remedies)


def _spellings(corpus: Corpus) -> list[Finding]:
    """Topics with the same letters and digits, case and marks aside, and labels that were merged as they were read."""
    by_letters: dict[str, list[int]] = defaultdict(list)
    for code, name in enumerate(corpus.topic_names):
        if plain := "".join(letter for letter in name.casefold() if letter.isalnum()):
            by_letters[plain].append(code)
    sizes = corpus.topic_sizes
    groups = [sorted(codes, key=lambda code: -sizes[code]) for codes in by_letters.values() if len(codes) > 1]
    said = f"{_number(groups, 'topic stands', 'topics stand')} in several spellings that differ in case or marks only."
    merge = MergeTopics(tuple(tuple(corpus.topic_names[code] for code in codes) for codes in groups))
    codes = np.array([code for group in groups for code in group], dtype=np.int64)
    found = _of_labels("topic-spellings", said, corpus.topic_names, corpus.topic_codes, codes, merge, count=len(groups))
    labels = (*corpus.merged_topics, *corpus.merged_authors)
    if labels:
        said = (
            f"{_number(labels, 'label stands', 'labels stand')} in two spellings that look the same, "
            "with an accent as part of its letter or as a mark after it; each is taken as one."
        )
        by = zip(corpus.topics, corpus.authors or corpus.topics, strict=True)
        affected = [topic in corpus.merged_topics or author in corpus.merged_authors for topic, author in by]
        found.append(Finding("merged-spellings", said, len(labels), labels[:_EXAMPLES], np.flatnonzero(affected)))
    return found


def findings_of_authors(corpus: Corpus, shares: Sequence[float], one_topic: Bools) -> list[Finding]:
    """Who is nobody, who may be one, who has a topic for himself (`shares` of the largest), who writes in one topic only."""
    names, codes = corpus.author_names, corpus.author_codes
    if names is None or codes is None:
        return []
    known = corpus.known_authors
    nobody = _named(names, NOBODY)
    alone, local = np.flatnonzero(np.array(shares) >= DOMINATED), np.flatnonzero(one_topic & known)
    unknown = np.flatnonzero(~known[codes])
    missing = f"{_number(nobody, 'author is', 'authors are')} a word for a missing name."
    one_author = (
        f"{_number(alone, 'topic owes', 'topics owe')} {percent(DOMINATED)} or more of the documents to one author, "
        "so topic and author can hardly be told apart there."
    )
    only_there = (
        f"{_number(local, 'author writes', 'authors write')} in one topic only, "
        f"so no pair of their texts crosses topics ({counted(int(known.sum()), 'author')} in all)."
    )
    without = f"{_number(unknown, 'document has', 'documents have')} no author; fill the column in, or expect no pairs from there."
    nameless = MergeAuthors(((UNKNOWN_AUTHOR, *_at(names, nobody)),))
    return [
        *_of_labels("missing-authors", missing, names, codes, nobody, nameless),
        *_aliases(corpus),
        *_of_labels("one-author-topics", one_author, corpus.topic_names, corpus.topic_codes, alone),
        *_of_labels("one-topic-authors", only_there, names, codes, local),
        *_of_rows(corpus, "unknown-authors", unknown, without),
    ]


def _aliases(corpus: Corpus) -> list[Finding]:
    names, codes = corpus.author_names or (), corpus.author_codes
    people = [name for name in names if name != UNKNOWN_AUTHOR and name.casefold() not in NOBODY]
    if codes is None or len(people) < 2:
        return []
    index = {name: code for code, name in enumerate(names)}
    groups = author_aliases(people, np.bincount(codes, minlength=len(names))[[index[name] for name in people]])
    found = []
    for code, sure, how in (
        ("author-spellings", True, "that differ in case, marks or the order of words only"),
        ("like-authors", False, "that differ in initials or one letter"),
    ):
        merged = tuple(group.names for group in groups if group.sure is sure)
        said = f"{_number(merged, 'author may stand', 'authors may stand')} under several names {how}."
        involved = np.array([index[name] for group in merged for name in group], dtype=np.int64)
        found += _of_labels(code, said, names, codes, involved, MergeAuthors(merged), count=len(merged))
    return found


def _of_rows(corpus: Corpus, code: str, rows: Ints, text: str, *steps: CleaningStep) -> list[Finding]:
    return [Finding(code, text, len(rows), _ids(corpus, rows), rows, steps)] if len(rows) else []


def _of_labels(
    code: str,
    text: str,
    names: tuple[str, ...],
    codes: Ints,
    found: Ints,
    *steps: CleaningStep,
    count: int | None = None,
) -> list[Finding]:
    """A warning of the topics or authors `found`: their names as examples, their documents as rows."""
    if not len(found):
        return []
    rows = np.flatnonzero(np.isin(codes, found))
    return [Finding(code, text, count or len(found), _at(names, found[:_EXAMPLES]), rows, steps)]


def _named(names: tuple[str, ...], words: set[str]) -> Ints:
    return np.array([code for code, name in enumerate(names) if name.casefold() in words], dtype=np.int64)


def _at(names: tuple[str, ...], codes: Ints) -> tuple[str, ...]:
    return tuple(names[code] for code in codes)


def _is_number(name: str) -> bool:
    try:
        float(name.replace(",", "."))
    except ValueError:
        return False
    return name.casefold() not in MISSING


def _ids(corpus: Corpus, rows: Ints) -> tuple[str, ...]:
    return tuple(corpus.ids[row] for row in rows[:_EXAMPLES])


def _number(found: Sized, one: str, many: str) -> str:
    return f"{len(found):,} {one if len(found) == 1 else many}"
