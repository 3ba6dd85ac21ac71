"""The notebooks in docs/notebooks run, and show what they keep."""

import json
from pathlib import Path
from typing import Any

import pytest

from tools.notebooks import FOLDER, outputs_of


def kinds(shown: list[dict[str, Any]]) -> list[list[str]]:
    """Return what each output is, whatever it says: wording is tested elsewhere."""
    return [[each["output_type"], *each.get("data", {})] for each in shown]


@pytest.mark.parametrize("file", sorted(FOLDER.glob("*.ipynb")), ids=lambda file: file.stem)
def test_a_notebook_runs_and_keeps_what_it_shows(file: Path):
    notebook = json.loads(file.read_text(encoding="utf-8"))
    kept = [cell["outputs"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
    shown = outputs_of(notebook)
    assert [kinds(each) for each in shown] == [kinds(each) for each in kept], "run python -m tools.notebooks"
    assert sum(map(len, kept)) >= 4


def test_there_are_three():
    assert {file.stem for file in FOLDER.glob("*.ipynb")} == {"authors", "own_model", "sentiment"}
