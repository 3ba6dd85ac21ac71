"""The steps of cleaning: each a record of what was chosen, and the function that makes another corpus of one."""

from dataclasses import dataclass
from typing import ClassVar, Protocol, TypeAlias

import numpy as np

from ..arrays import Bools, Ints
from ..errors import SettingError
from ..formats import counted
from .corpus import Corpus, with_labels
from .selection import across_topics, equal_texts, repeats, take

OTHER = "other"  # the topic of all that is too small for one of its own
Groups: TypeAlias = tuple[tuple[str, ...], ...]


class CleaningStep(Protocol):
    """One change of a corpus: a frozen record whose fields are what was chosen."""

    code: ClassVar[str]

    @property
    def label(self) -> str:
        """What it does, in the words of its button."""

    def apply(self, corpus: Corpus) -> Corpus:
        """The corpus with the change; applied twice it changes nothing more."""


@dataclass(frozen=True, slots=True)
class DropShort:
    """Texts under so many characters, outer white space aside."""

    characters: int = 20

    code: ClassVar[str] = "drop-short"

    @property
    def label(self) -> str:
        return "Drop blank texts" if self.characters == 1 else f"Drop texts under {self.characters:,} characters"

    def apply(self, corpus: Corpus) -> Corpus:
        _check_least(self.characters)
        return _kept(corpus, np.array([len(text.strip()) >= self.characters for text in corpus.texts]))


@dataclass(frozen=True, slots=True)
class DropRepeats:
    """Of equal texts of one topic all but the one whose id sorts first."""

    code: ClassVar[str] = "drop-repeats"
    label: ClassVar[str] = "Keep one of equal texts in a topic"

    def apply(self, corpus: Corpus) -> Corpus:
        return _without(corpus, repeats(corpus, equal_texts(corpus)))


@dataclass(frozen=True, slots=True)
class DropShared:
    """Every copy of a text that stands in two or more topics: it belongs to none of them alone."""

    code: ClassVar[str] = "drop-shared"
    label: ClassVar[str] = "Drop texts that stand in several topics"

    def apply(self, corpus: Corpus) -> Corpus:
        rows = [row for group in across_topics(corpus, equal_texts(corpus)) for row in group]
        return _without(corpus, np.array(rows, dtype=np.int64))


@dataclass(frozen=True, slots=True)
class DropTopics:
    """The documents of these topics."""

    topics: tuple[str, ...]

    code: ClassVar[str] = "drop-topics"

    @property
    def label(self) -> str:
        return f"Drop {_named('topic', self.topics)}"

    def apply(self, corpus: Corpus) -> Corpus:
        gone = np.array([name in self.topics for name in corpus.topic_names])
        return _kept(corpus, ~gone[corpus.topic_codes])


@dataclass(frozen=True, slots=True)
class DropSmallTopics:
    """Topics under so many documents."""

    documents: int = 10

    code: ClassVar[str] = "drop-small-topics"

    @property
    def label(self) -> str:
        return f"Drop topics under {self.documents:,} documents"

    def apply(self, corpus: Corpus) -> Corpus:
        _check_least(self.documents)
        return _kept(corpus, corpus.topic_sizes[corpus.topic_codes] >= self.documents)


@dataclass(frozen=True, slots=True)
class MergeSmallTopics:
    """Topics under so many documents become one, called 'other'; so does a topic of that name."""

    documents: int = 10

    code: ClassVar[str] = "merge-small-topics"

    @property
    def label(self) -> str:
        return f"Merge topics under {self.documents:,} documents into '{OTHER}'"

    def apply(self, corpus: Corpus) -> Corpus:
        _check_least(self.documents)
        small = [
            name for name, size in zip(corpus.topic_names, corpus.topic_sizes, strict=True) if size < self.documents
        ]
        return MergeTopics(((OTHER, *(name for name in small if name != OTHER)),)).apply(corpus)


@dataclass(frozen=True, slots=True)
class MergeTopics:
    """Each group of topics becomes one, under the name that stands first."""

    groups: Groups

    code: ClassVar[str] = "merge-topics"

    @property
    def label(self) -> str:
        return f"Merge {_merged('topic', self.groups)}"

    def apply(self, corpus: Corpus) -> Corpus:
        names = _renamed(corpus.topic_names, self.groups)
        return with_labels(corpus, topics=[names[code] for code in corpus.topic_codes])


@dataclass(frozen=True, slots=True)
class MergeAuthors:
    """Each group of authors becomes one, under the name that stands first."""

    groups: Groups

    code: ClassVar[str] = "merge-authors"

    @property
    def label(self) -> str:
        return f"Merge {_merged('author', self.groups)}"

    def apply(self, corpus: Corpus) -> Corpus:
        if corpus.author_names is None or corpus.author_codes is None:
            return corpus
        names = _renamed(corpus.author_names, self.groups)
        return with_labels(corpus, authors=[names[code] for code in corpus.author_codes])


def _check_least(number: int) -> None:
    if number < 1:
        raise SettingError(f"A minimum of {number}; choose 1 or more.")


def _kept(corpus: Corpus, keep: Bools) -> Corpus:
    return corpus if keep.all() else take(corpus, np.flatnonzero(keep))


def _without(corpus: Corpus, rows: Ints) -> Corpus:
    keep = np.ones(len(corpus), dtype=np.bool_)
    keep[rows] = False
    return _kept(corpus, keep)


def _renamed(names: tuple[str, ...], groups: Groups) -> list[str]:
    """The name of each label after the merges; in a label of two groups they would meet, so that is refused."""
    new: dict[str, str] = {}
    for group in groups:
        for name in group:
            if new.setdefault(name, group[0]) != group[0]:
                raise SettingError(f"'{name}' is to be merged into '{new[name]}' and into '{group[0]}'; choose one.")
    return [new.get(name, name) for name in names]


def _named(what: str, names: tuple[str, ...]) -> str:
    quoted = ", ".join(f"'{name[:40]}'" for name in names[:3])
    return f"the {what}{'s' * (len(names) > 1)} {quoted}{' …' * (len(names) > 3)}"


def _merged(what: str, groups: Groups) -> str:
    others = sum(len(group) - 1 for group in groups)
    into = f"'{groups[0][0][:40]}'" if len(groups) == 1 else f"{len(groups):,}"
    return f"{counted(others, what)} into {into}"
