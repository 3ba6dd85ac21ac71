"""Two pages never show different values of one quantity on one corpus."""

import re

import pytest

from core.questions import ask, hits, ranking, shortcut
from tests.core.questions.studies import bundled


def test_ranking_and_shortcut_open_on_the_topics_that_hits_suggests():
    study = bundled()
    suggested = hits.suggested_m(study, "cutting", 1.0)
    assert ask(study, "hits").headline.startswith(f"Keep {suggested} of")
    assert ranking.Settings.resolve(study).m == shortcut.Settings.resolve(study).m == suggested


def test_significance_and_trust_give_one_false_alarm_rate():
    rates = []
    for question in ("significance", "trust"):
        answer = ask(bundled(), question)
        said = " ".join([answer.headline, *(each.text for each in answer.cautions)])
        rates.append(re.findall(r"false alarm about (\d+)% of the time, not (\d+)%", said))
    assert rates[0] == rates[1] and rates[0][0][1] == "5"
    significance, trust = (ask(bundled(), question).data for question in ("significance", "trust"))
    assert significance["error_rates"]["s"] == pytest.approx(trust["expected_type1"])
