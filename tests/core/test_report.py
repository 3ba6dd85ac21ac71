"""A report: what is named is in it, no model is run unasked, and it says what the questions answer."""

from dataclasses import replace

import numpy as np
import pytest

import core.study
from core.corpora import DropSmallTopics, clean
from core.errors import SettingError
from core.evaluation import ResultStore
from core.questions import QUESTIONS, RunSettings, ask, sample_and_folds, views
from core.report import ON_REQUEST, asked_by, make_report, page_names
from core.study import kept_only
from core.topics import make_setup
from core.vectors import embed, make_encoder
from tests.core.made_corpora import made, report_of, study_of
from tests.core.questions.studies import bundled

LIGHT = {"verdict", "corpus", "topic_map", "hits", "design"}


def names(report) -> list[str]:
    return [answer.name for answer in report.answers]


def test_every_page_of_the_app_but_those_without_a_corpus_can_be_reported():
    from tests.pages.opened import PAGES as APP

    assert set(APP) - set(page_names()) <= {"methods", "lesson"}
    assert list(page_names().values()) == list(QUESTIONS)


def test_unasked_no_model_is_run_and_what_is_missing_is_named():
    found = report_of(made())
    assert set(names(found)) >= LIGHT and "ranking" not in names(found)
    reasons = dict(found.left_out)
    assert "no split of its own" in reasons["Check a split"]
    assert "not been run yet" in reasons["Ranking"] and "--pages" in reasons["Ranking"]


def test_what_is_named_is_run_and_kept_for_the_next(tmp_path):
    store = ResultStore(tmp_path)
    study = study_of(made(4, 6, split=True), results=store)
    first = make_report(study, asked_by(study, ["significance"], {}))
    assert names(first) == ["significance"]
    again = study_of(made(4, 6, split=True), results=store)
    again.work = kept_only
    found = make_report(again, asked_by(again, ["significance", "split"], {}))
    assert names(found) == ["significance", "split"]
    assert found.answers[0].headline == first.answers[0].headline


def test_it_says_what_the_questions_answer():
    study = bundled()
    found = make_report(study, asked_by(study, ["corpus", "hits", "design"], {"hits": {"m": 9}}))
    assert found.answers[0] is ask(study, "corpus") and found.answers[1] is ask(study, "hits", m=9)
    assert dict(found.identity)["Fingerprint of the documents"] == study.corpus.content_digest


def test_labels_that_mean_nothing_are_said_to_everywhere():
    found = report_of(made(6, 12, shuffled=True), pages=["overview", "topic_map", "hits", "design"])
    assert {answer.name: answer.level for answer in found.answers} == dict.fromkeys(
        ("verdict", "topic_map", "hits", "design"), "unknown"
    )
    assert all(rows.name != "near_twins" for rows in found.answers[0].tables)


@pytest.mark.parametrize("authors", [0, 1])
def test_without_two_authors_models_are_left_out_with_the_reason(authors):
    found = report_of(made(4, 4, authors=authors), pages=list(page_names()))
    assert set(names(found)) >= LIGHT and not {"ranking", "significance", "trust"} & set(names(found))
    assert all("author" in reason for label, reason in found.left_out if label in ("Ranking", "Significance"))


def test_one_topic_is_a_sentence():
    corpus = made(2, 3)
    one = replace(corpus, topic_names=("alone",), topic_codes=np.zeros(len(corpus), dtype=np.int64))
    study = study_of(corpus)
    study.corpus = one
    with pytest.raises(SettingError, match="fewer than two"):
        make_report(study, [("corpus", None)])


def test_settings_reach_the_answer_and_wrong_ones_are_refused():
    found = report_of(made(), ["overview", "hits"], overview={"k": 3}, hits={"m": 2})
    overview, hits = (dict(answer.settings) for answer in found.answers)
    assert overview["Folds of topics (k)"] == "3" and hits["Topics to keep (m)"] == "2"
    with pytest.raises(SettingError, match="No page is called 'hitz'.*Did you mean 'hits'"):
        report_of(made(), ["hitz"])
    with pytest.raises(SettingError, match="No setting is called 'n'"):
        report_of(made(), ["hits"], hits={"n": 2})
    with pytest.raises(SettingError, match="choose m"):
        report_of(made(), ["hits"], hits={"m": 90})


