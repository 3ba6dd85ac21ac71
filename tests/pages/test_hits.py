"""HITS: the slider, policies, links, vectors of one's own, and the experiments.

The slider is drawn by a component of ours (tests/browser/test_hits.py); here it is moved by the control that holds its
value in the address, and what the component is given is read.
"""

import json
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest

from core import study
from core.demo import bundled_corpus
from core.questions import hits
from pages.parts.hits import file_stem
from tests.core.topics.test_view import unpacked
from tests.pages.opened import all_text, headline, open_app, press, shown_page, upload
from tests.pages.topics import made_csv, sized


def hits_of(content: bytes):
    app = press(upload(("made.csv", content)), "Use this corpus")
    app.switch_page("pages/hits.py").run()
    assert not app.exception, app.exception
    return app


def sent(app) -> dict[str, Any]:
    """What the component is given."""
    (component,) = app.get("bidi_component")
    data: dict[str, Any] = json.loads(component.proto.json)
    return data


def results(app) -> pd.DataFrame:
    """What becomes of every topic, in path order."""
    return next(each.value for each in app.dataframe if "result" in each.value)


def documents_kept(app) -> int:
    data = sent(app)
    return int(unpacked(data["view"]["documents"])[data["m"] - 1])


def test_moving_the_slider_keeps_the_first_m_of_the_path():
    app = open_app("hits")
    app.slider(key="m").set_value(5).run()
    five = sent(app)
    app.slider(key="m").set_value(24).run()
    everything = sent(app)
    assert (five["m"], everything["m"]) == (5, 24)
    assert documents_kept(app) == len(bundled_corpus())
    assert float(five["here"]["mean"]) < float(everything["here"]["mean"])
    assert five["view"] == everything["view"] and five["key"] == everything["key"], "the browser knows every m"


def test_the_optimum_is_drawn_beside_hits_and_not_where_labels_mean_nothing():
    view = sent(open_app("hits"))["view"]
    least, hits = (
        unpacked(each["max"] if each is view["optimum"] else each) for each in (view["optimum"], view["pathMax"])
    )
    assert (least[1:] <= hits[1:]).all() and (least[1:] < hits[1:]).any() and least[-1] == hits[-1]
    assert unpacked(view["optimum"]["proven"])[1:].all()
    assert sent(hits_of(made_csv(sized(6, 12), shuffled=True)))["view"]["optimum"] is None


def test_one_topic_kept_has_no_similarity():
    app = shown_page("hits", m="1")
    assert sent(app)["here"] == {"m": 1, "mean": None, "max": None}


def test_grouping_keeps_every_document():
    app = shown_page("hits", policy="grouping", m="4")
    assert sent(app)["m"] == 4
    assert documents_kept(app) == len(bundled_corpus())


def test_another_policy_or_threshold_is_another_view():
    keys = {
        sent(shown_page("hits", policy=policy, threshold=threshold))["key"]
        for policy, threshold in (("cutting", "0.6"), ("grouping", "0.6"), ("hybrid", "0.6"), ("hybrid", "0.3"))
    }
    assert len(keys) == 4


@pytest.mark.parametrize("similarity", ["corrected for topic size", "plain, as in the paper"])
@pytest.mark.parametrize("policy", ["cutting", "grouping", "hybrid"])
def test_what_the_server_says_of_m_is_what_the_view_says(policy, similarity):
    data = sent(shown_page("hits", policy=policy, m="4", similarity=similarity))
    for what in ("mean", "max"):
        assert f"{unpacked(data['view'][what])[3] / 1000:.3f}" == data["here"][what]
    assert (unpacked(data["view"]["pathMean"])[3] == unpacked(data["view"]["mean"])[3]) == (policy == "cutting")


