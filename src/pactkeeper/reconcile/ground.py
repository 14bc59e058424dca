"""The environment of a reconciliation: repository, pact and state folder, as injected by the wiring.

Also filters proposals that a person rejected: the same ops for the same test body are not proposed again.
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
    """An open repository; implemented by the workspace."""

    @property
    def repository(self) -> Repository:
        """The git work tree."""

    @property
    def state(self) -> Path:
        """The folder for data that belongs to the clone rather than to a commit."""

    @property
    def cache(self) -> Cache:
        """The cache, keyed by content hash."""

    @property
    def place(self) -> PactPlace:
        """Where files are written."""

    @property
    def now(self) -> Callable[[], datetime]:
        """The clock, with time zone."""

    @property
    def notice(self) -> Callable[[str], None]:
        """Shows a line to the user."""

    def snapshot(self, at: str | None = None, *, staged: bool = False) -> Snapshot:
        """Return a snapshot of the working tree, the index or a commit."""

    def scan(self, snapshot: Snapshot, pact: Pact) -> Scan:
        """Return all tests of a snapshot."""

    def structure(self, snapshot: Snapshot, pact: Pact) -> RepoStructure:
        """Return which files of a snapshot import each other."""

    def world(self, snapshot: Snapshot, *, required: bool = False) -> World:
        """Return the tests and pact of a snapshot, joined."""

    def ensure_settled(self) -> None:
        """Raise if a write was interrupted."""


def rejected_print(ops: Sequence[Op], world: World) -> str:
    """Return the fingerprint of a rejection of one test's ops; a new body changes it."""
    group = ops[0].group
    entry = world.by_id.get(group)
    body = entry.test.body_hash if entry else ""
    return "fp-" + digest([group, body, sorted(op.verb for op in ops)])[3:19]


def without_rejected(found: Proposals, world: World) -> tuple[Proposals, int]:
    """Leave out groups that were rejected as they are, and return how many."""
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
    """Also leave out whatever depends on something left out."""
    for op in ops:
        if dropped.intersection(op.depends_on):
            dropped.add(op.id)
        else:
            yield op
