"""Every warning of the audit has a section in docs/warnings.md, and points to it."""

import json
import re

import pytest

from core.__main__ import main
from core.corpora import audit
from core.questions.corpus import LABEL_COLUMNS, WARNINGS, audit_answer
from tests.core.made_corpora import made
from tools.warning_pages import TARGET, document


def test_the_document_is_made_from_the_codes():
    assert TARGET.read_text(encoding="utf-8") == document(), "run: python -m tools.warning_pages"


def test_a_warning_points_to_its_section():
    sections = set(re.findall(r"^## (.+)$", document(), flags=re.MULTILINE))
    assert sections == set(WARNINGS)
    corpus = made(topics=3, documents=2)
    warnings = audit_answer(corpus, audit(corpus), command=True).data["warnings"]
    assert warnings
    for warning in warnings:
        file, section = warning["page"].split("#")
        assert file == "docs/warnings.md" and section == warning["code"] in sections


@pytest.mark.parametrize("code", sorted(WARNINGS))
def test_the_example_has_what_the_warning_is_about(code, tmp_path, capsys):
    rows = [row.replace("…", "and so on " * 300) for row in WARNINGS[code].example]
    columns = WARNINGS[code].columns
    (tmp_path / "example.csv").write_text("\n".join([columns, *rows]), encoding="utf-8")
    label = ["--label", columns.split(",")[-1]] if columns == LABEL_COLUMNS else []
    assert main(["audit", str(tmp_path / "example.csv"), *label, "--json"]) == 0
    assert code in [each["code"] for each in json.loads(capsys.readouterr().out)["warnings"]]
    assert main(["explain", code]) == 0
    said = capsys.readouterr().out
    assert WARNINGS[code].why in said.replace("\n", " ") and WARNINGS[code].example[0].split(",")[2] in said


def test_a_report_links_a_warning_to_its_example(tmp_path):
    target = tmp_path / "report.html"
    assert main(["report", "demo", "--pages", "corpus", "--out", str(target)]) == 0
    page = target.read_text(encoding="utf-8")
    assert '<a href="#warning-one-author-topics">Example</a>' in page
    assert '<tr id="warning-one-author-topics">' in page and WARNINGS["one-author-topics"].example[0] in page
