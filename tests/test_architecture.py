"""Check that packages import in the order data flows, and only what a package's `__init__` offers."""

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

from tests.conftest import ROOT

CORE = ROOT / "core"
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def listed_packages() -> list[str]:
    """The packages of core/ in the order of docs/architecture.md."""
    section = ARCHITECTURE.split("## Packages of core/")[1].split("\n## ")[0]
    return re.findall(r"^    (\w+?)(?:\.py|/) ", section, flags=re.MULTILINE)


def imports(file: Path) -> Iterator[tuple[str, str | None]]:
    """Every imported (module, name); relative imports of core as absolute ones."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, None) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            if node.level:
                package = file.relative_to(ROOT).with_suffix("").parts[: -node.level]
                module = ".".join([*package, *([module] if module else [])])
            yield from ((module, alias.name) for alias in node.names)


def front_door(module: str) -> set[str] | None:
    """What the package of that name offers; None where `module` is no package."""
    init = ROOT / module.replace(".", "/") / "__init__.py"
    if not init.is_file():
        return None
    offered: set[str] = set()
    for node in ast.parse(init.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            offered |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            offered.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            offered |= {name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)}
    return {name for name in offered if not name.startswith("_")}


def python_files(*folders: str) -> list[Path]:
    return sorted(file for folder in folders for file in (ROOT / folder).rglob("*.py"))


def package_of(file: Path) -> str:
    return file.relative_to(CORE).parts[0].removesuffix(".py")


def test_every_package_stands_in_the_list_once():
    present = {package_of(file) for file in CORE.rglob("*.py")} - {"__init__"}
    assert sorted(listed_packages()) == sorted(present)


def test_packages_import_only_from_above():
    order = listed_packages()
    for file in python_files("core"):
        mine = package_of(file)
        if mine == "__init__":  # the public names, from every package
            continue
        for module, name in imports(file):
            absolute = module.split(".")[0] in ("core", "leakscope") and is_absolute(file, module)
            assert not absolute, f"{file.relative_to(ROOT)}: import {module} relatively"
            if not module.startswith("core") or (module == "core" and name == "__version__"):
                continue
            other = [*module.split("."), name or ""][1]
            if other != mine:
                assert order.index(other) < order.index(mine), f"{file.relative_to(ROOT)} imports {module} from below"


def is_absolute(file: Path, module: str) -> bool:
    """Whether the file spells the import with the package's own name, which is another one when installed."""
    return bool(re.search(rf"^\s*(from|import) {re.escape(module)}\b", file.read_text(encoding="utf-8"), re.MULTILINE))


def test_a_package_is_entered_by_its_front_door():
    for file in [*python_files("core", "pages", "bench", "data"), ROOT / "app.py"]:
        inside = package_of(file) if file.is_relative_to(CORE) else None
        for module, name in imports(file):
            parts = module.split(".")
            if parts[0] != "core" or len(parts) < 2 or parts[1] == inside or inside == "__init__":
                continue
            where = file.relative_to(ROOT)
            if (ROOT / Path(*parts)).with_suffix(".py").is_file():
                assert len(parts) == 2, f"{where} imports past the front door of {'.'.join(parts[:-1])}: {name}"
                continue
            offered = front_door(module)
            assert offered is not None and name in offered, f"{where}: {module} does not offer {name}"


def types_in(file: Path) -> Iterator[str]:
    """Classes and named types of a file; a type variable is a letter of its formula, and no name."""
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            variable = isinstance(node.value, ast.Call) and getattr(node.value.func, "id", "") == "TypeVar"
            if isinstance(target, ast.Name) and re.fullmatch(r"_?[A-Z]+[a-z]\w*", target.id) and not variable:
                yield target.id


def test_a_type_stands_for_one_thing_in_the_whole_project():
    where: dict[str, list[str]] = {}
    for file in python_files("core", "pages"):
        for name in types_in(file):
            if name == "Settings" and file.parent.name == "questions":  # each question has its own
                continue
            where.setdefault(name, []).append(str(file.relative_to(ROOT)))
    assert {name: files for name, files in where.items() if len(files) > 1} == {}


def test_two_packages_offer_no_two_things_under_one_name():
    offered: dict[str, dict[int, str]] = {}
    for init in CORE.rglob("__init__.py"):
        package = ".".join(init.parent.relative_to(ROOT).parts)
        if package == "core":
            continue
        module = import_module(package)
        for name in front_door(package) or ():
            thing = getattr(module, name)
            if not isinstance(thing, ModuleType) and name != "Settings":
                offered.setdefault(name, {})[id(thing)] = package
    assert {name: list(things.values()) for name, things in offered.items() if len(things) > 1} == {}


def test_no_package_is_a_single_file():
    for init in CORE.rglob("__init__.py"):
        packages = len(list(init.parent.glob("*/__init__.py")))
        assert packages or len(list(init.parent.glob("*.py"))) > 2, init.parent


def test_core_never_imports_streamlit():
    for file in python_files("core"):
        assert not any(module.split(".")[0] == "streamlit" for module, _ in imports(file)), file


def test_nothing_unpickles_or_shows_foreign_html():
    banned = re.compile(r"unsafe_allow_html|allow_pickle=True|pickle\.load|trust_remote_code=True")
    ours = CORE / "engine" / "process.py"  # messages between our own processes
    for file in python_files("core", "pages", "data"):
        assert file == ours or not banned.search(file.read_text(encoding="utf-8")), file


def test_pages_order_rows_before_they_have_headings():
    """A table sorted by a heading is sorted no more when the words are changed."""
    for file in python_files("pages"):
        assert ".sort_values(" not in file.read_text(encoding="utf-8"), file
