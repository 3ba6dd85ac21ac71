"""Read answers of other people's verifiers (PAN's JSON lines or a table, in any encoding and size), and score them against PAN's truth."""

import codecs
import csv
import io
import json
import os
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

import numpy as np

from ..arrays import Bools, Floats, record
from ..corpora.readers import DELIMITERS, MOST_BYTES_HERE, decoded, pan_id, short_lines, size_of, streamed_objects
from ..errors import InputError
from ..formats import counted
from ..models import UNANSWERED, verification_scores

AnswersFile: TypeAlias = str | os.PathLike[str] | BinaryIO

PAN_METRICS = ("auc", "c@1", "f_05_u", "F1", "brier", "overall")
_TRUTH_LINE = 'write the truth as one object per line, such as {"id": "…", "same": true}'
COLUMNS = {"id": ("id", "pair_id", "pair"), "score": ("score", "value"), "setup": ("setup",), "fold": ("fold",)}
ANSWER_LINE = 'write one object per line, such as {"id": "…", "value": 0.7}'
_LONGEST_ROW = 1_000_000  # characters of a table's line
_PIECE = 1 << 20  # bytes looked at together when the encoding is told
_EXAMPLES = 5
_LONGEST_SHOWN = 50  # characters of an id or a value in a message


@dataclass(frozen=True, slots=True)
class AnswerLine:
    """One answer as it was written; setup and fold are empty where the file does not say."""

    number: int
    identity: str
    value: Any
    setup: str = ""
    fold: str = ""


@record
class KnownIds:
    """What is asked: each id's index, what messages call one of them, and what they call ids that are none of them."""

    index: Mapping[str, int]
    noun: str
    unknown: str

    def __len__(self) -> int:
        return len(self.index)


@record
class SystemScores:
    """One system's score for each known id, 0.5 where none is `given`; ids that are not asked; a sentence for each
    thing amiss."""

    scores: Floats
    given: Bools
    unknown: tuple[str, ...]
    notes: tuple[str, ...]


def read_system_answers(
    files: Sequence[AnswersFile], ids: KnownIds, *, check: Callable[[AnswerLine, int, str], None] | None = None
) -> SystemScores:
    """Read one system's answers from its files together, in the order of the ids; no answer counts as 0.5 (PAN).

    `check` is shown each answer with its id's index and where it stands, and may refuse it.
    """
    scores = array("d", [UNANSWERED]) * len(ids)
    lines, sources = (array("q", [0]) * len(ids) for _ in range(2))
    unknown: list[str] = []
    names, encodings, lists = list[str](), set[str](), 0
    for source, file in enumerate(files):
        elsewhere: dict[str, int] = {}
        with opened(file) as (stream, name):
            content, encoding = as_utf8(stream, name)
            names.append(name)
            encodings.add(encoding)
            for line in answer_lines(content, name):
                where = f"{name}: line {line.number}"
                lists += isinstance(line.value, list)
                score = _checked_score(line.value, where, ids.noun)
                index = ids.index.get(line.identity)
                if index is None:
                    if line.identity in elsewhere:
                        raise twice(where, line.identity, elsewhere[line.identity])
                    elsewhere[line.identity] = line.number
                    continue
                if lines[index]:
                    other = "" if sources[index] == source else names[sources[index]]
                    raise twice(where, line.identity, lines[index], other)
                if check is not None:
                    check(line, index, where)
                scores[index], lines[index], sources[index] = score, line.number, source
        unknown += elsewhere
    given = np.array(lines) > 0
    if not unknown and not given.any():
        raise InputError(f"{', '.join(names)}: there is no answer in it; {ANSWER_LINE}.")
    return SystemScores(np.array(scores), given, tuple(unknown), _reading_notes(ids, given, unknown, encodings, lists))


@contextmanager
def opened(file: AnswersFile) -> Iterator[tuple[BinaryIO, str]]:
    """Open the file from its beginning, and give its name for messages."""
    if not isinstance(file, str | os.PathLike):
        file.seek(0)  # a page may have read the upload before
        yield file, Path(str(getattr(file, "name", "the file"))).name
        return
    try:
        # A pipe or a device would block or never end.
        if not Path(file).is_file():
            raise InputError(f"{file}: there is no such file; check the path.")
        with Path(file).open("rb") as stream:
            yield stream, str(file)
    except OSError as problem:
        reason = problem.strerror or problem
        raise InputError(f"{file}: the file cannot be read ({reason}); check the path and its rights.") from problem