def test_the_m_suggested_comes_with_its_interval_and_what_it_keeps():
    app = open_app("hits")
    assert re.match(r":green\S+ Keep 14 of 24 topics.*\b13–16\b", headline(app))
    assert "784 of 1,500 documents" in all_text(app)
    # Four large topics are one, and HITS can keep one of them: 28 and 20 of 108 documents.
    sisters = {"la": "ld", "lb": "ld", "lc": "ld"}
    app = hits_of(made_csv(sized(7, 4) | dict.fromkeys(("la", "lb", "lc", "ld"), 20), sisters=sisters))
    assert headline(app).startswith(":orange[:material/error:] Keep 8 of 11 topics")
    assert "48 of 108 documents" in all_text(app)


@pytest.mark.parametrize("policy", ["grouping", "hybrid"])
def test_the_answer_is_true_of_what_becomes_of_the_others(policy):
    app = shown_page("hits", policy=policy)
    data = sent(app)
    highest = unpacked(data["view"]["max"])
    line = round(1000 * data["view"]["line"])
    m = data["view"]["suggested"]
    assert f"Keep {m} of 24 topics" in headline(app)
    assert data["m"] == m and highest[m - 1] < line and (highest[m:] >= line).all()
    assert f"{documents_kept(app):,} of 1,500 documents" in all_text(app)
    said = re.search(r"closest pair .* similarity (0\.\d+)", all_text(app).replace("\\", ""))
    assert said is not None and float(said[1]) == pytest.approx(highest[13] / 1000, abs=0.006), (
        "of the 14 that HITS keeps"
    )


def test_files_of_other_policies_have_other_names():
    stems = set()
    for policy in ("cutting", "grouping", "hybrid"):
        stems.add(file_stem(hits.Settings(policy=policy, threshold=0.6, m=3)))
    assert stems == {"hits_m3_cutting", "hits_m3_grouping", "hits_m3_hybrid_0.60"}


def test_how_often_each_topic_is_kept_stands_in_the_view_and_in_the_table():
    app = shown_page("hits", m="14")
    table = results(app)
    by_topic = dict(zip(table["topic"], table["kept in bootstrap samples"], strict=True))
    view = sent(app)["view"]
    for name, steps in zip(view["names"], unpacked(view["steps"]).reshape(24, view["draws"]), strict=True):
        assert by_topic[name] == pytest.approx((steps < 14).mean())


def test_topics_that_have_too_few_documents_are_not_offered():
    app = hits_of(made_csv(sized(6, 8) | {"lonely": 1}))
    assert app.slider(key="m").max == 6
    assert results(app).set_index("topic")["result"]["lonely"] == "too few documents"
    view = sent(app)["view"]
    assert (view["placed"], view["names"][-1]) == (6, "lonely")


def test_the_topics_by_which_the_other_similarity_differs_are_named():
    assert "the same 14 topics" in all_text(open_app("hits", m="14"))
    # One document more on the topic of ta: plain similarity takes it for the most distinct topic, corrected cannot place it.
    app = hits_of(made_csv(sized(4, 20) | {"lonely": 1}, sisters={"lonely": "ta"}))
    app.slider(key="m").set_value(3).run()
    table = results(app)
    kept = set(table["topic"][table["result"].str.startswith("kept")])
    (words,) = [caption.value for caption in app.caption if " instead of " in caption.value]
    instead, gone = (set(re.findall(r"\*(\w+)\*", part)) for part in words.split(": ")[-1].split(" instead of "))
    assert "lonely" in instead and gone <= kept and not instead & kept
    app.selectbox(key="similarity").set_value("plain").run()
    plain = results(app)
    assert set(plain["topic"][plain["result"].str.startswith("kept")]) == kept - gone | instead


def test_nothing_is_suggested_where_labels_mean_nothing():
    app = hits_of(made_csv(sized(8, 10), shuffled=True))
    assert headline(app).startswith(":violet")
    assert sent(app)["view"]["suggested"] is None


