"""The mechanical part of a run: what changed, and which tests it is about."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import dataclass, replace

from pactkeeper.reconcile.ground import RepositoryGround
from pactkeeper.reconcile.request import Request
from pactkeeper.reconcile.select import Memory, Selection, leave_known, select
from pactkeeper.reconcile.world import World
from pactkeeper.repo.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Looked:
    """One look at the repository: tests and pact joined, the tests that differ from the base, those to work on."""

    snapshot: Snapshot
    world: World
    changed: frozenset[str]
    selection: Selection

    def without(self, files: Collection[str]) -> Looked:
        """The look without the tests of files that cannot be read."""
        chosen = self.selection
        infer = tuple(one for one in chosen.infer if one.test.file not in files)
        confirm = tuple(one for one in chosen.confirm if one.test.file not in files)
        number = len(chosen.infer) - len(infer) + len(chosen.confirm) - len(confirm)
        left = replace(chosen, infer=infer, confirm=confirm)
        return replace(self, selection=left.leaving_out("whose_file_keeps_changing", number))


def unread_files(looked: Looked) -> frozenset[str]:
    """The files of tests to word that changed, or went, since they were listed."""
    files = {one.test.file for one in (*looked.selection.infer, *looked.selection.confirm)}
    return frozenset(path for path, data in looked.snapshot.read_many(sorted(files)) if data is None)


def look(ground: RepositoryGround, request: Request, base: str | None, *, memory: Memory, snapshot: Snapshot) -> Looked:
    """Choose the tests of a run; `base` is the commit of a delta."""
    world = ground.world(snapshot)
    memory = memory.without_stale(world)
    changed = changed_tests(ground, snapshot, world, base=base)
    chosen = select(world, changed=None if request.full else changed | memory.answered, paths=request.paths)
    kept = leave_known(chosen, world, memory).first(request.max_tests)
    # A full scan with a limit is a portion of it; a delta with one overlooks something.
    return Looked(snapshot, world, changed, replace(kept, beyond=()) if request.full else kept)


def changed_tests(ground: RepositoryGround, snapshot: Snapshot, world: World, *, base: str | None) -> frozenset[str]:
    """Tests that differ from `base`, without one from HEAD, or may because it hid them; all before the first commit.

    One that only stands elsewhere now, under its name and with its body, does not differ.
    """
    from pactkeeper.repo.delta import delta_between  # noqa: PLC0415 - no other step of a full scan needs it

    commit = base or ground.repository.head()
    if commit is None:
        return frozenset(world.by_id)
    before = ground.snapshot(commit)
    found = delta_between(before, ground.scan(before, world.pact), snapshot, world.scan)
    renamed = (new for _, new in found.renamed)
    return frozenset({*found.added, *found.modified, *renamed, *found.unseen})


def content_of(snapshot: Snapshot) -> str:
    """Hash what a snapshot holds, whatever work tree it was taken in: every path with the id of its content."""
    found = hashlib.sha256()
    for path in snapshot.paths:
        found.update(f"{path}\0{snapshot.identity(path)}\n".encode())
    return f"v1:{found.hexdigest()}"
