"""Cleaning: steps that change a corpus, can be saved and undone, and report what each did."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, ClassVar, Protocol, TypeAlias

import numpy as np

from ..arrays import Bools, Ints
from ..errors import InputError, SettingError, unknown
from ..formats import counted
from .corpus import LONGEST_LABEL, MOST_DOCUMENTS, Corpus, across_topics, equal_texts, repeats, take, with_labels

OTHER = "other"  # the topic that small topics are merged into
Groups: TypeAlias = tuple[tuple[str, ...], ...]


class CleaningStep(Protocol):
    """One change to a corpus: a frozen record whose fields are the user's choices."""

    code: ClassVar[str]

    @property
    def label(self) -> str:
        """Return what it does, as its button says it."""

    def apply(self, corpus: Corpus) -> Corpus:
        """Return the changed corpus; applying a step twice changes nothing more."""


@dataclass(frozen=True, slots=True)
class DropShort:
    """Drop texts with fewer characters than this, ignoring outer white space."""

    characters: int = 20

    code: ClassVar[str] = "drop-short"

    @property
    def label(self) -> str:
        return "Drop blank texts" if self.characters == 1 else f"Drop texts under {self.characters:,} characters"

    def apply(self, corpus: Corpus) -> Corpus:
        _check_least(self.characters)
        return _only_documents(corpus, np.array([len(text.strip()) >= self.characters for text in corpus.texts]))


@dataclass(frozen=True, slots=True)
class DropRepeats:
    """Drop repeated texts within a topic, except the one whose id sorts first."""

    code: ClassVar[str] = "drop-repeats"
    label: ClassVar[str] = "Keep one of equal texts in a topic"

    def apply(self, corpus: Corpus) -> Corpus:
        return _without(corpus, repeats(corpus, equal_texts(corpus)))


@dataclass(frozen=True, slots=True)
class DropShared:
    """Drop every copy of a text that occurs in two or more topics: it belongs to none of them alone."""

    code: ClassVar[str] = "drop-shared"
    label: ClassVar[str] = "Drop texts that occur in several topics"

    def apply(self, corpus: Corpus) -> Corpus:
        rows = [row for group in across_topics(corpus, equal_texts(corpus)) for row in group]
        return _without(corpus, np.array(rows, dtype=np.int64))


@dataclass(frozen=True, slots=True)
class DropTopics:
    """Drop the documents of these topics."""

    topics: tuple[str, ...]

    code: ClassVar[str] = "drop-topics"

    @property
    def label(self) -> str:
        return f"Drop {_quoted_names('topic', self.topics)}"

    def apply(self, corpus: Corpus) -> Corpus:
        gone = np.array([name in self.topics for name in corpus.topic_names])
        return _only_documents(corpus, ~gone[corpus.topic_codes])


@dataclass(frozen=True, slots=True)
class DropSmallTopics:
    """Drop topics with fewer documents than this."""

    documents: int = 10

    code: ClassVar[str] = "drop-small-topics"

    @property
    def label(self) -> str:
        return f"Drop topics under {self.documents:,} documents"

    def apply(self, corpus: Corpus) -> Corpus:
        _check_least(self.documents)
        return _only_documents(corpus, corpus.topic_sizes[corpus.topic_codes] >= self.documents)


@dataclass(frozen=True, slots=True)
class MergeSmallTopics:
    """Merge topics with fewer documents than this into one called 'other'."""

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
    """Merge each group of topics into one, named after the first."""

    groups: Groups

    code: ClassVar[str] = "merge-topics"

    @property
    def label(self) -> str:
        return f"Merge {_merge_words('topic', self.groups)}"

    def apply(self, corpus: Corpus) -> Corpus:
        names = _renamed(corpus.topic_names, self.groups)
        return with_labels(corpus, topics=[names[code] for code in corpus.topic_codes])


@dataclass(frozen=True, slots=True)
class MergeAuthors:
    """Merge each group of authors into one, named after the first."""

    groups: Groups

    code: ClassVar[str] = "merge-authors"

    @property
    def label(self) -> str:
        return f"Merge {_merge_words('author', self.groups)}"

    def apply(self, corpus: Corpus) -> Corpus:
        if corpus.author_names is None or corpus.author_codes is None:
            return corpus
        names = _renamed(corpus.author_names, self.groups)
        return with_labels(corpus, authors=[names[code] for code in corpus.author_codes])


def _check_least(number: int) -> None:
    if number < 1:
        raise SettingError(f"The minimum is {number}. Choose 1 or more.")


def _only_documents(corpus: Corpus, keep: Bools) -> Corpus:
    return corpus if keep.all() else take(corpus, np.flatnonzero(keep))


def _without(corpus: Corpus, rows: Ints) -> Corpus:
    keep = np.ones(len(corpus), dtype=np.bool_)
    keep[rows] = False
    return _only_documents(corpus, keep)


