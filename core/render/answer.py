"""An answer: everything that page, report, command line and notebook show of one question."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

Level = Literal["good", "warning", "bad", "neutral", "unknown"]


@dataclass(frozen=True, slots=True)
class Caution:
    """Something that limits what the answer means."""

    code: str  # stays the same from version to version
    text: str


@dataclass(frozen=True, slots=True)
class JudgedPart:
    """One line of an answer that has a level of its own."""

    label: str  # a word, such as "Similarity"
    level: Level
    text: str


@dataclass(frozen=True, slots=True)
class Fact:
    """One number that matters, with what it is."""

    label: str
    value: str
    note: str = ""  # a few words under the number
    help: str = ""  # one sentence on what it means


@dataclass(frozen=True, eq=False)
class Drawing:
    """A figure of the answer, drawn when it is first looked at."""

    name: str  # unique within the answer
    title: str
    draw: Callable[[], "go.Figure"] = field(repr=False)
    caption: str = ""
    lead: bool = False  # shown on the page's first screen

    @cached_property
    def figure(self) -> "go.Figure":
        """Return the plotly figure."""
        return self.draw()

    @property
    def alt(self) -> str:
        """Return what the figure shows, in words."""
        from ..plots import style  # plotly is imported only where something is drawn

        return style.alt_of(self.figure) or self.title


@dataclass(frozen=True, eq=False)
class Rows:
    """A table of the answer: raw values, made when it is first looked at."""

    name: str  # unique within the answer, and the stem of its CSV file
    title: str
    make: Callable[[], "pd.DataFrame"] = field(repr=False)
    note: str = ""
    precision: int = 3  # decimals shown; files hold all of them
    formats: Mapping[str, str] = field(default_factory=dict)  # column → format, where it is another one
    most: int = 40  # rows in a report; the rest is counted
    lead: bool = False  # printed on the command line

    @cached_property
    def frame(self) -> "pd.DataFrame":
        """Return the table."""
        return self.make()


@dataclass(frozen=True, eq=False)
class Answer:
    """The answer to one question about a study.

    `data` is what `--json` prints: its keys are a contract. Figures, tables and data are made on first use.
    """

    name: str  # of the question
    question: str
    level: Level
    headline: str  # one sentence, at most 25 words
    reasons: tuple[str, ...] = ()  # at most three
    cautions: tuple[Caution, ...] = ()
    facts: tuple[Fact, ...] = ()
    figures: tuple[Drawing, ...] = ()
    tables: tuple[Rows, ...] = ()
    make_data: Callable[[], Mapping[str, Any]] = field(default=dict, repr=False)
    settings: tuple[tuple[str, str], ...] = ()
    methods: str = ""
    references: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()  # what to do about it
    numbers: Any = field(default=None, repr=False)  # the records behind the sentences, for what pages draw around them
    lines: tuple[JudgedPart, ...] = ()  # lines under the headline, each with a level of its own
    hero: Fact | None = None  # the number that the headline is about, shown large beside it

    @cached_property
    def data(self) -> dict[str, Any]:
        """Return the answer as data, headline first."""
        found: dict[str, Any] = {"headline": self.headline, "sentence": self.headline}
        found |= self.make_data()
        return found

    def figure(self, name: str) -> Drawing:
        """Return the figure of that name."""
        return next(each for each in self.figures if each.name == name)

    def table(self, name: str) -> Rows:
        """Return the table of that name."""
        return next(each for each in self.tables if each.name == name)

    def caution_codes(self) -> list[str]:
        """Return the codes of all cautions."""
        return [each.code for each in self.cautions]

    def to_frame(self) -> "pd.DataFrame":
        """Return the answer's first table, or its facts."""
        import pandas as pd

        if self.tables:
            return self.tables[0].frame
        return pd.DataFrame([{"fact": each.label, "value": each.value, "note": each.note} for each in self.facts])

    def _repr_html_(self) -> str:
        from .report import answer_html  # it imports this module

        return answer_html(self)

    def __str__(self) -> str:
        lines = (f"{each.label}: {each.text}" for each in self.lines)
        return "\n".join([self.headline, *lines, *self.reasons, *(each.text for each in self.cautions)])


def materialised(answer: Answer) -> Answer:
    """Return the answer with everything made, so that it can be sent to another process."""
    return replace(
        answer,
        figures=tuple(replace(each, draw=partial(_constant, each.figure)) for each in answer.figures),
        tables=tuple(replace(each, make=partial(_constant, each.frame)) for each in answer.tables),
        make_data=partial(_constant, answer.data),
        numbers=None,
    )


def _constant(value: Any) -> Any:
    return value
