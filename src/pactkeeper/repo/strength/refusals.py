"""What fakes and guarding fixtures of Python tests refuse: a fake that takes anything lets a wrong product pass."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from pactkeeper.intent.strength.change import Change
from pactkeeper.repo.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class _Function:
    """A function with what it raises, its line, and whether it is a fixture that every test gets."""

    raises: tuple[str, ...]
    line: int
    autouse: bool


def refusal_changes(before: Snapshot, after: Snapshot, support: Iterable[str]) -> Iterator[Change]:
    """Yield functions of changed support files that refuse nothing any more, and fixtures that guard fewer tests.

    A `raise` that another changed file or function has in its place only moved.
    """
    sides = [{path: _functions(side, path) for path in sorted(support)} for side in (before, after)]
    numbers = [sum(_refusals(side, path) for path in support) for side in (before, after)]
    for path, olds in sides[0].items():
        for name, old in olds.items():
            new = sides[1][path].get(name)
            if new is None or not old.raises:
                continue
            subject = f"{path}::{name}"
            if not new.raises and numbers[1] < numbers[0]:
                message = "it refuses nothing any more"
                yield Change("loosened", subject, message, old.raises[0], "", new.line, "warning", subject)
            elif old.autouse and not new.autouse:
                message = "it only guards tests that ask for it now"
                yield Change("loosened", subject, message, "autouse", "", new.line, "warning", subject)


def _functions(snapshot: Snapshot, path: str) -> Mapping[str, _Function]:
    found: dict[str, _Function] = {}
    tree = _tree(snapshot, path)
    scopes = [("", tree.body)] if tree is not None else []
    scopes += [(f"{one.name}.", one.body) for _, body in scopes for one in body if isinstance(one, ast.ClassDef)]
    for prefix, body in scopes:
        for one in body:
            if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef):
                raises = tuple(ast.unparse(part) for part in ast.walk(one) if isinstance(part, ast.Raise) and part.exc)
                autouse = any("autouse=True" in ast.unparse(mark) for mark in one.decorator_list)
                found[f"{prefix}{one.name}"] = _Function(raises, one.lineno, autouse)
    return found


def _refusals(snapshot: Snapshot, path: str) -> int:
    tree = _tree(snapshot, path)
    return sum(isinstance(part, ast.Raise | ast.Assert) for part in ast.walk(tree)) if tree is not None else 0


def _tree(snapshot: Snapshot, path: str) -> ast.Module | None:
    source = snapshot.read(path) if path in snapshot and path.endswith(".py") else None
    try:
        return ast.parse(source) if source is not None else None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
