"""A report: its laws (what is named is in it, nothing is run unasked), and that it says of a corpus what the pages say."""

import pytest

from core.corpora import DropSmallTopics as Drop
from core.corpora import audit, clean, make_corpus
from core.demo import RESULTS, bundled_corpus, bundled_vectors
from core.errors import SettingError
from core.evaluation import NamedVectors, ResultStore, swap_effects, swap_sentences
from core.report import PAGES, DrawnNetworks, Subject, build_report
from core.splits import make_swaps
from core.statistics.simulation import type1_rates
from core.topics import MOST_IN_MATRIX, check_labels, hits_path, judge, keep_sentence, resample_topics, topic_space
from core.vectors import embed, make_encoder
from tests.core.report.made import made, report_of, subject

LIGHT = ["overview", "corpus", "topic_map", "hits", "design"]
VIEWS = {"swap", "together", "groups", "networks"}
OF_NO_CORPUS = {"groups", "networks"}


def pages(report):
    return [section.page for section in report.sections]


def test_every_page_of_the_app_but_those_without_a_corpus_can_be_reported():
    from tests.pages.opened import PAGES as APP

    assert set(APP) - set(PAGES) <= {"methods", "lesson"}
    assert set(PAGES) - set(APP) == VIEWS, "views of a page that are sections of their own"


def test_unasked_no_model_is_run_and_what_is_missing_is_said():
    found = report_of(made())
    assert pages(found) == LIGHT
    reasons = dict(found.left_out)
    assert reasons["Your split"] == "This corpus brings no split of its own."
    assert "not been run yet" in reasons["Folds & accuracy"] and "--pages" in reasons["Ranking"]
    assert set(reasons) == {PAGES[name].label for name in PAGES if name not in {*LIGHT, *OF_NO_CORPUS}}


def test_what_is_named_is_run_and_kept_for_the_next(tmp_path):
    corpus, store = made(4, 6, split=True), ResultStore(tmp_path)
    first = build_report(subject(corpus, results=store), pages=["accuracy", "significance"])
    assert pages(first) == ["accuracy", "significance"]
    again = build_report(subject(corpus, results=store))
    assert {"accuracy", "significance", "split"} <= set(pages(again)), "answers at hand need not be asked for"
    assert again.sections[pages(again).index("accuracy")].answer == first.sections[0].answer


def test_it_says_what_the_pages_say_of_the_bundled_corpus():
    corpus = bundled_corpus()
    vectors = bundled_vectors(corpus, make_encoder("sbert"))
    found = build_report(
        Subject(corpus, vectors, results=ResultStore(shipped=RESULTS)), pages=["overview", "corpus", "hits"]
    )
    space = topic_space(vectors.matrix, corpus.topic_codes, corpus.topic_names)
    documents = vectors.matrix, corpus.topic_codes, len(space)
    verdict = judge(
        space,
        hits_path(space.similarity),
        k=6,
        labels=check_labels(*documents, kind="corrected"),
        resampled=resample_topics(*documents, kind="corrected"),
    )
    overview, about, hits = found.sections
    assert (overview.answer, overview.cautions) == (verdict.sentence, verdict.cautions)
    assert about.answer == audit(corpus).sentence
    assert hits.answer == keep_sentence(verdict).replace("*", "")
    codes = [row[0] for table in about.tables if table.title == "Warnings" for row in table.rows]
    assert codes == [finding.code for finding in audit(corpus).warnings]
    assert dict(found.identity)["Fingerprint of the documents"] == corpus.content_digest


def test_warnings_name_those_they_are_about_and_the_regression_is_where_it_is_spoken_of():
    texts = [f"word{number} more words of {number % 7}" for number in range(40)]
    topics = [f"topic {number % 4}" for number in range(40)]
    authors = ["ann" if number % 4 == 0 else "bob" if number % 4 == 1 else f"w{number % 5}" for number in range(40)]
    found = report_of(make_corpus(texts, topics, authors=authors), pages=["corpus", "accuracy"])
    about, scores = found.sections
    warnings = {row[0]: row[1] for table in about.tables if table.title == "Warnings" for row in table.rows}
    (owed,) = [text for text in warnings.values() if "to one author" in text]
    assert owed.startswith("2 topics owe") and owed.endswith("topic 0 and topic 1")
    assert "0.1 of similarity is worth" in scores.tables[0].columns
    assert any("0.1 of similarity is worth" in said for said in found.computed)


