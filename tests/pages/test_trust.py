"""Trust lab: every view opens, and the tests offered are core's."""

import pytest

from core.statistics.simulation import SIMULATED_TESTS
from tests.pages.opened import metrics, open_app, press


@pytest.mark.parametrize("view", ["your own run", "simulated groups", "networks", "three theorems"])
def test_every_view_of_the_trust_lab_opens(view):
    app = open_app("trust", view=view)
    assert not app.error


def test_the_clustered_comparison_says_how_many_documents_count():
    shown = metrics(open_app("trust"))
    assert 1 < float(shown["Effective documents"].replace(",", "")) <= 1_500
    assert 0 <= float(shown["Type I error to expect"]) <= 1


def test_networks_run_when_asked_and_can_be_left():
    app = press(open_app("trust", view="networks", net_trials="20"), "Run")
    assert not app.error
    assert not [button for button in app.button if button.label == "Run"], "all points are there"
    assert any("autocorrelation" in caption.value for caption in app.caption)


@pytest.mark.parametrize(("view", "key"), [("simulated groups", "trust_test"), ("networks", "net_test")])
def test_the_tests_offered_are_those_that_simulations_count(view, key):
    app = open_app("trust", view=view, **{key: "Wilcoxon"})
    assert app.selectbox(key=key).options == [test.short for test in SIMULATED_TESTS.values()]
    assert app.selectbox(key=key).value == "wilcoxon", "a link from before names the test as it did then"
