"""Check that packages import in the order data flows, and only what a package's `__init__` offers."""

import ast
import re
from collections.abc import Iterator
from functools import cache
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


@cache
def parsed(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


@cache
def imports(file: Path) -> list[tuple[str, str | None]]:
    """Every imported (module, name); relative imports of core as absolute ones."""
    return list(imported(file))


def imported(file: Path) -> Iterator[tuple[str, str | None]]:
    for node in ast.walk(parsed(file)):
        if isinstance(node, ast.Import):
            yield from ((alias.name, None) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            if node.level:
                package = file.relative_to(ROOT).with_suffix("").parts[: -node.level]
                module = ".".join([*package, *([module] if module else [])])
            yield from ((module, alias.name) for alias in node.names)


@cache
def front_door(module: str) -> set[str] | None:
    """What the package of that name offers; None where `module` is no package."""
    init = ROOT / module.replace(".", "/") / "__init__.py"
    if not init.is_file():
        return None
    offered: set[str] = set()
    for node in parsed(init).body:
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
    for node in parsed(file).body:
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


# Packages that compute, and who in them may write a sentence that no error says; docs/decisions.md has the reasons.
COMPUTING = ("topics", "splits", "evaluation", "statistics", "models", "papers")
WRITERS = {
    "models": "what a model learned, stored with its answers",
    "splits/pairs.py": "what training leaves out, stored with a model's answers",
    "evaluation/tasks.py": "why a fold has no questions, stored in place of answers",
    "evaluation/scores.py": "the same for a topic",
    "evaluation/run.py": "why a run does not fit",
    "evaluation/own_answers.py": "why answers of a file are not used",
    "evaluation/answers.py": "remarks on a file as it was read",
    "evaluation/two_models.py": "remarks on a table as it was read",
    "statistics": "why a test is not defined for these rows",
    "papers/hits_2024/raven": "remarks on answers as they were read, and the README of a benchmark",
    "splits/splitters.py": "warnings to scikit-learn's users, who see no page",
}
PROSE = 5  # words


def said_in(node: ast.AST) -> str:
    """The text of a string, or of an f-string without what is filled in."""
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    return " ".join(each.value for each in parts if isinstance(each, ast.Constant) and isinstance(each.value, str))


def is_error(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id.endswith("Error")


def excused(tree: ast.Module) -> set[ast.AST]:
    """Docstrings, records of registries, and what an error says: its own text, and that of the names and functions it uses."""
    found = {part for node in tree.body if isinstance(node, ast.Assign | ast.AnnAssign) for part in ast.walk(node)}
    found |= {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    waiting = [node for node in ast.walk(tree) if isinstance(node, ast.Raise) or is_error(node)]
    defined: dict[str, list[ast.AST]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            defined.setdefault(node.name, []).append(node)
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.For):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for name in (part for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)):
                defined.setdefault(name.id, []).append(node)
    while waiting:
        parts = set(ast.walk(waiting.pop())) - found
        found |= parts
        used = {part.id for part in parts if isinstance(part, ast.Name)}
        waiting += [each for name in used for each in defined.pop(name, [])]
    return found


def test_sentences_that_no_error_says_are_in_the_questions():
    written: dict[str, list[str]] = {}
    for file in python_files(*(f"core/{package}" for package in COMPUTING)):
        tree = parsed(file)
        inside = {part for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
        left = set(ast.walk(tree)) - excused(tree) - inside
        texts = [said_in(node) for node in left if isinstance(node, ast.Constant | ast.JoinedStr)]
        prose = [text for text in texts if len(re.findall(r"(?<!\S)[A-Za-z]{2,}", text)) >= PROSE]
        if prose:
            written[file.relative_to(CORE).as_posix()] = prose
    writers = {file: next((name for name in WRITERS if file.startswith(name)), None) for file in written}
    assert {file: written[file] for file, writer in writers.items() if writer is None} == {}
    assert set(writers.values()) == set(WRITERS), "a name that writes nothing any more"


def test_pages_order_rows_before_they_have_headings():
    """A table sorted by a heading is sorted no more when the words are changed."""
    for file in python_files("pages"):
        assert ".sort_values(" not in file.read_text(encoding="utf-8"), file
