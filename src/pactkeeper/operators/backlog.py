"""The verbs around what there is to do: all of it, the next of it, and what somebody puts aside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final, Literal

from pactkeeper.catalog.journal import Entry, FileEdit
from pactkeeper.catalog.schema import WAIVERS_FILE
from pactkeeper.catalog.transaction import Note, apply
from pactkeeper.catalog.write import put_waiver, remove_waiver
from pactkeeper.errors import UsageError
from pactkeeper.intent.binding import Files
from pactkeeper.intent.conflicts import find_conflicts
from pactkeeper.intent.pact import Waiver
from pactkeeper.intent.paths import under
from pactkeeper.intent.records import MoleculeRecommendation
from pactkeeper.intent.uncovered import Uncovered, uncovered
from pactkeeper.ledger.finding import Finding, Standing, Step, move
from pactkeeper.ledger.question import Question
from pactkeeper.operators.proof import judged
from pactkeeper.operators.reports import read_all
from pactkeeper.operators.signatures import known_commitments
from pactkeeper.operators.view import refuse_unknown
from pactkeeper.reconcile.backlog import Sources, Task, TaskKind, backlog
from pactkeeper.reconcile.check import Verdict, check
from pactkeeper.reconcile.moves import WITHOUT_INTENT
from pactkeeper.reconcile.select import Memory, seen_as
from pactkeeper.reconcile.world import World
from pactkeeper.repo.reports import read_coverage
from pactkeeper.repo.snapshot import Snapshot
from pactkeeper.workspace import Workspace

FOREVER: Final = date.max


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which tasks to find: of some kinds, below some paths; `coverage` names reports of which lines ran."""

    kinds: tuple[TaskKind, ...] = ()
    paths: tuple[str, ...] = ()
    coverage: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Backlog:
    """What there is to do, what is put aside, and in which sources nobody looked."""

    tasks: tuple[Task, ...]
    suppressed: tuple[tuple[Finding, Waiver], ...]
    unseen: tuple[str, ...]


def find_gaps(workspace: Workspace, wanted: Wanted) -> Backlog:
    """Find orphans, uncovered code, violations, conflicts, stale evidence and open questions, the most urgent first."""
    workspace.ensure_settled()
    snapshot = workspace.snapshot()
    refuse_unknown(workspace, snapshot, wanted.paths)
    world = workspace.world(snapshot)
    verdict = _verdict(workspace, snapshot, world)
    covered = _covered(workspace, snapshot, world, wanted.coverage)
    states, _ = judged(workspace, snapshot, world)
    waiting, questions, molecules = _of_history(workspace, world)
    found = backlog(
        Sources(
            verdict.findings,
            world.linked,
            world.pact,
            waiting,
            questions,
            molecules,
            find_conflicts(world.pact, world.linked).found,
            states,
            covered,
            _looked_at(workspace, world),
        )
    )
    tasks = tuple(
        one
        for one in found
        if (not wanted.kinds or one.kind in wanted.kinds) and (not wanted.paths or under(one.path, wanted.paths))
    )
    unseen = () if covered is not None else ("coverage: name a report with --coverage FILE",)
    return Backlog(tasks, tuple((entry.finding, waiver) for entry, waiver in verdict.waived), unseen)


def next_task(workspace: Workspace, wanted: Wanted) -> Task | None:
    """The one thing to do next; None where there is nothing but warnings and notes that no command would change."""
    tasks = find_gaps(workspace, wanted).tasks
    first = next((one for one in tasks if one.command or one.severity == "error" or one.kind == "uncovered"), None)
    begun = any(path.startswith("pact/") for path in workspace.snapshot().paths)
    if first is not None and not first.ops and not begun:
        return Task("orphan", "pact", "this repository has no pact yet", "pk init")
    return first


def _verdict(workspace: Workspace, snapshot: Snapshot, world: World) -> Verdict:
    known = known_commitments(workspace, snapshot, world.pact, below=workspace.repository.head())
    return check(world.linked, world.pact, world.scan.gaps, today=workspace.now().date(), known=known)


