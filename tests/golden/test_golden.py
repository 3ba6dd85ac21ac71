"""What every command answered before holds until a change means to change it."""

import json
from pathlib import Path

import pytest

from core.cli import COMMANDS
from tests.golden import cases


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("golden")
    cases.files(made)
    return made


def test_every_command_has_a_case():
    assert {case[0] for case in cases.CASES.values()} == {name for name, command in COMMANDS.items() if command.prints}


@pytest.mark.parametrize("name", cases.CASES)
def test_answers_stay_as_they_were(name: str, folder: Path):
    if name.startswith(cases.FOREIGN) and not cases.REAL.is_dir():
        pytest.skip("../shared/data is absent: the real corpora are not part of the project")
    if name == "demo_shortcut":
        if not (folder / "raven").is_dir():
            cases.answered("demo_raven", folder)
        cases.answers(folder)
    expected = json.loads((cases.HERE / f"{name}.json").read_text(encoding="utf-8"))
    assert_similar(cases.answered(name, folder), expected, name)


def assert_similar(found: object, expected: object, where: str) -> None:
    """Equal, numbers within a ten-thousandth: vectors are kept in single precision, and another machine's differ in its last
    digits, which a product of two similarities shows in the fifth. NMF climbs step by step, so that even the number of
    threads shows in the fourth."""
    if isinstance(expected, dict) and isinstance(found, dict):
        assert found.keys() >= expected.keys(), where  # names stay, new ones may join
        for key in expected:
            assert_similar(found[key], expected[key], f"{where}.{key}")
    elif isinstance(expected, list) and isinstance(found, list):
        assert len(found) == len(expected), where
        for place, (one, two) in enumerate(zip(found, expected, strict=True)):
            assert_similar(one, two, f"{where}[{place}]")
    elif isinstance(expected, float):
        assert found == pytest.approx(expected, rel=1e-3 if "_nmf" in where else 1e-4, abs=1e-6), where
    else:
        assert found == expected, where
