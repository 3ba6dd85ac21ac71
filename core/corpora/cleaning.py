"""Cleaning a corpus: steps that can be listed, written down, taken back and done again; what each did is counted."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from ..errors import InputError, SettingError
from ..formats import counted
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
from .corpus import LONGEST_LABEL, Corpus
from .topic_lists import OneTopic

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
    """What a step did: documents, topics and authors before and after it."""

    step: CleaningStep
    documents: tuple[int, int]
    topics: tuple[int, int]
    authors: tuple[int, int]

    @property
    def sentence(self) -> str:
        """The step and its counts."""
        counts = {"document": self.documents, "topic": self.topics, "author": self.authors}
        changes = [_change(what, *numbers) for what, numbers in counts.items() if numbers[0] != numbers[1]]
        return f"{self.step.label}: {', '.join(changes) or 'no count changes'}."


def clean(corpus: Corpus, steps: Sequence[CleaningStep]) -> tuple[Corpus, tuple[StepEffect, ...]]:
    """The corpus after these steps, in their order, and what each did; a step that leaves under 2 topics is refused."""
    if len(steps) > MOST_STEPS:
        raise SettingError(f"{len(steps)} steps of cleaning; at most {MOST_STEPS} are kept. Undo some first.")
    effects = []
    for step in steps:
        after = step.apply(corpus)
        if len(after.topic_names) < min(2, len(corpus.topic_names)):  # a corpus may wait for its topics to be found
            left = f"{counted(len(after), 'document')} of {counted(len(after.topic_names), 'topic')}"
            raise SettingError(f"{step.label}: this would leave {left}, and 2 topics are needed; drop less.")
        effects.append(StepEffect(step, *zip(_counts(corpus), _counts(after), strict=True)))
        corpus = after
    return corpus, tuple(effects)


def steps_to_json(steps: Iterable[CleaningStep]) -> list[dict[str, Any]]:
    """The steps as they stand in exported settings and on disk."""
    return [{"step": step.code, **asdict(step)} for step in steps]  # type: ignore[call-overload]


def steps_from_json(found: object) -> tuple[CleaningStep, ...]:
    """The steps that were written down; anything else is refused."""
    if not isinstance(found, list) or len(found) > MOST_STEPS:
        raise InputError(f"Cleaning: no list of at most {MOST_STEPS} steps; export the settings again.")
    return tuple(map(_step, found))


def _step(found: object) -> CleaningStep:
    kind = STEPS.get(str(found.get("step"))) if isinstance(found, dict) else None
    if kind is None or not isinstance(found, dict):
        raise InputError(f"Cleaning: no step is written {json.dumps(found)[:80]}; name one of {', '.join(STEPS)}.")
    sound = {"characters": _is_whole, "documents": _is_whole, "topics": _is_names, "groups": _is_groups}
    settings: dict[str, Any] = {}
    for each in fields(kind):
        value = found.get(each.name)
        if not sound.get(each.name, _is_text)(value):
            raise InputError(
                f"Cleaning: the step '{kind.code}' has no usable '{each.name}'; export the settings again."
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


def _counts(corpus: Corpus) -> tuple[int, int, int]:
    return len(corpus), len(corpus.topic_names), int(corpus.known_authors.sum())


def _change(what: str, before: int, after: int) -> str:
    return f"{counted(abs(after - before), what)} {'fewer' if after < before else 'more'}"
