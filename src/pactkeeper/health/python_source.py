"""Whether a change to a Python test file leaves what its tests check untouched, judged by syntax trees.

Only three things may be added: an assertion that calls nothing new, a row of a parametrisation, and around tests an
import or a class that brings names nobody used before. Whatever else differs is for a person to judge.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

# Names that change how tests are found or run, whoever brings them into a test module.
HOOKS: Final = ("pytest", "setup", "teardown", "setUp", "tearDown", "load_tests", "collect_ignore", "__")
_RUNNING: Final = (ast.NamedExpr, ast.Lambda, ast.Await, ast.Yield, ast.YieldFrom)
_Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Lines:
    """Where a test stands: its first line, decorators included, and its last, counted from 1."""

    first: int
    last: int


def same_or_more(before: str, after: str, *, old: Lines, new: Lines) -> bool:
    """Whether a test still does all that it did, in the same order, and at most asserts more or runs more rows."""
    one, other = _function(before, old), _function(after, new)
    if one is None or other is None or type(one) is not type(other):
        return False
    if (one.name, _dump(one.args)) != (other.name, _dump(other.args)):
        return False
    return _decorators_grew(one.decorator_list, other.decorator_list) and _body_grew(one, other)


def surroundings_hold(before: str, after: str, *, old: Sequence[Lines], new: Sequence[Lines]) -> bool:
    """Whether everything of a file but its tests is there as it was; imports and classes of new names may be added."""
    trees = _parsed(before), _parsed(after)
    if trees[0] is None or trees[1] is None:
        return False
    names = _names(trees[0])
    return _grew(_without(trees[0].body, old), _without(trees[1].body, new), names)


def _parsed(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return None


def _dump(node: ast.AST | None) -> str:
    return "" if node is None else ast.dump(node)


def _function(text: str, lines: Lines) -> _Function | None:
    tree = _parsed(text)
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, _Function) and _first_line(node) == lines.first and node.end_lineno == lines.last:
            return node
    return None


def _first_line(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(one.lineno for one in decorators)])


def _decorators_grew(before: Sequence[ast.expr], after: Sequence[ast.expr]) -> bool:
    if len(before) != len(after):
        return False
    return all(_dump(one) == _dump(other) or _rows_grew(one, other) for one, other in zip(before, after, strict=True))


def _rows_grew(before: ast.expr, after: ast.expr) -> bool:
    """Whether both are one parametrisation written out, and every earlier row is still there in its order."""
    if not (isinstance(before, ast.Call) and isinstance(after, ast.Call)):
        return False
    if _dump(before.func) != _dump(after.func) or not _dump(before.func).endswith("attr='parametrize', ctx=Load())"):
        return False
    if before.keywords or after.keywords or not len(before.args) == len(after.args) == 2:  # noqa: PLR2004 - names, rows
        return False
    (names, rows), (new_names, new_rows) = before.args, after.args
    if _dump(names) != _dump(new_names) or not isinstance(rows, ast.List) or not isinstance(new_rows, ast.List):
        return False
    return _is_subsequence([_dump(row) for row in rows.elts], [_dump(row) for row in new_rows.elts])


def _is_subsequence(part: Sequence[str], whole: Iterable[str]) -> bool:
    rest = iter(whole)
    return all(one in rest for one in part)


def _body_grew(before: _Function, after: _Function) -> bool:
    called = {_dump(node) for node in ast.walk(before) if isinstance(node, ast.Call)}
    left = [_dump(one) for one in _statements(before)]
    for statement in _statements(after):
        if left and _dump(statement) == left[0]:
            left.pop(0)
        elif not _is_harmless_assertion(statement, called):
            return False
    return not left


def _statements(function: _Function) -> list[ast.stmt]:
    return function.body[1:] if ast.get_docstring(function) is not None else function.body


def _is_harmless_assertion(statement: ast.stmt, called: set[str]) -> bool:
    asserts = isinstance(statement, ast.Assert) or (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Call)
        and isinstance(statement.value.func, ast.Attribute)
        and statement.value.func.attr.startswith("assert")
        and _dump(statement.value.func.value) == _dump(ast.Name("self", ast.Load()))
    )
    own = statement.value if isinstance(statement, ast.Expr) else None
    calls = [node for node in ast.walk(statement) if isinstance(node, ast.Call) and node is not own]
    runs = any(isinstance(node, _RUNNING) for node in ast.walk(statement))
    return asserts and not runs and all(_dump(node) in called for node in calls)


def _without(body: Sequence[ast.stmt], tests: Sequence[Lines]) -> list[ast.stmt]:
    """The statements without tests and docstrings, inside classes likewise; an empty class keeps its place."""
    places = {(one.first, one.last) for one in tests}
    return list(_kept(body, places))


def _kept(body: Sequence[ast.stmt], places: set[tuple[int, int]]) -> Iterator[ast.stmt]:
    for statement in body:
        if (_first_line(statement), statement.end_lineno or 0) in places:
            continue
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            continue  # a docstring, or a text that nothing reads
        if isinstance(statement, ast.Pass):
            continue
        if isinstance(statement, ast.ClassDef):
            statement.body = list(_kept(statement.body, places))
        yield statement


def _grew(before: Sequence[ast.stmt], after: Sequence[ast.stmt], names: set[str]) -> bool:
    left = list(before)
    for statement in after:
        if left and _dump(statement) == _dump(left[0]):
            left.pop(0)
        elif not _brings_only(statement, names):
            return False
    return not left


def _brings_only(statement: ast.stmt, names: set[str]) -> bool:
    """Whether a statement only makes names that were unknown here: an import, or a plain class of tests."""
    if isinstance(statement, ast.ClassDef):
        plain = not (statement.body or statement.decorator_list or statement.keywords)
        return plain and statement.name not in names
    if not isinstance(statement, (ast.Import, ast.ImportFrom)):
        return False
    bound = [(one.asname or one.name).partition(".")[0] for one in statement.names]
    return all(name != "*" and name not in names and not name.startswith(HOOKS) for name in bound)


def _names(tree: ast.Module) -> set[str]:
    """Every name that stands anywhere in the file, arguments (and so fixtures) included."""
    found: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) | ast.arg(arg=name) | ast.ClassDef(name=name) | ast.FunctionDef(name=name):
                found.add(name)
            case ast.alias(name=name, asname=other):
                found.add((other or name).partition(".")[0])
    return found
