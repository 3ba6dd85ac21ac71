"""A plugin of pytest: `pytest --leakscope FILE` adds a test that fails where `leakscope check FILE` does."""

import shlex
from typing import Any

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option; it may be given several times."""
    group = parser.getgroup("leakscope")
    about = "check a corpus as `leakscope check` does; quote its options with it: 'my.csv --fail-on split'"
    group.addoption("--leakscope", action="append", default=[], metavar="FILE", help=about)


def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Add one test per file."""
    items += [
        CorpusCheck.from_parent(session, name=f"leakscope check {given}", given=given)
        for given in config.getoption("--leakscope")
    ]


class CheckFailed(Exception):
    """The check's answer, or why it could not be made."""


class CorpusCheck(pytest.Item):
    """Run one check."""

    def __init__(self, *, given: str, **rest: Any) -> None:
        super().__init__(**rest)
        self.given = given

    def runtest(self) -> None:
        """Fail with the answer's first sentence."""
        from .__main__ import parser
        from .errors import LeakscopeError

        try:
            options = parser("check").parse_args(["check", *shlex.split(self.given)])
            answer = options.run(options)
        except SystemExit:  # argparse has printed what is wrong
            raise CheckFailed("The options are wrong; see leakscope check --help.") from None
        except LeakscopeError as problem:
            raise CheckFailed(str(problem)) from None
        if not answer.data["passed"]:
            raise CheckFailed(str(answer))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> str:
        """Return the sentence without a traceback."""
        if isinstance(excinfo.value, CheckFailed):
            return str(excinfo.value)
        return str(super().repr_failure(excinfo, style))

    def reportinfo(self) -> tuple[str, None, str]:
        """Name the test."""
        return str(self.path), None, self.name
