"""A question with its answer worked out, and what is said to whoever answers it, right or wrong."""

from math import isfinite

from ...arrays import record
from ...errors import SettingError


@record
class AnswerOption:
    """One of several answers: what it reads, whether it is right, and what is said to whoever gives it."""

    label: str
    right: bool
    because: str


@record
class ChoiceQuestion:
    """A question with options, of which one is right."""

    text: str
    options: tuple[AnswerOption, ...]

    def __post_init__(self) -> None:
        labels = [option.label for option in self.options]
        if len(set(labels)) < len(labels) or sum(option.right for option in self.options) != 1:
            raise SettingError(f"'{self.text}': options must differ, and exactly one of them must be right.")

    @property
    def truth(self) -> str:
        """The right answer in words."""
        return next(option.label for option in self.options if option.right)


@record
class EstimateQuestion:
    """A question for a number from `low` to `high`: `truth` is right, and so is whatever lies within `close` of it.

    What is said depends on which side an answer errs.
    """

    text: str
    low: int
    high: int
    value: float
    close: float
    unit: str
    right: str
    too_low: str
    too_high: str

    def __post_init__(self) -> None:
        if not self.low <= self.value <= self.high:
            raise SettingError(f"'{self.text}': the answer {self.value:g} lies outside {self.low} to {self.high}.")

    @property
    def truth(self) -> str:
        """The right answer in words."""
        number = f"{self.value:.0f}" if self.value == round(self.value) else f"{self.value:.1f}"
        return f"{number} {self.unit}"


LessonQuestion = ChoiceQuestion | EstimateQuestion


@record
class LessonStep:
    """One idea: two sentences, a question, and what to take along once it is answered."""

    title: str
    about: str
    question: LessonQuestion
    told: str


@record
class Judgement:
    """An answer in words, whether it is right, the right one, and what is to be said to it."""

    given: str
    right: bool
    truth: str
    because: str


def judged(question: LessonQuestion, given: str | int) -> Judgement:
    """What an answer is worth: a label for a choice, a number for an estimate."""
    if isinstance(question, ChoiceQuestion):
        for option in question.options:
            if option.label == given:
                return Judgement(option.label, option.right, question.truth, option.because)
        labels = ", ".join(f"'{option.label}'" for option in question.options)
        raise SettingError(f"'{given}' is none of the answers; choose one of: {labels}.")
    if isinstance(given, str) or not isfinite(given) or not question.low <= given <= question.high:
        raise SettingError(f"'{given}' is no answer here; give a number from {question.low} to {question.high}.")
    error = given - question.value
    right = abs(error) <= question.close
    because = question.right if right else question.too_low if error < 0 else question.too_high
    return Judgement(f"{given} {question.unit}", right, question.truth, because)


def signed(difference: float) -> str:
    """A difference of shares in points, such as "−7"."""
    points = round(100 * difference)
    return f"{points:+d}".replace("-", "−") if points else "0"