def test_shuffled_labels_are_said_to_mean_nothing_everywhere():
    found = report_of(
        made(6, 12, shuffled=True), pages=["overview", "topic_map", "hits", "design", "accuracy", "ranking"]
    )
    answers = {section.page: section for section in found.sections}
    assert "no pair stands out" in answers["topic_map"].answer.lower()
    assert "do not separate" in answers["design"].answer and "cannot be told" in answers["accuracy"].answer
    assert "do not separate" in " ".join(answers["ranking"].cautions)
    assert answers["hits"].answer == answers["overview"].answer, "nothing to keep where nothing is told apart"
    words = " ".join(row for table in answers["overview"].tables for row in (table.title, *map(str, table.rows)))
    assert "near twin" not in words.lower()


@pytest.mark.parametrize("authors", [0, 1])
def test_without_two_authors_models_say_so(authors):
    found = report_of(made(4, 4, authors=authors), pages=[name for name in PAGES if name not in OF_NO_CORPUS])
    assert pages(found) == LIGHT
    assert all("two or more" in reason for label, reason in found.left_out if label != "Your split")


def test_two_topics_of_three_documents_still_report():
    found = report_of(made(2, 3), pages=[name for name in PAGES if name not in OF_NO_CORPUS])
    assert set(LIGHT) <= set(pages(found))
    assert dict(found.left_out)["Ranking"] == "Sampling needs four topics or more; this corpus has fewer."


def test_one_topic_is_a_sentence():
    from dataclasses import replace

    import numpy as np

    corpus = made(2, 3)
    one = replace(corpus, topic_names=("alone",), topic_codes=np.zeros(len(corpus), dtype=np.int64))
    with pytest.raises(SettingError, match="compares topics, and this corpus has not two"):
        report_of(one)


def test_settings_reach_the_section_and_wrong_ones_are_refused():
    corpus = made()
    found = report_of(corpus, pages=["overview", "hits"], choices={"overview": {"k": 3}, "hits": {"m": 2}})
    assert [dict(section.settings) for section in found.sections] == [
        {"Folds of topics (k)": "3"},
        {"Topics kept (m)": "2", "Topics left out": "cutting"},
    ]
    with pytest.raises(SettingError, match="No page is called 'hitz'.*Did you mean 'hits'"):
        report_of(corpus, pages=["hitz"])
    with pytest.raises(SettingError, match="Nothing can be reported.*No setting of HITS is called 'n'"):
        report_of(corpus, pages=["hits"], choices={"hits": {"n": 2}})
    with pytest.raises(SettingError, match="Nothing can be reported. HITS: m = 90"):
        report_of(corpus, pages=["hits"], choices={"hits": {"m": 90}})


def test_cleaning_filters_seeds_and_versions_are_in_it():
    corpus, effects = clean(made(), (Drop(2),))
    found = report_of(corpus, pages=["corpus", "ranking"], cleaning=effects, filters={"max_authors": None})
    assert found.cleaning == (effects[0].sentence,)
    assert ("Most authors", "all") in found.settings and ("Encoder", "LSA") in found.settings
    assert "Seeds" in dict(found.sections[1].settings)
    assert {"Leakscope", "Python", "numpy"} <= set(dict(found.versions))
    assert any("Deerwester" in work for work in found.references) and "Sawatphol" in found.references[0]
    assert found.computed[0].startswith("Documents became vectors by LSA")


@pytest.mark.parametrize(("encoder", "cited"), [("nmf", "Lee and H. S. Seung"), ("lda", "Latent Dirichlet Allocation")])
def test_the_work_that_an_encoder_rests_on_is_cited_second(encoder, cited):
    corpus = made()
    found = build_report(Subject(corpus, embed(corpus, make_encoder(encoder))), pages=["corpus", "trust", "overview"])
    assert cited in found.references[1] and len(set(found.references)) == len(found.references)


