"""Verbs about findings: list each with its state, and put some aside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final, Literal

from pactkeeper.advice import SUPERSEDE
from pactkeeper.catalog.journal import FileEdit, WriteEntry
from pactkeeper.catalog.schema import WAIVERS_FILE
from pactkeeper.catalog.transaction import WriteNote, apply
from pactkeeper.catalog.write import put_waiver, remove_waiver
from pactkeeper.errors import UsageError
from pactkeeper.intent.pact import Waiver
from pactkeeper.ledger.finding import Finding, FindingStanding, FindingStep, move
from pactkeeper.operators.gathering import verdict_of
from pactkeeper.reconcile.codes import lost_proof
from pactkeeper.workspace import Workspace

FOREVER: Final = date.max


@dataclass(frozen=True, slots=True)
class KnownFinding:
    """A finding with its current state, and when a run first and last saw it (empty if none did)."""

    finding: Finding
    state: str
    first_at: str = ""
    last_at: str = ""
    waiver: Waiver | None = None


def list_findings(workspace: Workspace) -> tuple[KnownFinding, ...]:
    """Return all findings of the work tree and those earlier runs saw that are resolved since, with their states."""
    snapshot = workspace.snapshot()
    world = workspace.world(snapshot)
    verdict, _ = verdict_of(workspace, snapshot, world)
    seen = {}
    if workspace.has_history:
        from pactkeeper.store.findings import seen_findings  # noqa: PLC0415 - only with a history

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
    """How to put a finding aside: until a date, or if `until` is None for as long as its evidence stays the same."""

    reason: str
    until: date | None = None


def put_aside(workspace: Workspace, name: str, aside: Aside) -> tuple[Finding, WriteEntry | None]:
    """Snooze or reject a finding, named by fingerprint or as the only one about a subject; written to the pact.

    Raises UsageError if no finding or more than one matches, and for a date in the past.
    """
    if not aside.reason.strip():
        raise UsageError("give a reason: --reason '…'; later readers will ask")
    if aside.until is not None and aside.until < workspace.now().date():
        raise UsageError(f"{aside.until.isoformat()} has passed; give a future date")
    workspace.settle()
    finding = _named([one.finding for one in list_findings(workspace) if one.state != "resolved"], name)
    if lost_proof(finding):
        raise UsageError(
            f"{finding.code} says that a committed atom is proven by less than was reviewed, so it can't be "
            "snoozed or rejected; restore the test, or replace the atom: " + SUPERSEDE()
        )
    waiver = Waiver(
        workspace.person(), aside.reason, aside.until or FOREVER, finding.evidence_hash, finding.fingerprint
    )
    before = _waivers(workspace)
    entry = _write(workspace, before, put_waiver(before, waiver), verb="put aside")
    state: Literal["snoozed", "rejected"] = "rejected" if aside.until is None else "snoozed"
    until = "" if aside.until is None else f"{aside.until.isoformat()}T23:59:59+00:00"
    _remember(workspace, finding, FindingStep(state, waiver.by, aside.reason, until))
    return finding, entry


def take_up(workspace: Workspace, name: str) -> tuple[Finding, WriteEntry | None]:
    """Reopen a finding that was put aside."""
    workspace.settle()
    aside = [one for one in list_findings(workspace) if one.waiver is not None]
    finding = _named([one.finding for one in aside], name)
    waiver = next(one.waiver for one in aside if one.finding == finding and one.waiver is not None)
    before = _waivers(workspace)
    _remember(workspace, finding, FindingStep("open", workspace.person()))  # first: without its waiver it has no name
    return finding, _write(workspace, before, remove_waiver(before or b"", waiver.key), verb="take up")


def _remember(workspace: Workspace, finding: Finding, step: FindingStep) -> None:
    """Record the step in the history for findings that a run has seen; the pact decides."""
    if not workspace.has_history:
        return
    from pactkeeper.store.findings import save_standing, standings  # noqa: PLC0415 - only with a history

    history = workspace.history()
    standing = standings(history).get(finding.fingerprint)
    if standing is not None and (standing.state, step.state) != ("open", "open"):
        before = FindingStanding() if standing.state == step.state else standing
        at = workspace.now().isoformat(timespec="milliseconds")
        save_standing(history, finding, move(before, step, finding=finding), at)
    if step.until:
        from pactkeeper.reconcile.journal import tell_end_of_snooze  # noqa: PLC0415 - SQL, for snoozes only

        tell_end_of_snooze(history, finding, until=step.until)


def _named(findings: Sequence[Finding], name: str) -> Finding:
    found = [one for one in findings if name in {one.fingerprint, f"{one.code} {one.subject}", one.subject}]
    if not found:
        raise UsageError(f"no such finding: {name!r}; see: pk findings")
    if len(found) > 1:
        several = ", ".join(f"{one.code} {one.fingerprint}" for one in found)
        raise UsageError(f"{name!r} matches {len(found)} findings; name one of: {several}")
    return found[0]


def _waivers(workspace: Workspace) -> bytes | None:
    return workspace.pact_files(workspace.snapshot()).get(workspace.pact_folder.path(WAIVERS_FILE))


def _write(workspace: Workspace, before: bytes | None, after: bytes, *, verb: str) -> WriteEntry | None:
    at = workspace.now().isoformat(timespec="seconds")
    place = workspace.place
    return apply(place, (FileEdit(place.folder.path(WAIVERS_FILE), before, after),), WriteNote(at, {"verb": verb}))
