"""Pages on a corpus whose label is not the author: classes are counted, ranked and classified, and no one wrote anything."""

import csv
import io

import pytest
from streamlit.testing.v1 import AppTest

from tests.core.test_label import reviews
from tests.pages.opened import PAGES, press, run_models, upload

ABOUT_AUTHORS = ("shortcut", "lesson", "methods")  # a test of pairs by author, a fictional newspaper, the formulas
NAMES = (
    "leakscope_authors",
    "author_docs",
    "most_authors",
    "-authors",
)  # of files, controls and charts, which nobody reads


@pytest.fixture(scope="module")
def app() -> AppTest:
    corpus = reviews(families=3, products=2, each=12)
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["text", "topic", "sentiment", "split"])
    for row, (said, topic, label) in enumerate(zip(corpus.texts, corpus.topics, corpus.authors or (), strict=True)):
        writer.writerow([said, topic, label, "test" if row % 6 == 0 else "train"])
    app = upload(("reviews.csv", text.getvalue().encode()))
    app.selectbox(key="role_label").set_value("sentiment").run()
    return press(app, "Use this corpus")


def drawn(app: AppTest) -> list[str]:
    """Return headlines, captions, cards, tables, charts and controls; not the formulas and terms behind info marks."""
    said = [each.value for kind in (app.subheader, app.caption, app.metric, app.code) for each in kind]
    said += [f"{list(each.value.columns)} {each.proto.alt}" for each in app.dataframe]
    said += [each.label for kind in (app.metric, app.number_input, app.selectbox, app.slider) for each in kind]
    said += [str(each.proto) for each in app.get("plotly_chart")]
    for name in NAMES:
        said = [text.replace(name, "") for text in said]
    return said


@pytest.mark.parametrize("page", [page for page in PAGES if page not in ABOUT_AUTHORS])
def test_no_chart_table_or_headline_speaks_of_authors(app: AppTest, page: str):
    app.switch_page(f"pages/{page}.py").run()
    assert not app.exception, app.exception
    run_models(app)
    found = [text for text in drawn(app) if "author" in text.replace("author = {{", "").lower()]
    assert not [text[max(0, text.lower().find("author") - 80) :][:160] for text in found]
