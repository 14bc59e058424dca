"""Verbs that only look: scan, delta and status; for unchanged content they load nothing but the cached report."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from pactkeeper.intent.ids import is_id
from pactkeeper.intent.tests import Gap, under
from pactkeeper.operators.proof import Proof, kept_proof
from pactkeeper.operators.view import Form, StateView, history_key, kept, state_key, viewed
from pactkeeper.reconcile.request import Baseline, baseline, last_look
from pactkeeper.repo.delta import Delta
from pactkeeper.workspace import Workspace

if TYPE_CHECKING:
    from pactkeeper.health.watching import Colour
    from pactkeeper.repo.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class TestRow:
    """A test as doors show it; the fields are those of `intent.tests.Test`, and a link is (atom, state, carrier)."""

    id: str
    file: str
    suite: tuple[str, ...]
    name: str
    name_line: int
    end_line: int
    language: str
    framework: str
    cases: int | None
    dynamic: bool
    body_hash: str
    links: tuple[tuple[str, str, str], ...]
    state: str

    @property
    def atoms(self) -> tuple[str, ...]:
        """The atoms that it is linked to."""
        return tuple(atom for atom, _, _ in self.links)


@dataclass(frozen=True, slots=True)
class ScanReport:
    """The tests of a view with their links, and what could not be scanned."""

    snapshot: str
    tests: tuple[TestRow, ...]
    gaps: tuple[Gap, ...]


@dataclass(frozen=True, slots=True)
class DeltaReport:
    """A delta of tests, with its consequences for the pact."""

    base: str
    target: str
    delta: Delta
    changed_linked: tuple[str, ...]
    orphans: tuple[str, ...]
    atoms_without_tests: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SweptLine:
    """The colour of the swept line, the commit of the last sweep that counts (empty before the first), and open tasks.

    `unswept` counts the commits since.
    """

    colour: Colour
    commit: str
    tasks: int
    unswept: int = 0


@dataclass(frozen=True, slots=True)
class Statistics:
    """Counts for one screen: tests by state and framework, atoms by status, and what awaits a person.

    `proof` is the evidence on tests and atoms, `health` what sweeps know; both None without a history.
    """

    snapshot: str
    declared: bool
    tests: Mapping[str, int]
    frameworks: Mapping[str, int]
    atoms: Mapping[str, int]
    debt: int
    gaps: int
    errors: int
    warnings: int
    pending: int
    unfinished: str | None
    orphans_by_folder: tuple[tuple[str, int], ...]
    proof: Proof | None = None
    health: SweptLine | None = None

    @property
    def broken(self) -> int:
        """How many committed atoms fail in their last known run."""
        return 0 if self.proof is None else self.proof.broken

    @property
    def red(self) -> bool:
        """Whether the main line is red."""
        return self.health is not None and self.health.colour == "red"


def scan_repo(workspace: Workspace, view: StateView) -> ScanReport:
    """Find every test of the view and its links; works without a pact."""
    snapshot = viewed(workspace, view)
    report = kept(workspace, _SCANS, state_key(workspace, snapshot), lambda: _scan(workspace, view))
    if not view.paths:
        return report
    return replace(report, tests=tuple(one for one in report.tests if under(one.file, view.paths)))


def _scan(workspace: Workspace, view: StateView) -> tuple[ScanReport, bool]:
    from pactkeeper.operators.gathering import row_of, sight  # noqa: PLC0415 - not needed for an unchanged repository

    seen = sight(workspace, replace(view, paths=()))
    return ScanReport(seen.snapshot, tuple(row_of(entry) for entry in seen.linked), seen.gaps), True


def discover_delta(workspace: Workspace, view: StateView, *, since: str | None) -> DeltaReport:
    """Compare the view's tests with a base: `since`, the last run's commit, or where HEAD left the main branch."""
    base = baseline_of(workspace, since).commit
    target = viewed(workspace, view)
    key = state_key(workspace, target, base, *view.paths)
    return kept(workspace, _DELTAS, key, lambda: _compare(workspace, base, target, view.paths))


def _compare(workspace: Workspace, base: str, target: Snapshot, paths: tuple[str, ...]) -> tuple[DeltaReport, bool]:
    from pactkeeper.operators.gathering import compare  # noqa: PLC0415 - as above

    return compare(workspace, workspace.snapshot(base), target, paths), True


def get_statistics(workspace: Workspace) -> Statistics:
    """Count tests, atoms and findings; a broken pact raises, as everywhere."""
    snapshot = workspace.snapshot()
    key = history_key(workspace, snapshot, workspace.repository.head())
    counted = kept(workspace, _COUNTS, key, lambda: _count(workspace, snapshot))
    return replace(counted, unfinished=workspace.unfinished())


def _count(workspace: Workspace, snapshot: Snapshot) -> tuple[Statistics, bool]:
    from pactkeeper.operators.gathering import count  # noqa: PLC0415 - as above

    return count(workspace, snapshot)


def _kept_scan(text: str) -> ScanReport:
    import msgspec  # noqa: PLC0415 - builds thousands of rows in a tenth of the time

    if text.isascii() or not _SURROGATE.search(text):
        return msgspec.json.decode(text, type=ScanReport)
    return msgspec.convert(json.loads(text), ScanReport)  # a path that is not UTF-8


def _kept_delta(fields: dict[str, Any]) -> DeltaReport:
    lists: dict[str, Any] = {name: tuple(fields.pop(name)) for name in _DELTA_LISTS}
    return DeltaReport(delta=_delta(**fields.pop("delta")), **lists, **fields)


def _delta(*, moved: list[list[str]], renamed: list[list[str]], gaps: list[dict[str, Any]], **ids: list[str]) -> Delta:
    lists: dict[str, Any] = {name: tuple(found) for name, found in ids.items()}
    return Delta(moved=_steps(moved), renamed=_steps(renamed), gaps=tuple(Gap(**one) for one in gaps), **lists)


def _steps(pairs: list[list[str]]) -> tuple[tuple[str, str], ...]:
    return tuple((old, new) for old, new in pairs)


def _kept_counts(fields: dict[str, Any]) -> Statistics:
    folders = tuple((name, number) for name, number in fields.pop("orphans_by_folder"))
    proof, line = kept_proof(fields.pop("proof")), fields.pop("health")
    health = None if line is None else SweptLine(**line)
    return Statistics(orphans_by_folder=folders, proof=proof, health=health, **fields)


_DELTA_LISTS: Final = ("changed_linked", "orphans", "atoms_without_tests")
_SCANS: Final = Form("scans/1", 4, _kept_scan, parse=str)
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_DELTAS: Final = Form("deltas/1", 8, _kept_delta)
_COUNTS: Final = Form("counts/4", 4, _kept_counts)


@dataclass(frozen=True, slots=True)
class _Last:
    """The run that has covered all changes up to its commit; None if there is none."""

    look: Baseline | None


def baseline_of(workspace: Workspace, since: str | None) -> Baseline:
    """Return a delta's base: the commit or run named by `since`, the last run, or where HEAD left the trunk."""
    if not workspace.has_history:
        return baseline(workspace.repository, since, None, workspace.pact_folder)
    if since is None:
        return baseline(workspace.repository, None, _last(workspace), workspace.pact_folder)
    named = _named(workspace, since) if is_id(since, "REC") else None
    return named or baseline(workspace.repository, since, None, workspace.pact_folder)


def _last(workspace: Workspace) -> Baseline | None:
    mark = workspace.history_mark()
    key = None if mark is None else f"{workspace.identity} {mark}"
    return kept(workspace, _LAST, key, lambda: (_last_of_history(workspace), True)).look


def _last_of_history(workspace: Workspace) -> _Last:
    from pactkeeper.store.runs import list_runs  # noqa: PLC0415 - only if the history changed

    last = last_look(list_runs(workspace.history(), statuses=("paused", "completed")))
    return _Last(None if last is None or not last.commit else Baseline(last.commit, last.id))


def _named(workspace: Workspace, run: str) -> Baseline | None:
    from pactkeeper.store.runs import find_run  # noqa: PLC0415 - a named commit needs no history

    found = find_run(workspace.history(), run)
    return None if found is None or found.commit is None else Baseline(found.commit, found.id)


def _kept_last(fields: dict[str, Any]) -> _Last:
    look = fields["look"]
    return _Last(None if look is None else Baseline(**look))


_LAST: Final = Form("baselines/1", 2, _kept_last)
