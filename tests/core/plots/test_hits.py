"""HITS on paper: the figures read back, m marked, names as text."""

from dataclasses import replace

import numpy as np
import pytest

from core.corpora import make_corpus
from core.papers.hits_2024 import (
    EncoderComparison,
    FoldPlan,
    PolicyComparison,
    StabilityAgainstM,
    closest_across,
    compare_encoders,
    compare_policies,
    similarity_against_m,
)
from core.plots import hits as plots
from core.plots import split as audit_plots
from core.plots.hits import MOST_STEPS, closest_pair_curve, path_steps
from core.splits import audit_split
from core.topics import hits_path, random_band, topic_space
from tests.core.experiment_cases import a_case, vector_records


@pytest.fixture
def similarity():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(50, 6))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    return points @ points.T


def test_the_curve_is_the_path_over_what_chance_gives(similarity):
    path = hits_path(similarity)
    band = random_band(similarity, path, samples=40)
    figure = closest_pair_curve(path, band, m=7, twin_threshold=0.6, kind="corrected")
    shade, middle, hits = figure.data
    np.testing.assert_array_equal(hits.x, np.arange(2, 51))
    np.testing.assert_array_equal(hits.y, path.max[1:])
    np.testing.assert_array_equal(middle.y, band.max[1, 1:])
    assert len(shade.x) == 2 * len(hits.x)
    m, line = figure.layout.shapes
    assert (m.x0, m.x1, line.y0, line.y1) == (7, 7, 0.6, 0.6)
    assert [note.text for note in figure.layout.annotations] == ["m = 7", "near twins"]


def test_the_path_names_topics_in_its_order_and_colours_those_that_are_kept(similarity):
    path = hits_path(similarity)
    names = [f"<b>{number}" for number in range(50)]
    shares = np.linspace(0, 1, 50)
    figure = path_steps(names, path, shares, m=3)
    (bars,) = figure.data
    np.testing.assert_array_equal(bars.x, shares[path.order[:MOST_STEPS]])
    assert len(set(bars.marker.color[:3])) == 1 and bars.marker.color[3] != bars.marker.color[2]
    assert figure.layout.yaxis.ticktext[0] == f"1. &lt;b&gt;{path.order[0]}"


HOSTILE = "<b>bold</b> & <img src=x>"


@pytest.fixture(scope="module")
def case():
    return a_case()


def test_similarity_curves_draw_the_record(case):
    _, _, space = case
    record = similarity_against_m(space, m=[3, 5, 8], plan=FoldPlan(3))
    figure = plots.similarity_curves(record, 5, kind="corrected")
    named = {(trace.name, trace.xaxis): trace for trace in figure.data}
    np.testing.assert_allclose(named["HITS", "x"].y, record.mean.hits)
    np.testing.assert_allclose(named["HITS", "x2"].y, record.max.hits)
    np.testing.assert_allclose(named["random, mean", "x2"].y, record.max.random.mean(axis=0))
    assert max(named["random, lowest to highest", "x"].y) == record.mean.random.max()
    assert [shape.x0 for shape in figure.layout.shapes] == [5, 5]
    bare = plots.similarity_curves(similarity_against_m(space, m=[3], plan=FoldPlan(3, random_seeds=())), kind="plain")
    assert [trace.name for trace in bare.data] == ["HITS", "HITS"]


def test_stability_curves_draw_one_metric():
    labels = {"auc": "AUC", "overall": "Overall"}
    random = np.arange(12.0).reshape(2, 2, 3) / 12
    random[1, 0, 1] = np.nan
    record = StabilityAgainstM((4, 6), 3, labels, np.array([[0.9, 0.8, 0.7], [0.6, 0.5, 0.4]]), random, (), 0)
    each, mean, hits = plots.stability_curves(record, "overall").data
    assert list(hits.y) == [0.8, 0.5]
    assert list(mean.y) == pytest.approx([2.5 / 12, 10 / 12]), "samples that rank nothing are left out"
    assert list(each.x) == [4, 4, 6, 6] and np.array_equal(each.y, random[:, :, 1].ravel(), equal_nan=True)
    assert list(plots.stability_curves(record).data[2].y) == [0.7, 0.4]


def test_policies_are_told_apart_by_colour_and_symbol(case):
    corpus, vectors, space = case
    record = compare_policies(corpus, vectors, space, m=4, plan=FoldPlan(2))
    figure = plots.policy_trade(record, kind="plain")
    assert [trace.name for trace in figure.data] == [policy.name for policy in record.policies]
    assert [trace.y[0] for trace in figure.data] == [policy.max for policy in record.policies]
    assert len({(trace.marker.color, trace.marker.symbol) for trace in figure.data}) == len(record.policies)
    ranked = tuple(replace(policy, stability={"auc": 0.7, "average": 0.5}) for policy in record.policies)
    both = plots.policy_trade(PolicyComparison(4, 2, {"auc": "AUC"}, ranked, ()), kind="plain")
    assert len(both.data) == 2 * len(ranked) and both.data[-1].y[0] == 0.5


