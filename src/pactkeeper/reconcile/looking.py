"""The mechanical part of a run: what changed, and which tests it is about.

What tests are read in the light of: the code they reach and the documents that speak of it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Container, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from pactkeeper.intent.links import LinkedTest
from pactkeeper.intent.structure import RepoStructure, order_files
from pactkeeper.intent.tests import Test
from pactkeeper.reconcile.ground import RepositoryGround
from pactkeeper.reconcile.propose import CarrierWord
from pactkeeper.reconcile.request import Request
from pactkeeper.reconcile.select import Memory, Selection, leave_known, select
from pactkeeper.reconcile.world import World
from pactkeeper.repo.context import Sources
from pactkeeper.repo.docs import open_documents
from pactkeeper.repo.outlines import Outlines
from pactkeeper.repo.parsing import default_processes
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


@contextmanager
def sources_of(ground: RepositoryGround, looked: Looked, structure: RepoStructure) -> Iterator[Sources]:
    """Index the documents of the snapshot that is looked at; what has not changed since the last time is not read."""
    outlines = Outlines(looked.snapshot, ground.cache, processes=default_processes())
    files = frozenset(test.file for test in looked.world.scan.tests)
    exclude = looked.world.pact.settings.exclude
    with open_documents(outlines, ground.state, notice=ground.notice, exclude=exclude) as documents:
        yield Sources(outlines, files, documents, structure)


def lowest_first(structure: RepoStructure, entries: Sequence[LinkedTest]) -> list[LinkedTest]:
    """Tests in the order in which they are read: those first whose files depend on the fewest others."""
    rank = {path: place for place, path in enumerate(order_files(structure, {entry.test.file for entry in entries}))}
    return sorted(entries, key=lambda entry: rank[entry.test.file])


def carrier_for(world: World, changed: Container[str]) -> Callable[[Test], CarrierWord]:
    """Where new links go: comments in tests that changed anyway, else the sidecar, unless the pact says so."""
    setting = world.pact.settings.link_carrier

    def carrier(test: Test) -> CarrierWord:
        if setting == "auto":
            return "comment" if test.id in changed else "sidecar"
        return setting

    return carrier
