"""Methods: the document itself; its formulas are tested in tests/browser."""

from tests.conftest import ROOT
from tests.pages.opened import all_text, open_app


def test_the_page_is_the_document():
    assert (ROOT / "docs" / "methods.md").read_text(encoding="utf-8").strip() in all_text(open_app("methods"))
