"""Make the documentation in build/docs: the API from docstrings, and a page for every warning. Run `make docs`."""

import shutil
import subprocess
import sys
import tempfile
from html import escape
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pdoc
import pdoc.render

from core.questions.corpus import WARNINGS, warning_text

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "build" / "docs"
PACKAGE = "leakscope"
# Programs that run when they are imported, or need the host that loads them.
LEFT_OUT = ("__main__", "cli", "dashboard", "data", "pytest_plugin")
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>
<style>body{{font:16px/1.5 system-ui;max-width:44rem;margin:2rem auto;padding:0 1rem}}pre{{background:#f3f6f9;padding:.7rem}}</style>
{body}
"""


def write_documentation(target: Path = TARGET) -> list[Path]:
    """Write everything and return the files; what was there before goes."""
    shutil.rmtree(target, ignore_errors=True)
    with tempfile.TemporaryDirectory() as folder:
        # Built as for the wheel, so that everything has the names that users import.
        build = [sys.executable, "setup.py", "--quiet", "build", "--build-base", folder, "--build-lib", f"{folder}/lib"]
        subprocess.run(build, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        sys.path.insert(0, f"{folder}/lib")
        try:
            package = import_module(PACKAGE)
            for name in package.__all__:
                getattr(package, name)  # loaded on first use
            pdoc.render.configure(search=True, show_source=False)
            inside = [each.name for each in iter_modules(package.__path__) if each.name not in LEFT_OUT]
            pdoc.pdoc(PACKAGE, *(f"{PACKAGE}.{name}" for name in inside), output_directory=target)
        finally:
            sys.path.remove(f"{folder}/lib")
    pages = target / "warnings"
    pages.mkdir()
    for code in WARNINGS:
        body = f'<p><a href="index.html">All warnings</a></p>{pdoc.render_helpers.to_html(warning_text(code))}'
        (pages / f"{code}.html").write_text(PAGE.format(title=escape(code), body=body), encoding="utf-8")
    rows = "".join(
        f'<li><a href="{code}.html">{code}</a>: {escape(WARNINGS[code].short)}</li>' for code in sorted(WARNINGS)
    )
    listed = f'<h1>Warnings</h1><ul>{rows}</ul><p><a href="../{PACKAGE}.html">The API</a></p>'
    (pages / "index.html").write_text(PAGE.format(title="Warnings", body=listed), encoding="utf-8")
    return sorted(target.rglob("*.html"))


if __name__ == "__main__":
    print(f"{len(write_documentation()):,} pages; start at {TARGET / 'index.html'}")
