"""The twelve reporters: their habits, none of which depends on the topic."""

from dataclasses import asdict, dataclass, fields

from .material import DATA, read_json


@dataclass(frozen=True, slots=True)
class Author:
    """One reporter's habits. Rates are per chance to show the habit."""

    name: str
    home: tuple[str, ...]
    """Families this author mostly writes about."""
    favours: dict[str, str]
    """Choice point to the variant taken with probability `favour_rate`."""
    favour_rate: float
    contractions: float
    american: tuple[str, ...]
    """Spelling groups of language.json written the American way."""
    join_with: str
    join: float
    split: float
    """How often ', but' or ', and' before a new clause becomes a full stop."""
    aside_marks: str
    """dash, parentheses or commas."""
    serial_comma: bool
    exclamation: float
    colon: float
    number_words_below: int
    """Numbers below this are spelled out; from here on they are digits."""
    percent: str
    quote_mark: str
    comma_inside: bool
    attribution: str
    """verb first, name first, lead in or according."""
    attribution_verb: str
    named_speakers: float
    later_mention: str
    """surname, title or full: how a person is named the second time."""
    openers: tuple[str, ...]
    opener_rate: float
    first_person: float
    tails: tuple[str, ...]
    tail_rate: float
    signoffs: tuple[str, ...]
    signoff_rate: float

    def habits(self) -> dict:
        return {key: value for key, value in asdict(self).items() if key not in ("name", "home")}


def load_authors() -> list[Author]:
    records = read_json(DATA / "authors.json")["authors"]
    tuples = {field.name for field in fields(Author) if str(field.type).startswith("tuple")}
    return [
        Author(**{key: tuple(value) if key in tuples else value for key, value in record.items()}) for record in records
    ]
