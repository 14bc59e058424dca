"""What a reconciliation stands on: the repository, its pact and its state folder, as the wiring hands them in."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Protocol

from pactkeeper.catalog.transaction import PactPlace
from pactkeeper.intent.pact import Pact
from pactkeeper.intent.structure import RepoStructure
from pactkeeper.intent.tests import Scan
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
