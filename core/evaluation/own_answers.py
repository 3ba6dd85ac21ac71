"""Folds as files, and answers to them from files: a model trained anywhere is scored beside the built-in ones."""

import csv
import io
import json
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from math import isfinite
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from ..arrays import digest, record
from ..corpora import Corpus, one_spelling
from ..corpora.readers import DELIMITERS, File, decoded, short_lines
from ..errors import InputError
from ..formats import counted, first_few
from ..splits import Fold, Folds
from .answers import first_ids, shown_value, twice
from .run import Evaluation, Run
from .tasks import TASKS

FORMATS = ("csv", "jsonl")
PREDICTION = ("prediction", "predicted", "answer")  # the columns that may hold the class
PROBABILITIES = "probabilities"  # of a JSON line: a number per class
_LONGEST_ROW = 1_000_000  # characters of a table's line
_WANTED = "Give a table with the columns id, fold and prediction, or JSON lines with these keys."
_LINE = 'Write one object per line, such as {"id": "…", "fold": 1, "prediction": "…"}.'
_AGAIN = "Download the folds again, and answer those"


@record
class OwnAnswers:
    """A model's answers, read from a file: the class of every test document, by `fold_key` and id."""

    name: str
    classes: Mapping[str, Mapping[str, str]]
    digest: str


def fold_key(corpus: Corpus, fold: Fold) -> str:
    """Name a fold by the ids of its two sides, whatever sample or scheme it came from."""
    return digest([sorted(corpus.ids[row] for row in side) for side in (fold.train, fold.test)])


# The folds as a file

Asked: TypeAlias = Mapping[str, tuple[Corpus, Folds]]  # by sample: its documents and folds


def _every_fold(asked: Asked) -> list[tuple[str, Corpus, Fold]]:
    """Return the folds of all samples in order; files count them from 1."""
    return [(name, corpus, fold) for name, (corpus, folds) in asked.items() for fold in folds]


def fold_sides(asked: Asked) -> pd.DataFrame:
    """Return a row for every document of every fold: the fold, the side and the id; of several samples, also the sample."""
    rows = [
        (name, number, side, corpus.ids[row])
        for number, (name, corpus, fold) in enumerate(_every_fold(asked), start=1)
        for side, documents in (("train", fold.train), ("test", fold.test))
        for row in documents
    ]
    table = pd.DataFrame(rows, columns=["sample", "fold", "side", "id"])
    return table if len(asked) > 1 else table.drop(columns="sample")


def folds_file(asked: Asked, format: str) -> bytes:
    """Return the folds as CSV, a line per document and fold, or as JSON lines, a line per fold below a header."""
    if format == "csv":
        return fold_sides(asked).to_csv(index=False, lineterminator="\n").encode("utf-8", "replace")
    lines: list[dict[str, Any]] = [{"folds": _folds_digest(asked)}]
    for number, (name, corpus, fold) in enumerate(_every_fold(asked), start=1):
        sides = {side: [corpus.ids[row] for row in rows] for side, rows in (("train", fold.train), ("test", fold.test))}
        lines.append(({"sample": name} if len(asked) > 1 else {}) | {"fold": number} | sides)
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode("utf-8", "replace")


def _folds_digest(asked: Asked) -> str:
    return digest([fold_key(corpus, fold) for _, corpus, fold in _every_fold(asked)])[:16]


# Answers from a file


def read_fold_answers(files: Sequence[File], asked: Asked) -> tuple[OwnAnswers, ...]:
    """Read one model's answers from each file; the model is called by the file's name without its ending.

    A table has columns id, fold and prediction, or instead of the prediction a column of numbers per class; JSON lines
    have the same keys, or `probabilities`. Without a fold, every document must be tested once. A fold without any answer is left out.
    """
    found = [_read_one(file, asked) for file in files]
    for number, each in enumerate(found):
        if each.name in TASKS["attribution"].models:
            raise InputError(f"{files[number].name}: '{each.name}' is a built-in model. Rename the file.")
        if each.name in {other.name for other in found[:number]}:
            raise InputError(f"Two files are called '{each.name}'. Rename one; each file is one model.")
    return tuple(found)


def answer_files(paths: Iterable[str | os.PathLike[str]]) -> list[File]:
    """Read files of answers."""
    found = []
    for path in paths:
        try:
            found.append(File(Path(path).name, Path(path).read_bytes()))
        except OSError as problem:
            raise InputError(f"{path}: cannot be read ({problem.strerror or problem}). Check the path.") from None
    return found


