"""Run the notebooks in docs/notebooks and keep their outputs.

    python -m tools.notebooks

No kernel is needed: code cells run one after another in this process, and the last expression of a cell is its output.
"""

import ast
import contextlib
import importlib
import io
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "docs" / "notebooks"
LONGEST = 20_000  # characters of HTML that are kept: a chart with its library has millions


def outputs_of(notebook: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """Run every code cell in an empty folder; return what each shows."""
    sys.modules.setdefault("leakscope", importlib.import_module("core"))  # the name of the installed package
    found, names, before = [], {"__name__": "__main__"}, Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for cell in notebook["cells"]:
                if cell["cell_type"] == "code":
                    found.append(_shown("".join(cell["source"]), names, len(found) + 1))
        finally:
            os.chdir(before)
    return found


def _shown(source: str, names: dict[str, Any], number: int) -> list[dict[str, Any]]:
    """Run one cell; return what it prints and the value of its last expression."""
    parsed = ast.parse(source)
    last = parsed.body.pop() if parsed.body and isinstance(parsed.body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(parsed, f"cell {number}", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), names)
    shown: list[dict[str, Any]] = []
    if printed.getvalue():
        shown.append({"output_type": "stream", "name": "stdout", "text": _lines(printed.getvalue())})
    if value is not None:
        data = {"text/plain": _lines(value if isinstance(value, str) else str(value))}
        drawn = value._repr_html_() if hasattr(value, "_repr_html_") else ""
        if 0 < len(drawn) <= LONGEST:
            data["text/html"] = _lines(drawn)
        shown.append({"output_type": "execute_result", "execution_count": number, "data": data, "metadata": {}})
    return shown


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def main() -> None:
    for file in sorted(FOLDER.glob("*.ipynb")):
        notebook = json.loads(file.read_text(encoding="utf-8"))
        code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        for number, (cell, shown) in enumerate(zip(code, outputs_of(notebook), strict=True), start=1):
            cell |= {"outputs": shown, "execution_count": number}
        file.write_text(json.dumps(notebook, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
