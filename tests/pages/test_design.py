"""Design a split: a recommendation in a sentence, a choice with its costs, and files that hold it."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.conftest import ROOT
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
    assert {"Documents (csv)", "Documents (parquet)", "Documents (jsonl)", "Settings (json)"} <= set(files)
    assert any("We measured how alike topics are" in block.value for block in courier.code)
    assert courier.segmented_control(key="design_column").value == "fold"


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


def test_the_way_to_the_models_is_open_while_controls_are_in_the_address():
    app = AppTest.from_file(ROOT / "app.py", default_timeout=120)
    app.query_params["design_balance"] = "50"
    app.switch_page("pages/design.py").run()
    assert app.slider(key="design_balance").value == 50
    press(app, "Run models on this split")
    assert app.title[0].value == "Does similarity buy accuracy?" and app.session_state["accuracy_balance"] == 50


def test_without_authors_nothing_is_said_of_them():
    table = [line.rsplit(",", 1)[0] for line in made_csv(sized(5, 10)).decode().splitlines()]
    app = press(upload(("made.csv", "\n".join(table).encode())), "Use this corpus")
    app.switch_page("pages/design.py").run()
    assert not app.exception and not app.error, app.exception
    assert metrics(app)["New authors"] == "–" and app.success[0].value
    assert "design_seen" not in [slider.key for slider in app.slider]
    assert not any("authors" in block.value for block in app.code if "We measured" in block.value)


def test_one_topic_that_can_be_placed_is_nothing_to_split_between():
    app = press(upload(("made.csv", made_csv({"ta": 12, "tb": 1}))), "Use this corpus")
    app.switch_page("pages/design.py").run()
    assert not app.exception, app.exception
    assert "nothing to split between" in app.error[0].value


def test_topics_that_hang_together_are_named_with_what_would_part_them():
    sisters = {"ta": "tc", "tb": "tc"}
    app = press(upload(("made.csv", made_csv(sized(8, 10), sisters=sisters))), "Use this corpus")
    app.switch_page("pages/design.py").run()
    assert not app.exception, app.exception
    (said,) = [each.value for each in app.caption if "hang together by near twins" in each.value]
    assert said.startswith("3 topics hang together by near twins with 38 % of the documents") and "Drop" in said


def test_where_nothing_can_be_recommended_nothing_is_green():
    sisters = {"ta": "tc", "tb": "tc"}  # four topics in four folds: sisters are parted, whatever is done
    app = press(upload(("made.csv", made_csv(sized(4, 20), sisters=sisters))), "Use this corpus")
    app.switch_page("pages/design.py").run()
    assert not app.exception, app.exception
    assert "near twins" in app.warning[0].value and not app.success


def test_a_choice_that_nobody_made_follows_the_wishes():
    app = open_app("design")
    assert app.selectbox(key="design_choice").value == "Least-leakage folds, balance 20 %"
    app.slider(key="design_balance").set_value(50).run()
    assert app.selectbox(key="design_choice").value == "Least-leakage folds, balance 50 %"
    app.selectbox(key="design_choice").set_value("HITS, m = 12").run()
    app.slider(key="design_balance").set_value(10).run()
    assert app.selectbox(key="design_choice").value == "HITS, m = 12"


def test_several_groups_are_wished_and_go_on_to_the_models():
    app = open_app("design")
    assert "design_together_2" not in [each.key for each in app.multiselect]
    app.multiselect(key="design_together").set_value(["astronomy", "cricket"]).run()
    app.multiselect(key="design_together_2").set_value(["chess", "opera"]).run()
    app.multiselect(key="design_apart").set_value(["astronomy", "spaceflight"]).run()
    assert not app.exception and not app.error, app.exception
    paragraph = next(block.value for block in app.code if "We measured" in block.value)
    assert "'astronomy' and 'cricket' are in one fold, 'chess' and 'opera' are in one fold" in paragraph
    assert "'astronomy' and 'spaceflight' are in different folds" in paragraph
    app.selectbox(key="design_choice").set_value("All topics, dealt at random, seed 0").run()
    assert any("not where you wished them" in each.value for each in app.caption)
    app.selectbox(key="design_choice").set_value("Least-leakage folds, balance 20 %").run()
    press(app, "Run models on this split")
    state = app.session_state
    assert state["accuracy_together"] == ["astronomy", "cricket"] and state["accuracy_together_2"] == ["chess", "opera"]
    assert state["accuracy_apart"] == ["astronomy", "spaceflight"]


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
    assert app.selectbox(key="design_choice").value.startswith("All topics, dealt at random"), (
        "nothing is dropped for nothing"
    )
    assert metrics(app)["Documents kept"] == "72"
    assert "near twins above" not in str(app.get("plotly_chart")[0].proto)


def test_topics_that_cannot_be_placed_leave_nothing_to_split():
    app = press(upload(("made.csv", made_csv(sized(3, 1)))), "Use this corpus")
    app.switch_page("pages/design.py").run()
    assert not app.exception, app.exception
    assert "nothing to split between" in app.error[0].value
