"""Compare two models of one run with every test, and read a table of several systems' results: a column a system."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isfinite

import numpy as np

from ..arrays import Floats, record
from ..corpora import Corpus
from ..corpora.readers import Expected, Given, Table, read_source
from ..errors import InputError, LeakscopeError, unknown
from ..formats import counted
from ..statistics import (
    TESTS,
    ClusteredComparison,
    HeadToHead,
    Significance,
    chance_phi,
    clustered_comparison,
    compare,
    head_to_head,
    simulated_type1,
    true_rate,
)
from .run import Evaluation, right_answers
from .scores import Score, fold_scores, score_table, topic_scores
from .tasks import TASKS


@record
class ClusteredErrors:
    """How two models' errors cluster within topics."""

    found: ClusteredComparison
    by_chance: float  # the φ that shuffled topics reach
    simulated: float  # how often the naive test rejects on data with these topics and no difference


def clustered_errors(evaluation: Evaluation, corpus: Corpus, a: str, b: str) -> ClusteredErrors:
    """Measure what topics do to a test over single decisions of A and B."""
    right_a, topics = right_answers(evaluation, corpus, a, beside=b)
    right_b, _ = right_answers(evaluation, corpus, b, beside=a)
    errors = 1 - right_a, 1 - right_b, topics
    by_chance, simulated = chance_phi(*errors, seed=0), simulated_type1(*errors, seed=0)
    return ClusteredErrors(clustered_comparison(*errors), by_chance, simulated)


@record
class ErrorRates:
    """How often the tests over single decisions err on a run."""

    rates: Mapping[str, float]  # by name; none where that is not known
    clustered: bool  # decisions are more similar within topics than within shuffled ones


def error_rates(evaluation: Evaluation, corpus: Corpus, a: str, b: str) -> ErrorRates:
    """Return the true rates of the tests of A and B that assume independent decisions."""
    try:
        errors = clustered_errors(evaluation, corpus, a, b)
    except LeakscopeError:  # too few documents or topics
        return ErrorRates({}, clustered=False)
    rates = {name: true_rate(test, errors.found) for name, test in TESTS.items() if test.error_rate == "clustered"}
    known = {name: rate for name, rate in rates.items() if isfinite(rate)}
    return ErrorRates(known, clustered=errors.found.phi_difference > errors.by_chance)


@record
class ComparedModels:
    """Models A and B of a run."""

    names: tuple[str, str]  # labels
    topics: tuple[str, ...]  # that were tested
    documents: tuple[int, ...]  # of each topic
    scores: tuple[Floats, Floats]  # by topic
    tests: Mapping[str, Significance]  # by name
    errors: ErrorRates  # of the tests over single decisions
    outcome: HeadToHead  # over topics
    share_texts: bool  # decisions are about pairs, which share texts

    @property
    def difference(self) -> Floats:
        """Return A − B by topic; NaN where one of them has no score."""
        return np.asarray(self.scores[0] - self.scores[1])


def compared_models(
    evaluation: Evaluation, corpus: Corpus, a: str, b: str, *, metric: str, margin: float, errors: ErrorRates
) -> ComparedModels:
    """Run every test that a run has rows for: single decisions, test topics weighted by documents, and folds.

    `errors` is what `error_rates` returns for A and B.
    """
    task, two = TASKS[evaluation.task], (a, b)
    names = evaluation.label(a), evaluation.label(b)
    by_topic = topic_scores(evaluation, corpus)
    own = [score for score in by_topic if score.model == a]
    documents = tuple(score.documents for score in own)
    scores = _columns(evaluation, by_topic, two, metric)
    answers = [right_answers(evaluation, corpus, one, beside=other)[0] for one, other in (two, two[::-1])]
    tests = {
        **compare(*answers, kind="decisions", names=names, margin=margin),
        **compare(*scores, kind="scores", names=names, margin=margin, weights=documents),
        **_over_folds(evaluation, corpus, two, names=names, metric=metric, margin=margin),
    }
    return ComparedModels(
        names=names,
        topics=tuple(corpus.topic_names[score.topics[0]] for score in own),
        documents=documents,
        scores=scores,
        tests=tests,
        errors=errors,
        outcome=head_to_head(*scores, margin=margin, sizes=documents),
        share_texts=task.asks_pairs,
    )


