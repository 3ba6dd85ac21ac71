"""Design a split: a recommendation, a choice with its costs, and files that hold it."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.conftest import ROOT
from tests.pages.opened import all_text, headline, metrics, open_app, press, upload
from tests.pages.topics import made_csv, sized


@pytest.fixture(scope="module")
def courier():
    return open_app("design")


def test_it_opens_with_a_recommendation_and_its_costs(courier):
    assert headline(courier).startswith(":green[") and "least-leakage folds" in headline(courier)
    shown = metrics(courier)
    assert shown["Documents kept"] == "1,500" and shown["Highest similarity"] == "0.54"  # said once, large
    assert {"Mean nearest", "New authors", "Smallest fold", "Detectable difference"} <= shown.keys()
    files = [button.label for button in courier.get("download_button")]
    assert {"Documents (csv)", "Documents (parquet)", "Documents (jsonl)", "Settings (json)"} <= set(files)
    assert any(block.value.startswith("We measured topic similarity") for block in courier.code)
    assert courier.segmented_control(key="design_column").value == "fold"


def folds_shown(app: AppTest) -> list[tuple[int, str]]:
    """Return the documents and topics of each fold in the table of folds."""
    (table,) = [each.value for each in app.dataframe if list(each.value) == ["fold", "documents", "topics"]]
    return list(zip(table["documents"].tolist(), table["topics"].tolist(), strict=True))


def test_another_choice_changes_its_costs_and_goes_on_to_the_models():
    app = open_app("design")
    choice = app.selectbox(key="design_choice")
    hits = next(label for label in choice.options if label.startswith("HITS, m ="))
    recommended, whole, folds = headline(app), metrics(app), folds_shown(app)
    choice.set_value(hits).run()
    assert not app.exception, app.exception
    shown, kept = metrics(app), folds_shown(app)
    assert headline(app) == recommended, "the recommendation stays"
    assert shown["Documents kept"] == f"{sum(documents for documents, _ in kept):,}" != whole["Documents kept"]
    assert shown["Smallest fold"] == f"{min(documents for documents, _ in kept)}"
    assert sum(documents for documents, _ in folds) == 1_500 and kept != folds
    assert any(each.label.startswith(f"Folds: {hits}") for each in app.expander)
    press(app, "Run models on this split")
    assert app.session_state["run_sampler"] == "hits"
    assert app.session_state["run_m"] == int(hits.rsplit("= ")[-1])
    assert (app.session_state["run_seed"], app.session_state["run_policy"]) == (0, "cutting")


@pytest.mark.parametrize(
    "start", ["HITS, near twins of the kept merged into them, m = 12", "Least-leakage folds, balance 50%"]
)
def test_whatever_is_chosen_is_what_models_are_run_on(start):
    app = open_app("design")
    app.selectbox(key="design_choice").set_value(start).run()
    highest, documents = metrics(app)["Highest similarity"], metrics(app)["Documents kept"]
    press(app, "Run models on this split")
    assert not app.exception, app.exception
    if "merged" in start:
        assert (app.session_state["run_policy"], app.session_state["run_m"]) == ("hybrid", 12)
        assert 0 < app.session_state["run_threshold"] < 1
    else:
        assert (app.session_state["run_scheme"], app.session_state["run_balance"]) == ("least-leakage", 50)
    assert app.session_state["accuracy_view"] == "topic by topic", "the view that has the split"
    assert highest and documents


@pytest.mark.parametrize(
    ("before", "today", "address"),
    [
        ("All topics, dealt at random, seed 3", "All topics, random folds, seed 3", {"seed": "3"}),
        (
            "Least-leakage folds, balance 50 %",
            "Least-leakage folds, balance 50%",
            {"scheme": "Least leakage", "balance": "50"},
        ),
        ("HITS, m = 13", "HITS, m = 13", {"sampler": "HITS", "m": "13"}),
    ],
)
def test_an_older_link_opens_its_split_and_leads_to_the_models_by_the_right_address(before, today, address):
    app = open_app("design", design_choice=before)
    assert app.selectbox(key="design_choice").value == today
    assert any(each.label.startswith(f"Folds: {today}") for each in app.expander)
    press(app, "Run models on this split")
    expected = {"accuracy_view": "topic by topic"} | {f"run_{name}": value for name, value in address.items()}
    assert dict(app.query_params) == expected


def test_two_topics_and_no_authors_are_enough():
    app = press(upload(("made.csv", made_csv(sized(2, 12)))), "Use this corpus")
    app.switch_page("pages/design.py").run()
    assert not app.exception, app.exception
    assert metrics(app)["Documents kept"] == "24"


@pytest.mark.parametrize("balance", [0, 50])
def test_the_way_to_the_models_is_open_while_controls_are_in_the_address(balance):
    app = AppTest.from_file(ROOT / "app.py", default_timeout=120)
    app.query_params |= {"design_balance": str(balance), "design_k": "2"}
    app.switch_page("pages/design.py").run()
    assert app.slider(key="design_balance").value == balance and not app.error
    app.selectbox(key="design_choice").set_value(f"Least-leakage folds, balance {balance}%").run()
    press(app, "Run models on this split")
    assert app.title[0].value == "How much does topic similarity inflate accuracy?"
    assert app.session_state["run_balance"] == balance


def test_without_authors_nothing_is_said_of_them():
    table = [line.rsplit(",", 1)[0] for line in made_csv(sized(5, 10)).decode().splitlines()]
    app = press(upload(("made.csv", "\n".join(table).encode())), "Use this corpus")
    app.switch_page("pages/design.py").run()
    assert not app.exception and not app.error, app.exception
    assert metrics(app)["New authors"] == "–" and headline(app)
    assert "design_seen" not in [slider.key for slider in app.slider]
    assert not any("authors" in block.value for block in app.code if "We measured" in block.value)


def test_one_topic_with_enough_documents_is_nothing_to_split_between():
    app = press(upload(("made.csv", made_csv({"ta": 12, "tb": 1}))), "Use this corpus")
    app.switch_page("pages/design.py").run()
    assert not app.exception, app.exception
    assert "Fewer than two topics" in app.error[0].value


def test_a_near_twin_cluster_is_named_with_what_to_drop():
    sisters = {"ta": "tc", "tb": "tc"}
    app = press(upload(("made.csv", made_csv(sized(8, 10), sisters=sisters))), "Use this corpus")
    app.switch_page("pages/design.py").run()
    assert not app.exception, app.exception
    (said,) = [each.value.replace("\\", "") for each in app.markdown if "38% of the documents" in each.value]
    assert "3 topics" in said and "Drop 't" in said


def test_where_nothing_can_be_recommended_nothing_is_green():
    sisters = {"ta": "tc", "tb": "tc"}  # four topics in four folds: sisters are separated, whatever is done
    app = press(upload(("made.csv", made_csv(sized(4, 20), sisters=sisters))), "Use this corpus")
    app.switch_page("pages/design.py").run()
    assert not app.exception, app.exception
    assert headline(app).startswith(":orange[") and "near twins" in headline(app)


def test_a_choice_that_nobody_made_follows_the_constraints():
    app = open_app("design")
    assert app.selectbox(key="design_choice").value == "Least-leakage folds, balance 20%"
    app.slider(key="design_balance").set_value(50).run()
    assert app.selectbox(key="design_choice").value == "Least-leakage folds, balance 50%"
    app.selectbox(key="design_choice").set_value("HITS, m = 12").run()
    app.slider(key="design_balance").set_value(10).run()
    assert app.selectbox(key="design_choice").value == "HITS, m = 12"


def test_several_groups_are_constrained_and_go_on_to_the_models():
    app = open_app("design")
    assert "design_together_2" not in [each.key for each in app.multiselect]
    app.multiselect(key="design_together").set_value(["astronomy", "cricket"]).run()
    app.multiselect(key="design_together_2").set_value(["chess", "opera"]).run()
    app.multiselect(key="design_apart").set_value(["astronomy", "spaceflight"]).run()
    assert not app.exception and not app.error, app.exception
    paragraph = next(block.value for block in app.code if "We measured" in block.value)
    assert "'astronomy' and 'cricket' are in one fold, 'chess' and 'opera' are in one fold" in paragraph
    assert "'astronomy' and 'spaceflight' are in different folds" in paragraph
    app.selectbox(key="design_choice").set_value("All topics, random folds, seed 0").run()
    assert "does not meet your conditions" in all_text(app)
    app.selectbox(key="design_choice").set_value("Least-leakage folds, balance 20%").run()
    assert "does not meet your conditions" not in all_text(app)
    press(app, "Run models on this split")
    state = app.session_state
    assert state["run_together"] == ["astronomy", "cricket"] and state["run_together_2"] == ["chess", "opera"]
    assert state["run_apart"] == ["astronomy", "spaceflight"]


def test_constraints_that_cannot_hold_are_named():
    app = open_app("design")
    app.multiselect(key="design_together").set_value(["astronomy", "spaceflight"]).run()
    app.multiselect(key="design_apart").set_value(["astronomy", "spaceflight"]).run()
    assert not app.exception, app.exception
    assert "'astronomy' and 'spaceflight' are to be together and apart" in app.error[0].value


def test_shuffled_labels_get_no_recommendation():
    app = press(upload(("made.csv", made_csv(sized(6, 12), shuffled=True))), "Use this corpus")
    app.switch_page("pages/design.py").run()
    assert not app.exception, app.exception
    assert headline(app).startswith(":violet[")
    chosen = app.selectbox(key="design_choice").value
    assert chosen.startswith("All topics, random folds"), "nothing is dropped for nothing"
    assert metrics(app)["Documents kept"] == "72"
    assert "near twins above" not in str(app.get("plotly_chart")[0].proto)


def test_topics_of_one_document_each_leave_nothing_to_split():
    app = press(upload(("made.csv", made_csv(sized(3, 1)))), "Use this corpus")
    app.switch_page("pages/design.py").run()
    assert not app.exception, app.exception
    assert "Fewer than two topics" in app.error[0].value
