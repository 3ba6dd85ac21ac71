"""The lines of a file of answers, whether PAN's JSON lines or a table, with their numbers for messages."""

import csv
import io
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

import numpy as np

from ..arrays import record
from ..corpora.readers import DELIMITERS, MOST_BYTES_HERE, decoded, size_of, streamed_objects, text_of
from ..errors import InputError
from ..models import UNANSWERED
from .answers import system_names
from .raven.benchmark import Benchmark, pair_id
from .raven.build import setup_key
from .shortcut import Asked, System, asked_of

AnswersFile: TypeAlias = str | os.PathLike[str] | BinaryIO

COLUMNS = {"id": ("id", "pair_id", "pair"), "score": ("score", "value"), "setup": ("setup",), "fold": ("fold",)}
ONE_LINE = 'write one object a line, such as {"id": "…", "value": 0.7}'


@dataclass(frozen=True, slots=True)
class Line:
    """One answer as it was written; setup and fold are empty where the file does not say."""

    number: int
    identity: str
    value: Any
    setup: str = ""
    fold: str = ""


def bytes_of(file: AnswersFile) -> tuple[str, bytes]:
    """A file's name for messages, and its content."""
    if not isinstance(file, str | os.PathLike):
        file.seek(0)
        label, data = Path(str(getattr(file, "name", "the answers"))).name, file.read(MOST_BYTES_HERE + 1)
    else:
        label = str(file)
        try:
            # A pipe or a device would block or never end.
            if not Path(file).is_file():
                raise InputError(f"{label}: there is no such file; check the path.")
            with Path(file).open("rb") as stream:
                data = stream.read(MOST_BYTES_HERE + 1)
        except (OSError, ValueError) as problem:
            reason = getattr(problem, "strerror", None) or problem
            raise InputError(
                f"{label}: the file cannot be read ({reason}); check the path and its rights."
            ) from problem
    if len(data) > MOST_BYTES_HERE:
        raise InputError(f"{label}: more than {size_of(MOST_BYTES_HERE)}, the limit for one file.")
    if not data.strip():
        raise InputError(f"{label}: the file is empty; {ONE_LINE}.")
    return label, data


def answer_lines(text: str, label: str) -> Iterator[Line]:
    """Each answer of a file: JSON lines if it opens with a brace, else a table with a header."""
    if not text.lstrip().startswith(("{", "[")):
        yield from _rows(text, label)
        return
    for number, record in streamed_objects(io.BytesIO(text.encode("utf-8", "replace")), label, remedy=ONE_LINE):
        for key in ("id", "value"):
            if key not in record:
                raise InputError(f"{label}: line {number}: no '{key}'; {ONE_LINE}.")
        yield Line(number, text_of(record["id"]), record["value"])


def _rows(text: str, label: str) -> Iterator[Line]:
    header = text.lstrip().partition("\n")[0]
    delimiter = max(DELIMITERS, key=header.count)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        names = [cell.strip().lower().replace(" ", "_") for cell in next((row for row in rows if row), [])]
        column = {what: _column(names, spellings) for what, spellings in COLUMNS.items()}
        for what in ("id", "score"):
            if column[what] < 0:
                raise InputError(
                    f"{label}: neither JSON lines nor a table with a column '{what}'; name the columns id and score, "
                    "and setup and fold if you like."
                )
        for row in rows:
            if not any(cell.strip() for cell in row):
                continue
            if len(row) != len(names):
                raise InputError(
                    f"{label}: line {rows.line_num} has {len(row)} field(s) where the header has {len(names)}; mend it."
                )
            cells = {what: row[place].strip() if place >= 0 else "" for what, place in column.items()}
            yield Line(rows.line_num, cells["id"], _number(cells["score"]), cells["setup"], cells["fold"])
    except csv.Error as error:
        raise InputError(f"{label}: line {rows.line_num} cannot be read ({error}); write it again.") from error


def _column(names: Sequence[str], spellings: Sequence[str]) -> int:
    return next((names.index(spelling) for spelling in spellings if spelling in names), -1)


def _number(cell: str) -> float | str:
    try:
        return float(cell)
    except ValueError:
        return cell


_NO_ANSWER = "write 0.5, or leave the line out, for a pair without an answer"
_ENDINGS = (".jsonl", ".ndjson", ".csv", ".tsv")  # a folder may hold settings and logs beside its answers
_EXAMPLES = 3
_LONGEST_SHOWN = 60  # characters of an id or a value in a message


@record
class AnswerSheet:
    """Every test pair's place in one long list, and where each fold begins in it."""

    tag: str
    asked: tuple[Asked, ...]
    places: Mapping[str, int]
    starts: tuple[int, ...]


def answer_sheet(benchmark: Benchmark) -> AnswerSheet:
    """What is asked, prepared once for all systems."""
    asked, tag = asked_of(benchmark), benchmark.tag
    ids = (pair_id(tag, each.setup, each.fold, "test", number) for each in asked for number in range(len(each)))
    ends = np.cumsum([len(each) for each in asked])
    return AnswerSheet(tag, asked, {identity: place for place, identity in enumerate(ids)}, (0, *map(int, ends)))


def read_systems(sheet: AnswerSheet, paths: Sequence[str]) -> Iterator[System]:
    """One system a path, a file or a folder of files, called as in `score`: by its name, where that is its own."""
    for name, path in zip(system_names(paths), paths, strict=True):
        yield read_system(sheet, _files(Path(path)), name=name)


