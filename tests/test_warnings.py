"""Every warning of the audit has a section in docs/warnings.md, and points to it."""

import re

from core.corpora import audit
from core.questions.corpus import WARNINGS, audit_answer
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