def _read_one(file: File, asked: Asked) -> OwnAnswers:
    name, text = Path(file.name).name, decoded(file.data, file.name)[0]
    folds = _every_fold(asked)
    tested = [{corpus.ids[row] for row in fold.test} for _, corpus, fold in folds]
    known = {label: None for corpus, _ in asked.values() for label in _classes(corpus)}
    alone = sum(map(len, tested)) == len(set[str]().union(*tested))
    only = {id: number for number, ids in enumerate(tested) for id in ids} if alone else {}
    answered: list[dict[str, str]] = [{} for _ in tested]
    lines: dict[tuple[int, str], int] = {}
    astray: dict[int, list[str]] = {}
    for line, cells in _answer_cells(text, name, _folds_digest(asked)):
        where = f"{name}: line {line}"
        id = str(cells.get("id", "")).strip()
        fold = _fold(cells.get("fold"), id, only, where, len(tested))
        predicted = _class(cells, known, where)
        if fold is None or id not in tested[fold]:
            astray.setdefault(-1 if fold is None else fold, []).append(id)
            continue
        if (fold, id) in lines:
            raise twice(where, id, lines[fold, id])
        lines[fold, id], answered[fold][id] = line, predicted
    _check_astray(astray, name)
    _check_missing(answered, folds, name)
    by_fold = {fold_key(corpus, fold): given for (_, corpus, fold), given in zip(folds, answered, strict=True) if given}
    return OwnAnswers(Path(name).stem, by_fold, digest([name, by_fold]))


def _classes(corpus: Corpus) -> list[str]:
    return [name for name, known in zip(corpus.author_names or (), corpus.known_authors, strict=True) if known]


def _check_astray(astray: Mapping[int, Sequence[str]], name: str) -> None:
    """Refuse answers about documents that are not asked about."""
    for fold, ids in astray.items():
        where = "no fold tests" if fold < 0 else f"fold {fold + 1} does not test"
        raise InputError(
            f"{name}: {counted(len(ids), 'answer', 'is', 'are')} about documents that {where}: "
            f"{first_ids(ids, len(ids))}. {_AGAIN}, or delete these lines."
        )


def _check_missing(answered: Sequence[Mapping[str, str]], folds: Sequence[tuple[str, Corpus, Fold]], name: str) -> None:
    """Refuse a fold with some answers but not all; documents without a known class need none."""
    if not any(answered):
        raise InputError(f"{name}: there is no answer in it. {_WANTED}")
    for number, (given, (_, corpus, fold)) in enumerate(zip(answered, folds, strict=True), start=1):
        known, codes = corpus.known_authors, corpus.author_codes
        asked = [corpus.ids[row] for row in fold.test if codes is not None and known[codes[row]]]
        missing = [id for id in asked if id not in given]
        if given and missing:
            raise InputError(
                f"{name}: {len(missing):,} of {counted(len(asked), 'test document')} of fold {number} "
                f"{'has' if len(missing) == 1 else 'have'} no answer: {first_ids(missing, len(missing))}. "
                "Add a line for each, or leave out the whole fold."
            )


def _fold(cell: object, id: str, only: Mapping[str, int], where: str, folds: int) -> int | None:
    """Return the index of the fold that a line names, or of the only one that tests its document; None where none does."""
    said = "" if cell is None else str(cell).strip()
    if not said:
        if not only:
            raise InputError(f"{where} names no fold, and documents are tested more than once. Add a column 'fold'.")
        return only.get(id)
    try:
        number = float(said)
    except ValueError:
        number = 0.0
    if number != int(number) or not 1 <= number <= folds:
        raise InputError(f"{where}: fold '{said[:20]}'. The folds are numbered from 1 to {folds}.")
    return int(number) - 1


def _class(cells: Mapping[str, Any], classes: Collection[str], where: str) -> str:
    """Return the class that a line predicts: the one it names, or the one with the highest number (the first of equals)."""
    given = cells.get(PROBABILITIES)
    if isinstance(given, dict):
        numbers = {_spelt(name): value for name, value in given.items()}
        for name in numbers:
            known_class(name, classes, where)
    else:
        named = next((cells[column] for column in PREDICTION if column in cells), None)
        if named is not None:
            return known_class(_spelt(named), classes, where)
        numbers = {name: cells[name] for name in classes if name in cells}
    if not numbers:
        shown = first_few(list(classes), 3)
        raise InputError(f"{where} has no 'prediction', and no numbers for the classes ({shown}). Add one of them.")
    values = {name: _probability(value, name, where) for name, value in numbers.items()}
    return max(sorted(values), key=values.__getitem__)


