"""Write docs/warnings.md from the codes of the audit: `python -m tools.warning_pages`."""

from pathlib import Path

from core.questions.corpus import WARNINGS, warning_text

TARGET = Path(__file__).resolve().parent.parent / "docs" / "warnings.md"
HEAD = """# Warnings

What `leakscope audit` and the Corpus page may find, by code. Made by `python -m tools.warning_pages`.
"""


def document() -> str:
    """Return the document: a section for every code."""
    return "\n".join([HEAD, *(warning_text(code) for code in sorted(WARNINGS))])


if __name__ == "__main__":
    TARGET.write_text(document(), encoding="utf-8")
