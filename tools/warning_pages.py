"""Write docs/warnings.md from the codes of the audit: `python -m tools.warning_pages`."""

from pathlib import Path

from core.questions.corpus import WARNINGS

TARGET = Path(__file__).resolve().parent.parent / "docs" / "warnings.md"
HEAD = """# Warnings

What `leakscope audit` and the Corpus page may find, by code. Made by `python -m tools.warning_pages`.
"""


def document() -> str:
    """Return the document: a section for every code."""
    parts = [HEAD]
    for code, words in sorted(WARNINGS.items()):
        kind = "Problem: fix it before you evaluate." if words.problem else "Note."
        typed = f"\n\nOn the command line: {words.typed}" if words.typed else ""
        title = words.short[0].upper() + words.short[1:]
        parts.append(f"## {code}\n\n**{title}.** {kind}\n\n{words.why}\n\nWhat to do: {words.fix}{typed}\n")
    return "\n".join(parts)


if __name__ == "__main__":
    TARGET.write_text(document(), encoding="utf-8")