def _renamed(names: tuple[str, ...], groups: Groups) -> list[str]:
    """Return the new name of each label; refuse a label that is in two groups."""
    new: dict[str, str] = {}
    for group in groups:
        for name in group:
            if new.setdefault(name, group[0]) != group[0]:
                raise SettingError(f"'{name}' is merged into both '{new[name]}' and '{group[0]}'. Choose one.")
    return [new.get(name, name) for name in names]


def _quoted_names(what: str, names: tuple[str, ...]) -> str:
    quoted = ", ".join(f"'{name[:40]}'" for name in names[:3])
    return f"the {what}{'s' * (len(names) > 1)} {quoted}{' …' * (len(names) > 3)}"


def _merge_words(what: str, groups: Groups) -> str:
    others = sum(len(group) - 1 for group in groups)
    into = f"'{groups[0][0][:40]}'" if len(groups) == 1 else f"{len(groups):,}"
    return f"{counted(others, what)} into {into}"


JSON = "json"
SEPARATORS = (JSON, "|", ";", ",")
MOST_RARE = 0.5  # highest share of parts that occur in no other cell; a comma inside a name gives such parts
TOPICS_OF_A_LIST = {
    "first": "the first",
    "rarest": "the rarest",
    "each": "each (the text once for every topic)",
    "combination": "all of them together",
}


def separator_of(cells: Iterable[str]) -> str | None:
    """Return what separates several topics in these cells, or None if each holds one.

    A mark is a separator only if at least half of the parts occur in other cells as well: 'crime; courts' and 'courts'
    are two lists, while 'law, order and the like' is a name.
    """
    distinct = set(cells)
    for separator in SEPARATORS:
        lists = {cell: parts for cell in distinct if len(parts := topics_in(cell, separator)) > 1}
        if not lists:
            continue
        if separator == JSON:
            return separator
        seen = Counter(part for cell in distinct for part in topics_in(cell, separator))
        names = {part for parts in lists.values() for part in parts}
        if sum(seen[part] == 1 for part in names) <= MOST_RARE * len(names):
            return separator
    return None


def topics_in(cell: str, separator: str) -> tuple[str, ...]:
    """Return the topics of a cell in order, each once; a cell that is no list is one topic, an empty one none."""
    parts = _json_list(cell) if separator == JSON else cell.split(separator)
    return tuple(dict.fromkeys(part.strip() for part in ([cell] if parts is None else parts) if part.strip()))


def _json_list(cell: str) -> list[str] | None:
    """Return the texts of a JSON list, or None for anything else, including a list of lists."""
    if not cell.lstrip().startswith("["):
        return None
    try:
        found = json.loads(cell)
    except (ValueError, RecursionError):
        return None
    texts = isinstance(found, list) and all(
        isinstance(each, str) and not each.lstrip().startswith("[") for each in found
    )
    return found if texts else None


@dataclass(frozen=True, slots=True)
class OneTopic:
    """Choose one topic for every document with several; documents without any are dropped."""

    choice: str = "first"
    separator: str = ";"

    code: ClassVar[str] = "one-topic"

    @property
    def label(self) -> str:
        return f"Of several topics take {TOPICS_OF_A_LIST.get(self.choice, self.choice)}"

    def apply(self, corpus: Corpus) -> Corpus:
        if self.choice not in TOPICS_OF_A_LIST:
            raise unknown("choice among several topics", self.choice, TOPICS_OF_A_LIST)
        if self.separator not in SEPARATORS:
            raise unknown("separator of topics", self.separator, SEPARATORS)
        cells = [topics_in(name, self.separator) for name in corpus.topic_names]
        sizes: Counter[str] = Counter()
        for cell, documents in zip(cells, corpus.topic_sizes, strict=True):
            sizes.update(dict.fromkeys(cell, int(documents)))
        chosen = [self._chosen(cell, sizes) for cell in cells]
        lists = [chosen[code] for code in corpus.topic_codes]
        rows = np.repeat(np.arange(len(corpus)), [len(topics) for topics in lists])
        if len(rows) > MOST_DOCUMENTS:
            raise SettingError(
                f"{self.label}: {len(rows):,} documents; the limit is {MOST_DOCUMENTS:,}. Take a sample first."
            )
        if len(rows) == 0:
            return take(corpus, rows)
        topics = [topic for found in lists for topic in found]
        return with_labels(_with_copies(corpus, rows, topics), topics=topics)

    def _chosen(self, cell: tuple[str, ...], sizes: Mapping[str, int]) -> tuple[str, ...]:
        if not cell or self.choice == "each":
            return cell
        if self.choice == "combination":
            return (" + ".join(sorted(cell))[:LONGEST_LABEL],)
        return (cell[0] if self.choice == "first" else min(cell, key=lambda topic: (sizes[topic], topic)),)


