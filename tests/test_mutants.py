"""The mutants: each is another program, and what is excused is still there. `make mutants` runs them."""

import ast
import tomllib
from pathlib import Path

from tests.conftest import ROOT
from tests.mutant_runs import other_tests, own_tests, traced, unnoticed
from tests.mutants import MODULES, SURVIVORS
from tests.mutation import changes, functions, mutants, nodes, path_of

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


CHANGES = (
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
    ("zip(a, b, strict=True)", set()),
    ("f'{a:.3f}'", set()),
)


def test_a_line_is_changed_in_every_way():
    for source, expected in CHANGES:
        assert changed(source) == expected, source


def test_every_module_has_mutants_and_a_test_of_its_own():
    for module in MODULES:
        original = ast.unparse(ast.parse((ROOT / "core" / f"{module}.py").read_text(encoding="utf-8")))
        found = mutants(module)
        assert len({(*mutant.key, mutant.line) for mutant in found}) == len(found) > 15, module
        assert all(ast.unparse(mutant.tree()) != original for mutant in found[::25]), module
        assert own_tests(module)[0].is_file() and other_tests(module), module


def test_a_mutant_changes_one_function_or_what_stands_outside_all():
    path = path_of("splits/folds")
    original = functions(compile(path.read_text(encoding="utf-8"), str(path), "exec"))
    inside = outside = 0
    for mutant in mutants("splits/folds"):
        code = functions(mutant.code())
        assert code.keys() == original.keys()
        different = [key for key in code if code[key] != original[key]]
        assert len(different) <= 1
        inside, outside = inside + len(different), outside + (not different)
        assert mutant.line in mutant.statement
        if different:
            assert different[0][1] < mutant.statement[0]  # the statement is inside, the function not all of it
    assert inside > 40
    assert outside >= 2  # MOST_ROWS


def test_a_mutant_survives_when_its_process_ends_well_and_in_time(tmp_path: Path):
    well, badly, broken, slow = mutants("topics/hits")[:4]

    def work(mutant: object) -> int:
        if mutant is broken:
            raise ValueError
        if mutant is slow:
            while True:
                pass
        return int(mutant is badly)

    waiting = [(mutant, 1.0 if mutant is slow else 30.0) for mutant in (badly, slow, well, broken)]
    assert unnoticed(waiting, work, jobs=2, folder=tmp_path) == [well]


def test_the_lines_that_run_are_noted(tmp_path: Path):
    file, reached = tmp_path / "module.py", set()
    file.write_text("def one(x):\n    if x:\n        return 1\n    return 2\n", encoding="utf-8")
    names: dict = {}
    exec(compile(file.read_text(encoding="utf-8"), str(file), "exec"), names)
    with traced(str(file), reached):
        names["one"](False)
    assert reached == {2, 4}


def test_what_is_excused_is_still_there_and_has_a_reason():
    known = {mutant.key for module in MODULES for mutant in mutants(module)}
    for entry in EXCUSED:
        assert (entry["module"], entry["source"], entry["change"]) in known
        assert entry["reason"].endswith(".")