def test_encoders_are_drawn_in_the_reference_space(case):
    corpus, _, _ = case
    first, second = vector_records(corpus, 1, 2).values()
    record: EncoderComparison = compare_encoders(
        corpus, {HOSTILE: first, "plain": second}, m=4, plan=FoldPlan(2), reference="plain"
    )
    shared, numbers, agreement, _ = plots.encoder_overlap(record).data
    np.testing.assert_allclose(shared.customdata, record.jaccard)
    np.testing.assert_allclose(agreement.customdata, record.agreement)
    assert list(numbers.text) == [f"{value:.2f}" for value in record.jaccard.ravel()]
    figure = plots.encoder_similarity(record, kind="plain")
    np.testing.assert_allclose(figure.data[1].y, record.max[:2, 1])
    assert figure.layout.shapes[0].y0 == record.mean[-1, 1]
    for drawn in (figure, plots.encoder_overlap(record)):
        assert "<img" not in drawn.to_json().replace("\\u003c", "<")


def test_closest_pairs_name_both_topics(case):
    _, _, space = case
    record = closest_across(space, m=5, plan=FoldPlan(2), most=3)
    (dots,) = plots.closest_pairs(record, kind="plain").data
    assert list(dots.x) == [pair.similarity for pair in record.pairs]
    assert record.pairs[0].train in dots.customdata[0]
    assert len({*dots.marker.symbol}) == 2


@pytest.fixture(scope="module")
def audit(case):
    corpus, vectors, _ = case
    names = dict(zip(corpus.topic_names, [HOSTILE, *corpus.topic_names[1:]], strict=True))
    labels = ["test" if code < 3 or row % 5 == 0 else "train" for row, code in enumerate(corpus.topic_codes)]
    again = make_corpus(corpus.texts, [names[topic] for topic in corpus.topics], splits=labels)
    return audit_split(again, vectors, topic_space(vectors, again.topic_codes, again.topic_names))


def test_split_audit_figures_hold_every_test_topic(audit):
    (bars,) = audit_plots.leakage_by_topic(audit).data
    assert sorted(bars.x) == sorted(topic.neighbour_leakage for topic in audit.topics)
    assert audit_plots.leakage_by_topic(audit).layout.shapes[0].x0 == audit.neighbour_leakage.chance
    figure = audit_plots.topic_twins(audit, kind="corrected")
    twins, perhaps, others = figure.data
    assert [len(each.x) for each in (twins, perhaps)] == [audit.twins, audit.doubtful]
    assert sum(len(each.x) for each in figure.data) == len(audit.topics)
    assert all(value >= audit.threshold for value in (*twins.x, *perhaps.x))
    assert all(value < audit.threshold for value in others.x)
    counted = audit_plots.nearest_documents(audit).data
    assert sum(len(trace.x) for trace in counted) == audit.test
    assert len(counted[1].x) == len(audit.duplicates)


def test_split_audit_labels_stay_plain(audit):
    for figure in (audit_plots.leakage_by_topic(audit), audit_plots.topic_twins(audit, kind="corrected")):
        assert "<img" not in figure.to_json().replace("\\u003c", "<")
        labels = figure.layout.yaxis.ticktext
        assert any(label.startswith("&lt;b&gt;") for label in labels)
        assert any(label.endswith("⇄") for label in labels)
        assert figure.layout.xaxis.title.text.endswith("⇄ the topic itself is in training too")
    apart = replace(audit, topics=tuple(replace(topic, shared=False) for topic in audit.topics))
    assert "⇄" not in audit_plots.leakage_by_topic(apart).to_json()


def test_a_topic_that_cannot_be_compared_is_named_as_such_in_its_row(audit):
    unknown = replace(audit.topics[0], nearest=None, similarity=float("nan"), twin=False, doubtful=False)
    figure = audit_plots.topic_twins(replace(audit, topics=(unknown, *audit.topics[1:])), kind="corrected")
    notes = [note.y for note in figure.layout.annotations if note.text == "not comparable"]
    assert notes == [len(audit.topics) - 1], "the last row"
    assert not any(note.text == "not comparable" for note in audit_plots.topic_twins(audit, kind="").layout.annotations)


def test_long_lists_are_cut(audit, monkeypatch):
    monkeypatch.setattr(audit_plots, "MOST_TOPICS", 2)
    (bars,) = audit_plots.leakage_by_topic(audit).data
    assert list(bars.x) == sorted((topic.neighbour_leakage for topic in audit.topics), reverse=True)[:2]
