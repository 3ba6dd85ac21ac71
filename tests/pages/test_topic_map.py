"""Topic map: colours, layouts, and the pair that is compared; clicks are tested in tests/browser."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.opened import all_text, figure, open_app, press, shown_page, upload
from tests.pages.topics import made_csv, sized


@pytest.mark.parametrize("colour", ["cluster", "topic", "author"])
def test_the_map_is_coloured_by_either(colour):
    app = shown_page("topic_map", colour=colour, layout="PCA")
    assert app.segmented_control(key="colour").value == colour
    assert app.segmented_control(key="layout").value == "pca"


def test_a_link_names_the_pair_that_is_explained():
    app = shown_page("topic_map", a="cooking", b="restaurants")
    assert "What cooking and restaurants share" in [heading.value for heading in app.subheader]


def test_a_topic_and_itself_are_not_explained():
    app = shown_page("topic_map", a="cooking", b="cooking")
    assert any("two different topics" in info.value for info in app.info)


def test_reliability_stands_in_the_table_and_intervals_in_the_matrix():
    app = shown_page("topic_map", a="clinics", b="hospitals")
    table = next(each.value for each in app.dataframe if "reliability" in each.value)
    assert table["reliability"].between(0.9, 1.0).all()
    assert "clinics and hospitals have similarity 0\\.89 \\(95% CI 0\\.87–0\\.90\\)" in all_text(app)
    cells, clicks = figure(app, "matrix")["data"]
    told = "clinics – hospitals<br>similarity 0.886, 95%: 0.87 to 0.90<br>reliability 0."
    assert any(text.startswith(told) for text in clicks["text"])
    assert cells["colorbar"]["title"]["text"] == "corrected similarity"


def test_a_topic_that_have_too_few_documents_is_not_in_the_matrix_and_said_to_be():
    app = press(upload(("made.csv", made_csv(sized(5, 8) | {"lonely": 1}))), "Use this corpus")
    app.query_params["layout"] = "PCA"
    app.switch_page("pages/topic_map.py").run()
    assert "Topics with too few documents are not shown." in all_text(app)
    told = figure(app, "matrix")["data"][1]["text"]
    assert len(told) == 25 and not [text for text in told if "lonely" in text or "unknown" in text]
    assert "lonely" not in list(next(each.value for each in app.dataframe if "reliability" in each.value)["topic"])
    app.selectbox(key="a").set_value("lonely").run()
    assert not app.exception
    assert "cannot be compared: lonely has too few documents" in all_text(app).replace("\\", "")


def test_found_topics_alone_keep_their_colour_and_their_names_come_first():
    app = open_app("topic_map", layout="PCA")
    app.multiselect(key="find").set_value(["chess", "opera"]).run()
    assert not app.exception
    drawn = figure(app, "documents")
    assert [trace["name"] for trace in drawn["data"] if "name" in trace] == ["others", "chess", "opera"]
    assert {note["text"] for note in drawn["layout"]["annotations"][:2]} == {"<b>chess</b>", "<b>opera</b>"}


@pytest.fixture(scope="module")
def many():
    """A page on more topics than a matrix of cells and a legend hold."""
    names = {f"{one}{two}": 2 for one in "abcdefghijklm" for two in "abcdefghijkl"}
    app = press(upload(("many.csv", made_csv(names))), "Use this corpus")
    app.query_params["layout"] = "PCA"  # which need not be compiled first
    app.switch_page("pages/topic_map.py").run()
    assert not app.exception
    return app


def test_many_topics_are_coloured_by_few_clusters_and_found_ones_by_themselves(many):
    drawn = figure(many, "documents")
    framed = [note for note in drawn["layout"]["annotations"] if note.get("bordercolor")]
    assert len(framed) == 8 and not drawn["layout"]["showlegend"], "every cluster is named on the map"
    assert len([trace for trace in drawn["data"] if trace.get("name")]) == 8
    assert len(drawn["layout"]["annotations"]) <= 40
    assert "A colour is a cluster of similar topics." in all_text(many)


def test_past_150_topics_the_matrix_is_in_blocks(many):
    _, clicks = figure(many, "matrix")["data"]
    assert len(clicks["customdata"]) <= 60 * 60
    assert "Each cell is a block of topics" in all_text(many)
    rows = figure(many, "matrix")["layout"]["yaxis"]["ticktext"]
    assert 10 < len(rows) <= 34 and any(name.endswith(" +2") for name in rows), "blocks are named by their first topic"


def test_chosen_documents_can_be_taken_away():
    def body():
        from core.demo import bundled_corpus
        from pages.parts.topic_map import chosen_documents

        chosen_documents(bundled_corpus(), list(range(30)))

    app = AppTest.from_function(body, default_timeout=60).run()
    assert not app.exception
    assert "**30 selected, the first 20 shown**" in [each.value for each in app.markdown]
    assert [each.proto.label for each in app.get("download_button")] == ["Download selected"]
