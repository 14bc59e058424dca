"""Verbs that list tests without an intent: all of them, or those of a change."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from pactkeeper.intent.links import LinkedTest
from pactkeeper.intent.patterns import matcher
from pactkeeper.intent.tests import Gap, file_of
from pactkeeper.operators.gathering import sight
from pactkeeper.operators.named import named_tests
from pactkeeper.operators.observe import discover_delta
from pactkeeper.operators.view import StateView
from pactkeeper.reconcile.looking import infer_tests
from pactkeeper.reconcile.propose import Inferred
from pactkeeper.reconcile.select import WITHOUT_INTENT
from pactkeeper.workspace import Workspace

KINDS: Final = ("added", "modified", "moved", "renamed", "deleted")


@dataclass(frozen=True, slots=True)
class Orphans:
    """Tests without a declared atom, including recorded debt, out of `total` tests examined.

    If there are gaps, more tests may be without intent. `base` is the commit compared with, empty for a full scan.
    `changed_linked` are changed tests with an intent, and `summary` counts the differences.
    """

    snapshot: str
    tests: tuple[LinkedTest, ...]
    total: int
    gaps: tuple[Gap, ...]
    base: str = ""
    changed_linked: tuple[str, ...] = ()
    summary: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Only:
    """Patterns that select files: those matching `include`, by default all, except those matching `exclude`."""

    include: Sequence[str] = ()
    exclude: Sequence[str] = ()

    def matcher(self) -> Callable[[str], bool]:
        """Return a predicate for selected files."""
        meant, left_out = matcher(self.include), matcher(self.exclude)
        return lambda path: (not self.include or meant(path)) and not left_out(path)


EVERY_FILE: Final = Only()


def discover_orphans_fullscan(workspace: Workspace, paths: Sequence[str] = (), *, only: Only = EVERY_FILE) -> Orphans:
    """List every test without an intent at or below the paths, in the selected files."""
    seen, is_meant = sight(workspace, StateView(paths=tuple(paths))), only.matcher()
    linked = [entry for entry in seen.linked if is_meant(entry.test.file)]
    found = tuple(entry for entry in linked if entry.state in WITHOUT_INTENT)
    return Orphans(seen.snapshot, found, len(linked), seen.gaps)


def discover_orphans_delta(
    workspace: Workspace, paths: Sequence[str] = (), *, since: str | None = None, only: Only = EVERY_FILE
) -> Orphans:
    """List the tests without an intent that were added, changed or moved since a base.

    The base is `since`, the last run's commit, or where HEAD left the main branch; raises MissingBaseline if there is
    none.
    """
    report = discover_delta(workspace, StateView(paths=tuple(paths)), since=since)
    known = workspace.world(workspace.snapshot()).by_id
    delta = report.delta
    is_meant = only.matcher()
    new = {*delta.added, *delta.modified, *(name for _, name in (*delta.moved, *delta.renamed))}
    touched = sorted(name for name in new if is_meant(file_of(name)))
    found = tuple(known[name] for name in touched if known[name].state in WITHOUT_INTENT)
    changed = tuple(name for name in report.changed_linked if is_meant(file_of(name)))
    summary = {kind: len(getattr(delta, kind)) for kind in KINDS}
    return Orphans(report.target, found, len(touched), delta.gaps, report.base, changed, summary)


def infer_atom_from_test(workspace: Workspace, names: Sequence[str]) -> tuple[Inferred, ...]:
    """Infer the behaviour of each named test by rules, with their confidence and reasons for doubt.

    Raises UsageError for a name that matches no test.
    """
    snapshot = workspace.snapshot()
    world = workspace.world(snapshot)
    return infer_tests(snapshot, named_tests(world, names, folder=workspace.folder))
