"""Two models of one run: every test that a run has rows for, mirrored where A and B change places, none that only sounds so;
and who is ahead: named only where folds agree, and never among equals."""

import io
from dataclasses import replace

import numpy as np
import pytest

from core.demo import RESULTS, bundled_corpus
from core.errors import InputError, SettingError
from core.evaluation import (
    ResultStore,
    clustered_errors,
    compared_models,
    error_rates,
    evaluate,
    fold_scores,
    read_comparison_table,
    right_answers,
    score_table,
)
from core.evaluation.two_models import make_comparison_table
from core.splits import make_folds
from core.statistics import (
    TESTS,
    clustered_comparison,
    compare,
    corrected_t,
    head_to_head,
    micro_sign,
    true_rate,
    weighted_t,
)

TWO = ("max_ent", "char_svm")
MIRROR = {"»": "«", ">": "<", "~": "~", "<": ">", "«": "»", "=": "=", None: None}


@pytest.fixture(scope="module")
def run():
    corpus = bundled_corpus()
    folds = make_folds(corpus, scheme="topic-kfold", k=6, seed=0)
    found = evaluate(corpus, folds, task="attribution", models=TWO, results=ResultStore(shipped=RESULTS))
    return found, corpus


def compared(run, a, b, margin=0.05):
    return compared_models(*run, a, b, metric="accuracy", margin=margin, errors=error_rates(*run, a, b))


def test_every_test_of_the_registry_has_rows_in_a_run(run):
    found = compared(run, *TWO)
    assert set(found.tests) == set(TESTS)
    assert found.names == ("Maximum entropy", "Character SVM")
    assert len(found.topics) == len(found.documents) == len(found.difference) == 24


def test_each_kind_of_row_goes_to_its_tests(run):
    found = compared(run, *TWO)
    evaluation, corpus = run
    one, two = score_table(fold_scores(evaluation, corpus), "accuracy")
    sizes = {
        side: float(np.mean([len(getattr(fold, side)) for fold in evaluation.folds.folds]))
        for side in ("train", "test")
    }
    assert found.tests["corrected_t"] == corrected_t(one, two, **sizes, names=found.names)
    assert found.tests["weighted_t"] == weighted_t(*found.scores, weights=found.documents, names=found.names)
    answers = [right_answers(evaluation, corpus, name)[0] for name in TWO]
    assert found.tests["s"] == micro_sign(*answers, names=found.names)
    assert (found.tests["corrected_t"].n, found.tests["weighted_t"].n) == (6, 24)


def test_a_and_b_change_places(run):
    found, turned = compared(run, *TWO), compared(run, *TWO[::-1])
    np.testing.assert_array_equal(found.difference, -turned.difference)
    assert {name: MIRROR[test.verdict] for name, test in found.tests.items()} == {
        name: test.verdict for name, test in turned.tests.items()
    }
    assert found.errors.rates == turned.errors.rates


def test_the_outcome_is_that_of_topics(run):
    found = compared(run, *TWO)
    assert found.outcome == head_to_head(*found.scores, margin=0.05, sizes=found.documents)
    assert found.outcome.outcome == "b" and not found.share_texts


def test_rates_are_those_of_clustered_decisions(run):
    errors = clustered_errors(*run, *TWO)
    (a, topics), (b, _) = (right_answers(*run, name) for name in TWO)
    assert errors.found == clustered_comparison(1 - a, 1 - b, topics)
    rates = error_rates(*run, *TWO)
    assert rates.rates == {name: true_rate(TESTS[name], errors.found) for name in ("s", "p")}
    assert rates.clustered == (errors.found.phi_difference > errors.by_chance)


def test_where_one_of_them_misses_a_fold_both_are_compared_on_the_others(run):
    evaluation, corpus = run
    runs = tuple(
        replace(each, answers=np.empty(0), problem="synthetic") if (each.model, each.fold) == (TWO[0], 0) else each
        for each in evaluation.runs
    )
    part = replace(evaluation, runs=runs), corpus
    found = compared(part, *TWO)
    others = sum(len(fold.test) for fold in evaluation.folds.folds[1:])
    assert (
        clustered_errors(*part, *TWO).found.documents == others == clustered_errors(*part, *TWO[::-1]).found.documents
    )
    assert found.errors.rates
    assert 0 < found.tests["S"].n < 24
    assert np.isnan(found.difference).sum() == len(evaluation.folds.folds[0].test_topics)


def test_a_model_against_itself_is_never_better(run):
    found = compared(run, TWO[0], TWO[0])
    assert {test.verdict for test in found.tests.values()} <= {None, "~", "="}
    assert found.outcome.outcome == "same"


SCORES = b"topic,ours,theirs\nwheat,0.80,0.70\ncorn,0.75,0.75\n"
DECISIONS = b"ours;theirs\n1;0\n1;1\n0;1\n"


def test_scores_with_named_rows():
    table = read_comparison_table(SCORES, name="f1.csv")
    assert (table.kind, list(table.systems), table.rows, len(table)) == (
        "scores",
        ["ours", "theirs"],
        ("wheat", "corn"),
        2,
    )
    np.testing.assert_array_equal(table.values("ours"), [0.8, 0.75])
    assert table.notes == ()


def test_decisions_without_names():
    table = read_comparison_table(io.BytesIO(DECISIONS), name="right.csv")
    assert (table.kind, table.rows) == ("decisions", ("1", "2", "3"))
    assert "count as decisions" in table.notes[0]
    results = compare(table.values("ours"), table.values("theirs"), kind=table.kind)
    assert results["s"].n == 2


