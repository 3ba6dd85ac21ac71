"""Topic map: colours, layouts, and the pair in hand; clicks are tested in tests/browser."""

import pytest

from tests.pages.opened import all_text, figure, open_app, press, upload
from tests.pages.topics import made_csv, sized


@pytest.mark.parametrize("colour", ["topic", "author"])
def test_the_map_is_coloured_by_either(colour):
    app = open_app("topic_map", colour=colour, layout="PCA")
    assert app.segmented_control(key="colour").value == colour
    assert app.segmented_control(key="layout").value == "pca"


def test_a_link_names_the_pair_that_is_explained():
    app = open_app("topic_map", a="cooking", b="restaurants")
    assert "Why cooking and restaurants are alike" in [heading.value for heading in app.subheader]


def test_a_topic_and_itself_are_not_explained():
    app = open_app("topic_map", a="cooking", b="cooking")
    assert any("two different topics" in info.value for info in app.info)


def test_reliability_stands_in_the_table_and_intervals_in_the_matrix():
    app = open_app("topic_map", a="clinics", b="hospitals")
    table = next(each.value for each in app.dataframe if "reliability" in each.value)
    assert table["reliability"].between(0.9, 1.0).all()
    assert "**0.886** (95 %: 0.87 to 0.90)" in all_text(app)
    cells, clicks = figure(app, "matrix")["data"]
    assert "clinics – hospitals<br>similarity 0.886, 95 %: 0.87 to 0.90" in clicks["text"]
    assert cells["colorbar"]["title"]["text"] == "corrected similarity"


def test_a_topic_that_cannot_be_placed_is_blank_and_said_to_be():
    app = press(upload(("made.csv", made_csv(sized(5, 8) | {"lonely": 1}))), "Use this corpus")
    app.switch_page("pages/topic_map.py").run()
    assert "Blank rows and columns are topics that cannot be placed" in all_text(app)
    assert sum("similarity unknown" in text for text in figure(app, "matrix")["data"][1]["text"]) == 11
    app.selectbox(key="a").set_value("lonely").run()
    assert not app.exception
    assert "Similarity **unknown**: one of the two cannot be placed." in all_text(app)
