"""Other people's verifiers, from files: PAN's truth and each system's answers, a line a problem, at any size."""

import json
import os
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..arrays import record
from ..corpora.readers import identity_of, streamed_objects
from ..errors import InputError
from ..models import UNANSWERED, verification_scores

AnswersFile: TypeAlias = str | os.PathLike[str] | BinaryIO

PAN_METRICS = ("auc", "c@1", "f_05_u", "F1", "brier", "overall")
_TRUTH_LINE = 'write the truth as one object a line, such as {"id": "…", "same": true}'
_ANSWER_LINE = 'write one object a line, such as {"id": "…", "value": 0.7}'
_NO_ANSWER = "write 0.5, or leave the line out, for a problem without an answer"
_EXAMPLES = 5
_LONGEST_SHOWN = 50  # characters of an id in a message


@record
class Truth:
    """Each problem's place in the file, and whether one author wrote both of its texts."""

    places: Mapping[str, int]
    same: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.same)


@record
class SystemAnswers:
    """One system's score for each problem of the truth, and what was wrong with its file, a sentence each."""

    scores: NDArray[np.float64]
    notes: tuple[str, ...]


def read_truth(file: AnswersFile) -> Truth:
    """The truth of PAN's problems: lines with 'id' and 'same'; other keys are passed over."""
    places: dict[str, int] = {}
    lines = array("q")
    same = bytearray()
    for line, place, identity, record in _records(file, _TRUTH_LINE):
        if identity in places:
            raise _twice(place, identity, lines[places[identity]])
        if not isinstance(record.get("same"), bool):
            fact = f"'same' is {_shown(record['same'])}" if "same" in record else "no 'same'"
            raise InputError(
                f"{place}: {fact}; {_TRUTH_LINE}, with true or false, and give the truth before the answers."
            )
        places[identity] = len(lines)
        lines.append(line)
        same.append(record["same"])
    return Truth(places, np.frombuffer(bytes(same), dtype=np.bool_))


def read_answers(file: AnswersFile, truth: Truth) -> SystemAnswers:
    """A system's answers, lines with 'id' and 'value', in the order of the truth; no answer counts as 0.5 (PAN)."""
    scores = np.full(len(truth), UNANSWERED)
    lines = np.zeros(len(truth), dtype=np.int64)
    unknown: dict[str, int] = {}
    for line, place, identity, record in _records(file, _ANSWER_LINE):
        score = _score(record, place)
        problem = truth.places.get(identity)
        earlier = unknown.get(identity, 0) if problem is None else int(lines[problem])
        if earlier:
            raise _twice(place, identity, earlier)
        if problem is None:
            unknown[identity] = line
        else:
            lines[problem], scores[problem] = line, score
    notes = []
    missing = int((lines == 0).sum())
    if missing:
        first = (identity for identity, problem in truth.places.items() if not lines[problem])
        notes.append(
            f"{missing:,} of {len(truth):,} problems have no answer and count as 0.5: {_some(first, missing)}."
        )
    if unknown:
        count = len(unknown)
        notes.append(
            f"{count:,} answers are to problems that the truth does not have; ignored: {_some(unknown, count)}."
        )
    scores.setflags(write=False)
    return SystemAnswers(scores, tuple(notes))


def pan_scores(truth: Truth, answers: SystemAnswers) -> tuple[dict[str, float], tuple[str, ...]]:
    """The metrics PAN reports, NaN where undefined, and the reason for that in a sentence."""
    named = verification_scores(truth.same, answers.scores).named()
    values = {metric: named[metric] for metric in PAN_METRICS}
    undefined = [metric for metric, value in values.items() if np.isnan(value)]
    reasons = []
    if "auc" in undefined:
        kind = "same" if truth.same.all() else "different"
        reasons.append(f"the truth holds {kind}-author problems only (PAN's script prints an AUC of 0)")
    if "F1" in undefined:
        reasons.append("no same-author problem is answered, and no other is taken for one")
    if not undefined:
        return values, ()
    return values, (f"{', '.join(undefined)} undefined: {', and '.join(reasons)}.",)


def system_names(files: Sequence[str]) -> list[str]:
    """A name for each file: its stem; where stems are equal the folder's name; where these are too, the path."""
    # A name that is not UTF-8 arrives as characters that cannot be written again.
    paths = [os.fsencode(file).decode("utf-8", "backslashreplace") for file in files]
    if shared := _shared(paths):
        raise InputError(f"{min(shared)} is given twice; give each file of answers once.")
    stems = [Path(path).stem for path in paths]
    alike = _shared(stems)
    folders = [Path(os.path.abspath(path)).parent.name for path in paths]
    names = [folder if stem in alike else stem for stem, folder in zip(stems, folders, strict=True)]
    alike = _shared(names) | {""}  # the root folder has no name
    names = [path if name in alike else name for name, path in zip(names, paths, strict=True)]
    return paths if _shared(names) else names


def _shared(names: Sequence[str]) -> set[str]:
    return {name for name, count in Counter(names).items() if count > 1}


def _records(file: AnswersFile, remedy: str) -> Iterator[tuple[int, str, str, dict[str, Any]]]:
    """Line number, place for messages, id and object of each line."""
    empty = True
    with _opened(file) as (stream, name):
        for line, record in streamed_objects(stream, name, remedy=remedy):
            empty = False
            place = f"{name}: line {line}"
            yield line, place, identity_of(record, place), record
    if empty:
        raise InputError(f"{name}: the file is empty; {remedy}.")


@contextmanager
def _opened(file: AnswersFile) -> Iterator[tuple[BinaryIO, str]]:
    if not isinstance(file, str | os.PathLike):
        yield file, Path(str(getattr(file, "name", "the file"))).name
        return
    try:
        # A pipe or a device would block or never end.
        if not Path(file).is_file():
            raise InputError(f"{file}: there is no such file; check the path.")
        with Path(file).open("rb") as stream:
            yield stream, str(file)
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or problem
        raise InputError(f"{file}: the file cannot be read ({reason}); check the path and its rights.") from problem


def _score(record: dict[str, Any], place: str) -> float:
    if "value" not in record:
        raise InputError(f"{place}: no 'value'; {_ANSWER_LINE}.")
    value = record["value"]
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        raise InputError(f"{place}: 'value' is {_shown(value)}, not a number; {_NO_ANSWER}.")
    if not 0 <= value <= 1:
        raise InputError(
            f"{place}: score {_shown(value)} is outside [0, 1]; bring all scores into that interval first."
        )
    return float(value)


def _twice(place: str, identity: str, earlier: int) -> InputError:
    shown = identity[:_LONGEST_SHOWN]
    return InputError(f"{place}: id '{shown}' already stands in line {earlier}; keep one of them.")


def _some(identities: Iterator[str] | Mapping[str, int], count: int) -> str:
    first = [identity[:_LONGEST_SHOWN] for identity, _ in zip(identities, range(_EXAMPLES), strict=False)]
    return ", ".join(first) + (", …" if count > len(first) else "")


def _shown(value: Any) -> str:
    """A JSON value as a message shows it: as it was written, cut where long."""
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"
