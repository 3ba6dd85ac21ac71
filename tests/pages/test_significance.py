"""Significance: models compared, tables of one's own, text categorization."""

import json
import re

import pandas as pd
import pytest

from core.demo import RESULTS, bundled_corpus, bundled_vectors
from core.evaluation import ResultStore, evaluate, right_answers
from core.report import Subject, build_report
from core.splits import make_folds
from core.statistics import TESTS, clustered_comparison, true_rate
from core.studies import published_p_tests
from core.vectors import make_encoder
from pages.parts.significance_categorization import sign_in_1999
from tests.pages.opened import all_text, figure, open_app, press, run_models, upload
from tests.pages.topics import made_csv, sized

EQUIVALENT = TESTS["equivalence"].label

SCORES = b"category,SVM,kNN,NB\ngrain,.80,.70,.60\ntrade,.75,.75,.61\ncrude,.90,.85,.70\nship,.60,.65,.40\nwheat,.55,.40,.35\n"
DECISIONS = b"A,B\n" + b"1,0\n" * 12 + b"0,1\n" * 3 + b"1,1\n" * 20


def with_table(content: bytes):
    app = open_app("significance", significance_compare="a table of your own")
    app.file_uploader(key="comparison_file").set_value(("table.csv", content, "text/csv")).run()
    assert not app.exception, app.exception
    return app


def test_models_run_here_are_compared():
    app = open_app("significance")
    assert not app.error
    answer = app.subheader[0].value.replace("\\", "")
    assert answer.startswith("Character SVM is better than Maximum entropy: ") and "topics that differ" in answer
    said = all_text(app).replace("\\", "")
    assert "By single decisions: " in said and re.search(
        r"24 topics counts alike; .* count as \d+\.\d of equal size", said
    )
    assert any("topics** are needed" in text.value for text in app.markdown)


def said_of(content: bytes) -> str:
    """What the page says of a table, without the methods, which have formulas."""
    app = with_table(content)
    return " ".join(each.value for each in (*app.markdown, *app.caption) if "$" not in each.value).replace("\\", "")


def test_a_table_of_ones_own_is_not_spoken_of_as_a_run():
    said = said_of(SCORES)
    assert "**Difference in score, row by row**" in said and "on per-row score" in said and "rows** are needed" in said
    for foreign in ("documents in brackets", "per-topic", "single decisions", "measured on this run"):
        assert foreign not in said, foreign
    said = said_of(DECISIONS)
    assert "on single decisions" in said and "without topics it is not known" in said
    for foreign in ("per-topic", "per-row", "measured on this run", "Macro tests", "for equivalence"):
        assert foreign not in said, foreign


def test_documents_stand_in_brackets_where_a_table_counts_them():
    rows = SCORES.decode().strip().split("\n")
    counted = "\n".join([rows[0] + ",documents", *(f"{row},{number}0" for number, row in enumerate(rows[1:], 1))])
    said = said_of(counted.encode())
    assert "documents in brackets; stronger bars are larger rows" in said


def every_test(app):
    return app.dataframe[0].value.set_index("test")


def test_the_report_holds_the_tests_of_the_page_and_what_they_say():
    corpus = bundled_corpus()
    vectors = bundled_vectors(corpus, make_encoder("sbert"))
    report = build_report(
        Subject(corpus, vectors, results=ResultStore(shipped=RESULTS)),
        pages=["significance"],
        choices={"significance": {"a": "max_ent", "b": "char_svm"}},
    )
    (section,) = report.sections
    written = pd.DataFrame(section.tables[0].rows, columns=section.tables[0].columns)
    app = open_app("significance", significance_model_a="Maximum entropy", significance_model_b="Character SVM")
    shown = app.dataframe[0].value
    for column in ("test", "verdict", "errs at .05", "what it says"):
        assert list(written[column]) == list(shown[column])
    assert app.subheader[0].value.replace("\\", "") == section.answer


def test_tests_over_decisions_say_how_often_they_err():
    corpus = bundled_corpus()
    folds = make_folds(corpus, scheme="topic-kfold", k=6, seed=0)
    run = evaluate(
        corpus, folds, task="attribution", models=["max_ent", "char_svm"], results=ResultStore(shipped=RESULTS)
    )
    (a, topics), (b, _) = (right_answers(run, corpus, name) for name in run.models)
    found = clustered_comparison(1 - a, 1 - b, topics)
    shown = every_test(
        open_app("significance", significance_model_a="Maximum entropy", significance_model_b="Character SVM")
    )["errs at .05"]
    for name in ("s", "p"):
        assert shown[TESTS[name].label] == f"{100 * true_rate(TESTS[name], found):.1f} %"
    assert shown[TESTS["S"].label] == "10.0 %", "one-sided, for whoever is ahead"
    assert shown[TESTS["paired_t"].label] == "5.0 %"


