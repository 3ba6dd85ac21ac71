"""Trust lab: every view opens, and the tests offered are core's."""

import re

import pytest

from core.papers.neville_2012 import PERTURBATIONS, network_points
from tests.pages.opened import all_text, figure, metrics, open_app, press, run_models, shown_page, upload
from tests.pages.topics import made_csv, sized


def plain(text: str) -> str:
    return text.replace("\\", "")


@pytest.mark.parametrize("view", ["your own run", "simulated groups", "networks", "three theorems"])
def test_every_view_of_the_trust_lab_opens(view):
    app = shown_page("trust", view=view)
    assert not app.error


@pytest.mark.parametrize("task", ["attribution", "verification"])
def test_no_more_answers_count_than_there_are(task):
    app = shown_page("trust", run_task=task)
    shown = metrics(app)
    effective = next(metric for metric in app.metric if metric.label == "Effective answers")
    asked = int(effective.delta.removeprefix("of ").replace(",", ""))
    assert 1 < float(effective.value.replace(",", "")) <= asked
    assert float(shown["Design effect"]) >= 1
    assert 5 <= float(shown["False-alarm rate"].removesuffix("%")) <= 100


def test_shuffled_topics_are_not_blamed(tmp_path, monkeypatch):
    monkeypatch.setenv("LEAKSCOPE_CACHE", str(tmp_path))
    app = press(upload(("c.csv", made_csv(sized(6, 12), shuffled=True))), "Use this corpus")
    app.switch_page("pages/trust.py").run()
    app = run_models(app)
    assert re.search("About as often as it should|Too few topics to tell|Nothing to test", app.subheader[0].value)


def test_the_theorems_answer_comes_first_and_holds_at_both_ends():
    assert "6.6 times too small" in plain(shown_page("trust", view="three theorems").subheader[0].value)
    apart = shown_page("trust", view="three theorems", shared="0.0", rho="0.0")
    assert "nearly the true" in apart.subheader[0].value
    assert "no variance" in shown_page("trust", view="three theorems", shared="1.0").subheader[0].value


def test_networks_run_when_asked_and_can_be_left(monkeypatch):
    few = [point for point in network_points(0.3) if point[1] == 0.3 and point[2] in (0.0, PERTURBATIONS[0])]
    monkeypatch.setattr("core.questions.networks.network_points", lambda labelled: few)
    app = press(open_app("trust", view="networks", net_source="synthetic networks", net_trials="20"), "Run")
    assert not app.error
    assert not [button for button in app.button if button.label == "Run"], "all points are there"
    assert any("autocorrelation" in (each.help or "") for each in app.markdown), "behind the info mark"
    assert "gives a false alarm in" in app.subheader[0].value, "the answer comes first"


@pytest.mark.parametrize(
    ("view", "key", "source"),
    [
        ("simulated groups", "trust_test", "the Courier's"),
        ("networks", "net_test", "synthetic networks"),
        ("networks", "own_test", "the Courier's"),
    ],
)
def test_links_from_before_name_the_test(view, key, source):
    app = shown_page("trust", view=view, net_source=source, **{key: "Wilcoxon"})
    assert app.session_state[key] == "wilcoxon", "a link from before names the test as it did then"


def test_the_networks_open_with_the_couriers_and_answer_at_once():
    app = shown_page("trust", view="networks")
    assert not app.error
    assert "Linked nodes are wrong together" in plain(app.subheader[0].value)
    table = app.dataframe[0].value
    assert len(table) == 6 * 3 * 2 and set(table["classifier"]) == {"wvRN", "nBC", "link-based"}
    theirs, ours = figure(app, "net_phi")["data"]
    assert len(theirs["x"]) == len(ours["x"]) == 6


def with_network(links: str, labels: str):
    app = open_app("trust", view="networks", net_source="your own", own_trials="20")
    app.file_uploader(key="net_links").set_value(("links.csv", links.encode(), "text/csv")).run()
    app.file_uploader(key="net_labels").set_value(("labels.csv", labels.encode(), "text/csv")).run()
    assert not app.exception, app.exception
    return app


LINKS = "source,target\n" + "\n".join(f"n{a},n{b}" for a in range(40) for b in range(a + 1, min(a + 4, 40)))
LABELS = "node,label\n" + "\n".join(f"n{node},{'<b>yes' if node // 8 % 2 else 'no'}" for node in range(40))


def test_a_network_of_ones_own_is_looked_at_and_resampled():
    app = press(with_network(f"{LINKS}\nn1,n1", LABELS), "Resample")
    assert not app.error
    assert "links.csv: row 115 links a node with itself" in plain(all_text(app))
    assert "nothing about other networks" in plain(all_text(app))
    *ways, level = (each["name"] for each in figure(app, "own_type1")["data"])
    assert len(ways) == 3 and level == "what it should be", "in the key, where no whisker runs through it"


@pytest.mark.parametrize(
    ("links", "labels", "words"),
    [
        (f"{LINKS}\nn1,zz", LABELS, "row 115: 'zz' is no node of labels.csv"),
        (LINKS, LABELS.replace("<b>yes", "no"), "all 40 nodes are of one class"),
        (LINKS, "node,label\n" + "\n".join(f"n{node}," for node in range(40)), "no node has a label"),
    ],
)
def test_a_bad_network_is_one_sentence(links, labels, words):
    app = with_network(links, labels)
    assert len(app.error) == 1 and words in plain(app.error[0].value)


def test_no_metric_is_offered_where_answers_count_as_right_or_wrong():
    assert "Metric" not in [each.label for each in shown_page("trust").selectbox]


def test_no_chart_stands_empty_while_groups_are_simulated(monkeypatch):
    monkeypatch.setattr("core.questions.groups.calls", lambda settings: {})
    app = open_app("trust", view="simulated groups")
    assert not app.exception and not app.get("plotly_chart")
