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
        "Highest similarity",
        "Nearest on average",
        "Authors seen",
        "Smallest fold",
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
