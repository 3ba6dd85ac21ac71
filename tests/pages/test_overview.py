"""Overview: the verdict in words, and filters that leave too little."""

from tests.pages.opened import metrics, open_app


def test_overview_judges_the_bundled_corpus():
    app = open_app()
    assert metrics(app)["Topics"] == "24"
    assert "would leak" in app.subheader[0].value


def test_filters_that_leave_too_little_say_so():
    app = open_app("overview", min_docs="5000")
    assert any("lower the minimum" in error.value for error in app.error)
