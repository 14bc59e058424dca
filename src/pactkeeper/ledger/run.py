"""A run: one reconciliation with a history, from its start to the one state it ends in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from pactkeeper.ledger.canonical import JsonValue

Mode = Literal["full-scan", "delta"]
RunStatus = Literal["running", "paused", "completed", "failed", "cancelled"]
RUN_STATUSES: Final[tuple[RunStatus, ...]] = ("running", "paused", "completed", "failed", "cancelled")
FINAL: Final[frozenset[RunStatus]] = frozenset({"completed", "failed", "cancelled"})

# A final state is never left; a run that pauses for a person runs again when the answer comes.
RUN_STEPS: Final[Mapping[RunStatus, frozenset[RunStatus]]] = {
    "running": frozenset({"running", "paused", "completed", "failed", "cancelled"}),
    "paused": frozenset({"running", "completed", "failed", "cancelled"}),
    "completed": frozenset(),
    "failed": frozenset({"running"}),
    "cancelled": frozenset(),
}


@dataclass(frozen=True, slots=True)
class Run:
    """One reconciliation.

    `repository` tells repositories apart that share one history; it is the same in every clone. `root` is the work tree
    it ran in, for display. `commit` is HEAD at its start, `base` a digest of everything it looked at. The baseline of a
    delta is a run, a commit or both. `phase` is the node of the graph it stands at. `owner` is `host:pid` of the
    process that last ran it. Times are ISO 8601 with offset; `completed_at` is empty until a final state.
    """

    id: str
    repository: str
    root: str
    mode: Mode
    created_at: str
    updated_at: str
    status: RunStatus = "running"
    phase: str = "structure"
    commit: str | None = None
    base: str = ""
    baseline_run: str | None = None
    baseline_commit: str | None = None
    options: Mapping[str, JsonValue] = field(default_factory=dict)
    summary: Mapping[str, int] = field(default_factory=dict)
    patch: str | None = None
    owner: str = ""
    error: str = ""
    cancel_requested_by: str = ""
    completed_at: str = ""


@dataclass(frozen=True, slots=True)
class TraceEvent:
    """One step of a run as it is traced: a node's visit, with its duration in milliseconds and what it counted."""

    run: str
    sequence: int
    node: str
    at: str
    milliseconds: int
    counts: Mapping[str, int] = field(default_factory=dict)
    note: str = ""
