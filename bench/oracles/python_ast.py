"""What Python's own parser sees of the tests of one file: an independent second opinion, as simple as it can be."""

from __future__ import annotations

import ast
import hashlib
import warnings
from collections.abc import Iterator

Function = ast.FunctionDef | ast.AsyncFunctionDef


def tests(source: bytes) -> dict[str, str]:
    """A fingerprint by the part of the id after the file, for every function or method whose name begins with `test`.

    A later definition of a name takes the place of an earlier one. Raises SyntaxError.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant):
            node.kind = None  # `u"x"` is "x" since Python 3; formatters take the letter away
    return dict(_inside(tree, ()))


def _inside(node: ast.AST, suite: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Function):
            if child.name.startswith("test"):
                yield "::".join((*suite, child.name)), _fingerprint(child)
        elif isinstance(child, ast.ClassDef):
            yield from _inside(child, (*suite, child.name))
        elif isinstance(child, ast.If | ast.Try | ast.With | ast.ExceptHandler | ast.For | ast.While):
            yield from _inside(child, suite)


def _fingerprint(function: Function) -> str:
    body = function.body
    if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        body = body[1:] if isinstance(body[0].value.value, str) else body
    parts = [type(function).__name__, *map(ast.dump, function.decorator_list), ast.dump(function.args)]
    parts += [ast.dump(function.returns)] if function.returns is not None else []
    return hashlib.sha256("\n".join([*parts, *map(ast.dump, body)]).encode()).hexdigest()
