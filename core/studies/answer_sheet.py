"""What other people's verifiers are asked, and what they answer: PAN's problems with their truth and scores, and a
benchmark's pairs, every fold answered and each id where the line says it is."""

import os
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from ..arrays import Bools, record
from ..corpora.readers import pan_id, streamed_objects
from ..errors import InputError
from ..formats import first_few
from ..models import verification_scores
from .answers import (
    AnswerLine,
    AnswersFile,
    KnownIds,
    SystemScores,
    opened,
    read_system_answers,
    shown_value,
    some,
    twice,
)
from .raven.benchmark import Benchmark, pair_id
from .shortcut import SystemAnswers, TestPairs, benchmark_pairs

PAN_METRICS = ("auc", "c@1", "f_05_u", "F1", "brier", "overall")
_TRUTH_LINE = 'write the truth as one object a line, such as {"id": "…", "same": true}'
_ENDINGS = (".jsonl", ".ndjson", ".csv", ".tsv")  # a folder may hold settings and logs beside its answers
_FOLDS_SHOWN = 3


@record
class Truth:
    """PAN's problems, and whether one author wrote both texts of each."""

    ids: KnownIds
    same: Bools

    def __len__(self) -> int:
        return len(self.same)


def read_truth(file: AnswersFile) -> Truth:
    """The truth of PAN's problems: lines with 'id' and 'same'; other keys are passed over."""
    index: dict[str, int] = {}
    lines = array("q")
    same = bytearray()
    with opened(file) as (stream, name):
        for line, problem in streamed_objects(stream, name, remedy=_TRUTH_LINE):
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
    """The metrics PAN reports, NaN where undefined, and the reason for that in a sentence."""
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


@record
class AnswerSheet:
    """Every fold's test pairs, the ids of all of them in one long list, and where each fold starts in it.

    `training` has setup, fold and number of training pairs, whose ids are known too and not asked.
    """

    tag: str
    pairs: tuple[TestPairs, ...]
    ids: KnownIds
    starts: tuple[int, ...]
    training: tuple[tuple[str, int, int], ...]


def answer_sheet(benchmark: Benchmark) -> AnswerSheet:
    """What is asked, prepared once for all systems."""
    pairs, tag = benchmark_pairs(benchmark), benchmark.tag
    named = (pair_id(tag, fold.setup, fold.fold, "test", number) for fold in pairs for number in range(len(fold)))
    index = {identity: index for index, identity in enumerate(named)}
    ends = np.cumsum([len(fold) for fold in pairs])
    known, starts = KnownIds(index, "pair", "pairs that are not asked here"), (0, *map(int, ends))
    training = ((setup.key, fold, len(side)) for setup, fold, name, side in benchmark.sides() if name == "train")
    return AnswerSheet(tag, pairs, known, starts, tuple(training))


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


def read_systems(sheet: AnswerSheet, paths: Sequence[str]) -> Iterator[SystemAnswers]:
    """One system a path, a file or a folder of files, called as in `score`: by its name, where that is its own."""
    for name, path in zip(system_names(paths), paths, strict=True):
        yield read_system(sheet, _files(Path(path)), name=name)


def read_system(sheet: AnswerSheet, files: Sequence[AnswersFile], *, name: str) -> SystemAnswers:
    """One system's answers from its files together; a pair without an answer counts as 0.5, a fold without any is refused."""

    def check(line: AnswerLine, index: int, where: str) -> None:
        if line.setup or line.fold:
            _check_fold(sheet, line, index, where)

    found = read_system_answers(files, sheet.ids, check=check)
    if not found.given.any():
        raise _foreign(sheet, name, found)
    _refuse_missing_folds(sheet, name, np.split(found.given, sheet.starts[1:-1]))
    return SystemAnswers(name, tuple(np.split(found.scores, sheet.starts[1:-1])), found.notes)


def _files(path: Path) -> list[Path]:
    """The file itself, or every file of answers in a folder and the folders below it."""
    if not path.is_dir():
        return [path]
    files = (file for file in path.rglob("*") if not file.name.startswith("."))
    found = sorted(file for file in files if file.suffix.lower() in _ENDINGS)
    if not found:
        raise InputError(f"{path}: no answers in this folder; put .jsonl or .csv files there.")
    return found


def _check_fold(sheet: AnswerSheet, line: AnswerLine, index: int, where: str) -> None:
    pairs = sheet.pairs[int(np.searchsorted(sheet.starts, index, side="right")) - 1]
    # As a page, a folder or a table of floats spells them: 'random 3' and 'fold-2' or '2.0'.
    setup = line.setup.lower().replace(",", "").replace(" ", "-") or pairs.setup
    fold = line.fold.lower().removeprefix("fold").strip("- ").removesuffix(".0") or str(pairs.fold)
    if (setup, fold) != (pairs.setup, str(pairs.fold)):
        raise InputError(
            f"{where}: pair '{line.identity}' is of {pairs.setup}, fold {pairs.fold}, but the line says {setup}, fold "
            f"{fold}; folds are numbered from 0."
        )


def _foreign(sheet: AnswerSheet, name: str, found: SystemScores) -> InputError:
    first, count = found.unknown[0], len(found.unknown)
    shown = some(found.unknown, count)
    training = (
        pair_id(sheet.tag, setup, fold, "train", number)
        for setup, fold, pairs in sheet.training
        for number in range(pairs)
    )
    if first.startswith(f"{sheet.tag}-") and first in training:
        return InputError(f"{name}: these are answers to training pairs ({shown}); answer the test pairs.")
    return InputError(
        f"{name}: these are answers to another benchmark: none of {count:,} ids is known ({shown}), and "
        f"here they begin with {sheet.tag}-. Give this benchmark's answers."
    )


def _refuse_missing_folds(sheet: AnswerSheet, name: str, given: Sequence[Bools]) -> None:
    """A fold that was never run would count as all wrong, and the comparison of setups with it."""
    folds = zip(sheet.pairs, given, strict=True)
    absent = [f"{pairs.setup}, fold {pairs.fold}" for pairs, here in folds if not here.any()]
    if absent:
        raise InputError(
            f"{name}: no answer at all for {first_few(absent, _FOLDS_SHOWN, between='; ')}. Run the system there too, or write "
            "0.5 for its pairs if it has nothing to say."
        )
