"""What a reconciliation stands on: the repository, its pact and its state folder, as the wiring hands them in.

What a person turned down before: the same ops for the same body of the same test are not proposed again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Protocol

from pactkeeper.catalog.transaction import PactPlace
from pactkeeper.intent.pact import Pact
from pactkeeper.intent.structure import RepoStructure
from pactkeeper.intent.tests import Scan
from pactkeeper.ledger.canonical import digest
from pactkeeper.ledger.op import Op
from pactkeeper.reconcile.propose import Proposals
from pactkeeper.reconcile.world import World
from pactkeeper.repo.cache import Cache
from pactkeeper.repo.git import Repository
from pactkeeper.repo.snapshot import Snapshot


class RepositoryGround(Protocol):
    """One repository, opened; a workspace is one."""

    @property
    def repository(self) -> Repository:
        """The git work tree."""

    @property
    def state(self) -> Path:
        """The folder for what belongs to the clone and not into a commit."""

    @property
    def cache(self) -> Cache:
        """The cache by content hash."""

    @property
    def place(self) -> PactPlace:
        """Where writes go."""

    @property
    def now(self) -> Callable[[], datetime]:
        """The clock, with a time zone."""

    @property
    def notice(self) -> Callable[[str], None]:
        """Takes a line for people."""

    def snapshot(self, at: str | None = None, *, staged: bool = False) -> Snapshot:
        """The working tree, the index or a commit."""

    def scan(self, snapshot: Snapshot, pact: Pact) -> Scan:
        """All tests of a snapshot."""

    def structure(self, snapshot: Snapshot, pact: Pact) -> RepoStructure:
        """Which files of a snapshot import each other."""

    def world(self, snapshot: Snapshot, *, required: bool = False) -> World:
        """Tests and pact of a snapshot, joined."""

    def ensure_settled(self) -> None:
        """Stop where a write was interrupted."""


def rejected_print(ops: Sequence[Op], world: World) -> str:
    """The fingerprint under which a no to the ops about one test is remembered; a new body makes it another."""
    group = ops[0].group
    entry = world.by_id.get(group)
    body = entry.test.body_hash if entry else ""
    return "fp-" + digest([group, body, sorted(op.verb for op in ops)])[3:19]


def without_rejected(found: Proposals, world: World) -> tuple[Proposals, int]:
    """Leave out the groups that were turned down as they are, and say how many."""
    groups: dict[str, list[Op]] = {}
    for op in found.ops:
        groups.setdefault(op.group, []).append(op)
    turned_down = {group for group, ops in groups.items() if _is_rejected(group, ops, world)}
    dropped = {op.id for op in found.ops if op.group in turned_down}
    kept = [op for op in found.ops if op.id not in dropped]
    successors = tuple(pair for pair in found.successors if pair[1] not in turned_down)
    return replace(found, ops=tuple(_whole(kept, dropped)), successors=successors), len(turned_down)


def _is_rejected(group: str, ops: Sequence[Op], world: World) -> bool:
    record = world.record_of(group)
    return record is not None and record.rejected is not None and record.rejected == rejected_print(ops, world)


def _whole(ops: Iterable[Op], dropped: set[str]) -> Iterable[Op]:
    """Leave out as well what depends on something that is left out."""
    for op in ops:
        if dropped.intersection(op.depends_on):
            dropped.add(op.id)
        else:
            yield op