def as_utf8(stream: BinaryIO, name: str) -> tuple[BinaryIO, str]:
    """Return the content as UTF-8, and the encoding it was in: any other needs the whole file to be recognised."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    mark = stream.read(len(codecs.BOM_UTF8))
    stream.seek(0)
    try:
        while piece := stream.read(_PIECE):
            if "\0" in decoder.decode(piece):
                break
        else:
            decoder.decode(b"", final=True)
            stream.seek(0)
            return stream, "UTF-8 with BOM" if mark == codecs.BOM_UTF8 else "UTF-8"
    except UnicodeDecodeError:
        pass
    stream.seek(0)
    data = stream.read(MOST_BYTES_HERE + 1)
    if len(data) > MOST_BYTES_HERE:
        raise InputError(f"{name}: more than {size_of(MOST_BYTES_HERE)}, and not UTF-8; save it as UTF-8.")
    text, encoding = decoded(data, name)
    return io.BytesIO(text.encode("utf-8", "replace")), encoding


def answer_lines(stream: BinaryIO, name: str) -> Iterator[AnswerLine]:
    """Yield each answer of a file: JSON lines if it opens with a brace, else a table with a header."""
    opening = b""
    while not opening and (line := stream.readline(_LONGEST_ROW)):
        opening = line.removeprefix(codecs.BOM_UTF8).strip()
    stream.seek(0)
    if not opening:
        raise InputError(f"{name}: the file is empty; {ANSWER_LINE}.")
    if not opening.startswith((b"{", b"[")):
        yield from _table_lines(stream, name, opening.decode("utf-8", "replace"))
        return
    for number, answer in streamed_objects(stream, name, fix=ANSWER_LINE):
        identity = pan_id(answer, f"{name}: line {number}")
        if "value" not in answer:
            raise InputError(f"{name}: line {number}: no 'value'; {ANSWER_LINE}.")
        yield AnswerLine(number, identity, answer["value"])


def _table_lines(stream: BinaryIO, name: str, header: str) -> Iterator[AnswerLine]:
    text = io.TextIOWrapper(stream, "utf-8-sig", newline="")
    rows = csv.reader(short_lines(text, name, longest=_LONGEST_ROW), delimiter=max(DELIMITERS, key=header.count))
    try:
        filled = (row for row in rows if "".join(row).strip())
        names = [cell.strip().lower().replace(" ", "_") for cell in next(filled, [])]
        column = {what: [names.index(word) for word in usual if word in names] for what, usual in COLUMNS.items()}
        for what in ("id", "score"):
            if not column[what]:
                raise InputError(
                    f"{name}: neither JSON lines nor a table with a column '{what}'; name the columns id and score, "
                    "and setup and fold if you like."
                )
        for row in filled:
            if len(row) != len(names):
                fact = f"line {rows.line_num} has {counted(len(row), 'field')} where the header has {len(names)}"
                raise InputError(f"{name}: {fact}; fix it.")
            cells = {what: row[found[0]].strip() if found else "" for what, found in column.items()}
            yield AnswerLine(rows.line_num, cells["id"], _number_or_text(cells["score"]), cells["setup"], cells["fold"])
    except csv.Error as error:
        raise InputError(f"{name}: line {rows.line_num} cannot be read ({error}); write it again.") from error
    finally:
        text.detach()  # else it would close a file that is not its own


def _number_or_text(cell: str) -> float | str:
    try:
        return float(cell)
    except ValueError:
        return cell


def first_ids(identities: Iterable[str], count: int) -> str:
    """Return the first few of `count` ids, as a message shows them."""
    first = [identity[:_LONGEST_SHOWN] for identity, _ in zip(identities, range(_EXAMPLES), strict=False)]
    return ", ".join(first) + (", …" if count > len(first) else "")


def _checked_score(value: Any, where: str, noun: str) -> float:
    """Return the number itself; some systems at PAN 2020 wrote it inside a list."""
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        fix = f"write 0.5, or leave the line out, for a {noun} without an answer"
        raise InputError(f"{where}: the score is {shown_value(value)}, not a number; {fix}.")
    if not 0 <= value <= 1:
        raise InputError(f"{where}: score {shown_value(value)} is outside [0, 1]; scale all scores to it first.")
    return float(value)


def _reading_notes(
    ids: KnownIds, given: Bools, unknown: Sequence[str], encodings: set[str], lists: int
) -> tuple[str, ...]:
    notes = []
    if missing := int((~given).sum()):
        first = first_ids((identity for identity, index in ids.index.items() if not given[index]), missing)
        notes.append(
            f"{missing:,} of {counted(len(given), ids.noun)} {'has no answer and counts' if missing == 1 else 'have no answer and count'} as 0.5: {first}."
        )
    if unknown:
        first = first_ids(unknown, len(unknown))
        notes.append(f"{counted(len(unknown), 'answer', 'is', 'are')} to {ids.unknown}; ignored: {first}.")
    if lists:
        notes.append(f"{counted(lists, 'answer', 'is a list', 'are lists')} of one number, and read as that number.")
    if len(encodings) > 1:
        listed = ", ".join(sorted(encodings))
        notes.append(f"The files are in different encodings ({listed}); each was read in its own.")
    return tuple(notes)


def twice(where: str, identity: str, line: int, other: str = "") -> InputError:
    """Return the error for an id that already stands in that line, of another file if `other` names one."""
    shown = identity[:_LONGEST_SHOWN]
    if not other:
        return InputError(f"{where}: id '{shown}' already stands in line {line}; keep one of them.")
    return InputError(
        f"{where}: id '{shown}' is already answered in {other}, line {line}; a folder is one system. "
        "Keep one of them, or give the files one by one if each is a system of its own."
    )


def shown_value(value: Any) -> str:
    """Format a JSON value for a message: as it was written, cut where long."""
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"


@record
class Truth:
    """PAN's problems, and whether one author wrote both texts of each."""

    ids: KnownIds
    same: Bools

    def __len__(self) -> int:
        return len(self.same)


