"""The app opened as Streamlit's own test runner opens it, with what tests of pages do to it."""

import json
import re
from functools import cache
from typing import Any

from streamlit.testing.v1 import AppTest

from tests.conftest import ROOT

PAGES = [
    "overview",
    "corpus",
    "topic_map",
    "hits",
    "design",
    "accuracy",
    "ranking",
    "shortcut",
    "split",
    "significance",
    "trust",
    "lesson",
    "methods",
]


def open_app(page: str = "overview", **query: str) -> AppTest:
    """A page opened by its address, as a link opens it: no other page is drawn first."""
    app = AppTest.from_file(ROOT / "app.py", default_timeout=120)
    for name, value in query.items():
        app.query_params[name] = value
    if page != "overview":
        app.switch_page(f"pages/{page}.py")
    app.run()
    assert not app.exception, app.exception
    return app


@cache
def shown_page(page: str = "overview", **query: str) -> AppTest:
    """Return a page opened once for all tests that only read it; a test that acts on a page opens its own."""
    return open_app(page, **query)


def upload(*files: tuple[str, bytes], encoder: str = "LSA") -> AppTest:
    app = open_app("corpus", encoder=encoder)
    app.file_uploader(key="files").set_value(
        [(name, content, "application/octet-stream") for name, content in files]
    ).run()
    assert not app.exception, app.exception
    return app


def press(app: AppTest, label: str) -> AppTest:
    next(button for button in app.button if button.label == label).click().run()
    assert not app.exception, app.exception
    return app


def run_models(app: AppTest) -> AppTest:
    """Say yes where models are asked for; how long they take here decides whether they are."""
    return press(app, "Run them") if [button for button in app.button if button.label == "Run them"] else app


def all_text(app: AppTest) -> str:
    """All words of a page, with those behind info marks."""
    said = [element for kind in (app.markdown, app.caption, app.subheader, app.title) for element in kind]
    return "\n".join([*(each.value for each in said), *(each.help for each in said if each.help)])


def lines_before_the_first_chart(app: AppTest) -> list[str]:
    """Return the lines between headline and first chart: no headings, and nothing behind an info mark or in a list to open."""
    lines: list[str] = []

    def read(block: Any) -> bool:
        """Read on until a chart is there; return whether it was found."""
        for child in block.children.values():
            if child.type in ("plotly_chart", "bidi_component"):
                return True
            if child.type == "subheader":
                lines.clear()
            elif child.type == "markdown":
                lines.extend(line for line in child.value.splitlines() if re.search(r"^(?!#|\*\*[^*]+\*\*$)\S", line))
            elif hasattr(child, "children") and child.type not in ("popover", "expander") and read(child):
                return True
        return False

    return lines if read(app.main) else []


def headline(app: AppTest) -> str:
    """Return the page's answer: the colour of its level, its icon and its sentence, without escapes."""
    return app.subheader[0].value.replace("\\", "")


def metrics(app: AppTest) -> dict[str, str]:
    """The numbers of a page by label: the large one without its colour, cards, and those in the line below."""
    shown = {metric.label: re.sub(r"^:\w+\[(.*)\]$", r"\1", metric.value) for metric in app.metric}
    for line in app.caption:
        shown |= re.findall(r"(?:^| · )([^·:*]+?(?:: [\w@.]+)?): \*\*(.+?)\*\*", line.value.replace("\\", ""))
    return {label.replace("\\", ""): value.replace("\\", "") for label, value in shown.items()}


def links(app: AppTest) -> list[str]:
    """The labels of the links to other pages."""
    return [link.proto.label for link in app.get("page_link")]


def figure(app: AppTest, key: str) -> dict[str, Any]:
    """A page's figure by its key, as plotly reads it."""
    found = next(each for each in app.get("plotly_chart") if each.proto.id.endswith(f"-{key}"))
    drawn: dict[str, Any] = json.loads(found.proto.spec)
    return drawn
