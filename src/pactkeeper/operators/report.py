"""The verb behind `pk report`: what readers of a pact want to know, as one value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Final, Literal

from pactkeeper.errors import InputError
from pactkeeper.intent.evidence_state import Backing, backing_by_atom
from pactkeeper.intent.links import FIRM_LINKS, LinkedTest, realisers_by_atom
from pactkeeper.intent.pact import Pact
from pactkeeper.ledger.canonical import counted, tally
from pactkeeper.operators.atoms import AtomRow, row_of
from pactkeeper.operators.check import CheckReport, Row, check_repo
from pactkeeper.operators.colours import Moment, health_timeline
from pactkeeper.operators.gathering import swept_line_of
from pactkeeper.operators.observe import SweptLine
from pactkeeper.operators.proof import Attested, Ran, judged, latest_attested, ran_at, with_earlier
from pactkeeper.operators.structure import coupling_report
from pactkeeper.operators.view import StateView
from pactkeeper.workspace import Workspace

Rung = Literal["proven", "committed", "linked", "unknown"]
RUNGS: Final[tuple[Rung, ...]] = ("proven", "committed", "linked", "unknown")
GONE: Final = frozenset({"superseded", "abandoned"})
MOST_POINTS, MOST_AREAS, MOST_SWEEPS, MOST_DEEP = 24, 20, 60, 6
SPREADS: Final = ((0, 0, "no test"), (1, 1, "1 test"), (2, 2, "2 tests"), (3, 5, "3 to 5"), (6, 1 << 60, "6 or more"))


@dataclass(frozen=True, slots=True)
class Area:
    """A folder with its tests by rung."""

    name: str
    tests: Mapping[Rung, int]


@dataclass(frozen=True, slots=True)
class Point:
    """The pact at one commit: live atoms, committed atoms, and lines of debt; `day` is ISO 8601."""

    commit: str
    day: str
    atoms: int
    committed: int
    debt: int


@dataclass(frozen=True, slots=True)
class Report:
    """The state of a repository and its pact; the same repository and history give the same value.

    `tests` counts every test on the highest rung it reached: *proven* has a committed atom and is proven, *committed*
    and *linked* say how firm its atom is, *unknown* has no valid one. `evidence` counts live atoms by state, `spread`
    by the number of their tests, and `alone` lists those without one. `points` are oldest first; `unread` counts
    commits whose pact cannot be read. `sweeps` are oldest first. `behaviours` are the live atoms, failing and
    committed ones first, each with the tests that back it; `unbacked` counts the committed ones that no test backs.
    `groups` names the kept molecule of an atom, `ran` says where the proven tests passed, and `main` how the main line
    stands; None without a history.
    """

    name: str
    snapshot: str
    commit: str
    check: CheckReport
    tests: Mapping[Rung, int]
    atoms: Mapping[str, int]
    evidence: Mapping[str, int]
    areas: tuple[Area, ...]
    spread: tuple[tuple[str, int], ...]
    alone: tuple[str, ...]
    crowded: tuple[tuple[str, int], ...]
    points: tuple[Point, ...]
    unread: int = 0
    sweeps: tuple[Moment, ...] = ()
    attested: Attested | None = field(default=None)
    behaviours: tuple[AtomRow, ...] = ()
    unbacked: int = 0
    groups: Mapping[str, str] = field(default_factory=dict)
    ran: tuple[Ran, ...] = ()
    main: SweptLine | None = None

    @property
    def live(self) -> int:
        """How many atoms are in force."""
        return sum(number for status, number in self.atoms.items() if status not in GONE)

    @property
    def findings(self) -> tuple[Row, ...]:
        """The findings, most severe first."""
        return tuple(sorted(self.check.findings, key=lambda row: ("error", "warning", "info").index(row.severity)))


def make_report(workspace: Workspace, *, points: int = MOST_POINTS) -> Report:
    """Sum up the work tree, its pact and the history, looking back at most `points` commits."""
    check = check_repo(workspace, StateView())
    snapshot = workspace.snapshot()
    world = workspace.world(snapshot, judged=False)
    states, atoms = judged(workspace, snapshot, world)
    proven = frozenset(name for name, one in states.items() if one.state == "proven")
    rungs = {entry.test.id: rung(entry, world.pact, proven) for entry in world.linked}
    coupled = coupling_report(workspace)
    backings = backing_by_atom(world.linked, states, world.pact, world.unseen)
    pact, ran = world.pact, ran_at(workspace, snapshot, world, states)
    backings = with_earlier(backings, atoms, states, ran)
    past, unread = _points(workspace, points)
    return Report(
        workspace.repository.root.name,
        snapshot.name,
        workspace.repository.head() or "",
        check,
        counted(rungs.values(), RUNGS),
        check.atoms,
        tally(one.state for one in atoms.values()),
        tuple(_areas([(entry.test.file, rungs[entry.test.id]) for entry in world.linked])),
        tuple(_spread(world.pact, world.linked)),
        tuple(f"{name} {world.pact.atoms[name].intent}" for name in coupled.alone),
        tuple((atom, len(files)) for atom, files in sorted(coupled.crowded, key=lambda one: (-len(one[1]), one[0]))),
        past,
        unread,
        health_timeline(workspace, limit=MOST_SWEEPS)[::-1],
        latest_attested(workspace),
        _behaviours(world.pact, backings),
        sum(world.pact.is_committed(name) and not one.backed for name, one in backings.items()),
        {name: one.name for one in pact.molecules.values() for name in pact.in_force(one.atoms)},
        ran,
        swept_line_of(workspace),
    )


def _behaviours(pact: Pact, backings: Mapping[str, Backing]) -> tuple[AtomRow, ...]:
    """Return the live atoms, failing and then committed ones first."""
    order = sorted(backings, key=lambda name: (backings[name].state != "failing", not pact.is_committed(name)))
    return tuple(replace(row_of(pact.atoms[name], pact), backing=backings[name]) for name in order)


def rung(entry: LinkedTest, pact: Pact, proven: frozenset[str]) -> Rung:
    """Return the highest rung that a test reached; a link that changed since its review does not count."""
    held = entry.atoms(FIRM_LINKS)
    if not held:
        return "unknown"
    if not any(pact.is_committed(atom) for atom in held):
        return "linked"
    return "proven" if entry.test.id in proven else "committed"


def _areas(placed: Sequence[tuple[str, Rung]]) -> Iterator[Area]:
    """Yield tests by folder, at the greatest depth with few enough folders to read; the rest is combined."""
    deep = MOST_DEEP
    while deep > 1 and len({_folder(file, deep) for file, _ in placed}) > MOST_AREAS:
        deep -= 1
    found: dict[str, list[Rung]] = {}
    for file, one in placed:
        found.setdefault(_folder(file, deep), []).append(one)
    ranked = sorted(found, key=lambda name: (-len(found[name]), name))
    yield from (Area(name, counted(found[name], RUNGS)) for name in ranked[:MOST_AREAS])
    rest = [one for name in ranked[MOST_AREAS:] for one in found[name]]
    if rest:
        yield Area(f"{len(ranked) - MOST_AREAS:,} more folders", counted(rest, RUNGS))


def _folder(file: str, deep: int) -> str:
    return "/".join(file.split("/")[:-1][:deep]) or "."


def _spread(pact: Pact, linked: Sequence[LinkedTest]) -> Iterator[tuple[str, int]]:
    """Count live atoms by their number of tests."""
    realisers = realisers_by_atom(linked)
    numbers = [len(realisers.get(name, ())) for name in pact.atoms if pact.status_of(name) not in GONE]
    for least, most, told in SPREADS:
        yield told, sum(least <= number <= most for number in numbers)


def _points(workspace: Workspace, most: int) -> tuple[tuple[Point, ...], int]:
    """Return the pact at commits that changed it, evenly spaced, and how many of these could not be read."""
    if workspace.repository.head() is None:
        return (), 0
    folder = workspace.pact_folder.root
    told = workspace.repository.run("log", "--first-parent", "--format=%H %ct", "HEAD", "--", folder).decode()
    found = [line.split() for line in told.splitlines()][::-1]
    points = [_point(workspace, commit, int(seconds)) for commit, seconds in _spaced(found, most)]
    read = tuple(one for one in points if one is not None)
    return read, len(points) - len(read)


def _spaced(found: Sequence[Sequence[str]], most: int) -> Iterator[Sequence[str]]:
    """Yield at most `most` items, including the first and the last."""
    if len(found) <= most:
        yield from found
        return
    yield from (found[place * (len(found) - 1) // (most - 1)] for place in range(most))


def _point(workspace: Workspace, commit: str, seconds: int) -> Point | None:
    try:
        pact = workspace.pact(workspace.snapshot(commit))
    except InputError:  # written by another version, or an unresolved merge; the check judges the current state
        return None
    live = [name for name in pact.atoms if pact.status_of(name) not in GONE]
    committed = sum(pact.is_committed(name) for name in live)
    day = datetime.fromtimestamp(seconds, UTC).date().isoformat()
    return Point(commit, day, len(live), committed, len(pact.debt.by_test))
