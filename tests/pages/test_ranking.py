"""Ranking: results shipped for the first sight, and what is shown where there is nothing to rank."""

from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
import streamlit as st

from core.engine import cores
from core.evaluation import TASKS, Answers, ResultStore
from core.evaluation.run import PROCESS, make_models, run_keys
from data.neural import PAIRING, TASK, by_choice, opened_setups
from tests.pages.opened import all_text, metrics, open_app, press, run_models, shown_page, upload
from tests.pages.topics import made_csv


@pytest.mark.parametrize("task", ["attribution", "verification"])
def test_the_bundled_corpus_is_ranked_at_first_sight(task):
    app = shown_page("ranking", ranking_task=task)
    assert not [button for button in app.button if button.label == "Run them"]
    assert -1 <= float(metrics(app)["Stability under HITS"]) <= 1
    assert app.session_state[f"rank_{task}"] == {"attribution": "accuracy", "verification": "overall"}[task]
    assert len(app.dataframe) == 4 and len(app.metric) == 3


def test_one_model_is_no_ranking():
    app = shown_page("ranking")
    first = app.multiselect(key="ranking_models_attribution").options[0]
    app = shown_page("ranking", ranking_models_attribution=first)
    assert any("at least two models" in error.value for error in app.error)
    assert not app.metric


def test_a_new_corpus_is_offered_fewer_models_and_samples_and_nothing_starts(tmp_path, monkeypatch):
    monkeypatch.setenv("LEAKSCOPE_CACHE", str(tmp_path))
    monkeypatch.setattr("pages.shared.runs.ASK_FROM_SECONDS", 0.0)
    app = press(upload(("some.csv", made_csv(dict.fromkeys("abcdefgh", 12)))), "Use this corpus")
    app.switch_page("pages/ranking.py").run()
    k = app.slider(key="ranking_k").value
    (offer,) = [each.value for each in app.markdown if "Quick start" in each.value]
    assert f"on HITS and 5 random samples, with {k} topic folds each" in offer, "cheap, so as many as are usual"
    assert not app.metric and app.slider(key="samples").value == 5, "nothing runs and no control has moved"
    app = press(app, "Run this")
    assert app.slider(key="samples").value == 5 and app.slider(key="ranking_k").value == k
    models = app.multiselect(key="ranking_models_attribution").value
    assert len(models) == 2 == len(table_with(app, "mean rank, HITS"))
    assert app.metric and not [each for each in app.button if each.label in ("Run this", "Run them")]
    app.slider(key="samples").set_value(7).run()
    assert [each.label for each in app.button if each.label in ("Run this", "Run them")] == ["Run them"]


def many_authors_csv(topics: int, authors: int) -> bytes:
    """Two texts a topic by each of five frequent authors, and one text each by many others."""
    rows = ["text,topic,author"]
    for topic in range(topics):
        writers = [f"frequent{number}" for number in (*range(5), *range(5))]
        writers += [f"rare{number}" for number in range(topic, authors, topics)]
        rows += [
            f"topic{topic} word{n % 7} other{n % 5} {author} text{n},t{topic},{author}"
            for n, author in enumerate(writers)
        ]
    return "\n".join(rows).encode()


def test_with_many_authors_the_quick_start_is_limited_to_what_fits_and_runs(tmp_path, monkeypatch):
    monkeypatch.setenv("LEAKSCOPE_CACHE", str(tmp_path))
    monkeypatch.setattr("pages.shared.runs.ASK_FROM_SECONDS", 0.0)
    weights = 2_000_000  # bytes a model keeps for each author
    kinds = {
        name: replace(kind, memory=lambda size: size.authors * weights)
        for name, kind in TASKS["attribution"].models.items()
    }
    monkeypatch.setitem(TASKS, "attribution", replace(TASKS["attribution"], models=kinds))
    monkeypatch.setattr("pages.shared.runs.limit", lambda name: cores() * (PROCESS + 100 * weights) / 1e6)
    app = press(upload(("many.csv", many_authors_csv(8, 400))), "Use this corpus")
    app.switch_page("pages/ranking.py").run()
    (offer,) = [each.value for each in app.markdown if "Quick start" in each.value]
    assert "the 50 most frequent authors" in offer
    assert any("GB" in error.value for error in app.error), "all authors do not fit"
    app = press(app, "Run this")
    assert app.session_state["ranking_authors"] == 50
    assert app.metric and not app.error, "what was offered runs"


def table_with(app, column: str):
    return next(each.value for each in app.dataframe if column in each.value.columns)


def test_texts_that_cannot_be_paired_are_no_ranking_and_no_crash():
    rows = ["text,topic,author"]
    rows += [f"some words {topic} {n} more,{topic},{author}" for topic in "abcdef" for n, author in enumerate("xyz")]
    app = press(upload(("few.csv", "\n".join(rows).encode())), "Use this corpus")
    app.switch_page("pages/ranking.py").run()
    app.segmented_control(key="ranking_task").set_value("verification").run()
    app.slider(key="ranking_k").set_value(3).run()
    run_models(app)
    assert metrics(app)["Best mean rank under HITS"] == "–"
    assert "No ranking" in app.subheader[0].value
    assert "could not be run for every model" in all_text(app) and "reason" in app.dataframe[-1].value


def test_slow_models_are_ranked_on_the_samples_that_their_answers_are_available_for(monkeypatch, tmp_path):
    monkeypatch.setenv("LEAKSCOPE_CACHE", str(tmp_path))
    rng, made = np.random.default_rng(0), make_models(TASK, by_choice())[1]
    for setup, folds in islice(opened_setups(), 3):  # HITS and two random samples
        asked = [TASKS[TASK].ask(setup.corpus, fold, number, PAIRING) for number, fold in enumerate(folds)]
        keys = run_keys(setup.corpus, folds, TASK, made, 0, PAIRING, "")
        for key, questions in zip(keys, [*asked, *asked], strict=True):
            ResultStore().put(key, Answers(rng.random(len(questions.lead)), ()))
    st.cache_resource.clear()  # a study that another test opened holds what its folder had
    app = open_app("ranking", ranking_task="verification")
    assert any("ready for HITS and 2 random samples, not for 5" in caption.value for caption in app.caption)
    (offer,) = [button for button in app.button if button.label == "Add LUAR and O2D2, with 2 random samples"]
    offer.click().run()
    (card,) = [card for card in app.metric if card.label == "Best mean rank under HITS"]
    assert card.delta == "ahead of every other model" or card.delta.endswith("of 6 models")
    assert {"LUAR", "O2D2"} <= set(table_with(app, "mean rank, HITS")["model"])


def test_a_calibration_of_ones_choice_is_another_run(monkeypatch, tmp_path):
    monkeypatch.setenv("LEAKSCOPE_CACHE", str(tmp_path))
    monkeypatch.setattr("pages.shared.runs.ASK_FROM_SECONDS", 0.0)
    own = open_app("ranking", ranking_task="verification")
    assert own.segmented_control(key="ranking_calibration").value == "thresholds" and own.metric
    app = open_app("ranking", ranking_task="verification", ranking_calibration="Platt")
    assert [button.label for button in app.button if button.label == "Run them"] and not app.metric
