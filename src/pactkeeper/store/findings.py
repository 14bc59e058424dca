"""Findings over time: when each was first and last seen, and its standing after decisions or absence."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Column, Connection, Row, Select, func, select

from pactkeeper.errors import InputError
from pactkeeper.ledger.canonical import canonical_json
from pactkeeper.ledger.finding import TRANSITIONS, Finding, FindingStanding, FindingStep, move, resolved_by_absence
from pactkeeper.ledger.health import Health
from pactkeeper.ledger.patch import encode_finding, read_finding
from pactkeeper.store.columns import from_row
from pactkeeper.store.history import History, insert, upsert
from pactkeeper.store.runs import number_of
from pactkeeper.store.tables.runs import FINDINGS, STANDINGS

_f, _s = FINDINGS.c, STANDINGS.c
_STANDING: Final[tuple[Column[Any], ...]] = (_s.state, _s.failures, _s.evidence_hash, _s.until, _s.said_by, _s.reason)
# What a person said about a finding applies only to its evidence at the time.
_UNTIL_CHANGED: Final = frozenset({"rejected", "snoozed"})


@dataclass(frozen=True, slots=True)
class SeenFinding:
    """A finding as last seen, the runs and times of its first and last sighting, and its standing."""

    finding: Finding
    first_run: str
    last_run: str
    first_at: str
    last_at: str
    standing: FindingStanding


def note_findings(history: History, run: str, findings: Iterable[Finding], *, at: str, health: Health) -> None:
    """Record a run's findings; idempotent.

    A resolved finding that recurs is reopened, and so is a rejected or snoozed one whose evidence has changed. Findings
    not seen are resolved if `health` says that everything was examined; rejections stay. Raises InputError for an
    unknown run.
    """
    found = {finding.fingerprint: finding for finding in findings}
    with history.database.begin() as connection:
        number_of(connection, history, run)
        rows = (_row(history, finding, run, at) for finding in found.values())
        upsert(connection, FINDINGS, rows, key=("repository", "fingerprint"), keep=("first_run", "first_at"))
        seen = _seen(connection, history)
        back = [name for name in found if _is_back(seen[name])]
        gone = resolved_by_absence({name: one.standing for name, one in seen.items()}, found, health)
        steps = [(seen[name], FindingStep("open", run, "found again, or with other evidence")) for name in back]
        steps += [(seen[name], FindingStep("resolved", run, "not found again")) for name in sorted(gone)]
        insert(connection, STANDINGS, _moved(history, steps, at))


def standings(history: History) -> Mapping[str, FindingStanding]:
    """Return the standing of every finding, by fingerprint; open by default."""
    return {row.fingerprint: _standing(row) for row in history.database.rows(_query(history))}


def save_standing(history: History, finding: Finding, standing: FindingStanding, at: str) -> None:
    """Set the standing of a finding; earlier standings are kept, and repeating the current one changes nothing.

    Raises InputError for a finding that no run has recorded.
    """
    with history.database.begin() as connection:
        known = _seen(connection, history, finding.fingerprint).get(finding.fingerprint)
        if known is None:
            raise InputError(f"the history has no finding {finding.fingerprint}; see what there is with: pk gaps")
        if known.standing != standing:
            insert(connection, STANDINGS, [_standing_row(history, finding.fingerprint, standing, at)])


def seen_findings(history: History) -> tuple[SeenFinding, ...]:
    """Return every recorded finding, in the order of first sighting."""
    with history.database.read() as connection:
        return tuple(_seen(connection, history).values())


def _is_back(one: SeenFinding) -> bool:
    said = one.standing
    changed = said.evidence_hash != one.finding.evidence_hash
    return said.state == "resolved" or (said.state in _UNTIL_CHANGED and changed)


def _moved(history: History, steps: Iterable[tuple[SeenFinding, FindingStep]], at: str) -> Iterator[Mapping[str, Any]]:
    for one, step in steps:
        if step.state in TRANSITIONS[one.standing.state]:
            standing = move(one.standing, step, finding=one.finding)
            yield _standing_row(history, one.finding.fingerprint, standing, at)


def _seen(connection: Connection, history: History, fingerprint: str | None = None) -> dict[str, SeenFinding]:
    query = _query(history).add_columns(_f.text, _f.first_run, _f.last_run, _f.first_at, _f.last_at)
    if fingerprint is not None:
        query = query.where(_f.fingerprint == fingerprint)
    return {row.fingerprint: _seen_finding(row) for row in connection.execute(query)}


def _query(history: History) -> Select[Any]:
    """Select every fingerprint with its latest standing."""
    other = STANDINGS.alias()
    same = (other.c.repository == _f.repository, other.c.fingerprint == _f.fingerprint)
    latest = select(func.max(other.c.number)).where(*same).correlate(FINDINGS).scalar_subquery()
    said = (_s.repository == _f.repository) & (_s.fingerprint == _f.fingerprint) & (_s.number == latest)
    return (
        select(_f.fingerprint, *_STANDING)
        .select_from(FINDINGS)
        .join(STANDINGS, said, isouter=True)
        .where(_f.repository == history.repository)
        .order_by(_f.number)
    )


def _seen_finding(row: Row[Any]) -> SeenFinding:
    return from_row(SeenFinding, row, finding=read_finding(json.loads(row.text)), standing=_standing(row))


def _standing(row: Row[Any]) -> FindingStanding:
    return FindingStanding() if row.state is None else from_row(FindingStanding, row, by=row.said_by)


def _row(history: History, finding: Finding, run: str, at: str) -> Mapping[str, Any]:
    seen = {"first_run": run, "last_run": run, "first_at": at, "last_at": at}
    return history.row(FINDINGS, finding, text=canonical_json(encode_finding(finding)).decode(), **seen)


def _standing_row(history: History, fingerprint: str, standing: FindingStanding, at: str) -> Mapping[str, Any]:
    return history.row(STANDINGS, standing, fingerprint=fingerprint, said_by=standing.by, said_at=at)