def test_other_spellings_and_formats():
    table = read_comparison_table(b'{"a": true, "b": false}\n{"a": false, "b": true}\n', name="right.jsonl")
    assert (table.kind, list(table.values("a"))) == ("decisions", [1.0, 0.0])
    table = read_comparison_table(b"fold\ta\tb\nx\t1e-1\t.5\ny\t 0.2 \t+1\n", name="scores.tsv")
    assert list(table.values("b")) == [0.5, 1.0]


def test_scores_on_another_scale_are_kept_and_noted():
    table = make_comparison_table({"a": ["80", "75"], "b": ["-3", "12"]})
    assert table.kind == "scores"
    assert "outside [0, 1]" in table.notes[0]


def test_the_first_column_names_rows_only_if_it_has_no_number():
    assert list(make_comparison_table({"a": ["0.1", "0.2"], "b": ["0.3", "0.4"]}).systems) == ["a", "b"]
    with pytest.raises(InputError, match="column 'a': 'x' is not a number"):
        make_comparison_table({"a": ["0.1", "x"], "b": ["0.3", "0.4"]})


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"topic": ["x"], "a": ["0.1"]}, r"1 column of results"),
        ({"a": ["0.1"]}, r"1 column of results"),
        ({}, r"0 columns"),
        ({"a": ["0.1", "0.2"], "b": ["0.1"]}, "different lengths"),
        ({"a": [], "b": []}, "no rows below"),
        ({"a": ["0.1", "0.2"], "b": ["0.1", " "]}, "row 2, column 'b': no value"),
        ({"a": ["0.1", "nan"], "b": ["0.1", "0.2"]}, "row 2, column 'a': no value"),
        ({"a": ["0.1", "0,2"], "b": ["0.1", "0.2"]}, "decimal point"),
        ({"a": ["0.1", "1_0"], "b": ["0.1", "0.2"]}, "not a number"),
        ({"a": ["0.1", "inf"], "b": ["0.1", "0.2"]}, "not finite"),
    ],
)
def test_refusals(columns, words):
    with pytest.raises(InputError, match=words):
        make_comparison_table(columns)


def test_a_column_of_documents_is_how_much_a_row_counts():
    columns = {"topic": ["x", "y"], "documents": ["30", "10"], "a": ["0.1", "0.2"], "b": ["0.3", "0.4"]}
    table = make_comparison_table(columns)
    assert list(table.systems) == ["a", "b"] and table.weights.tolist() == [30, 10]
    assert "'documents' weights the rows" in table.notes[0]
    named = make_comparison_table({**columns, "n": ["1", "2"]}, weights="n")
    assert named.weights.tolist() == [1, 2] and "documents" in named.systems
    with pytest.raises(SettingError, match="No column is called 'm'"):
        make_comparison_table(columns, weights="m")
    with pytest.raises(InputError, match="row 2, column 'documents': -1 documents; weights are 0 or more"):
        make_comparison_table({**columns, "documents": ["3", "-1"]})
    with pytest.raises(InputError, match="every weight is 0"):
        make_comparison_table({**columns, "documents": ["0", "0"]})
    assert make_comparison_table({"a": ["0.1"], "b": ["0.2"]}).weights is None


def test_the_readers_fixes_are_in_words_of_this_table():
    for data, words in ((b"a\n0.1\n", "only one column"), (b"a,b\n", "no rows"), (b"", "is empty")):
        with pytest.raises(InputError, match=f"{words}.*Give a column per system"):
            read_comparison_table(data, name="f1.csv")


def test_an_unequal_row_and_an_unknown_system():
    with pytest.raises(InputError, match="line 3"):
        read_comparison_table(b"a,b\n0.1,0.2\n0.3\n", name="f1.csv")
    with pytest.raises(SettingError, match="Did you mean 'theirs'"):
        read_comparison_table(SCORES, name="f1.csv").values("their")


def test_values_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        read_comparison_table(SCORES, name="f1.csv").values("ours")[0] = 1


@pytest.mark.parametrize(
    ("cell", "words"),
    [("50%", "write a share such as 0.5, not a percentage"), ("0,5", "write a decimal point, not a comma")],
)
def test_a_column_meant_as_numbers_names_no_rows(cell, words):
    with pytest.raises(InputError, match=f"row 1, column 'A': '{cell}' is not a number.*{words}"):
        make_comparison_table({"A": [cell, cell], "B": [cell, "0.5"]})


def test_decimal_commas_are_read_where_no_cell_has_a_point():
    table = read_comparison_table(b"topic;A;B\nx;0,763;1\ny;0,5;0,25\n", name="scores.csv")
    assert (table.values("A").tolist(), table.values("B").tolist()) == ([0.763, 0.5], [1.0, 0.25])
    assert table.notes == ("Commas were read as decimal points (0,763 is 0.763).",)


def test_a_column_n_counts_documents_if_it_holds_counts():
    systems = {"topic": ["x", "y"], "A": ["0.5", "0.6"], "B": ["0.4", "0.7"]}
    table = make_comparison_table(systems | {"n": ["30", "10"]})
    assert list(table.systems) == ["A", "B"] and table.weights.tolist() == [30, 10]
    assert "n" in make_comparison_table(systems | {"n": ["0.3", "0.1"]}).systems
    assert "n" in make_comparison_table({"n": ["1", "0"], "m": ["0", "1"]}).systems


def test_columns_that_are_not_compared_say_nothing():
    columns = {"category": ["a", "b"], "n": ["10", "x"], "A": ["0.5", "0.6"], "B": ["0.4", "0.7"]}
    table = make_comparison_table(columns, only=("A", "B"))
    assert (list(table.systems), table.rows, table.notes) == (["A", "B"], ("a", "b"), ())
    with pytest.raises(SettingError, match="No system is called 'C'"):
        make_comparison_table(columns, only=("A", "C"))
