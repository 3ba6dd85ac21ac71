"""Every option and page that a sentence advises exists."""

import argparse
import ast
import re

from core.__main__ import parser
from core.questions import QUESTIONS
from tests.conftest import ROOT

OF_OTHERS = {"--force-reinstall", "--no-deps", "--leakscope"}  # pip's and pytest's
OPTION = re.compile(r"(?<![\w-])--[a-z](?:[a-z-]*[a-z])?(?![\w-])")
PAGE = re.compile(r"\b(?:the|The) ([A-Z][\w&]*(?: [\w&]+)*?) page\b")


def options() -> set[str]:
    """Return every option of every command."""
    commands = next(each for each in parser()._actions if isinstance(each, argparse._SubParsersAction))
    return {option for one in commands.choices.values() for each in one._actions for option in each.option_strings}


def page_titles() -> set[str]:
    """Return the titles of the app's pages."""
    return set(re.findall(r'st\.Page\("[^"]+", title="([^"]+)"', (ROOT / "app.py").read_text(encoding="utf-8")))


def strings(file) -> list[str]:
    """Return every text of a module as written, parts of f-strings included."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]


def said() -> dict[str, list[str]]:
    """Return all texts of the project by file, and the answers of questions."""
    files = (file for folder in ("core", "pages") for file in sorted((ROOT / folder).rglob("*.py")))
    found = {str(file.relative_to(ROOT)): strings(file) for file in files}
    for file in sorted((ROOT / "tests" / "snapshots").glob("*.txt")):
        found[file.name] = file.read_text(encoding="utf-8").splitlines()
    return found


def test_every_option_advised_exists():
    known = options() | OF_OTHERS
    for file, texts in said().items():
        for text in texts:
            assert set(OPTION.findall(text)) <= known, (file, text)


def test_every_page_advised_exists():
    known = page_titles()
    for file, texts in said().items():
        for text in texts:
            assert set(PAGE.findall(text)) <= known, (file, text)


def test_there_is_something_to_check():
    texts = [text for each in said().values() for text in each]
    assert {"--window", "--min-documents", "--topic"} <= {option for text in texts for option in OPTION.findall(text)}
    assert "Corpus" in {page for text in texts for page in PAGE.findall(text)}
    assert "--windows" not in options() and {module.LABEL for module in QUESTIONS.values()} & page_titles()