def _spelt(name: object) -> str:
    return one_spelling([str(name)])[0][0]


def known_class(name: str, classes: Collection[str], where: str) -> str:
    """Return the name of a class, or refuse another with the class that is spelt most like it."""
    if name in classes:
        return name
    near = get_close_matches(name, classes, n=1)
    hint = f" Did you mean '{near[0]}'?" if near else ""
    raise InputError(f"{where}: {shown_value(name)} is none of the classes ({first_few(list(classes), 5)}).{hint}")


def _probability(value: object, name: str, where: str) -> float:
    try:
        number = float(str(value))
    except ValueError:
        number = float("nan")
    if not isfinite(number) or isinstance(value, bool):
        raise InputError(f"{where}: the number for '{name}' is {shown_value(value)}. Write a finite number.")
    return number


def _answer_cells(text: str, name: str, expected: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield every line's number and its cells by name; names other than classes in lower case."""
    if not text.strip():
        raise InputError(f"{name}: the file is empty. {_WANTED}")
    yield from _json_cells(text, name, expected) if text.lstrip().startswith("{") else _table_cells(text, name)


def _json_cells(text: str, name: str, expected: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            cells = json.loads(line)
        except (ValueError, RecursionError):
            cells = None
        if not isinstance(cells, dict):
            raise InputError(f"{name}: line {number} is not an object. {_LINE}")
        if "folds" in cells and "id" not in cells:  # the header of the folds
            if cells["folds"] != expected:
                raise InputError(f"{name}: these answers are to other folds. {_AGAIN}.")
            continue
        if "id" not in cells:
            raise InputError(f"{name}: line {number} has no 'id'. {_LINE}")
        yield number, cells


def _table_cells(text: str, name: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    header = text.lstrip().split("\n", 1)[0]
    delimiter = max(DELIMITERS, key=header.count)
    rows = csv.reader(short_lines(io.StringIO(text, newline=""), name, longest=_LONGEST_ROW), delimiter=delimiter)
    try:
        filled = (row for row in rows if "".join(row).strip())
        plain = {"id", "fold", *PREDICTION}
        names = [cell.strip().removeprefix("\ufeff") for cell in next(filled, [])]
        names = [each.lower() if each.lower() in plain else _spelt(each) for each in names]
        if "id" not in names:
            raise InputError(
                f"{name}: there is no column 'id'. Name the columns id, fold and prediction, or a column per class."
            )
        for row in filled:
            if len(row) != len(names):
                raise InputError(
                    f"{name}: line {rows.line_num} has {counted(len(row), 'field')} where the header has {len(names)}."
                )
            yield rows.line_num, dict(zip(names, row, strict=True))
    except csv.Error as error:
        raise InputError(f"{name}: line {rows.line_num} cannot be read ({error}). Write it again.") from error


# Beside the built-in models


def with_own_answers(evaluation: Evaluation, corpus: Corpus, own: Sequence[OwnAnswers]) -> Evaluation:
    """Return the evaluation with these models' answers after those of the built-in models."""
    keys = [fold_key(corpus, fold) for fold in evaluation.folds] if own else []
    codes = {name: code for code, name in enumerate(corpus.author_names or ())}
    runs = [_run_of_file(each, number, keys, evaluation, corpus, codes) for each in own for number in range(len(keys))]
    models = (*evaluation.models, *(each.name for each in own))
    return replace(evaluation, models=models, runs=(*evaluation.runs, *runs))


def has_answers(own: OwnAnswers, corpus: Corpus, folds: Folds) -> bool:
    """Return whether a file has answers to one of these folds."""
    return any(fold_key(corpus, fold) in own.classes for fold in folds)


def _run_of_file(
    own: OwnAnswers,
    number: int,
    keys: Sequence[str],
    evaluation: Evaluation,
    corpus: Corpus,
    codes: Mapping[str, int],
) -> Run:
    questions, given = evaluation.questions[number], own.classes.get(keys[number])
    if questions.problem is not None:
        return Run(own.name, number, np.empty(0), (), questions.problem)
    if given is None:
        there = not own.classes.keys().isdisjoint(keys)
        problem = "Its file has no answers to this fold." if there else "Its answers are to other folds."
        return Run(own.name, number, np.empty(0), (), f"{problem} Download the folds, and load answers to them.")
    answers = [codes.get(given[corpus.ids[row]], -1) for row in questions.lead]
    if -1 in answers:
        problem = f"It predicts a {corpus.class_word} that these documents do not have."
        return Run(own.name, number, np.empty(0), (), problem)
    return Run(own.name, number, np.array(answers, dtype=np.float64), ())