def test_fewer_than_two_topics_that_can_be_placed_end_the_page_with_the_reason():
    app = hits_of(made_csv({"ta": 1, "tb": 1, "tc": 5}))
    assert "No two topics can be compared" in headline(app)
    assert not app.get("bidi_component")


def test_the_smallest_topic_is_the_sidebars_setting_and_its_cost_is_told():
    app = open_app("hits")
    app.number_input(key="least").set_value(60).run()
    assert not app.exception
    assert app.number_input(key="min_docs").value == 60
    sizes = bundled_corpus().topic_sizes
    out = sizes[sizes < 60]
    assert f"**{len(out)} of 24 topics and {out.sum():,} documents**" in all_text(app)
    app.number_input(key="min_docs").set_value(1).run()
    assert app.number_input(key="least").value == 1


def test_moving_the_slider_repeats_no_bootstrap(monkeypatch):
    drawn = []
    real = study.bootstrap_topics
    monkeypatch.setattr(study, "bootstrap_topics", lambda *given, **more: drawn.append(1) or real(*given, **more))
    app = hits_of(made_csv(sized(6, 8)))
    assert len(drawn) == 1
    for m in (2, 4):
        app.slider(key="m").set_value(m).run()
    assert len(drawn) == 1
    app.selectbox(key="similarity").set_value("plain").run()
    assert len(drawn) == 2, "another similarity needs its own bootstrap"


def test_settings_come_from_the_url_and_nonsense_in_it_is_ignored():
    assert shown_page("hits", m="7").slider(key="m").value == 7
    assert 1 <= shown_page("hits", m="9999").slider(key="m").value <= 24
    assert shown_page("hits", m="abc", policy="nonsense", corpus="nothing").slider(key="m").value >= 1


def test_a_link_to_a_file_that_is_not_here_says_so():
    app = shown_page("hits", corpus="Your own file")
    assert any("No file is loaded" in info.value for info in app.info)
    assert not app.slider


def test_own_vectors_are_used(tiny_csv, tmp_path):
    app = press(upload(("my.csv", tiny_csv)), "Use this corpus")
    target = tmp_path / "v.npy"
    np.save(target, np.random.default_rng(0).normal(1.0, size=(12, 5)).astype(np.float32))
    app.file_uploader(key="vectors_file").set_value(("v.npy", target.read_bytes(), "application/octet-stream")).run()
    app.button(key="use_vectors").click().run()
    assert not app.exception
    assert app.selectbox(key="encoder").value == "precomputed"
    app.switch_page("pages/hits.py").run()
    assert not app.exception
    assert sent(app)["view"]["placed"] == 3


@pytest.mark.parametrize("experiment", ["similarity against m", "closest train/test pairs"])
def test_quick_experiments_run_at_once(experiment):
    app = shown_page("hits", experiment=experiment)
    assert not app.error
    assert app.dataframe


def test_long_experiments_are_asked_for():
    app = shown_page("hits", experiment="encoders")
    assert [button for button in app.button if button.label == "Run it"]


def test_more_topics_than_a_matrix_holds_are_chosen_from_without_one(monkeypatch):
    monkeypatch.setattr("core.topics.MOST_IN_MATRIX", 5)
    monkeypatch.setattr("core.topics.space.MOST_IN_MATRIX", 5)
    monkeypatch.setattr("core.topics.hits_blocks.MOST_IN_MATRIX", 5)
    app = hits_of(made_csv(sized(7, 6)))
    assert any("7 topics" in info.value for info in app.info)
    app.slider(key="m").set_value(3).run()
    assert not app.exception
    data = sent(app)
    assert (data["m"], documents_kept(app), data["view"]["band"], data["view"]["places"]) == (3, 18, None, None)
    mean, highest = (unpacked(data["view"][what])[2] for what in ("mean", "max"))
    assert mean <= highest < 1000
    app.switch_page("pages/topic_map.py").run()
    assert not app.exception, "a page that needs all pairs shows it"
    assert any("7 topics; the similarities of all pairs" in error.value for error in app.error)
