"""Whether a pytest collection hook does no more than `skipif`: skip some tests under a condition."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

MARKING: Final = "pytest_collection_modifyitems"
_ASKED_OF_ITEMS: Final = frozenset(
    {"get_closest_marker", "iter_markers", "startswith", "endswith", "any", "all", "isinstance", "hasattr", "getattr"}
)
_CHANGES: Final = (ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await, ast.Lambda)


def only_skips(text: str, line: int) -> bool:
    """Whether the hook defined on a line only adds marks, under a condition that isn't about the tests."""
    try:
        tree = ast.parse(text)
        hook = next((node for node in tree.body if isinstance(node, ast.FunctionDef) and node.lineno == line), None)
        return hook is not None and _Reading().block(hook.body, under=False) is not None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


@dataclass(slots=True)
class _Reading:
    """The names of marks and of single tests that a hook has defined so far."""

    marks: set[str] = field(default_factory=set)
    each: set[str] = field(default_factory=set)

    def block(self, body: Sequence[ast.stmt], *, under: bool) -> bool | None:
        """Whether the following statements are under a condition; None if a statement does more than mark."""
        for one in body:
            after = self._statement(one, under=under)
            if after is None:
                return None
            under = after
        return under

    def _statement(self, one: ast.stmt, *, under: bool) -> bool | None:
        match one:
            case ast.Pass() | ast.Continue() | ast.Return(value=None) | ast.Expr(value=ast.Constant()):
                return under
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if self._is_mark(value):
                self.marks.add(name)
                return under
            case ast.For(target=ast.Name(id=name), iter=ast.Name(id="items"), body=body, orelse=[]):
                self.each.add(name)
                return None if self.block(body, under=under) is None else under
            case ast.If(test=test, body=body, orelse=orelse) if self._asks(test):
                inside = under or self._of_surroundings(test)
                parts = [self.block(part, under=inside) for part in (body, orelse)]
                return None if None in parts else under or (inside and isinstance(body[-1], ast.Return | ast.Continue))
            case ast.Expr(value=ast.Call(ast.Attribute(ast.Name(id=item), "add_marker"), [mark], [])):
                return under if under and item in self.each and self._is_mark(mark) else None
        return None

    def _is_mark(self, value: ast.expr) -> bool:
        """Whether this is `pytest.mark.skip(reason="…")` or a name for it; `xfail` does more than skip."""
        if isinstance(value, ast.Name):
            return value.id in self.marks
        called = value.func if isinstance(value, ast.Call) else value
        given = [*value.args, *(one.value for one in value.keywords)] if isinstance(value, ast.Call) else []
        match called:
            case ast.Attribute(ast.Attribute(ast.Name(id="pytest"), "mark"), name):
                return name != "xfail" and not any(isinstance(part, ast.Call) for part in _parts(given))
        return False

    def _asks(self, test: ast.expr) -> bool:
        """Whether a condition leaves the tests unchanged."""
        parts = _parts([test])
        names = {part.id for part in parts if isinstance(part, ast.Name)}
        calls = [part.func for part in parts if isinstance(part, ast.Call)]
        known = all(getattr(call, "attr", getattr(call, "id", "")) in _ASKED_OF_ITEMS for call in calls)
        mild = known or not names & {*self.each, "items", "session"}
        return mild and not any(isinstance(part, _CHANGES) for part in parts)

    def _of_surroundings(self, test: ast.expr) -> bool:
        """Whether a condition depends on where the tests run: it uses names, but no test."""
        names = {part.id for part in _parts([test]) if isinstance(part, ast.Name)}
        return bool(names) and not names & {*self.each, "items", "session"}


def _parts(nodes: Iterable[ast.AST]) -> list[ast.AST]:
    return [part for node in nodes for part in ast.walk(node)]
