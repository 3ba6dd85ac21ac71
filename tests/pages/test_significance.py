"""Significance: models compared, tables of one's own, text categorization."""

import json

import pytest

from core.demo import RESULTS, bundled_corpus
from core.evaluation import ResultStore, evaluate, right_answers, score_table, topic_scores
from core.papers import published_p_tests
from core.questions.categorization import sign_in_1999
from core.splits import make_folds
from core.statistics import TESTS, clustered_comparison, true_rate
from tests.pages.opened import all_text, figure, open_app, press, run_models, shown_page, upload
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
    app = shown_page("significance")
    assert not app.error
    assert "Character SVM is better than Maximum entropy" in plain(app.subheader[0].value)
    assert "Over single decisions" in plain(all_text(app))


def test_one_model_is_refused_in_words_wherever_two_are_compared():
    for page in ("significance", "trust"):
        app = open_app(page, run_models_attribution="Character SVM")
        assert [each.value for each in app.error] == ["Comparing takes two models. Choose at least two."], page


def plain(text: str) -> str:
    return text.replace("\\", "")


def test_the_test_to_trust_says_what_the_headline_says():
    """S approximates by a normal curve: of 14 topics that differ it calls 11 significant, which the exact test does not."""
    rows = "".join(f"t{row},{0.6 if row < 11 else 0.4},0.5\n" for row in range(14))
    app = with_table(f"category,A,B\n{rows}".encode())
    assert "which is not significant (p = .06)" in plain(app.subheader[0].value)
    (said,) = [each.value for each in app.metric if each.label == "Exact sign test"]
    assert said == "p = .06"
    assert not [each for each in with_table(DECISIONS).metric if each.label == "Exact sign test"], "not independent"


def every_test(app):
    return max((each.value for each in app.dataframe if "test" in each.value), key=len).set_index("test")


def test_tests_over_decisions_say_how_often_they_err():
    corpus = bundled_corpus()
    folds = make_folds(corpus, scheme="topic-kfold", k=6, seed=0)
    run = evaluate(
        corpus, folds, task="attribution", models=["max_ent", "char_svm"], results=ResultStore(shipped=RESULTS)
    )
    (a, topics), (b, _) = (right_answers(run, corpus, name) for name in run.models)
    found = clustered_comparison(1 - a, 1 - b, topics)
    shown = every_test(
        shown_page("significance", significance_model_a="Maximum entropy", significance_model_b="Character SVM")
    )["false alarms"]
    for name in ("s", "p"):
        assert shown[TESTS[name].label] == f"{100 * true_rate(TESTS[name], found):.1f}%"
    assert shown[TESTS["S"].label] == "5.0%", "two-sided, as every other"
    assert shown[TESTS["paired_t"].label] == "5.0%"


def test_the_margin_decides_about_equality_here_and_in_the_matrix():
    wide, narrow = (shown_page("significance", margin=margin, pair_test=EQUIVALENT) for margin in ("0.5", "0.005"))
    for app, sign in ((wide, "="), (narrow, "~")):
        assert every_test(app)["verdict"][EQUIVALENT] == sign
        cells = [cell for row in figure(app, "all_pairs")["data"][0]["text"] for cell in row if cell]
        assert all(f"<b>{sign}</b>" in cell for cell in cells)


def test_decisions_without_topics_have_no_known_error_rate():
    app = with_table(DECISIONS)
    assert set(every_test(app)["false alarms"]) == {"unknown"}
    assert "if decisions are independent" in app.subheader[0].value


@pytest.mark.parametrize("shuffled", [False, True])
def test_where_models_cannot_differ_nothing_is_claimed(shuffled, tmp_path, monkeypatch):
    monkeypatch.setenv("LEAKSCOPE_CACHE", str(tmp_path))
    app = press(upload(("c.csv", made_csv(sized(4, 3), shuffled=shuffled))), "Use this corpus")
    app.switch_page("pages/significance.py").run()
    app = run_models(app)
    assert not app.error
    found = every_test(app)["verdict"]
    assert found[TESTS["S"].label] in ("~", "–"), "12 texts whose authors are drawn at random"
    assert set(found) <= {"~", "–", ">"}, "A is the model that scores higher, so no test may prefer B"
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
    assert "score the same on all 3" in app.subheader[0].value


def test_topics_may_count_by_their_documents():
    shown = every_test(open_app("significance"))
    assert shown["n"][TESTS["weighted_t"].label] == 24
    table = (
        SCORES.replace(b"NB\n", b"NB,documents\n")
        .replace(b"0\n", b"0,12\n")
        .replace(b"5\n", b"5,40\n")
        .replace(b"1\n", b"1,7\n")
    )
    own = with_table(table)
    assert not own.error
    assert TESTS["weighted_t"].label in every_test(own).index
    assert TESTS["weighted_t"].label not in every_test(with_table(SCORES)).index


def test_the_published_numbers_are_there_before_any_corpus():
    app = shown_page("significance", significance_compare="text categorization")
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
    assert app.subheader[0].value.count("Too close to call"), "two categories tell no two models apart"
    p_tests = next(each.value for each in app.dataframe if "p recall (Holm)" in each.value.columns)
    assert list(p_tests["A"]) == ["SVM"] and "recall, 1999" not in p_tests.columns, "1999 is of another corpus"


def test_all_pairs_are_not_judged_by_single_decisions_where_topics_can():
    offered = shown_page("significance").selectbox(key="pair_test").options
    assert TESTS["S"].label in offered
    assert not {test.label for test in TESTS.values() if test.error_rate == "clustered"} & set(offered)


def test_by_default_the_best_model_is_compared_with_the_next_best():
    app = shown_page("significance")
    a, b = (app.segmented_control(key=f"significance_model_{side}").value for side in "ab")
    corpus = bundled_corpus()
    folds = make_folds(corpus, scheme="topic-kfold", k=6, seed=0)
    models = ["max_ent", "char_svm", "topic_fit"]
    run = evaluate(corpus, folds, task="attribution", models=models, results=ResultStore(shipped=RESULTS))
    mean = dict(zip(run.models, score_table(topic_scores(run, corpus), "accuracy").mean(axis=1), strict=True))
    assert [a, b] == sorted(mean, key=mean.__getitem__, reverse=True)[:2]
    assert "Yes\\. Character SVM is better than" in app.subheader[0].value