def test_cleaning_filters_methods_and_versions_are_in_it():
    corpus, effects = clean(made(), (DropSmallTopics(2),))
    filters = {"min_documents_per_author": 2, "max_authors": None}
    study = study_of(corpus, filters=filters)
    found = make_report(study, [("corpus", None)], cleaning=effects)
    assert found.cleaning == (effects[0].sentence,)
    assert ("Most frequent authors", "all") in found.settings and (
        "Minimum documents per author",
        "2",
    ) in found.settings
    assert {"Leakscope", "Python", "numpy"} <= set(dict(found.versions))
    assert any("Deerwester" in work for work in found.references) and "Sawatphol" in found.references[0]


@pytest.mark.parametrize(("encoder", "cited"), [("nmf", "Lee and H. S. Seung"), ("lda", "Latent Dirichlet Allocation")])
def test_the_work_behind_an_encoder_is_cited_second(encoder, cited):
    study = study_of(made())
    study.vectors = embed(study.corpus, make_encoder(encoder))
    found = make_report(study, [("corpus", None)])
    assert cited in found.references[1] and len(set(found.references)) == len(found.references)


def test_the_policy_of_hits_reaches_the_report():
    study = bundled()
    for policy in ("cutting", "grouping"):
        (found,) = make_report(study, asked_by(study, ["hits"], {"hits": {"policy": policy}})).answers
        assert found.headline == ask(study, "hits", policy=policy).headline
    assert ask(study, "hits").headline != ask(study, "hits", policy="grouping").headline


def test_simulations_are_there_only_where_they_are_named():
    assert not set(ON_REQUEST) & set(page_names())


def test_the_calibration_of_a_run_is_among_its_settings():
    study = study_of(made(4, 6, split=True))
    run = {"task": "verification", "calibration": "platt", "k": 2, "models": ("topic_fit", "char_ngram")}
    (found,) = report_of(study.corpus, ["significance"], significance=run).answers
    assert any("alibration" in label for label, _ in found.settings)


def test_what_folds_must_keep_to_is_among_the_settings_of_a_run():
    study = study_of(made(4, 6, split=True))
    names = study.corpus.topic_names
    folds = {
        "scheme": "least-leakage",
        "k": 2,
        "balance": 0.5,
        "together": [names[:2]],
        "apart": [[names[0], names[2]]],
    }
    run = folds | {"models": ("topic_fit", "char_svm")}
    (found,) = report_of(study.corpus, ["significance"], significance=run).answers
    assert {
        "Largest fold above the mean": "50%",
        "Topics to keep together": ", ".join(names[:2]),
        "Two topics to keep apart": f"{names[0]}, {names[2]}",
    }.items() <= dict(found.settings).items()
    _, made_folds = sample_and_folds(study, RunSettings.resolve(study, folds))
    test_sides = [{names[topic] for topic in fold.test_topics} for fold in made_folds.folds]
    assert any(set(names[:2]) <= side and names[2] not in side for side in test_sides)
    (usual,) = report_of(
        study.corpus, ["significance"], significance={"k": 2, "models": ("topic_fit", "char_svm")}
    ).answers
    assert not any("keep" in label for label, _ in usual.settings), "random folds keep to nothing"


def test_found_topics_stay_found_when_merged_and_when_two_views_are_compared():
    study = study_of(replace(made(6, 6), found=True))
    merged = make_setup(study.corpus, study.vectors.matrix, study.space, sampler="hits", m=3, policy="grouping")
    assert merged.corpus.found
    compared = views.answer(study, study, names=("one", "other"), k=3)
    assert "found-topics" in compared.caution_codes()


def test_a_study_is_judged_once(monkeypatch):
    study, judge, calls = study_of(made()), core.study.judge, []
    monkeypatch.setattr(core.study, "judge", lambda *given, **more: calls.append(1) or judge(*given, **more))
    ask(study, "verdict", k=3)
    first = len(calls)
    for _ in range(2):
        ask(study, "verdict", k=3)
        study.judged(3)
    assert len(calls) == first > 0
