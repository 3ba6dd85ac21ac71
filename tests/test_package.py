"""`pip install .` gives leakscope: the same code under its own name, typed, with dashboard, bundled corpus and command."""

import ast
import json
import os
import shutil
import socket
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import core
from core.__main__ import main
from core.cli.app import ADDRESS, PORTS, free_port
from core.errors import SettingError
from tests.conftest import ROOT

NETWORK = {"courier_families.csv", "courier_links.csv"}
BUNDLE = {
    "courier.csv",
    "courier_lsa.npy",
    "courier_map.npy",
    "courier_results.answers",
    "courier_sbert.npy",
    "dial_grid.csv",
    "lesson.json",
} | NETWORK
# The dashboard as it lies in the checkout, which is how its pages find what they read.
DASHBOARD = {"app.py", ".streamlit/config.toml", "docs/methods.md"} | {
    str(file.relative_to(ROOT))
    for file in (ROOT / "pages").rglob("*")
    if file.is_file() and "__pycache__" not in file.parts
}
QUESTION = ("hits", "demo", "--m", "5", "--json")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built offline from a copy, so that nothing is left behind in the checkout."""
    copy, out = tmp_path_factory.mktemp("copy"), tmp_path_factory.mktemp("wheel")
    for name in ("pyproject.toml", "setup.py", "MANIFEST.in", "README.md", "LICENSE", "app.py"):
        shutil.copy(ROOT / name, copy)
    for folder in ("core", "data", "pages", "docs", ".streamlit"):
        shutil.copytree(ROOT / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__", "screenshots"))
    pip("wheel", "--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", str(out), str(copy))
    (built,) = out.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which the wheel is installed, and nothing else."""
    folder = tmp_path_factory.mktemp("installed")
    pip("install", "--no-deps", "--no-index", "--target", str(folder), str(wheel))
    return folder


def pip(*arguments: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pip", "--quiet", *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def python(installed: Path, *arguments: str) -> str:
    """What a fresh process prints that finds leakscope there, and no checkout."""
    environment = os.environ | {"PYTHONPATH": str(installed)}
    command = [sys.executable, *arguments]
    done = subprocess.run(command, cwd=installed, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_wheel_holds_all_of_core_and_the_bundle_but_not_its_builder(wheel: Path):
    held = {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("leakscope/")}
    modules = {f"leakscope/{file.relative_to(ROOT / 'core')}" for file in (ROOT / "core").rglob("*.py")}
    templates = {
        f"leakscope/{file.relative_to(ROOT / 'core')}"
        for kind in ("md", "html")
        for file in (ROOT / "core").rglob(f"*.{kind}")
    }
    bundle = {f"leakscope/data/{name}" for name in BUNDLE}
    dashboard = {f"leakscope/dashboard/{name}" for name in (*DASHBOARD, "__init__.py")}
    assert held == modules | templates | {"leakscope/py.typed"} | bundle | dashboard


def test_the_dashboard_imports_nothing_by_its_names_in_the_checkout(wheel: Path):
    with zipfile.ZipFile(wheel) as opened:
        for name in (each for each in DASHBOARD if each.endswith(".py")):
            tree = ast.parse(opened.read(f"leakscope/dashboard/{name}"))
            modules = [str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
            modules += [each.name for node in ast.walk(tree) if isinstance(node, ast.Import) for each in node.names]
            assert not {module.split(".")[0] for module in modules} & {"core", "pages", "app", "data"}, name


def test_a_port_is_free_or_refused():
    with socket.socket() as taken:
        taken.bind((ADDRESS, 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(SettingError, match=f"Port {port} of {ADDRESS} cannot be used .* Choose another --port"):
            free_port(ADDRESS, port)
    assert free_port(ADDRESS, port) == port
    assert free_port(ADDRESS, None) in PORTS
    with pytest.raises(SettingError, match="Port 70000 does not exist. Choose one from 1 to 65535."):
        free_port(ADDRESS, 70_000)


@pytest.mark.parametrize("hosted", [False, True])
def test_without_a_command_the_dashboard_runs_with_our_settings(monkeypatch: pytest.MonkeyPatch, hosted: bool):
    given: dict[str, object] = {}
    monkeypatch.setattr("streamlit.App.run", lambda self, *, config: given.update(config))
    monkeypatch.setattr(sys, "argv", ["leakscope"])
    monkeypatch.setenv("LEAKSCOPE_HOSTED", "1" if hosted else "")
    opened: list[str] = []
    monkeypatch.setattr("core.cli.app._open_browser", opened.append)
    monkeypatch.setenv("DISPLAY", ":0")
    assert main(["app", "--port", str(free_port(ADDRESS, None))] if hosted else []) == 0
    assert given["server.address"] == ADDRESS and given["server.port"] in PORTS
    assert given.get("client.showErrorDetails") == ("none" if hosted else None)
    assert sys.argv == [str(ROOT / "app.py")]
    assert bool(opened) is not hosted


def test_one_version_number(wheel: Path, installed: Path):
    assert wheel.name.split("-")[1] == core.__version__
    where, version = python(installed, "-c", "import leakscope as l; print(l.__file__, l.__version__)").split()
    assert (Path(where), version) == (installed / "leakscope" / "__init__.py", core.__version__)
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {core.__version__}\n" in citation
    assert f"\n## {core.__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_module_answers_as_core_does(installed: Path, capsys: pytest.CaptureFixture[str]):
    assert main(QUESTION) == 0
    assert json.loads(python(installed, "-m", "leakscope", *QUESTION)) == json.loads(capsys.readouterr().out)


def test_the_command_is_the_module(installed: Path):
    command = str(installed / "bin" / "leakscope")
    assert python(installed, command, "--help") == python(installed, "-m", "leakscope", "--help")
    audit = ("audit", "demo", "--json")
    assert python(installed, command, *audit) == python(installed, "-m", "leakscope", *audit)


def test_the_interface_is_there_when_installed(installed: Path):
    program = "import leakscope as l; print(*(name for name in l.__all__ if getattr(l, name) is not None))"
    assert python(installed, "-c", program).split() == core.__all__
