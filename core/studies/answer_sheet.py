"""Answers to a benchmark: a system's files read together, every fold answered, and each id where the line says it is."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from ..arrays import Bools, record
from ..errors import InputError
from .answer_lines import AnswerLine, AnswersFile
from .answers import KnownIds, SystemScores, read_system_answers, some, system_names
from .raven.benchmark import Benchmark, pair_id
from .shortcut import SystemAnswers, TestPairs, benchmark_pairs

_ENDINGS = (".jsonl", ".ndjson", ".csv", ".tsv")  # a folder may hold settings and logs beside its answers
_FOLDS_SHOWN = 3


@record
class AnswerSheet:
    """Every fold's test pairs, the ids of all of them in one long list, and where each fold starts in it."""

    tag: str
    pairs: tuple[TestPairs, ...]
    ids: KnownIds
    starts: tuple[int, ...]


def answer_sheet(benchmark: Benchmark) -> AnswerSheet:
    """What is asked, prepared once for all systems."""
    pairs, tag = benchmark_pairs(benchmark), benchmark.tag
    named = (pair_id(tag, fold.setup, fold.fold, "test", number) for fold in pairs for number in range(len(fold)))
    index = {identity: index for index, identity in enumerate(named)}
    ends = np.cumsum([len(fold) for fold in pairs])
    return AnswerSheet(tag, pairs, KnownIds(index, "pair", "pairs that are not asked here"), (0, *map(int, ends)))


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
    found = sorted(
        file for file in path.rglob("*") if file.suffix.lower() in _ENDINGS and not file.name.startswith(".")
    )
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
    if first.startswith(f"{sheet.tag}-") and "-train-" in first:
        return InputError(f"{name}: these are answers to training pairs ({shown}); answer the test pairs.")
    return InputError(
        f"{name}: these are answers to another benchmark: none of {count:,} ids is known ({shown}), and "
        f"here they begin with {sheet.tag}-. Give this benchmark's answers."
    )


def _refuse_missing_folds(sheet: AnswerSheet, name: str, given: Sequence[Bools]) -> None:
    """A fold that was never run would count as all wrong, and the comparison of setups with it."""
    absent = [
        f"{pairs.setup}, fold {pairs.fold}" for pairs, here in zip(sheet.pairs, given, strict=True) if not here.any()
    ]
    if absent:
        more = f" and {len(absent) - _FOLDS_SHOWN:,} more" if len(absent) > _FOLDS_SHOWN else ""
        raise InputError(
            f"{name}: no answer at all for {'; '.join(absent[:_FOLDS_SHOWN])}{more}. Run the system there too, or write "
            "0.5 for its pairs if it has nothing to say."
        )
