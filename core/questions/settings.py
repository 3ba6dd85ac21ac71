"""Settings of a question, each declared once.

A question's `Settings` is a frozen dataclass whose fields are made by `integer`, `number`, `share`, `choice`, `several`,
`groups`, `switch` and `text`. The page's widget, the key in the address, the command-line option, the row in the report and the entry in a
project are all made from that one declaration.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, Self

from ..errors import SettingError, unknown
from ..formats import choose, listed, percent

METADATA = "control"
HIGHEST_SEED = 2**31 - 1  # folds count on from the seed, and scikit-learn takes none above 2³² − 1

About = Any  # what the question is about: a study, or a table, or nothing
Earlier = Mapping[str, Any]  # the settings above this one in the same dataclass, already resolved
Kind = Literal["integer", "number", "share", "choice", "several", "groups", "switch", "text"]


@dataclass(frozen=True, slots=True)
class Control:
    """How one setting is asked for, everywhere."""

    kind: Kind
    label: str
    help: str
    default: Any  # this and the three below: values, or functions of the study and of the settings above this one
    low: Any = None
    high: Any = None
    step: float = 1
    choices: Any = None  # name → label
    noun: str = ""  # what one of the choices is called where a name is refused; "": the label
    refusal: Callable[[About, Earlier, str], str] | None = None  # why a name cannot be chosen here; "": unknown
    known: Mapping[str, Any] | None = None  # every name there is, where the choices depend on the study
    steps: tuple[float, ...] = ()  # the values that a page offers, where those are not all in range
    asked: Callable[[About, Earlier], bool] | None = None  # None: always
    key: str = "{question}_{name}"  # in the address; may name settings above this one: "{question}_models_{task}"
    option: str | None = None  # on the command line; None: the field's name; "": not there
    command_default: Any = None  # on the command line, where that is another one
    aliases: Mapping[str, str] = field(default_factory=dict)  # older names of choices
    again: str = ""  # of groups: the label of every row but the first
    size: int | None = None  # how many names each group has, or are chosen of several; these keep their order then
    repeated: bool = False  # of several, on the command line: a name per option, which can be repeated
    more: bool = False  # on a page: behind "More"
    show: Callable[[Any], str] | None = None  # the value in words, for a report

    def address_key(self, question: str, name: str, chosen: Earlier) -> str:
        """Return the key of this setting in the address and in the session."""
        return self.key.format(question=question, name=name, **{key: chosen[key] for key in chosen if key != "name"})

    def flag(self, name: str) -> str:
        """Return the command-line option, or "" where there is none."""
        return f"--{name.replace('_', '-')}" if self.option is None else self.option

    def is_asked(self, study: About, chosen: Earlier) -> bool:
        """Return whether this setting means anything here."""
        return self.asked is None or self.asked(study, chosen)

    def options(self, study: About, chosen: Earlier) -> dict[str, str]:
        """Return the choices by name and label."""
        return dict(_value(self.choices, study, chosen) or {})

    def bounds(self, study: About, chosen: Earlier) -> tuple[Any, Any]:
        """Return the lowest and the highest value."""
        return _value(self.low, study, chosen), _value(self.high, study, chosen)

    def default_in(self, study: About, chosen: Earlier, *, command: bool = False) -> Any:
        """Return the default, within the bounds."""
        given = self.command_default if command and self.command_default is not None else self.default
        value = _value(given, study, chosen)
        if self.kind in ("integer", "number") and value is not None:
            low, high = self.bounds(study, chosen)
            value = value if low is None else max(low, value)
            value = value if high is None else min(high, value)
        return value


def _value(given: Any, study: About, chosen: Earlier) -> Any:
    return given(study, chosen) if callable(given) else given


def _declared(control: Control) -> Any:
    return field(default=None, metadata={METADATA: control})


def integer(label: str, *, low: Any, high: Any, default: Any, help: str = "", **more: Any) -> Any:
    """Declare an integer between two bounds."""
    return _declared(Control("integer", label, help, default, low, high, **more))


def number(
    label: str, *, low: float, high: float | None, default: Any, step: float = 0.01, help: str = "", **more: Any
) -> Any:
    """Declare a number between two bounds; without a highest one it is typed, not slid."""
    return _declared(Control("number", label, help, default, low, high, step, **more))


def share(label: str, *, high: float | None = 1.0, default: Any = 0.0, help: str = "", **more: Any) -> Any:
    """Declare a share from 0 on, which pages show as a percentage."""
    return _declared(Control("share", label, help, default, 0.0, high, **more))


def choice(label: str, choices: Any, *, default: Any, help: str = "", **more: Any) -> Any:
    """Declare one of several names."""
    return _declared(Control("choice", label, help, default, choices=choices, **more))


def several(label: str, choices: Any, *, default: Any = (), help: str = "", **more: Any) -> Any:
    """Declare any number of names; none chosen means the default."""
    return _declared(Control("several", label, help, default, choices=choices, **more))


def groups(label: str, choices: Any, *, again: str, help: str = "", **more: Any) -> Any:
    """Declare any number of groups of names; `again` is the label of every row but the first."""
    return _declared(Control("groups", label, help, (), choices=choices, again=again, **more))


def switch(label: str, *, default: bool = False, help: str = "", **more: Any) -> Any:
    """Declare a yes or no."""
    return _declared(Control("switch", label, help, default, **more))


def text(label: str, *, default: str | None = "", help: str = "", **more: Any) -> Any:
    """Declare a free text."""
    return _declared(Control("text", label, help, default, **more))


def seed(help: str = "Seed of everything random.", **more: Any) -> Any:
    """Declare a seed."""
    return integer("Seed", low=0, high=HIGHEST_SEED, default=0, help=help, more=True, **more)


@dataclass(frozen=True)
class Settings:
    """The settings of a question; subclasses declare their fields."""

    @classmethod
    def controls(cls) -> dict[str, Control]:
        """Return every setting's declaration by the field's name."""
        return {each.name: each.metadata[METADATA] for each in fields(cls) if METADATA in each.metadata}

    @classmethod
    def resolve(cls, study: About, given: Earlier | None = None, *, clamp: bool = False, command: bool = False) -> Self:
        """Return settings with every default filled in.

        A value out of range is refused, or with `clamp` brought into range. Settings that mean nothing here take their default.
        """
        given = given or {}
        known = cls.controls()
        for name in given:
            if name not in known:
                raise unknown("setting", name, known)
        chosen: dict[str, Any] = {}
        for name, control in known.items():
            value = given.get(name)
            if value is None or value == () or value == [] or not control.is_asked(study, chosen):
                value = control.default_in(study, chosen, command=command)
            else:
                value = _checked(control, name, value, study, chosen, clamp=clamp)
            chosen[name] = value
        return cls(**chosen)

    @classmethod
    def check_early(cls, given: Earlier) -> None:
        """Refuse, before anything takes long, what no study could make right."""
        for name, control in cls.controls().items():
            value = given.get(name)
            if value is None:
                continue
            if control.kind in ("choice", "several") and isinstance(control.choices, Mapping):
                for each in [value] if isinstance(value, str) else value:
                    _named(control, each, control.choices)
            if (
                control.kind in ("integer", "number", "share")
                and not callable(control.low)
                and not callable(control.high)
            ):
                _within(control, name, value, control.low, control.high)

    def rows(self, study: About) -> tuple[tuple[str, str], ...]:
        """Return every setting that means something here as label and value in words."""
        return tuple((label, value) for _, label, value in self.named_rows(study))

    def named_rows(self, study: About) -> tuple[tuple[str, str, str], ...]:
        """Return every setting that means something here as field, label and value in words."""
        chosen: dict[str, Any] = {}
        found = []
        for name, control in self.controls().items():
            value = getattr(self, name)
            if control.is_asked(study, chosen):
                found.append((name, control.label, _shown(control, value, study, chosen)))
            chosen[name] = value
        return tuple(found)

    def as_json(self) -> dict[str, Any]:
        """Return the settings as plain values."""
        values = {name: getattr(self, name) for name in self.controls()}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}

    def but(self, **changed: Any) -> Self:
        """Return the same settings with some changed."""
        return replace(self, **changed)


def _checked(control: Control, name: str, value: Any, study: About, chosen: Earlier, *, clamp: bool) -> Any:
    if control.kind in ("integer", "number", "share"):
        low, high = control.bounds(study, chosen)
        return _clamped(value, low, high) if clamp else _within(control, name, value, low, high)
    if control.kind == "choice":
        options = control.options(study, chosen)
        if clamp and control.aliases.get(value, value) not in options:
            return control.default_in(study, chosen)
        return _named(control, value, options)
    if control.kind == "several":
        options = control.options(study, chosen)
        named = [control.aliases.get(each, each) for each in value]
        if not clamp:
            for each in named:
                if each not in options and control.refusal and (why := control.refusal(study, chosen, each)):
                    raise SettingError(why)
            named = [_named(control, each, options) for each in named]
        if control.size is not None:
            return _of_size(control, tuple(named))
        kept = tuple(each for each in options if each in named)
        return kept or control.default_in(study, chosen)
    if control.kind == "groups":
        return tuple(tuple(names) for names in value)
    return value


def _of_size(control: Control, names: tuple[str, ...]) -> tuple[str, ...]:
    if len(names) != control.size:
        count = f"{len(names)} of {control.size}"
        raise SettingError(
            f"{control.label}: {count} are named. Name {control.size}, such as {','.join(control.default)}."
        )
    return names


def _named(control: Control, value: str, options: Mapping[str, str]) -> str:
    name = control.aliases.get(value, value)
    if name not in options:
        noun = control.label.lower()
        noun = control.noun or (noun.removesuffix("s") if control.kind == "several" else noun)
        raise unknown(noun, value, options)
    return name


def _within(control: Control, name: str, value: Any, low: Any, high: Any) -> Any:
    if (low is not None and value < low) or (high is not None and value > high):
        if isinstance(value, float):
            allowed = f"{low:g} or more" if high is None else f"a value from {low:g} to {high:g}"
            raise SettingError(f"{control.label} is {value:g}. Choose {allowed}.")
        if high is None:
            raise SettingError(f"{control.label} is {value:,}. Choose {low:,} or more.")
        if low > high:
            raise SettingError(f"{control.label} is {value:,}, but this corpus has too few topics for any.")
        raise SettingError(f"{control.label} is {value:,}; {choose(name, low, high)}.")
    return value


def _clamped(value: Any, low: Any, high: Any) -> Any:
    value = value if low is None else max(low, value)
    return value if high is None else min(high, value)


def _shown(control: Control, value: Any, study: About, chosen: Earlier) -> str:
    if control.show is not None:
        return control.show(value)
    if value is None:
        return "–"
    if control.kind == "choice":
        return control.options(study, chosen).get(value, str(value))
    if control.kind == "several":
        options = control.options(study, chosen)
        return listed([options.get(each, each) for each in value]) or "–"
    if control.kind == "share":
        return percent(value)
    if control.kind == "groups":
        return "; ".join(", ".join(names) for names in value) or "–"
    if control.kind == "switch":
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}" if math.isfinite(value) else "–"
    return f"{value:,}" if isinstance(value, int) else str(value)


def names_in(text: str) -> Sequence[str]:
    """Return the names in a text with commas between them."""
    return [each.strip() for each in text.split(",") if each.strip()]
