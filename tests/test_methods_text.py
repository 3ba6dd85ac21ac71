"""docs/methods.md is shown in the app: its formulas close on their line, its sections are numbered, pages find theirs."""

import re

from tests.conftest import ROOT

TEXT = (ROOT / "docs" / "methods.md").read_text(encoding="utf-8")
SECTIONS = re.findall(r"^## (\d+)\. (.+)$", TEXT, flags=re.MULTILINE)
TABLE = dict(re.findall(r"^\| ([\w &]+) \| (\d+\. .+) \|$", TEXT, flags=re.MULTILINE))
PAGES = dict(re.findall(r'st\.Page\("(pages/\w+\.py)", title="([^"]+)"', (ROOT / "app.py").read_text(encoding="utf-8")))


def test_every_formula_closes_on_its_own_line():
    # The page's renderer takes an open $$ for the start of a block and swallows all that follows.
    for line in TEXT.splitlines():
        assert line.count("$$") in (0, 2), line
        assert line.replace("$$", "").count("$") % 2 == 0, line


def test_sections_are_numbered_in_order_and_sources_come_last():
    assert [int(number) for number, _ in SECTIONS] == list(range(1, len(SECTIONS) + 1))
    assert re.findall(r"^## (.+)$", TEXT, flags=re.MULTILINE)[-1] == "Sources"
    assert len(re.findall(r"^## ", TEXT, flags=re.MULTILINE)) == len(SECTIONS) + 1


def test_the_table_names_the_section_each_page_shows():
    assert set(TABLE) == set(PAGES.values()) - {"Methods"}
    for page, title in PAGES.items():
        if title == "Methods":
            continue
        shown = re.search(r'(?:section=|SECTION = )"([^"]+)"', (ROOT / page).read_text(encoding="utf-8"))
        assert shown is not None, page
        listed = TABLE[title].split("; ")
        assert listed[0].split(". ", 1)[1] == shown.group(1), page
        assert set(listed) <= {f"{number}. {title}" for number, title in SECTIONS}, page
