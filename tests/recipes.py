"""The recipes of CONTRIBUTING.md as code. As a plug-in (`pytest -p tests.recipes`) it adds all of them before collection."""

import importlib
import re
import sys
import types
from dataclasses import dataclass
from typing import Any

from tests.conftest import ROOT

BLOCK = re.compile(
    r"^## (?P<title>.+?)\n(?:(?!^## ).)*?`(?P<file>core/[\w/]+\.py)`:\n\n```python\n(?P<code>.*?)```\n\n"
    r"The line in `(?P<registry>\w+)`, in `(?P<holder>core/[\w/]+\.py)`:\n\n```python\n(?P<line>.*?)```",
    flags=re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Recipe:
    """One file and one line: what to add, and where."""

    title: str
    file: str
    code: str
    registry: str
    holder: str
    line: str

    def module(self) -> types.ModuleType:
        """The new file as a module of its package."""
        name = module_name(self.file)
        made = types.ModuleType(name)
        made.__package__ = name.rpartition(".")[0]
        sys.modules[name] = made
        exec(compile(self.code, str(ROOT / self.file), "exec"), vars(made))
        return made

    def entry(self) -> tuple[dict[str, Any], str, Any]:
        """The registry, and the name and value that the line adds to it, read where it would stand."""
        holder = importlib.import_module(module_name(self.holder))
        added = eval(f"{{{self.line}}}", vars(holder) | vars(self.module()))
        if isinstance(added, set):  # a record that knows its own name
            added = {value.name: value for value in added}
        ((name, value),) = added.items()
        return getattr(holder, self.registry), name, value


def module_name(file: str) -> str:
    return file.removesuffix("/__init__.py").removesuffix(".py").replace("/", ".")


def recipes() -> dict[str, Recipe]:
    """Every recipe by its registry."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    return {found["registry"]: Recipe(**found.groupdict()) for found in BLOCK.finditer(text)}


def pytest_configure() -> None:
    for recipe in recipes().values():
        registry, name, value = recipe.entry()
        registry[name] = value
