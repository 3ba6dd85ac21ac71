"""Topic map: colours, layouts, and the pair in hand; clicks are tested in tests/browser."""

import pytest

from tests.pages.opened import open_app


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
