"""docs/methods.md is shown in the app: its formulas must close on the line they open, and pages must find their section."""

import re

from tests.conftest import ROOT

TEXT = (ROOT / "docs" / "methods.md").read_text(encoding="utf-8")


def test_every_formula_closes_on_its_own_line():
    # The page's renderer takes an open $$ for the start of a block and swallows all that follows.
    for line in TEXT.splitlines():
        assert line.count("$$") in (0, 2), line
        assert line.replace("$$", "").count("$") % 2 == 0, line


def test_every_page_names_a_section_that_is_there():
    sections = set(re.findall(r"^## (.+)$", TEXT, flags=re.MULTILINE))
    named = {
        name
        for page in (ROOT / "pages").glob("*.py")
        for name in re.findall(r'section="([^"]+)"', page.read_text(encoding="utf-8"))
    }
    assert named
    assert named <= sections
