"""Imports point one way: core never imports streamlit, and a module imports only what stands above it."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]


def imported(file: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def layers() -> list[str]:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    listed = text.split("## Layers inside core")[1].split("\n## ")[0]
    return re.findall(r"^    (\w+) ", listed, flags=re.MULTILINE)


def module_of(file: Path) -> str:
    return file.relative_to(ROOT / "core").parts[0].removesuffix(".py")


def test_every_module_stands_in_the_list_once():
    present = {module_of(file) for file in (ROOT / "core").rglob("*.py")} - {"__init__"}
    assert sorted(layers()) == sorted(present)


def test_modules_import_only_from_above():
    order = layers()
    for file in (ROOT / "core").rglob("*.py"):
        mine = module_of(file)
        if mine == "__init__":
            continue
        for name in imported(file):
            if name.startswith("core.") and (other := name.split(".")[1]) in order and other != mine:
                assert order.index(other) < order.index(mine), f"{file.relative_to(ROOT)} imports {name} from below it"


def test_core_never_imports_streamlit():
    for file in (ROOT / "core").rglob("*.py"):
        assert not any(name.split(".")[0] == "streamlit" for name in imported(file)), file


def test_nothing_unpickles_or_shows_foreign_html():
    banned = re.compile(r"unsafe_allow_html|allow_pickle=True|pickle\.load|trust_remote_code=True")
    for folder in ("core", "pages", "data"):
        for file in (ROOT / folder).rglob("*.py"):
            assert not banned.search(file.read_text(encoding="utf-8")), file


def test_pages_stay_short():
    for file in (ROOT / "pages").glob("*.py"):
        assert len(file.read_text(encoding="utf-8").splitlines()) <= 140, file
