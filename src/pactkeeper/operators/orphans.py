"""The verbs that name tests without an intent: all of them, or those that a change brought."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pactkeeper.intent.links import LinkedTest
from pactkeeper.intent.tests import Gap
from pactkeeper.operators.observe import discover_delta
from pactkeeper.operators.observing import sight
from pactkeeper.operators.view import View
from pactkeeper.workspace import Workspace

WITHOUT_INTENT: Final = frozenset({"orphan", "debt", "changed_debt"})


@dataclass(frozen=True, slots=True)
class Orphans:
    """Tests that no atom is declared for, recorded debt included, out of `total` tests that were looked at.

    Where there are gaps, more may be without intent than are named. `base` is the commit that was compared with, empty
    for a full scan.
    """

    snapshot: str
    tests: tuple[LinkedTest, ...]
    total: int
    gaps: tuple[Gap, ...]
    base: str = ""


def discover_orphans_fullscan(workspace: Workspace, paths: Sequence[str] = ()) -> Orphans:
    """Name every test without an intent at or below the paths."""
    seen = sight(workspace, View(paths=tuple(paths)))
    found = tuple(entry for entry in seen.linked if entry.state in WITHOUT_INTENT)
    return Orphans(seen.snapshot, found, len(seen.linked), seen.gaps)


def discover_orphans_delta(workspace: Workspace, paths: Sequence[str] = (), *, since: str | None = None) -> Orphans:
    """Name the tests without an intent that were added, changed or moved since a base.

    The base is `since`, the last run's commit, or where HEAD left the main branch; MissingBaseline where none is known.
    """
    report = discover_delta(workspace, View(paths=tuple(paths)), since=since)
    known = workspace.world(workspace.snapshot()).by_id
    delta = report.delta
    touched = {*delta.added, *delta.modified, *(new for _, new in (*delta.moved, *delta.renamed))}
    found = tuple(known[name] for name in sorted(touched) if known[name].state in WITHOUT_INTENT)
    return Orphans(report.target, found, len(touched), delta.gaps, report.base)
