"""Topic by topic: the reading follows ranks and no more, what weakens it is cautioned, and rows shown keep their order."""

from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest

from core.questions import accuracy, ask, calibration
from core.questions.accuracy import TopicByTopic, cautions, reading, rows_shown, standing_sentence
from core.statistics import Relation, detectable_rho, rank_relation, weighted_summary
from tests.core.questions.studies import bundled


def found(rho: dict[str, float], p: dict[str, float], *, nearest=None, mean=0.8, chance=0.3, meaningful=True):
    """A run whose models' scores go with similarity as planted."""
    nearest = np.linspace(0.1, 0.9, 20) if nearest is None else nearest
    rows = tuple(SimpleNamespace(nearest_similarity=value) for value in nearest)
    run = SimpleNamespace(models={name: name.upper() for name in rho}, metric_label="accuracy")
    relations = {name: Relation(20, value, value - 0.2, value + 0.2, 0.01) for name, value in rho.items()}
    summary = {name: weighted_summary(np.array([mean, mean]), np.array([1.0, 1.0])) for name in rho}
    return TopicByTopic(run, rows, relations, p, summary, chance, meaningful)


@pytest.mark.parametrize(
    ("rho", "p", "level", "starts"),
    [
        (0.6, 0.01, "warning", "Yes. Accuracy of M"),
        (0.6, 0.051, "neutral", "No significant link"),
        (-0.6, 0.01, "neutral", "No. Accuracy of M"),
        (np.nan, np.nan, "unknown", "Inconclusive."),
    ],
)
def test_each_reading(rho, p, level, starts):
    said = reading(found({"m": rho}, {"m": p}))
    assert said[0] == level and said[1].startswith(starts)
    assert reading(found({"m": rho}, {"m": p}, meaningful=False))[0] == "unknown", "nothing is claimed of nonsense"


def test_similarities_that_hardly_differ_cannot_show_a_link():
    nearest = np.linspace(0.5, 0.59, 20)
    level, said, _ = reading(found({"m": 0.2}, {"m": 0.4}, nearest=nearest))
    assert level == "unknown" and said.startswith("Inconclusive.")
    assert reading(found({"m": 0.9}, {"m": 0.001}, nearest=nearest))[0] == "warning", "what is significant is reported"
    weak = cautions(found({"m": 0.9}, {"m": 0.001}, nearest=nearest))
    assert [each.code for each in weak] == ["narrow-similarities"] and "span only 0.09" in weak[0].text
    assert reading(found({"m": 0.2}, {"m": 0.4}, nearest=np.linspace(0.5, 0.61, 20)))[0] == "neutral"


def test_models_are_told_apart_in_one_answer():
    rho = {"a": 0.7, "b": 0.6, "c": -0.6, "d": 0.1}
    _, headline, reasons = reading(found(rho, {"a": 0.01, "b": 0.02, "c": 0.03, "d": 0.9}))
    assert "A (ρ = +0.70) and B (ρ = +0.60)" in headline
    assert "C" in reasons[0] and "D" in reasons[1] and len(reasons) == 3


def codes(nearest, **planted) -> list[str]:
    return [each.code for each in cautions(found({"m": 0.5}, {"m": 0.5}, nearest=nearest, **planted))]


def test_what_weakens_the_answer_is_cautioned():
    plenty = np.linspace(0.1, 0.9, 20)
    assert codes(plenty) == []
    assert codes([1.0] * 11 + [0.4, 0.3, np.nan]) == ["tied-similarities"]
    assert codes([1.0] * 6 + list(np.linspace(0.1, 0.8, 6))) == []
    assert codes([0.1, 0.2, 0.3, np.nan]) == ["few-topics"]
    assert codes([]) == codes([np.nan]) == []
    assert [codes(plenty, mean=mean) for mean in (0.2, 0.3, 0.31)] == [["no-better-than-chance"]] * 2 + [[]]
    assert codes(plenty, mean=0.2, chance=np.nan) == [], "no baseline, no claim"


def test_the_detectable_correlation_is_found_in_four_of_five_samples():
    n, rng = 24, np.random.default_rng(0)
    rho = detectable_rho(n)
    r = 2 * np.sin(np.pi * rho / 6)  # Pearson's of a normal pair with this ρ
    hits = 0
    for _ in range(200):
        x = rng.normal(size=n)
        y = r * x + np.sqrt(1 - r**2) * rng.normal(size=n)
        hits += rank_relation(x, y, resamples=1, shuffles=400).p <= 0.05
    assert 0.7 < hits / 200 < 0.9
    assert np.isnan(detectable_rho(3)) and detectable_rho(100) < detectable_rho(10)


class Row:
    def __init__(self, topic: int, *, compared: bool = True):
        self.topic, self.nearest = topic, (0,) if compared else ()