def test_more_topics_than_a_matrix_holds_leave_what_can_be_said(monkeypatch):
    monkeypatch.setattr("core.topics.space.MOST_IN_MATRIX", 3)
    found = report_of(made(), pages=["corpus", "overview", "hits"])
    assert pages(found) == ["corpus"] and MOST_IN_MATRIX > 3
    assert all("topics" in reason for _, reason in found.left_out)


def test_views_are_reported_from_what_is_kept_and_say_what_the_page_says(tmp_path):
    corpus, store = made(6, 12, authors=4), ResultStore(tmp_path)
    choices = {"task": "attribution", "models": ["max_ent", "topic_fit"]}
    wanted = {"choices": dict.fromkeys(("swap", "together"), choices), "pages": ["swap", "together"]}
    with pytest.raises(SettingError, match="Nothing can be reported.*not been run yet"):
        build_report(subject(corpus, results=store), compute=False, **wanted)
    first = build_report(subject(corpus, results=store), **wanted)
    assert pages(first) == ["swap", "together"]
    again = build_report(subject(corpus, results=store), compute=False, **wanted)
    assert [each.answer for each in again.sections] == [each.answer for each in first.sections]
    swapped, together = first.sections
    found = subject(corpus)
    swaps = make_swaps(corpus, found.space, draws=3, seed=0, most=40)
    vectors = NamedVectors(found.vectors.matrix, found.vectors.encoder_key)
    effects = swap_effects(corpus, swaps, vectors=vectors, results=store, seed=0, **choices)
    by_label = {"Maximum entropy": effects["max_ent"], "TopicFit": effects["topic_fit"]}
    assert set(swap_sentences(by_label, metric="accuracy")) <= set(swapped.cautions)
    assert [len(section.drawings) for section in first.sections] == [2, 1]
    assert any(work.startswith("T. C. Hesterberg") for work in first.references)
    assert dict(together.settings)["Seed"] == "0"


def test_simulations_are_there_where_they_were_looked_at_or_are_named():
    corpus = made(3, 4)
    found = report_of(corpus, pages=["groups"], choices={"groups": {"trials": 20, "instances": 50}})
    (section,) = found.sections
    assert len(section.drawings) == 2 and section.cautions[0] == "Half of the instances labelled."
    assert section.answer.startswith("Called different although equal") or "%" in section.answer
    with pytest.raises(SettingError, match="Nothing can be reported.*not been run yet"):
        report_of(corpus, pages=["groups", "networks"], compute=False)
    rates = {point: type1_rates(point[0], labelled=point[1], trials=20, seed=0) for point in [("ncv", 0.5, 0.9)]}
    held = build_report(subject(corpus, held={"groups": rates}), pages=["groups"], compute=False)
    assert pages(held) == ["groups"], "from what the page has drawn"


def test_networks_of_ones_own_and_made_ones_are_drawn_from_what_the_page_shows():
    from core.demo import bundled_network
    from core.statistics.simulation import network_profile, own_rates, rates_when_equal

    network = bundled_network()
    parts = network.networks(network.usual_positive)[:2]
    profiles = {f"part {number}": network_profile(part, seed=0) for number, part in enumerate(parts)}
    rates = {("ncv", 0.3): own_rates(parts, "ncv", 0.3, trials=3, seed=0)}
    own = DrawnNetworks("the Courier's", ("wvrn", "nbc"), "paired", profiles=profiles, rates=rates)
    made_ones = {("ncv", 0.3, 0.0): rates_when_equal("ncv", 0.3, trials=3, seed=1, nodes=100)}
    drawn = DrawnNetworks("made networks", ("wvrn", "nbc"), "paired", made=made_ones, labelled=0.3, when="Three.")
    for held, figures in ((own, 2), (drawn, 2)):
        (section,) = build_report(
            subject(made(3, 4), held={"networks": held}), pages=["networks"], compute=False
        ).sections
        assert len(section.drawings) == figures and dict(section.settings)["Networks"] == held.source
    assert section.cautions == ("Three.",)
