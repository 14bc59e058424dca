"""A task in the backlog, and the urgency of each kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from pactkeeper.advice import Advice

if TYPE_CHECKING:
    from pactkeeper.ledger.finding import Severity

TaskKind = Literal[
    "violation",
    "failing",
    "conflict",
    "orphan",
    "proposal",
    "uncovered",
    "debt",
    "needs_words",
    "look_again",
    "stale",
    "molecule",
]
PRIORITY: Final[Mapping[TaskKind, int]] = {
    "violation": 1,
    "failing": 1,
    "conflict": 1,
    "orphan": 2,
    "proposal": 2,
    "uncovered": 2,
    "debt": 2,
    "needs_words": 3,
    "look_again": 3,
    "stale": 3,
    "molecule": 4,
}
TASK_KINDS: Final[tuple[TaskKind, ...]] = tuple(PRIORITY)


@dataclass(frozen=True, slots=True)
class Task:
    """A task; `ops` are the ids of waiting ops that close it, `command` is what to type."""

    kind: TaskKind
    subject: str
    message: str
    command: Advice
    severity: Severity = "warning"
    path: str = ""
    line: int = 0
    fingerprint: str = ""
    ops: tuple[str, ...] = ()

    @property
    def priority(self) -> int:
        """The priority, from 1 (now) to 4 (when there is time)."""
        return PRIORITY[self.kind]
