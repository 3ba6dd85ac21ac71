"""`pip install .` gives leakscope: the same code under its own name, typed, with the bundled corpus and a command."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import core
from core.__main__ import main
from tests.conftest import ROOT

NETWORK = {"courier_families.csv", "courier_links.csv"}
BUNDLE = {
    "courier.csv",
    "courier_map.npy",
    "courier_results.answers",
    "courier_sbert.npy",
    "dial_grid.csv",
    "lesson.json",
} | NETWORK
QUESTION = ("hits", "demo", "--m", "5", "--json")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built offline from a copy, so that nothing is left behind in the checkout."""
    copy, out = tmp_path_factory.mktemp("copy"), tmp_path_factory.mktemp("wheel")
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy)
    for folder in ("core", "data"):
        shutil.copytree(ROOT / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__"))
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
    assert held == modules | templates | {"leakscope/py.typed"} | {f"leakscope/data/{name}" for name in BUNDLE}


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
