"""Other people's verifiers, from files: what is asked, each system's answers to it, and PAN's scores for them."""

import json
import os
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..arrays import Bools, Floats, record
from ..corpora.readers import identity_of, streamed_objects
from ..errors import InputError
from ..models import UNANSWERED, verification_scores
from .answer_lines import ANSWER_LINE, AnswerLine, AnswersFile, answer_lines, as_utf8, opened

PAN_METRICS = ("auc", "c@1", "f_05_u", "F1", "brier", "overall")
_TRUTH_LINE = 'write the truth as one object a line, such as {"id": "…", "same": true}'
_EXAMPLES = 5
_LONGEST_SHOWN = 50  # characters of an id or a value in a message


@record
class KnownIds:
    """What is asked: each id's index, what messages call one of them, and what they call ids that are none of them."""

    index: Mapping[str, int]
    noun: str
    unknown: str

    def __len__(self) -> int:
        return len(self.index)


@record
class Truth:
    """PAN's problems, and whether one author wrote both texts of each."""

    ids: KnownIds
    same: Bools

    def __len__(self) -> int:
        return len(self.same)


@record
class SystemScores:
    """One system's score for each known id, 0.5 where none is `given`; ids that are not asked; a sentence for each
    thing amiss."""

    scores: Floats
    given: Bools
    unknown: tuple[str, ...]
    notes: tuple[str, ...]


def read_truth(file: AnswersFile) -> Truth:
    """The truth of PAN's problems: lines with 'id' and 'same'; other keys are passed over."""
    index: dict[str, int] = {}
    lines = array("q")
    same = bytearray()
    with opened(file) as (stream, name):
        for line, problem in streamed_objects(stream, name, remedy=_TRUTH_LINE):
            where = f"{name}: line {line}"
            identity = identity_of(problem, where)
            if identity in index:
                raise _twice(where, identity, lines[index[identity]])
            if not isinstance(problem.get("same"), bool):
                fact = f"'same' is {_shown(problem['same'])}" if "same" in problem else "no 'same'"
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


def read_system_answers(
    files: Sequence[AnswersFile],
    ids: KnownIds,
    *,
    check: Callable[[AnswerLine, int, str], None] | None = None,
) -> SystemScores:
    """One system's answers from its files together, in the order of the ids; no answer counts as 0.5 (PAN).

    `check` is shown each answer with its id's index and where it stands, and may refuse it.
    """
    scores = array("d", [UNANSWERED]) * len(ids)
    lines, sources = (array("q", [0]) * len(ids) for _ in range(2))
    unknown: list[str] = []
    names, encodings, lists = [], [], 0
    for source, file in enumerate(files):
        elsewhere: dict[str, int] = {}
        with opened(file) as (stream, name):
            content, encoding = as_utf8(stream, name)
            names.append(name)
            encodings.append(encoding)
            for line in answer_lines(content, name):
                where = f"{name}: line {line.number}"
                lists += isinstance(line.value, list)
                score = _score(line.value, where, ids.noun)
                index = ids.index.get(line.identity)
                if index is None:
                    if line.identity in elsewhere:
                        raise _twice(where, line.identity, elsewhere[line.identity])
                    elsewhere[line.identity] = line.number
                    continue
                if lines[index]:
                    other = "" if sources[index] == source else names[sources[index]]
                    raise _twice(where, line.identity, lines[index], other)
                if check is not None:
                    check(line, index, where)
                scores[index], lines[index], sources[index] = score, line.number, source
        unknown += elsewhere
    given = np.array(lines) > 0
    if not unknown and not given.any():
        raise InputError(f"{', '.join(names)}: there is no answer in it; {ANSWER_LINE}.")
    return SystemScores(np.array(scores), given, tuple(unknown), _notes(ids, given, unknown, encodings, lists))


def pan_scores(truth: Truth, answers: SystemScores) -> tuple[dict[str, float], tuple[str, ...]]:
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


def some(identities: Iterable[str], count: int) -> str:
    """The first few of `count` ids, as a message shows them."""
    first = [identity[:_LONGEST_SHOWN] for identity, _ in zip(identities, range(_EXAMPLES), strict=False)]
    return ", ".join(first) + (", …" if count > len(first) else "")


def _shared(names: Sequence[str]) -> set[str]:
    return {name for name, count in Counter(names).items() if count > 1}


def _score(value: Any, where: str, noun: str) -> float:
    """The number itself; some systems at PAN 2020 wrote a list that holds it."""
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        remedy = f"write 0.5, or leave the line out, for a {noun} without an answer"
        raise InputError(f"{where}: the score is {_shown(value)}, not a number; {remedy}.")
    if not 0 <= value <= 1:
        raise InputError(
            f"{where}: score {_shown(value)} is outside [0, 1]; bring all scores into that interval first."
        )
    return float(value)


def _notes(
    ids: KnownIds, given: Bools, unknown: Sequence[str], encodings: Sequence[str], lists: int
) -> tuple[str, ...]:
    notes = []
    if missing := int((~given).sum()):
        first = some((identity for identity, index in ids.index.items() if not given[index]), missing)
        notes.append(f"{missing:,} of {len(given):,} {ids.noun}s have no answer and count as 0.5: {first}.")
    if unknown:
        first = some(unknown, len(unknown))
        notes.append(f"{len(unknown):,} answers are to {ids.unknown}; ignored: {first}.")
    if lists:
        notes.append(f"{lists:,} answers are lists of one number; each was read as that number.")
    if len(set(encodings)) > 1:
        listed = ", ".join(sorted(set(encodings)))
        notes.append(f"The files are in different encodings ({listed}); each was read in its own.")
    return tuple(notes)


def _twice(where: str, identity: str, line: int, other: str = "") -> InputError:
    shown = identity[:_LONGEST_SHOWN]
    if not other:
        return InputError(f"{where}: id '{shown}' already stands in line {line}; keep one of them.")
    return InputError(
        f"{where}: id '{shown}' is already answered in {other}, line {line}; a folder is one system. "
        "Keep one of them, or give the files one by one if each is a system of its own."
    )


def _shown(value: Any) -> str:
    """A JSON value as a message shows it: as it was written, cut where long."""
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"