def read_truth(file: AnswersFile) -> Truth:
    """Read the truth of PAN's problems: lines with 'id' and 'same'; other keys are ignored."""
    index: dict[str, int] = {}
    lines = array("q")
    same = bytearray()
    with opened(file) as (stream, name):
        for line, problem in streamed_objects(stream, name, fix=_TRUTH_LINE):
            where = f"{name}: line {line}"
            identity = pan_id(problem, where)
            if identity in index:
                raise twice(where, identity, lines[index[identity]])
            if not isinstance(problem.get("same"), bool):
                fact = f"'same' is {shown_value(problem['same'])}" if "same" in problem else "no 'same'"
                raise InputError(
                    f"{where}: {fact}; {_TRUTH_LINE}, with true or false, and give the truth before the answers."
                )
            index[identity] = len(lines)
            lines.append(line)
            same.append(problem["same"])
    if not lines:
        raise InputError(f"{name}: the file is empty; {_TRUTH_LINE}.")
    ids = KnownIds(index, "problem", "problems that the truth does not have")
    return Truth(ids, np.frombuffer(bytes(same), dtype=np.bool_))


def pan_scores(truth: Truth, answers: SystemScores) -> tuple[dict[str, float], tuple[str, ...]]:
    """Return the metrics PAN reports, NaN where undefined, and the reason for that in a sentence."""
    named = verification_scores(truth.same, answers.scores).named()
    values = {metric: named[metric] for metric in PAN_METRICS}
    undefined = [metric for metric, value in values.items() if np.isnan(value)]
    if not undefined:
        return values, ()
    reasons = []
    if "auc" in undefined:
        kind = "same" if truth.same.all() else "different"
        reasons.append(f"the truth holds {kind}-author problems only (PAN's script prints an AUC of 0)")
    if "F1" in undefined:
        reasons.append("no same-author problem is answered, and no other is taken for one")
    return values, (f"{', '.join(undefined)} undefined: {', and '.join(reasons)}.",)


def system_names(files: Sequence[str]) -> list[str]:
    """Return a name for each file: its stem; where stems are equal the folder's name; where these are too, the path."""
    # A name that is not UTF-8 arrives as characters that cannot be written again.
    paths = [os.fsencode(file).decode("utf-8", "backslashreplace") for file in files]
    if shared := _shared(paths):
        raise InputError(f"{min(shared)} is given twice; give each file of answers once.")
    stems = [Path(path).stem for path in paths]
    shared = _shared(stems)
    folders = [Path(os.path.abspath(path)).parent.name for path in paths]
    names = [folder if stem in shared else stem for stem, folder in zip(stems, folders, strict=True)]
    shared = _shared(names) | {""}  # the root folder has no name
    names = [path if name in shared else name for name, path in zip(names, paths, strict=True)]
    return paths if _shared(names) else names


def _shared(names: Sequence[str]) -> set[str]:
    return {name for name, count in Counter(names).items() if count > 1}
