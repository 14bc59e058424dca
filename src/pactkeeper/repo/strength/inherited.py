"""What a change did to classes that say of what the tests that they inherit are: `Cache = LRUCache`."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping

from pactkeeper.intent.strength.change import Change, Severity
from pactkeeper.repo.snapshot import Snapshot
from pactkeeper.repo.strength.support import TestState


def inherited_changes(
    before: TestState, after: TestState, changed: Collection[str], gone: frozenset[str]
) -> Iterator[Change]:
    """Yield each value of a class in a changed file that another one replaces, if tests of other classes run there.

    `gone` are names that the product no longer defines: a value of such a name has only been renamed.
    """
    heirs = {place for test in after.scan.tests for place in test.runs_in}
    for path in sorted({place.partition("::")[0] for place in heirs}.intersection(changed)):
        olds, news = (_values(side.snapshot, path) for side in (before, after))
        for (owner, name), (value, line) in news.items():
            old = olds.get((owner, name), (value, 0))[0]
            if old != value and f"{path}::{owner}" in heirs:
                severity: Severity = "note" if gone.intersection(old.split(".")) else "warning"
                message = "the tests that it inherits are about something else"
                shown = f"{name} = {old}", f"{name} = {value}"
                yield Change("subject", f"{path}::{owner}", message, *shown, line, severity, f"{path}::{owner}")


def _values(snapshot: Snapshot, path: str) -> Mapping[tuple[str, str], tuple[str, int]]:
    """Return what the classes of a file hold, as source with its line, by class and name."""
    try:
        tree = ast.parse((snapshot.read(path) if path in snapshot else None) or b"")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    owners = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    return {
        (owner.name, target.id): (ast.unparse(line.value), line.lineno)
        for owner in owners
        for line in owner.body
        if isinstance(line, ast.Assign)
        for target in line.targets
        if isinstance(target, ast.Name)
    }
