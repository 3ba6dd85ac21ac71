"""Ranking: results shipped for the first sight, and what is said where there is nothing to rank."""

from itertools import islice

import numpy as np
import pytest

from core.evaluation import TASKS, Answers, ResultStore
from core.evaluation.keys import made_models, run_keys
from data.neural import PAIRING, TASK, by_choice, opened_setups
from tests.pages.opened import all_text, metrics, open_app, press, run_models, upload


@pytest.mark.parametrize("task", ["attribution", "verification"])
def test_the_bundled_corpus_is_ranked_at_first_sight(task):
    app = open_app("ranking", ranking_task=task)
    assert not [button for button in app.button if button.label == "Run them"]
    assert -1 <= float(metrics(app)["Stability under HITS"]) <= 1
    assert app.selectbox(key=f"rank_{task}").value == {"attribution": "accuracy", "verification": "overall"}[task]


def test_one_model_is_no_ranking():
    app = open_app("ranking")
    first = app.multiselect(key="ranking_models_attribution").options[0]
    app = open_app("ranking", ranking_models_attribution=first)
    assert any("at least two models" in info.value for info in app.info)
    assert not app.metric


def plain(text: str) -> str:
    return text.replace("\\", "")


def table_with(app, column: str):
    return next(each.value for each in app.dataframe if column in each.value.columns)


def test_a_winner_is_named_only_where_nobody_is_close():
    app = open_app("ranking", ranking_task="attribution")
    assert metrics(app)["Best mean rank under HITS"] == "Character SVM"
    assert plain(app.subheader[0].value).startswith("Character SVM wins by accuracy under HITS; all 6 folds rank")
    assert "The best mean rank under HITS is Character SVM's, and so it is on 5 of 5 random samples." in plain(
        all_text(app)
    )
    app = open_app("ranking", ranking_task="verification")
    (card,) = [card for card in app.metric if card.label == "Best mean rank under HITS"]
    assert card.value == "Too close to call" and card.delta.endswith("of 4 models")
    assert plain(app.subheader[0].value).startswith("Too close to call by Overall under HITS: ")


def test_stability_comes_with_its_interval():
    app = open_app("ranking", ranking_task="verification")
    (card,) = [card for card in app.metric if card.label == "Stability under HITS"]
    low, high = (float(end) for end in card.delta.removeprefix("95 %: ").replace("−", "-").split(" to "))
    assert -1 <= low < float(card.value) < high <= 1
    stable = table_with(app, "random, mean")
    assert (stable["95 % from"].astype(float) <= stable["to"].astype(float)).all()


def test_every_setup_has_its_baselines():
    found = table_with(open_app("ranking", ranking_task="verification"), "topic oracle AUC")
    assert len(found) == 6 and (found["gap"] == 0).all() and (found["topic oracle AUC"] == 0.5).all()
    assert (found["pairs"] > 500).all() and (found["folds run"] == "6 of 6 folds").all()


def test_hits_has_a_rank_and_the_t_test_its_error_rate_here():
    app = open_app("ranking", ranking_task="attribution")
    found = table_with(app, "p (Holm)")
    assert found["HITS among the samples"].str.fullmatch(r"(above|below) \d of 5").all()
    assert found["random samples called different"].between(0, 5).all() and (found["of"] == 5).all()
    by_accuracy = found[found["metric"] == "accuracy"]["random samples called different"]
    assert f"calls {sum(by_accuracy)} of 15 random samples" in all_text(app)


def test_texts_that_cannot_be_paired_are_no_ranking_and_no_crash():
    rows = ["text,topic,author"]
    rows += [f"some words {topic} {n} more,{topic},{author}" for topic in "abcdef" for n, author in enumerate("xyz")]
    app = press(upload(("few.csv", "\n".join(rows).encode())), "Use this corpus")
    app.switch_page("pages/ranking.py").run()
    app.segmented_control(key="ranking_task").set_value("verification").run()
    app.slider(key="ranking_k").set_value(3).run()
    run_models(app)
    assert metrics(app)["Best mean rank under HITS"] == "–"
    assert app.subheader[0].value.startswith("Nobody wins")
    assert any("could not be run" in warning.value for warning in app.warning)


def test_slow_models_are_ranked_on_the_samples_that_their_answers_are_at_hand_for(monkeypatch, tmp_path):
    monkeypatch.setenv("LEAKSCOPE_CACHE", str(tmp_path))
    rng, made = np.random.default_rng(0), made_models(TASK, by_choice())[1]
    for setup, folds in islice(opened_setups(), 3):  # HITS and two random samples
        asked = [TASKS[TASK].ask(setup.corpus, fold, number, PAIRING) for number, fold in enumerate(folds)]
        keys = run_keys(setup.corpus, folds, TASK, made, 0, PAIRING, "")
        for key, questions in zip(keys, [*asked, *asked], strict=True):
            ResultStore().put(key, Answers(rng.random(len(questions.lead)), ()))
    app = open_app("ranking", ranking_task="verification")
    assert any("ship for HITS and 2 random samples, not for 5" in caption.value for caption in app.caption)
    (offer,) = [button for button in app.button if button.label == "LUAR and O2D2 too, on 2 samples"]
    offer.click().run()
    (card,) = [card for card in app.metric if card.label == "Best mean rank under HITS"]
    assert card.value == "Too close to call" or card.delta.endswith("of 6 models")
    assert {"LUAR", "O2D2"} <= set(table_with(app, "mean rank, HITS")["model"])


def test_a_calibration_of_ones_choice_is_another_run(monkeypatch, tmp_path):
    monkeypatch.setenv("LEAKSCOPE_CACHE", str(tmp_path))
    monkeypatch.setattr("pages.shared.runs.ASK_FROM_SECONDS", 0.0)
    own = open_app("ranking", ranking_task="verification")
    assert own.segmented_control(key="ranking_calibration").value == "thresholds" and own.metric
    app = open_app("ranking", ranking_task="verification", ranking_calibration="Platt")
    assert [button.label for button in app.button if button.label == "Run them"] and not app.metric


def test_the_files_of_ranks_and_stability_hold_numbers_and_tables_true_minus_signs():
    app = open_app("ranking", ranking_task="attribution")
    ranks = table_with(app, "mean rank, HITS").drop(columns="model")
    assert all(ranks[column].dtype.kind == "f" for column in ranks)
    assert "Every fold counts alike" in all_text(app) and "rivals' intervals lie below" not in all_text(app)