def test_the_margin_decides_about_equality_here_and_in_the_matrix():
    wide, narrow = (open_app("significance", margin=margin, pair_test=EQUIVALENT) for margin in ("0.5", "0.005"))
    for app, sign in ((wide, "="), (narrow, "~")):
        assert every_test(app)["verdict"][EQUIVALENT] == sign
        cells = [cell for row in figure(app, "all_pairs")["data"][0]["text"] for cell in row if cell]
        assert all(f"<b>{sign}</b>" in cell for cell in cells)


def test_many_ways_to_ask_are_not_many_chances():
    said = all_text(open_app("significance"))
    assert "do not choose the smallest p" in said
    assert f"The row to trust is the {TESTS['S'].label}" in said


def test_decisions_without_topics_have_no_known_error_rate():
    app = with_table(DECISIONS)
    assert set(every_test(app)["errs at .05"]) == {"not known"}
    assert "if decisions are independent" in app.subheader[0].value
    assert any("are not independent" in text.value for text in app.markdown)


@pytest.mark.parametrize("shuffled", [False, True])
def test_where_models_cannot_differ_nothing_is_claimed(shuffled, tmp_path, monkeypatch):
    monkeypatch.setenv("LEAKSCOPE_CACHE", str(tmp_path))
    app = press(upload(("c.csv", made_csv(sized(4, 3), shuffled=shuffled))), "Use this corpus")
    app.switch_page("pages/significance.py").run()
    app = run_models(app)
    assert not app.error
    verdicts = set(every_test(app)["verdict"])
    assert verdicts <= {"~", "–"}, "12 texts whose authors are drawn at random"
    assert " is better than " not in app.subheader[0].value


@pytest.mark.parametrize("content", [SCORES, DECISIONS])
def test_a_table_of_ones_own_is_compared(content):
    app = with_table(content)
    assert not app.error
    assert app.dataframe
    names = ("SVM", "kNN") if content == SCORES else ("A", "B")
    assert all(name in app.subheader[0].value for name in names), "the answer comes first"


@pytest.mark.parametrize(
    "content", [b"", b"category,A\nx,1\n", b"category,A,B\nx,1\n", b"category,A,B\nx,one,two\n", b"category,A,B\n"]
)
def test_a_bad_table_is_refused_in_a_sentence(content):
    assert len(with_table(content).error) == 1


def test_ties_everywhere_give_no_p_value():
    app = with_table(b"category,A,B\nx,.5,.5\ny,.6,.6\nz,.7,.7\n")
    assert not app.exception
    assert not app.error
    assert app.subheader[0].value.startswith("Nothing tells them apart")


def test_topics_may_count_by_their_documents():
    shown = every_test(open_app("significance"))
    assert shown["n"][TESTS["weighted_t"].label] == 24
    assert "which count as" in shown["what it says"][TESTS["weighted_t"].label]
    table = (
        SCORES.replace(b"NB\n", b"NB,documents\n")
        .replace(b"0\n", b"0,12\n")
        .replace(b"5\n", b"5,40\n")
        .replace(b"1\n", b"1,7\n")
    )
    own = with_table(table)
    assert not own.error
    assert TESTS["weighted_t"].label in every_test(own).index
    assert "of equal size" in all_text(own)
    assert TESTS["weighted_t"].label not in every_test(with_table(SCORES)).index


def test_the_published_numbers_are_there_before_any_corpus():
    app = open_app("significance", significance_compare="text categorization")
    assert not app.error
    scores, signs = (each.value.set_index(each.value.columns[0]) for each in app.dataframe)
    assert scores["micro F1"]["kNN, one label"] == 0.8140 and len(signs) == 10


def test_signs_of_1999_are_turned_where_the_pair_is():
    theirs = published_p_tests()
    assert sign_in_1999(theirs, "svm", "nb", "error") == "»"
    assert sign_in_1999(theirs, "nb", "svm", "error") == "«"
    assert sign_in_1999(theirs, "svm", "knn_one", "error") == "–"


def test_a_multi_label_corpus_is_categorized_when_asked():
    lines = [
        json.dumps(
            {
                "text": f"wheat corn {n}" if n % 2 else f"ship port {n}",
                "topics": ["grain"] if n % 2 else ["ship"],
                "split": part,
            }
        )
        for n, part in ((number, "train" if number % 3 else "test") for number in range(60))
    ]
    app = open_app("significance", significance_compare="text categorization", categorizers=["SVM", "NB"])
    app.file_uploader(key="labelled_file").set_value(("c.jsonl", "\n".join(lines).encode(), "application/json")).run()
    app.button(key="run_categorizers").click().run()
    assert not app.exception, app.exception
    assert not app.error, app.error[0].value
    assert app.dataframe
    assert app.subheader[0].value.startswith("Too close to call by macro F1"), "two categories tell no two models apart"
    p_tests = next(each.value for each in app.dataframe if "p recall (Holm)" in each.value.columns)
    assert list(p_tests["A"]) == ["SVM"] and "recall, 1999" not in p_tests.columns, "1999 is of another corpus"


def test_all_pairs_are_not_judged_by_single_decisions_where_topics_can():
    offered = open_app("significance").selectbox(key="pair_test").options
    assert TESTS["S"].label in offered
    assert not {test.label for test in TESTS.values() if test.error_rate == "clustered"} & set(offered)
