"""Which folders make the package; everything else about it is in pyproject.toml."""

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py

DATA = "leakscope.data"


class BuildPackage(build_py):
    """Takes the bundled corpus from data/ and leaves its builder there."""

    def find_package_modules(self, package: str, package_dir: str) -> list[tuple[str, str, str]]:
        return [] if package == DATA else super().find_package_modules(package, package_dir)


setup(
    packages=["leakscope", DATA, *(f"leakscope.{name}" for name in find_packages("core"))],
    package_dir={"leakscope": "core", DATA: "data"},
    cmdclass={"build_py": BuildPackage},
)