def _over_folds(
    evaluation: Evaluation,
    corpus: Corpus,
    two: tuple[str, str],
    *,
    names: tuple[str, str],
    metric: str,
    margin: float,
) -> dict[str, Significance]:
    """Run the tests made for resamples; the others would treat folds that share training documents as independent."""
    by_fold, folds = fold_scores(evaluation, corpus), evaluation.folds.folds
    tests = compare(
        *_columns(evaluation, by_fold, two, metric),
        kind="scores",
        names=names,
        margin=margin,
        train=float(np.mean([len(fold.train) for fold in folds])),
        test=float(np.mean([len(fold.test) for fold in folds])),
        weights=[score.documents for score in by_fold if score.model == two[0]],
    )
    return {name: test for name, test in tests.items() if TESTS[name].needs_sizes}


def _columns(evaluation: Evaluation, scores: list[Score], two: tuple[str, str], metric: str) -> tuple[Floats, Floats]:
    """Return the scores of A and of B."""
    table = dict(zip(evaluation.models, score_table(scores, metric), strict=True))
    return table[two[0]], table[two[1]]


_SHOWN = 40  # characters of a cell in a message
COUNTS = ("n", "count", "counts", "size")  # columns of these names count documents, if they hold counts
WEIGHTS = ("documents", "weights")  # columns of these names are no systems but how much each row counts
_EXPECTED = Expected("rows", "give a column per system, and a row per category or decision")


@record
class ComparisonTable:
    """Each system's values, row by row; `kind` is 'scores' or 'decisions'; `rows` are the labels, where a column has them;
    `weights` how many documents each row stands for, where a column gives it."""

    name: str
    kind: str
    systems: Mapping[str, Floats]
    rows: tuple[str, ...]
    notes: tuple[str, ...]
    weights: Floats | None = None

    def values(self, system: str) -> Floats:
        """Return one system's column."""
        if system not in self.systems:
            raise unknown("system", system, self.systems)
        return self.systems[system]

    def __len__(self) -> int:
        return len(self.rows)


def read_comparison_table(
    given: Given, *, name: str | None = None, weights: str | None = None, only: Sequence[str] = ()
) -> ComparisonTable:
    """Read CSV, TSV, JSON lines or Parquet; see `make_comparison_table`."""
    table = read_source(given, name=name, expected=_EXPECTED)
    if not isinstance(table, Table):
        raise InputError(f"{name or 'The file'}: this is a corpus; give a table with a column per system.")
    columns = {str(column): [str(cell) for cell in table.frame[column]] for column in table.frame.columns}
    made = make_comparison_table(columns, name=table.name, weights=weights, only=only)
    return replace(made, notes=(*table.notes, *made.notes))


def make_comparison_table(
    columns: Mapping[str, Sequence[str]], *, name: str = "table", weights: str | None = None, only: Sequence[str] = ()
) -> ComparisonTable:
    """Parse numbers from cells of text; rows in messages are data rows, the first below the header being 1.

    The first column may name the rows: it does if no cell in it is a number. Values that are all 0 or 1 are decisions;
    any others are scores, on whatever scale: outside [0, 1] they are compared as they are, with a note. The
    column named by `weights`, or else one called 'documents' or 'weights', or 'n' if it holds counts, says how much each row counts. With `only` other
    columns are no systems, whatever they hold.
    """
    given = dict(columns)
    weighed, notes = _weights(given, weights, name)
    labels = _labels(given, only)
    if len(given) < 2:
        held = counted(len(given), "column")
        raise InputError(f"{name}: {held} of results; give a column per system, for at least two systems.")
    for system in only:
        if system not in given:
            raise unknown("system", system, given)
    given = {system: cells for system, cells in given.items() if not only or system in only}
    lengths = {len(values) for values in given.values()}
    if len(lengths) > 1:
        raise InputError(f"{name}: columns of different lengths; give every system a value in every row.")
    if lengths == {0}:
        raise InputError(f"{name}: no rows below the header; give a row per category or decision.")
    given = _with_points(given, notes)
    systems = {system: _parsed_column(values, system, name) for system, values in given.items()}
    everything = np.concatenate(list(systems.values()))
    decisions = bool(np.isin(everything, (0.0, 1.0)).all())
    if not decisions and (everything.min() < 0 or everything.max() > 1):
        notes.append(
            f"Scores from {everything.min():g} to {everything.max():g} lie outside [0, 1]; they are compared as they "
            "are. Higher counts as better, so change the sign of errors or losses."
        )
    count = lengths.pop()
    if decisions and count < 30:
        notes.append(
            "The only row is 0 or 1, so it counts as a decision, not a score."
            if count == 1
            else f"All {count} rows are 0 or 1, so they count as decisions, not scores."
        )
    rows = labels or tuple(str(row) for row in range(1, count + 1))
    return ComparisonTable(name, "decisions" if decisions else "scores", systems, rows, tuple(notes), weighed)


