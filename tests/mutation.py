"""Mutants: copies of a module of core with one operator, constant or condition changed."""

import ast
import importlib.machinery
import importlib.util
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from inspect import CO_OPTIMIZED
from itertools import islice
from pathlib import Path
from types import CodeType

ROOT = Path(__file__).parents[1]

COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
SWAPS = (
    ("min", "max"),
    ("argmin", "argmax"),
    ("minimum", "maximum"),
    ("any", "all"),
    ("floor", "ceil"),
    ("zeros", "ones"),
)
NAMES = {one: other for pair in SWAPS for one, other in (pair, pair[::-1])}
Change = tuple[str, Callable[[ast.AST], None]]


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change of one module; `source` is the line it is made in, `statement` the lines of the statement round it."""

    module: str
    line: int
    source: str
    change: str
    node: int
    way: int
    statement: range

    def tree(self) -> ast.Module:
        """The changed module; made where it is needed, for a copy of a tree costs more than finding the place again."""
        whole = ast.parse(path_of(self.module).read_text(encoding="utf-8"))
        node = next(islice(nodes(whole), self.node, None))
        next(islice(changes(node), self.way, None))[1](node)
        return ast.fix_missing_locations(whole)

    def code(self) -> CodeType:
        """The changed module, compiled."""
        return compile(self.tree(), str(path_of(self.module)), "exec")

    @property
    def key(self) -> tuple[str, str, str]:
        return self.module, self.source, self.change

    def __str__(self) -> str:
        return f"core/{self.module}.py:{self.line}: {self.change}\n    {self.source}"


def changes(node: ast.AST) -> Iterator[Change]:
    """Every way to change this one node: its name, and a function that does it in place."""
    match node:
        case ast.Compare(ops=operators):
            for index, operator in enumerate(operators):
                for other in COMPARISONS[type(operator)]:
                    name = f"{type(operator).__name__} → {other.__name__}"
                    yield name, lambda found, index=index, other=other: found.ops.__setitem__(index, other())
        case ast.BinOp() | ast.AugAssign() if type(node.op) in ARITHMETIC:
            other = ARITHMETIC[type(node.op)]
            yield f"{type(node.op).__name__} → {other.__name__}", lambda found: setattr(found, "op", other())
        case ast.BoolOp(op=operator):
            swapped = ast.Or if isinstance(operator, ast.And) else ast.And
            yield f"{type(operator).__name__} → {swapped.__name__}", lambda found: setattr(found, "op", swapped())
        case ast.UnaryOp(op=ast.Not() | ast.USub() | ast.Invert()):
            # Twice the operator is none: the tree keeps its shape.
            sign = type(node.op)
            yield f"drop {sign.__name__}", lambda found: setattr(found, "operand", ast.UnaryOp(sign(), found.operand))
        case (
            ast.If(test=ast.Name() | ast.Attribute() | ast.Call())
            | ast.IfExp(test=ast.Name() | ast.Attribute() | ast.Call())
        ):
            yield "negate the condition", lambda found: setattr(found, "test", ast.UnaryOp(ast.Not(), found.test))
        case ast.Constant(value=bool() as value):
            yield f"{value} → {not value}", lambda found: setattr(found, "value", not value)
        case ast.Constant(value=int() | float() as value):
            others = (value + 1, value - 1) if isinstance(value, int) else (value * 2 or 1.0,)
            for other in others:
                yield f"{value} → {other}", lambda found, other=other: setattr(found, "value", other)
        case ast.Name(id="min" | "max" | "any" | "all" as name):
            yield f"{name} → {NAMES[name]}", lambda found: setattr(found, "id", NAMES[name])
        case ast.Attribute(attr=name) if name in NAMES:
            yield f"{name} → {NAMES[name]}", lambda found: setattr(found, "attr", NAMES[name])


def nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes that compute: annotations, decorators, the sentences of errors and the guard `zip(strict=…)` are none."""
    for field, value in ast.iter_fields(tree):
        if field in ("annotation", "returns", "decorator_list", "exc", "format_spec"):
            continue
        if isinstance(tree, ast.keyword) and tree.arg == "strict":
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not isinstance(child, ast.JoinedStr):
                yield child
                yield from nodes(child)


def path_of(module: str) -> Path:
    return ROOT / "core" / f"{module}.py"


def statements(tree: ast.AST) -> dict[ast.AST, range]:
    """For every node the lines of the innermost statement that holds it."""
    found: dict[ast.AST, range] = {}
    for statement in ast.walk(tree):  # outer ones first, so that inner ones have the last word
        if isinstance(statement, ast.stmt):
            lines = range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)
            found.update(dict.fromkeys(ast.walk(statement), lines))
    return found


def functions(code: CodeType) -> dict[tuple[str, int], CodeType]:
    """The functions and methods of a compiled module, by qualified name and first line; those inside others are theirs."""
    found = {}
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            is_function = bool(constant.co_flags & CO_OPTIMIZED)  # the body of a class is none
            found.update(
                {(constant.co_qualname, constant.co_firstlineno): constant} if is_function else functions(constant)
            )
    return found


def mutants(module: str) -> list[Mutant]:
    """Every mutant of core/<module>.py."""
    text = path_of(module).read_text(encoding="utf-8")
    tree, lines = ast.parse(text), text.splitlines()
    within = statements(tree)
    found: list[Mutant] = []
    seen: Counter[tuple[int, str]] = Counter()
    for index, node in enumerate(nodes(tree)):
        for way, (name, _) in enumerate(changes(node)):
            line = getattr(node, "lineno", 1)
            seen[line, name] += 1
            again = f" (number {seen[line, name]} in the line)" if seen[line, name] > 1 else ""
            source = lines[line - 1].strip()
            found.append(
                Mutant(module, line, source, name + again, index, way, within.get(node, range(line, line + 1)))
            )
    return found


class Changed(importlib.machinery.SourceFileLoader):
    """Loads a module from a changed tree."""

    def __init__(self, mutant: Mutant) -> None:
        self.mutant = mutant
        self.wanted = f"core.{mutant.module.replace('/', '.')}"
        super().__init__(self.wanted, str(path_of(mutant.module)))

    def get_code(self, fullname: str) -> CodeType:
        return self.mutant.code()

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> object:
        if fullname != self.wanted:
            return None
        return importlib.util.spec_from_file_location(fullname, self.path, loader=self)