def _with_copies(corpus: Corpus, rows: Ints, topics: Sequence[str]) -> Corpus:
    """Return the documents at `rows`, with the topic in the id of those that occur more than once."""
    if len(rows) == len(corpus) == len(np.unique(rows)):
        return corpus
    times = np.bincount(rows, minlength=len(corpus))
    taken = {corpus.ids[row] for row in np.flatnonzero(times == 1)}
    ids = []
    for row, topic in zip(rows, topics, strict=True):
        identity = corpus.ids[row]
        if times[row] > 1:
            identity = f"{identity} ({topic})"
            while identity in taken:
                identity += "'"
            taken.add(identity)
        ids.append(identity)
    return replace(take(corpus, rows), ids=tuple(ids))


MOST_STEPS = 50
STEPS: dict[str, type[Any]] = {
    step.code: step
    for step in (
        DropShort, DropRepeats, DropShared, DropTopics, DropSmallTopics, MergeSmallTopics, MergeTopics, MergeAuthors,
        OneTopic,
    )
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class StepEffect:
    """Count documents, topics and authors before and after a step."""

    step: CleaningStep
    documents: tuple[int, int]
    topics: tuple[int, int]
    authors: tuple[int, int]

    @property
    def sentence(self) -> str:
        """Return the step and what it changed, as a sentence."""
        counts = {"document": self.documents, "topic": self.topics, "author": self.authors}
        changes = [_change(what, *numbers) for what, numbers in counts.items() if numbers[0] != numbers[1]]
        return f"{self.step.label}: {', '.join(changes) or 'no count changes'}."


def clean(corpus: Corpus, steps: Sequence[CleaningStep]) -> tuple[Corpus, tuple[StepEffect, ...]]:
    """Return the corpus after these steps and what each did; refuse a step that leaves fewer than 2 topics."""
    if len(steps) > MOST_STEPS:
        raise SettingError(f"{len(steps)} cleaning steps; the limit is {MOST_STEPS}. Undo some first.")
    effects = []
    for step in steps:
        after = step.apply(corpus)
        if len(after.topic_names) < min(2, len(corpus.topic_names)):  # topics may still have to be found
            left = f"{counted(len(after), 'document')} of {counted(len(after.topic_names), 'topic')}"
            raise SettingError(f"{step.label}: this would leave {left}. Keep at least 2 topics.")
        effects.append(StepEffect(step, *zip(_corpus_sizes(corpus), _corpus_sizes(after), strict=True)))
        corpus = after
    return corpus, tuple(effects)


def steps_to_json(steps: Iterable[CleaningStep]) -> list[dict[str, Any]]:
    """Return the steps as exported settings and the disk hold them."""
    return [{"step": step.code, **asdict(step)} for step in steps]  # type: ignore[call-overload]


def steps_from_json(found: object) -> tuple[CleaningStep, ...]:
    """Return the steps that `steps_to_json` wrote; refuse anything else."""
    if not isinstance(found, list) or len(found) > MOST_STEPS:
        raise InputError(f"Cleaning: this is not a list of at most {MOST_STEPS} steps. Export the settings again.")
    return tuple(map(_parsed_step, found))


def _parsed_step(found: object) -> CleaningStep:
    kind = STEPS.get(str(found.get("step"))) if isinstance(found, dict) else None
    if kind is None or not isinstance(found, dict):
        raise InputError(f"Cleaning: unknown step {json.dumps(found)[:80]}. Choose one of {', '.join(STEPS)}.")
    sound = {"characters": _is_whole, "documents": _is_whole, "topics": _is_names, "groups": _is_groups}
    settings: dict[str, Any] = {}
    for each in fields(kind):
        value = found.get(each.name)
        if not sound.get(each.name, _is_text)(value):
            raise InputError(
                f"Cleaning: the step '{kind.code}' has no usable '{each.name}'. Export the settings again."
            )
        settings[each.name] = _tuples(value)
    made: CleaningStep = kind(**settings)
    return made


def _is_whole(value: object) -> bool:
    return type(value) is int and value > 0


def _is_text(value: object) -> bool:
    return isinstance(value, str) and len(value) <= LONGEST_LABEL


def _is_names(value: object) -> bool:
    return isinstance(value, list | tuple) and all(map(_is_text, value))


def _is_groups(value: object) -> bool:
    return isinstance(value, list | tuple) and all(_is_names(group) and len(group) > 0 for group in value)


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list | tuple) else value


def _corpus_sizes(corpus: Corpus) -> tuple[int, int, int]:
    return len(corpus), len(corpus.topic_names), int(corpus.known_authors.sum())


def _change(what: str, before: int, after: int) -> str:
    return f"{counted(abs(after - before), what)} {'fewer' if after < before else 'more'}"