def _labels(given: dict[str, Sequence[str]], only: Sequence[str]) -> tuple[str, ...]:
    """Take the first column out of the table where it names the rows: no cell in it is a number, or was meant as one."""
    first = next(iter(given), "")
    cells = given.get(first, ())
    named = (
        len(given) > 1 and first not in only and all(cell.strip() and not _is_numeric(_meant(cell)) for cell in cells)
    )
    return tuple(given.pop(first)) if named and cells else ()


def _with_points(given: Mapping[str, Sequence[str]], notes: list[str]) -> dict[str, Sequence[str]]:
    """Read a comma as the decimal sign where no cell has a decimal point and some have a comma; add a note."""
    cells = [cell for values in given.values() for cell in values]
    commas = [cell for cell in cells if "," in cell]
    if not commas or any("." in cell for cell in cells) or not all(_is_numeric(_meant(cell)) for cell in commas):
        return dict(given)
    notes.append(f"Commas were read as decimal points ({commas[0].strip()[:_SHOWN]} is {_meant(commas[0])[:_SHOWN]}).")
    return {system: [cell.replace(",", ".") for cell in values] for system, values in given.items()}


def _meant(cell: str) -> str:
    """Return a number as it would be written with a decimal point and without a percent sign."""
    return cell.strip().rstrip("% ").replace(",", ".")


def _weights(given: dict[str, Sequence[str]], wanted: str | None, name: str) -> tuple[Floats | None, list[str]]:
    """Take the column of weights out of the table, with a note on it."""
    if wanted is not None and wanted not in given:
        raise unknown("column", wanted, given)
    usual = next((column for column in given if column.strip().lower() in WEIGHTS), None)
    usual = usual or next((column for column in given if _counts_documents(column, given[column])), None)
    column = wanted or usual
    if column is None:
        return None, []
    found = _parsed_column(given.pop(column), column, name)
    below = np.flatnonzero(found < 0)
    if len(below):
        where = f"{name}: row {below[0] + 1}, column '{column[:_SHOWN]}'"
        raise InputError(f"{where}: {found[below[0]]:g} documents; weights are 0 or more.")
    if not found.any():
        raise InputError(f"{name}: column '{column[:_SHOWN]}': every weight is 0; give the rows' numbers of documents.")
    said = [] if wanted else [f"The column '{column[:_SHOWN]}' weights the rows; it is not a system."]
    return found, said


def _counts_documents(column: str, cells: Sequence[str]) -> bool:
    """Return whether a column counts documents: it is called so, and holds integers other than 0 and 1."""
    if column.strip().lower() not in COUNTS:
        return False
    return all(cell.strip().isdecimal() for cell in cells) and any(int(cell) > 1 for cell in cells)


def _parsed_column(cells: Sequence[str], system: str, name: str) -> Floats:
    values = np.empty(len(cells))
    for row, cell in enumerate(cells, start=1):
        text = cell.strip()
        where = f"{name}: row {row}, column '{system[:_SHOWN]}'"
        if not text or text.lower() in ("nan", "na", "n/a", "null", "none"):
            raise InputError(f"{where}: no value; fill it, or drop the row for all systems.")
        number = _parsed_number(text)
        if number is None:
            hint = ""
            if _is_numeric(_meant(text)):
                hint = (
                    " (write a share such as 0.5, not a percentage)"
                    if "%" in text
                    else " (write a decimal point, not a comma)"
                )
            fix = "give a score, or 1 for right and 0 for wrong"
            raise InputError(f"{where}: '{text[:_SHOWN]}' is not a number{hint}; {fix}.")
        if not isfinite(number):
            raise InputError(f"{where}: {text[:_SHOWN]} is not finite; give a finite score.")
        values[row - 1] = number
    values.setflags(write=False)
    return values


def _parsed_number(text: str) -> float | None:
    words = {"true": 1.0, "false": 0.0}
    if text.lower() in words:
        return words[text.lower()]
    try:
        # float() also reads 1_000, which nobody means in a table.
        return None if "_" in text else float(text)
    except ValueError:
        return None


def _is_numeric(cell: str) -> bool:
    return _parsed_number(cell.strip()) is not None