def _covered(workspace: Workspace, snapshot: Snapshot, world: World, names: Sequence[str]) -> Uncovered | None:
    if not names:
        return None
    reports = [coverage for _, coverage in read_all(workspace, names, read_coverage)]
    structure = workspace.structure(snapshot, world.pact)
    sources = {file.path for file in structure.files if file.language and not file.is_test}
    return uncovered(reports, sources, world.linked, Files(snapshot.paths, str(workspace.repository.root)))


def _of_history(
    workspace: Workspace, world: World
) -> tuple[Mapping[str, tuple[str, ...]], tuple[Question, ...], tuple[MoleculeRecommendation, ...]]:
    """Ops that wait and hold, by test, and the questions and groups of runs that are still about something there."""
    if not workspace.has_history:
        return {}, (), ()
    from pactkeeper.store.questions import open_questions  # noqa: PLC0415 - only where there is a history
    from pactkeeper.store.recommendations import molecule_recommendations  # noqa: PLC0415 - likewise
    from pactkeeper.store.waiting import open_ops_by_test, proposed_by_waiting  # noqa: PLC0415 - likewise

    history = workspace.history()
    unlinked = {entry.test.id for entry in world.linked if entry.state in {"orphan", "debt", "changed_debt"}}
    questions = tuple(one for one in open_questions(history) if one.subject in unlinked)
    latest = {one.subject: one for one in questions}
    stale = {op.group for op in proposed_by_waiting(history) if world.current(op) != op.precondition}
    waiting = {test: ops for test, ops in open_ops_by_test(history).items() if test not in stale}
    return waiting, tuple(latest.values()), molecule_recommendations(history, status="pending")


def _looked_at(workspace: Workspace, world: World) -> frozenset[str]:
    """Tests that a run looked at as they are, so that another one would leave them out."""
    if not workspace.has_history:
        return frozenset()
    from pactkeeper.reconcile.asking import known_tests  # noqa: PLC0415 - only where there is a history
    from pactkeeper.store.waiting import proposed_by_waiting, waiting_ops  # noqa: PLC0415 - likewise

    history = workspace.history()
    memory = Memory(known_tests(history, None), waiting_ops(history), proposed=proposed_by_waiting(history))
    memory = memory.without_stale(world)
    unlinked = (entry for entry in world.linked if entry.state in WITHOUT_INTENT)
    return frozenset(entry.test.id for entry in unlinked if memory.knows(entry.test.id, seen_as(entry, world)))


@dataclass(frozen=True, slots=True)
class KnownFinding:
    """A finding as it stands now, with when it was first and last seen by a run (empty: by none)."""

    finding: Finding
    state: str
    first_at: str = ""
    last_at: str = ""
    waiver: Waiver | None = None


def list_findings(workspace: Workspace) -> tuple[KnownFinding, ...]:
    """All findings of the work tree and those that runs saw and are resolved since, with what became of each."""
    snapshot = workspace.snapshot()
    world = workspace.world(snapshot)
    verdict = _verdict(workspace, snapshot, world)
    seen = {}
    if workspace.has_history:
        from pactkeeper.store.findings import seen_findings  # noqa: PLC0415 - only where there is a history

        seen = {one.finding.fingerprint: one for one in seen_findings(workspace.history())}
    now = [
        *((entry.finding, None) for entry in verdict.findings),
        *((entry.finding, waiver) for entry, waiver in verdict.waived),
    ]
    there = {finding.fingerprint for finding, _ in now}
    found = [
        KnownFinding(
            finding,
            _state(waiver),
            seen[finding.fingerprint].first_at if finding.fingerprint in seen else "",
            seen[finding.fingerprint].last_at if finding.fingerprint in seen else "",
            waiver,
        )
        for finding, waiver in now
    ]
    gone = (one for name, one in seen.items() if name not in there)
    return (*found, *(KnownFinding(one.finding, "resolved", one.first_at, one.last_at) for one in gone))


