"""Design a split: a recommendation in a sentence, a choice with its costs, and files that hold it."""

import pytest

from tests.pages.opened import metrics, open_app, press, upload
from tests.pages.topics import made_csv, sized


@pytest.fixture(scope="module")
def courier():
    return open_app("design")


def test_it_opens_with_a_recommendation_and_its_costs(courier):
    (said,) = [each.value for each in courier.success]
    assert said.startswith("Use least-leakage folds: they keep all 1,")
    shown = metrics(courier)
    assert {
        "Documents kept",
        "Max similarity",
        "Mean nearest",
        "New authors",
        "Smallest fold",
        "Finds from",
    } <= shown.keys()
    files = [button.label for button in courier.get("download_button")]
    assert {"Documents with folds (csv)", "Settings (json)", "Options as CSV"} <= set(files)
    assert any("We measured how alike topics are" in block.value for block in courier.code)


def test_another_choice_changes_its_costs_and_goes_on_to_the_models():
    app = open_app("design")
    choice = app.selectbox(key="design_choice")
    hits = next(label for label in choice.options if label.startswith("HITS, m ="))
    before = metrics(app)["Documents kept"]
    choice.set_value(hits).run()
    assert not app.exception, app.exception
    assert metrics(app)["Documents kept"] != before
    press(app, "Run models on this split")
    assert app.session_state["accuracy_sampler"] == "hits"
    assert app.session_state["accuracy_m"] == int(hits.rsplit("= ")[-1])
    assert (app.session_state["accuracy_seed"], app.session_state["accuracy_policy"]) == (0, "cutting")


@pytest.mark.parametrize(
    "start", ["HITS, near twins of the kept merged into them, m = 12", "Least-leakage folds, balance 50 %"]
)
def test_whatever_is_chosen_is_what_models_are_run_on(start):
    app = open_app("design")
    app.selectbox(key="design_choice").set_value(start).run()
    highest, documents = metrics(app)["Max similarity"], metrics(app)["Documents kept"]
    press(app, "Run models on this split")
    assert not app.exception, app.exception
    if "merged" in start:
        assert (app.session_state["accuracy_policy"], app.session_state["accuracy_m"]) == ("hybrid", 12)
        assert 0 < app.session_state["accuracy_threshold"] < 1
    else:
        assert (app.session_state["accuracy_scheme"], app.session_state["accuracy_balance"]) == ("least-leakage", 50)
    assert highest and documents


def test_two_topics_and_no_authors_are_enough():
    app = press(upload(("made.csv", made_csv(sized(2, 12)))), "Use this corpus")
    app.switch_page("pages/design.py").run()
    assert not app.exception, app.exception
    assert metrics(app)["Documents kept"] == "24"


def test_wishes_that_cannot_hold_are_named():
    app = open_app("design")
    app.multiselect(key="design_together").set_value(["astronomy", "spaceflight"]).run()
    app.multiselect(key="design_apart").set_value(["astronomy", "spaceflight"]).run()
    assert not app.exception, app.exception
    assert "'astronomy' and 'spaceflight' are to be together and apart" in app.error[0].value


def test_shuffled_labels_get_no_recommendation():
    app = press(upload(("made.csv", made_csv(sized(6, 12), shuffled=True))), "Use this corpus")
    app.switch_page("pages/design.py").run()
    assert not app.exception, app.exception
    assert "do not separate these texts" in app.warning[0].value and not app.success


def test_topics_that_cannot_be_placed_leave_nothing_to_split():
    app = press(upload(("made.csv", made_csv(sized(3, 1)))), "Use this corpus")
    app.switch_page("pages/design.py").run()
    assert not app.exception, app.exception
    assert "nothing to split between" in app.error[0].value
