"""The mutants: each is another program, and what is excused is still there. `make mutants` runs them."""

import ast
import tomllib

import pytest

from tests.conftest import ROOT
from tests.mutants import MODULES, SURVIVORS, covering_tests
from tests.mutation import changes, mutants, nodes

EXCUSED = tomllib.loads(SURVIVORS.read_text(encoding="utf-8")).get("survivor", [])


def changed(source: str) -> set[str]:
    """Every changed version of one line of code."""
    found = set()
    for index in range(len(list(nodes(ast.parse(source))))):
        for number in range(len(list(changes(list(nodes(ast.parse(source)))[index])))):
            tree = ast.parse(source)
            node = list(nodes(tree))[index]
            list(changes(node))[number][1](node)
            found.add(ast.unparse(ast.fix_missing_locations(tree)))
    return found


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a < b", {"a <= b", "a >= b"}),
        ("a == b", {"a != b"}),
        ("a + b * c", {"a - b * c", "a + b / c"}),
        ("a += 1", {"a -= 1", "a += 2", "a += 0"}),
        ("not a", {"not not a"}),
        ("-a", {"--a"}),
        ("a and b", {"a or b"}),
        ("0.25", {"0.5"}),
        ("True", {"False"}),
        ("x.argmin()", {"x.argmax()"}),
        ("min(a)", {"max(a)"}),
        ("a if b else c", {"a if not b else c"}),
        ("raise Wrong(1 + 1)", set()),
        ("f'{a:.3f}'", set()),
    ],
)
def test_a_line_is_changed_in_every_way(source: str, expected: set[str]):
    assert changed(source) == expected


@pytest.mark.parametrize("module", MODULES)
def test_every_module_has_mutants_and_a_test_of_its_own(module: str):
    original = ast.unparse(ast.parse((ROOT / "core" / f"{module}.py").read_text(encoding="utf-8")))
    found = mutants(module)
    assert len({(*mutant.key, mutant.line) for mutant in found}) == len(found) > 20
    assert all(ast.unparse(mutant.tree()) != original for mutant in found[::25])
    assert covering_tests(module)[0].endswith(f"test_{module.split('/')[1]}.py")


def test_what_is_excused_is_still_there_and_has_a_reason():
    known = {mutant.key for module in MODULES for mutant in mutants(module)}
    for entry in EXCUSED:
        assert (entry["module"], entry["source"], entry["change"]) in known
        assert entry["reason"].endswith(".")
