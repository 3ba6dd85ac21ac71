"""Answers on their way out of a session: into the address, so that a reload keeps them, and into a class's anonymous counts."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from threading import Lock

from ..arrays import record
from ..errors import LeakscopeError
from ..formats import counted, percent
from .steps import ChoiceQuestion, LessonQuestion, LessonStep, judged

SKIPPED = "skipped"  # in place of an answer: shown without one
_OPTIONS = "abcdefghijkl"
_PART = re.compile(r"(\d{1,2})(?:([a-l])|-(\d{1,4})|(x))")


def can_be_given(steps: Sequence[LessonStep], number: int, given: str | int) -> bool:
    """Return whether step `number`, from 1, has such an answer: an address or a project may be of another version."""
    if not 1 <= number <= len(steps) or given == SKIPPED:
        return 1 <= number <= len(steps)
    try:
        return bool(judged(steps[number - 1].question, given))
    except LeakscopeError:
        return False


def answers_code(steps: Sequence[LessonStep], answers: Mapping[int, str | int]) -> str:
    """Return answers by step as a short text for an address, such as "1c.4-15.5x": option c, the number 15, skipped."""
    return ".".join(f"{number}{_code(steps[number - 1].question, given)}" for number, given in sorted(answers.items()))


def _code(question: LessonQuestion, given: str | int) -> str:
    if given == SKIPPED:
        return "x"
    if isinstance(question, ChoiceQuestion):
        return _OPTIONS[[option.label for option in question.options].index(str(given))]
    return f"-{given}"


def answers_of(steps: Sequence[LessonStep], code: str) -> dict[int, str | int]:
    """Return the answers that `answers_code` wrote; parts that no step has are dropped."""
    found: dict[int, str | int] = {}
    for part in code.split(".")[: len(steps)]:
        read = _PART.fullmatch(part)
        if read is None or not 1 <= int(read[1]) <= len(steps):
            continue
        number, question = int(read[1]), steps[int(read[1]) - 1].question
        given: str | int = SKIPPED
        if read[2]:
            labels = [option.label for option in question.options] if isinstance(question, ChoiceQuestion) else []
            place = _OPTIONS.index(read[2])
            given = labels[place] if place < len(labels) else ""
        elif read[3]:
            given = int(read[3])
        if can_be_given(steps, number, given):
            found[number] = given
    return found


@record
class StepCounts:
    """What a class answered to one step: every possible answer, how often each was given, and which are right."""

    answers: tuple[str | int, ...]
    counts: tuple[int, ...]
    right: tuple[bool, ...]
    skipped: int

    @property
    def given(self) -> int:
        """Count the answers."""
        return sum(self.counts)

    @property
    def correct(self) -> int:
        """Count the right ones."""
        return sum(count for count, right in zip(self.counts, self.right, strict=True) if right)


class ClassCounts:
    """How often each answer was given in a class, in memory alone: one number for every possible answer and nobody's name."""

    def __init__(self, steps: Sequence[LessonStep]) -> None:
        self._steps, self._lock = tuple(steps), Lock()
        self._counts: Counter[tuple[int, str | int]] = Counter()

    def add(self, number: int, given: str | int) -> None:
        """Count an answer to step `number`, from 1; what is no answer there is not counted, so memory is bounded."""
        if can_be_given(self._steps, number, given):
            with self._lock:
                self._counts[number, given] += 1

    def clear(self) -> None:
        """Forget all counts, for the next class."""
        with self._lock:
            self._counts.clear()

    def of(self, number: int) -> StepCounts:
        """Return the counts of one step."""
        question = self._steps[number - 1].question
        answers: Iterable[str | int] = (
            [option.label for option in question.options]
            if isinstance(question, ChoiceQuestion)
            else range(question.low, question.high + 1)
        )
        answers = tuple(answers)
        with self._lock:
            counts = tuple(self._counts[number, each] for each in answers)
            skipped = self._counts[number, SKIPPED]
        return StepCounts(answers, counts, tuple(judged(question, each).right for each in answers), skipped)


def class_sentence(question: LessonQuestion, found: StepCounts, *, shown: bool) -> str:
    """Report how many answered, and where the right answer is shown, how many of them gave it."""
    if not found.given:
        return "No answers yet."
    said = f"**{counted(found.given, 'answer')}**"
    if shown:
        said += f", {found.correct} correct ({percent(found.correct / found.given)}). The answer: **{question.truth}**"
    return f"{said}."