@pytest.mark.parametrize("focus", [None, 0, 50, 99])
@pytest.mark.parametrize("start", [None, 0, 40, 80])
def test_of_many_rows_both_ends_or_a_page_are_shown_and_the_topic_in_focus_always(focus, start):
    rows = [Row(topic) for topic in range(100)]
    shown = [None if row is None else row.topic for row in rows_shown(rows, focus, start=start)]
    known = [topic for topic in shown if topic is not None]
    assert known == sorted(known) and (focus is None or focus in known)
    expected = {*range(13), *range(87, 100)} if start is None else set(range(start, min(start + 40, 100)))
    assert set(known) - {focus} == expected - {focus}
    assert shown[0] is not None and shown[-1] is not None
    assert rows_shown([], focus, start=start or 0) == []
    gaps = sum(later > earlier + 1 for earlier, later in pairwise(known))
    assert shown.count(None) == gaps, "a gap is marked exactly where topics are left out"


@pytest.mark.parametrize("compared", [0, 10, 26, 60])
def test_the_least_exposed_are_those_with_a_nearest_topic(compared):
    rows = [Row(topic, compared=topic < compared) for topic in range(100)]
    shown = [None if row is None else row.topic for row in rows_shown(rows)]
    ends = [*range(13), None, *range(compared - 13, compared)] if compared > 26 else list(range(compared))
    assert shown == (ends if compared else [*range(13), None, *range(87, 100)])


def test_the_table_has_both_errors_and_holms_p_and_data_are_those_of_the_command():
    answer = ask(bundled(), accuracy.NAME)
    table = answer.table("model_scores").frame
    assert (table["se"] >= table["se, Schein"]).all() and (table["effective folds"] <= 6).all()
    assert list(table["p (Holm)"]) == list(answer.numbers.p.values())
    assert {"scores", "summary", "baselines", "skipped", "notes"} <= set(answer.data)
    assert len(answer.table("topic_scores").frame) == 24


def test_novel_topics_have_both_tables_of_the_paper():
    answer = ask(bundled(), "novel")
    measures, topics = answer.table("ordinary_beside_unseen_topics").frame, answer.table("topics_by_authors").frame
    assert {"ordinary: sd", "unseen: sd", "unseen: se", "unseen: effective topics"} <= set(measures.columns)
    assert len(topics) == 24 and "by Agnes Thirlby" in topics.columns
    assert {"training-differs", "one-author"} <= set(answer.caution_codes())


def test_another_calibration_brings_answers_nearer_to_the_truth():
    own, platt = (
        ask(bundled(), calibration.NAME, models=("char_ngram",), calibration=name).table("calibration").frame
        for name in ("thresholds", "platt")
    )
    assert platt["ECE"][0] < own["ECE"][0] and platt["no answer"][0] == 0


MODELS = ("Alpha", "Beta", "Gamma")


def said(scores: np.ndarray, **more) -> str:
    rows = np.asarray(scores, dtype=float)
    return standing_sentence(rows, np.nanmean(rows, axis=1).tolist(), MODELS[: len(rows)], metric="accuracy", **more)


def test_one_that_leads_in_every_fold_is_named():
    rng = np.random.default_rng(0)
    scores = np.array([[0.8], [0.6], [0.5]]) + rng.normal(0, 0.01, size=(3, 10))
    assert said(scores).startswith(f"Alpha has the highest accuracy, {scores[0].mean():.3f} on average over 10 folds")


def test_the_order_of_models_changes_no_winner():
    scores = np.array([[0.5] * 8, [0.9] * 8])
    assert said(scores).startswith("Beta has the highest") and said(scores[::-1]).startswith("Alpha has the highest")


@pytest.mark.parametrize("folds", [1, 2, 5])
def test_few_folds_name_no_winner(folds):
    sentence = said(np.array([[0.9] * folds, [0.1] * folds]))
    assert sentence.startswith(f"Too close to call by accuracy over {folds} fold{'s' * (folds > 1)}: Alpha")
    assert sentence.endswith("A winner needs at least 6 folds.")


def test_who_is_ahead_is_said_to_be_more_than_chance_or_not():
    assert "more than chance" in said(np.array([[0.9] * 8, [0.5] * 8]))
    assert said(np.array([[0.9, 0.5] * 4, [0.5, 0.9] * 4])).endswith("The order may be chance.")


def test_equals_are_too_close_to_call():
    wins = sum(
        "has the highest" in said(np.random.default_rng(seed).normal(0.5, 0.1, size=(2, 10))) for seed in range(100)
    )
    assert wins <= 10, "five in a hundred, and chance"


def test_one_model_has_its_mean_and_the_majoritys_beside_it():
    sentence = said(np.array([[0.5, np.nan, 0.7]]), majority=0.25)
    assert sentence == "Alpha has a mean accuracy of 0.600 over 2 of 3 folds. The most common answer has 0.250."
