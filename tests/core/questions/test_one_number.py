"""Two pages never show different values of one quantity on one corpus."""

import re

import pytest

from core.evaluation import ResultStore
from core.questions import ask, hits, ranking, shortcut
from core.questions.cost import cost_fact, cost_of
from core.questions.runs import usual_topics
from core.questions.topic_map import pair_of
from core.render import Answer, Fact
from core.study import Study
from tests.core.command_runs import answered
from tests.core.questions.studies import REAL_FILES, STUDIES, bundled


def fact(answer: Answer, label: str) -> Fact:
    """Return the fact of this label."""
    return next(each for each in answer.facts if each.label == label)


@pytest.fixture(params=STUDIES)
def study(request) -> Study:
    """The bundled corpus, two of nonsense and two real ones."""
    if request.param in REAL_FILES:
        request.getfixturevalue("real_data")
    return STUDIES[request.param]()


def test_every_page_keeps_the_topics_that_hits_suggests(study):
    suggested = hits.suggested_m(study, "cutting", 1.0)
    assert ask(study, "hits").data["m"] == suggested
    verdict, usual = ask(study, "verdict").data, usual_topics(study)
    assert ranking.Settings.resolve(study).m == usual
    if study.labels.meaningful:
        assert verdict["keep"] == verdict["fixes"]["hits"]["m"] == suggested == usual
        assert fact(ask(study, "verdict"), "Topics HITS can keep").value.split()[0] == str(suggested)
        hero = ask(study, "hits").hero
        assert hero is not None and hero.value == str(suggested)
        low, high = verdict["keep_interval"]
        assert low <= suggested <= high
        assert f"({low}–{high})" in fact(ask(study, "verdict"), "Topics HITS can keep").value
        assert low == high or (f"{low}–{high}" in hero.note and f"{low}–{high}" in ask(study, "hits").headline)


def test_the_bundled_corpus_opens_on_one_m_everywhere(capsys, tmp_path):
    study = bundled()
    suggested = hits.suggested_m(study, "cutting", 1.0)
    assert ask(study, "hits").headline.startswith(f"Keep {suggested} of")
    assert shortcut.Settings.resolve(study).m == suggested
    assert ask(study, "design").data["options"]["hits"]["topics"] == suggested
    built, _ = answered(capsys, "raven", "demo", "--k", "2", "--train-texts", "no", "--out", str(tmp_path / "raven"))
    assert built["m"] == suggested


def test_hits_is_not_green_where_design_finds_no_clean_split(study):
    kept, design = ask(study, "hits"), ask(study, "design")
    assert not (kept.level == "good" and design.level == "warning"), f"{kept.headline} {design.headline}"


def test_no_page_is_certain_of_topics_that_another_calls_too_few(study):
    kept, design = ask(study, "hits"), ask(study, "design")
    if "Too few documents" in design.headline:
        assert "oo few documents to tell" in kept.headline
        assert design.data["recommended"] is None


def test_every_page_has_the_same_near_twins_and_threshold(study):
    verdict, topic_map = ask(study, "verdict").data, ask(study, "topic_map").data
    assert verdict["twin_pairs"] == topic_map["twin_pairs"] == len(verdict["twins"])
    assert verdict["line"] == topic_map["threshold"] == ask(study, "design").data["line"]
    twins = {frozenset(pair[:2]): pair[2] for pair in verdict["twins"]}
    closest = [frozenset(pair[:2]) for pair in topic_map["closest"]]
    assert [frozenset(pair[:2]) for pair in verdict["twins"]][: len(closest)] == closest[: len(twins)]
    for first, second in (pair[:2] for pair in topic_map["closest"]):
        places = [study.space.names.index(first), study.space.names.index(second)]
        shown = pair_of(study, first, second, bootstrap=study.bootstrap)
        ends = study.similarity_interval(study.space, *places)
        assert (shown.low, shown.high) == (ends if ends[0] == ends[0] else (None, None))


def test_split_and_curve_have_the_same_near_twins_and_threshold():
    study = bundled()
    verdict = ask(study, "verdict").data
    assert verdict["line"] == ask(study, "curve").data["twin_threshold"]
    twins = {frozenset(pair[:2]): pair[2] for pair in verdict["twins"]}
    for first, second, value in ask(study, "split").data["twins"]:
        assert twins[frozenset((first, second))] == value


def test_overview_and_folds_and_accuracy_give_one_cost_of_leakage():
    study = bundled()
    verdict, curve = ask(study, "verdict"), ask(study, "curve")
    cost, control = verdict.data["cost"], curve.data["controls"][verdict.data["cost"]["model"]]
    assert cost["model"] == curve.data["judged_by"]
    assert [cost[name] for name in ("cost", "low", "high")] == [control[name] for name in ("cost", "low", "high")]
    words = re.compile(r"by (\d+) points for content words \(95% CI (\d+)–(\d+)\)")
    said = [words.findall(text) for text in (" ".join(line.text for line in verdict.lines), curve.headline)]
    assert said[0] == said[1] and len(said[0]) == 1
    assert "quick" not in fact(verdict, "Cost of leakage").note


def test_a_cost_by_the_ends_of_the_curve_alone_is_called_a_quick_estimate(tmp_path):
    # Nothing is kept, so Overview measures a sample; Folds & accuracy has not been run and shows no other number.
    study = Study(bundled().corpus, bundled().vectors, results=ResultStore(tmp_path / "results"))
    (found,) = cost_fact(cost_of(study))
    assert found.note.endswith("quick estimate")


def test_overview_and_the_forecast_promise_one_accuracy():
    study = bundled()
    verdict, forecast = ask(study, "verdict"), ask(study, "forecast")
    promised = verdict.data["promises"]
    model = forecast.data["models"][promised["model"]]
    assert {name: model[name] for name in promised if name != "model"} == {
        name: value for name, value in promised.items() if name != "model"
    }
    for overview, other in (
        ("Random split", "Random split promises"),
        ("Topic k-fold", "Topic k-fold promises"),
        ("Expect on new topics", "Expect on new topics"),
    ):
        assert fact(verdict, overview).value == fact(forecast, other).value


def test_significance_and_trust_give_one_false_alarm_rate():
    rates = []
    for question in ("significance", "trust"):
        answer = ask(bundled(), question)
        said = " ".join([answer.headline, *(each.text for each in answer.cautions)])
        rates.append(re.findall(r"false alarm about (\d+)% of the time, not (\d+)%", said))
    assert rates[0] == rates[1] and rates[0][0][1] == "5"
    significance, trust = (ask(bundled(), question).data for question in ("significance", "trust"))
    assert significance["error_rates"]["s"] == pytest.approx(trust["expected_type1"])
