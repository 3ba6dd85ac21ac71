"""Ranking: results shipped for the first sight, and what is said where there is nothing to rank."""

import pytest

from tests.pages.opened import metrics, open_app


@pytest.mark.parametrize("task", ["attribution", "verification"])
def test_the_bundled_corpus_is_ranked_at_first_sight(task):
    app = open_app("ranking", task=task)
    assert not [button for button in app.button if button.label == "Run them"]
    assert -1 <= float(metrics(app)["Stability under HITS"]) <= 1
    assert app.selectbox(key=f"rank_{task}").value == {"attribution": "accuracy", "verification": "overall"}[task]


def test_one_model_is_no_ranking():
    app = open_app("ranking")
    first = app.multiselect(key="models_attribution").options[0]
    app = open_app("ranking", models_attribution=first)
    assert any("at least two models" in info.value for info in app.info)
    assert not app.metric