def read_system(sheet: AnswerSheet, files: Sequence[AnswersFile], *, name: str) -> System:
    """One system's answers from its files together; a pair without an answer counts as 0.5, a fold without any is refused."""
    scores = np.full(len(sheet.places), UNANSWERED)
    lines, sources = np.zeros(len(scores), dtype=np.int64), np.zeros(len(scores), dtype=np.int64)
    unknown: list[str] = []
    labels, encodings = [], []
    for source, file in enumerate(files):
        label, data = bytes_of(file)
        text, encoding = decoded(data, label)
        labels.append(label)
        encodings.append(encoding)
        for line in answer_lines(text, label):
            at = f"{label}: line {line.number}"
            score = _score(line.value, at)
            place = sheet.places.get(line.identity)
            if place is None:
                unknown.append(line.identity)
                continue
            if lines[place]:
                raise _twice(at, line.identity, labels[sources[place]], int(lines[place]), label)
            if line.setup or line.fold:
                _check_fold(sheet, line, place, at)
            scores[place], lines[place], sources[place] = score, line.number, source
    if not lines.any():
        raise _foreign(sheet, name, unknown)
    answers = tuple(np.split(scores, sheet.starts[1:-1]))
    given = np.split(lines > 0, sheet.starts[1:-1])
    _refuse_missing_folds(sheet, name, given)
    notes = _notes(sheet, lines > 0, unknown, encodings)
    for array in answers:
        array.setflags(write=False)
    return System(name, answers, notes)


def _files(path: Path) -> list[Path]:
    """The file itself, or every file of answers in a folder and the folders below it."""
    if not path.is_dir():
        return [path]
    found = sorted(
        file for file in path.rglob("*") if file.suffix.lower() in _ENDINGS and not file.name.startswith(".")
    )
    if not found:
        raise InputError(f"{path}: no answers in this folder; put .jsonl or .csv files there.")
    return found


def _score(value: Any, at: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        raise InputError(f"{at}: the score is {str(value)[:_LONGEST_SHOWN]!r}, not a number; {_NO_ANSWER}.")
    if not 0 <= value <= 1:
        shown = str(value)[:_LONGEST_SHOWN]
        raise InputError(f"{at}: score {shown} is outside [0, 1]; bring all scores into that interval first.")
    return float(value)


def _check_fold(sheet: AnswerSheet, line: Line, place: int, at: str) -> None:
    each = sheet.asked[int(np.searchsorted(sheet.starts, place, side="right")) - 1]
    # As a page, a folder or a table of floats spells them: 'random 3' and 'fold-2' or '2.0'.
    fold = line.fold.lower().removeprefix("fold").strip("- ").removesuffix(".0")
    said = setup_key(line.setup or each.setup), fold or str(each.fold)
    if said != (each.setup, str(each.fold)):
        raise InputError(
            f"{at}: pair '{line.identity}' is of {each.setup}, fold {each.fold}, but the line says {said[0]}, fold "
            f"{said[1]}; folds are numbered from 0."
        )


def _twice(at: str, identity: str, earlier: str, line: int, label: str) -> InputError:
    if earlier == label:
        return InputError(f"{at}: pair '{identity}' already stands in line {line}; keep one of them.")
    return InputError(
        f"{at}: pair '{identity}' is already answered in {earlier}, line {line}; a folder is one system. "
        "Keep one of them, or give the files one by one if each is a system of its own."
    )


def _foreign(sheet: AnswerSheet, name: str, unknown: Sequence[str]) -> InputError:
    shown = ", ".join(identity[:_LONGEST_SHOWN] for identity in unknown[:_EXAMPLES])
    if not unknown:
        return InputError(f"{name}: there is no answer in it; {ONE_LINE}.")
    if unknown[0].startswith(f"{sheet.tag}-") and "-train-" in unknown[0]:
        return InputError(f"{name}: these are answers to training pairs ({shown}, …); answer the test pairs.")
    return InputError(
        f"{name}: these are answers to another benchmark: none of {len(unknown):,} ids is known ({shown}, …), and "
        f"here they begin with {sheet.tag}-. Give this benchmark's answers."
    )


def _refuse_missing_folds(sheet: AnswerSheet, name: str, given: Sequence[Any]) -> None:
    """A fold that was never run would count as all wrong, and the comparison of setups with it."""
    absent = [
        f"{each.setup}, fold {each.fold}" for each, here in zip(sheet.asked, given, strict=True) if not here.any()
    ]
    if absent:
        more = f" and {len(absent) - _EXAMPLES:,} more" if len(absent) > _EXAMPLES else ""
        raise InputError(
            f"{name}: no answer at all for {'; '.join(absent[:_EXAMPLES])}{more}. Run the system there too, or write "
            "0.5 for its pairs if it has nothing to say."
        )


def _notes(sheet: AnswerSheet, given: Any, unknown: Sequence[str], encodings: Sequence[str]) -> tuple[str, ...]:
    notes = []
    if missing := int((~given).sum()):
        first = [identity for identity, place in sheet.places.items() if not given[place]][:_EXAMPLES]
        dots = ", …" if missing > len(first) else ""
        notes.append(f"{missing:,} of {len(given):,} pairs have no answer and count as 0.5: {', '.join(first)}{dots}.")
    if unknown:
        shown = ", ".join(identity[:_LONGEST_SHOWN] for identity in unknown[:_EXAMPLES])
        dots = ", …" if len(unknown) > _EXAMPLES else ""
        notes.append(f"{len(unknown):,} answers are to pairs that are not asked here; ignored: {shown}{dots}.")
    if len(set(encodings)) > 1:
        notes.append(
            f"The files are in different encodings ({', '.join(sorted(set(encodings)))}); each was read in its own."
        )
    return tuple(notes)
