"""Which folders make the package; everything else about it is in pyproject.toml."""

import re
import shutil
from pathlib import Path

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py

DATA, DASHBOARD = "leakscope.data", "leakscope.dashboard"
HERE = Path(__file__).parent
# In the wheel, core/ is leakscope/, and the dashboard lies in leakscope/dashboard/ as it lies in the checkout.
NAMES = {"core": "leakscope", "pages": f"{DASHBOARD}.pages"}
IMPORT = re.compile(rf"^(\s*(?:from|import) )({'|'.join(NAMES)})\b", re.MULTILINE)
BESIDE = ("app.py", ".streamlit/config.toml", "docs/methods.md")  # what the pages find beside them


class BuildPackage(build_py):
    """Take the bundled corpus from data/ and leave its builder there; add the dashboard with its imports renamed."""

    def find_package_modules(self, package: str, package_dir: str) -> list[tuple[str, str, str]]:
        return [] if package == DATA else super().find_package_modules(package, package_dir)

    def run(self) -> None:
        super().run()
        target = Path(self.build_lib, *DASHBOARD.split("."))
        pages = (file for file in (HERE / "pages").rglob("*") if file.is_file() and "__pycache__" not in file.parts)
        for file in (*pages, *(HERE / name for name in BESIDE)):
            place = target / file.relative_to(HERE)
            place.parent.mkdir(parents=True, exist_ok=True)
            if file.suffix == ".py":
                code = IMPORT.sub(lambda found: found[1] + NAMES[found[2]], file.read_text(encoding="utf-8"))
                place.write_text(code, encoding="utf-8")
            else:
                shutil.copyfile(file, place)
        (target / "__init__.py").write_text('"""The dashboard."""\n', encoding="utf-8")


setup(
    packages=["leakscope", DATA, *(f"leakscope.{name}" for name in find_packages("core"))],
    package_dir={"leakscope": "core", DATA: "data"},
    cmdclass={"build_py": BuildPackage},
)
