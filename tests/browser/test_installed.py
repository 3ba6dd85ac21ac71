"""The dashboard of an installed wheel opens from any folder, in an environment that has no checkout."""

import os
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from core.cli.app import ADDRESS, free_port
from tests import test_package
from tests.browser.conftest import ENGINE, _wait_until_healthy

wheel = test_package.wheel


@pytest.fixture(scope="module")
def program(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command in a new environment, which borrows everything but leakscope from this one."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    inside = sysconfig.get_path("purelib", "venv", {"base": str(folder), "platbase": str(folder)})
    Path(inside, "borrowed.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    interpreter = str(folder / "bin" / "python")
    test_package.pip("--python", interpreter, "install", "--no-deps", "--no-index", str(wheel))
    return folder / "bin" / "leakscope"


@pytest.fixture(scope="module")
def installed_address(program: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the dashboard, started in an empty folder."""
    port = free_port(ADDRESS, None)
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    environment = {name: value for name, value in os.environ.items() if name not in (*ENGINE, "PYTHONPATH")}
    with (elsewhere / "server.log").open("w") as sink:
        server = subprocess.Popen(
            [program, "app", "--port", str(port), "--no-browser"],
            cwd=elsewhere,
            env=environment,
            stdout=sink,
            stderr=sink,
        )
        try:
            _wait_until_healthy(f"http://{ADDRESS}:{port}", server)
            yield f"http://{ADDRESS}:{port}"
        finally:
            server.terminate()
            server.wait(timeout=20)


def test_pages_component_and_theme_are_there(visitor: Page, installed_address: str):
    visitor.goto(installed_address)
    expect(visitor.get_by_text("Yes. In a random 6-fold split")).to_be_visible()
    expect(visitor.locator(".js-plotly-plot").first).to_be_visible()
    ours = "rgb(14, 22, 33)"  # the text colour of .streamlit/config.toml
    expect(visitor.get_by_test_id("stApp")).to_have_css("color", ours)
    visitor.goto(f"{installed_address}/hits")
    expect(visitor.locator('[data-card="Max similarity"]')).to_be_visible()
    visitor.goto(f"{installed_address}/methods")
    expect(visitor.get_by_role("heading", name="What is computed")).to_be_visible()