def _state(waiver: Waiver | None) -> str:
    if waiver is None:
        return "open"
    return "rejected" if waiver.until == FOREVER else "snoozed"


@dataclass(frozen=True, slots=True)
class Aside:
    """Putting a finding aside: until a date, or where `until` is None for as long as its evidence stays the same."""

    reason: str
    until: date | None = None


def put_aside(workspace: Workspace, name: str, aside: Aside) -> tuple[Finding, Entry | None]:
    """Snooze or reject the finding of that fingerprint, or the only one about that subject; written into the pact.

    Raises UsageError where nothing or more than one finding is named, and for a date that has passed.
    """
    if not aside.reason.strip():
        raise UsageError("say why: --reason '…'; whoever meets this later will ask")
    if aside.until is not None and aside.until < workspace.now().date():
        raise UsageError(f"{aside.until.isoformat()} has passed; name a day to come")
    finding = _named([one.finding for one in list_findings(workspace) if one.state != "resolved"], name)
    waiver = Waiver(
        workspace.person(), aside.reason, aside.until or FOREVER, finding.evidence_hash, finding.fingerprint
    )
    before = _waivers(workspace)
    entry = _write(workspace, before, put_waiver(before, waiver), verb="put aside")
    state: Literal["snoozed", "rejected"] = "rejected" if aside.until is None else "snoozed"
    until = "" if aside.until is None else f"{aside.until.isoformat()}T23:59:59+00:00"
    _remember(workspace, finding, Step(state, waiver.by, aside.reason, until))
    return finding, entry


def take_up(workspace: Workspace, name: str) -> tuple[Finding, Entry | None]:
    """Let a finding that was put aside count again."""
    aside = [one for one in list_findings(workspace) if one.waiver is not None]
    finding = _named([one.finding for one in aside], name)
    waiver = next(one.waiver for one in aside if one.finding == finding and one.waiver is not None)
    before = _waivers(workspace)
    entry = _write(workspace, before, remove_waiver(before or b"", waiver.key), verb="take up")
    _remember(workspace, finding, Step("open", workspace.person()))
    return finding, entry


def _remember(workspace: Workspace, finding: Finding, step: Step) -> None:
    """Keep the step in the history, for findings that a run has noted; the pact holds what counts."""
    if not workspace.has_history:
        return
    from pactkeeper.store.findings import save_standing, standings  # noqa: PLC0415 - only where there is a history

    history = workspace.history()
    standing = standings(history).get(finding.fingerprint)
    if standing is not None:
        before = Standing() if standing.state == step.state else standing
        at = workspace.now().isoformat(timespec="milliseconds")
        save_standing(history, finding, move(before, step, finding=finding), at)
    if step.until:
        from pactkeeper.reconcile.reminding import tell_end_of_snooze  # noqa: PLC0415 - SQL, for snoozes only

        tell_end_of_snooze(history, finding, until=step.until)


def _named(findings: Sequence[Finding], name: str) -> Finding:
    found = [one for one in findings if name in {one.fingerprint, f"{one.code} {one.subject}", one.subject}]
    if not found:
        raise UsageError(f"no such finding: {name!r}; see: pk findings")
    if len(found) > 1:
        several = ", ".join(f"{one.code} {one.fingerprint}" for one in found)
        raise UsageError(f"{name!r} names {len(found)} findings; name one of: {several}")
    return found[0]


def _waivers(workspace: Workspace) -> bytes | None:
    return workspace.pact_files(workspace.snapshot()).get(WAIVERS_FILE)


def _write(workspace: Workspace, before: bytes | None, after: bytes, *, verb: str) -> Entry | None:
    at = workspace.now().isoformat(timespec="seconds")
    return apply(workspace.place, (FileEdit(WAIVERS_FILE, before, after),), Note(at, {"verb": verb}))
