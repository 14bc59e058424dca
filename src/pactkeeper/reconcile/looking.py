"""The mechanical part of a run: where it runs, what changed, and which tests that concerns.

Also filters proposals that a person rejected: the same ops for the same test body are not proposed again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from pactkeeper.catalog.transaction import PactPlace
from pactkeeper.intent.claims import TestEvidence
from pactkeeper.intent.context import related_docs
from pactkeeper.intent.ids import normalised_intent
from pactkeeper.intent.inference import Inference, infer
from pactkeeper.intent.links import LinkedTest
from pactkeeper.intent.pact import Pact
from pactkeeper.intent.records import TestRecord
from pactkeeper.intent.structure import RepoStructure, order_files
from pactkeeper.intent.tests import Scan, Test
from pactkeeper.ledger.canonical import by_key, digest, from_fields
from pactkeeper.ledger.op import Op
from pactkeeper.reconcile.ops import CarrierWord
from pactkeeper.reconcile.propose import Inferred, Proposals
from pactkeeper.reconcile.request import Request
from pactkeeper.reconcile.select import WORDING, Memory, Selection, leave_known, seen_as, select
from pactkeeper.reconcile.world import World
from pactkeeper.repo.cache import Cache
from pactkeeper.repo.context import Sources, contexts
from pactkeeper.repo.docs import open_documents
from pactkeeper.repo.facts import gather
from pactkeeper.repo.git import Repository
from pactkeeper.repo.outlines import Outlines
from pactkeeper.repo.parsing import default_processes
from pactkeeper.repo.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Looked:
    """One look at the repository: tests and pact joined, tests that differ from the base, and tests to work on."""

    snapshot: Snapshot
    world: World
    changed: frozenset[str]
    selection: Selection

    def without(self, files: Collection[str]) -> Looked:
        """Return the look without tests in files that can't be read."""
        chosen = self.selection
        infer = tuple(one for one in chosen.infer if one.test.file not in files)
        confirm = tuple(one for one in chosen.confirm if one.test.file not in files)
        number = len(chosen.infer) - len(infer) + len(chosen.confirm) - len(confirm)
        left = replace(chosen, infer=infer, confirm=confirm)
        return replace(self, selection=left.leaving_out("whose_file_keeps_changing", number))


def unread_files(looked: Looked) -> frozenset[str]:
    """Return the files of tests to word that changed or disappeared since they were listed."""
    files = {one.test.file for one in (*looked.selection.infer, *looked.selection.confirm)}
    return frozenset(path for path, data in looked.snapshot.read_many(sorted(files)) if data is None)


def look(ground: RepositoryGround, request: Request, base: str | None, *, memory: Memory, snapshot: Snapshot) -> Looked:
    """Select the tests of a run; `base` is the commit that a delta starts from."""
    world = ground.world(snapshot)
    memory = memory.without_stale(world)
    changed = changed_tests(ground, snapshot, world, base=base)
    chosen = select(world, changed=None if request.full else changed | memory.answered, paths=request.paths)
    kept = leave_known(chosen, world, memory).first(request.max_tests)
    # A limited full scan is a portion of it; a limited delta misses something.
    return Looked(snapshot, world, changed, replace(kept, beyond=()) if request.full else kept)


def changed_tests(ground: RepositoryGround, snapshot: Snapshot, world: World, *, base: str | None) -> frozenset[str]:
    """Return tests that differ from `base` (default: HEAD), or may because a gap hid them; all before the first commit.

    A test that only moved, with the same name and body, doesn't differ; one whose docstring changed does, since that
    may be its intent.
    """
    from pactkeeper.repo.delta import delta_between  # noqa: PLC0415 - no other step of a full scan needs it

    commit = base or ground.repository.head()
    if commit is None:
        return frozenset(world.by_id)
    before = ground.snapshot(commit)
    scan = ground.scan(before, world.pact)
    found = delta_between(before, scan, snapshot, world.scan)
    renamed = (new for _, new in found.renamed)
    said = {one.id: one.words for one in scan.tests}
    reworded = (one.id for one in world.scan.tests if one.words != said.get(one.id, one.words))
    return frozenset({*found.added, *found.modified, *renamed, *found.unseen, *reworded})


def content_of(snapshot: Snapshot) -> str:
    """Hash a snapshot's content independently of its work tree: every path with the id of its content."""
    found = hashlib.sha256()
    for path in snapshot.paths:
        found.update(f"{path}\0{snapshot.identity(path)}\n".encode())
    return f"v1:{found.hexdigest()}"


@contextmanager
def sources_of(ground: RepositoryGround, looked: Looked, structure: RepoStructure) -> Iterator[Sources]:
    """Index the documents of the current snapshot; unchanged ones are not read again."""
    outlines = Outlines(looked.snapshot, ground.cache, processes=default_processes())
    files = frozenset(looked.world.scan.by_file)
    exclude = looked.world.pact.settings.exclude
    with open_documents(outlines, ground.state, notice=ground.notice, exclude=exclude) as documents:
        yield Sources(outlines, files, documents, structure)


def lowest_first(structure: RepoStructure, entries: Sequence[LinkedTest]) -> list[LinkedTest]:
    """Sort tests by dependencies: those whose files depend on the fewest others come first."""
    ordered = order_files(structure, {entry.test.file for entry in entries})
    rank = {path: place for place, path in enumerate(ordered)}
    return sorted(entries, key=lambda entry: rank[entry.test.file])


def carrier_for(world: World, changed: Container[str]) -> Callable[[Test], CarrierWord]:
    """Return where new links go: comments in tests that changed anyway, else the sidecar, unless the pact decides."""
    setting = world.pact.settings.link_carrier

    def carrier(test: Test) -> CarrierWord:
        if setting == "auto":
            return "comment" if test.id in changed else "sidecar"
        return setting

    return carrier


def infer_tests(
    snapshot: Snapshot, entries: Iterable[LinkedTest], *, sources: Sources | None = None
) -> tuple[Inferred, ...]:
    """Read and word tests in order; with `sources`, also name the documents related to each."""
    wanted = list(entries)
    tests = [entry.test for entry in wanted]
    found = gather(snapshot, tests)
    docs: Mapping[str, tuple[str, ...]] = {}
    if sources is not None:
        docs = {one.test: related_docs(one) for one in contexts(sources, tests, evidence=found)}
    return tuple(replace(inferred(one, found[one.test.id]), related_docs=docs.get(one.test.id, ())) for one in wanted)


def inferred(entry: LinkedTest, evidence: TestEvidence) -> Inferred:
    """Return the rules' reading of one test's evidence."""
    quotes = tuple(dict.fromkeys((claim.line, claim.quote) for claim in evidence.claims if claim.quote))
    return Inferred(entry, infer(evidence), quotes)


def record_of(one: Inferred, world: World, *, run: str, at: str) -> TestRecord:
    """Return the row that stores an inference until the run proposes from it."""
    test = one.entry.test
    return TestRecord(
        run,
        test.id,
        test.file,
        test.name,
        test.name_line,
        test.body_hash,
        seen_as(one.entry, world),
        "inferred",
        encode(one),
        at,
    )


def encode(one: Inferred) -> str:
    """Serialise an inference with the lines it is based on."""
    said = {"wording": WORDING, **asdict(one.inference), "quotes": one.quotes, "related_docs": one.related_docs}
    return json.dumps(said, ensure_ascii=False, separators=(",", ":"))


def decode(text: str, entry: LinkedTest) -> Inferred | None:
    """Read a stored inference; None if a different version of the rules worded it."""
    said: Mapping[str, Any] = json.loads(text)
    if said.get("wording") != WORDING:
        return None
    inference = from_fields(Inference, said)
    quotes = tuple((line, quote) for line, quote in said["quotes"])
    return Inferred(entry, inference, quotes, related_docs=tuple(said["related_docs"]))


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
    groups = by_key((op.group, op) for op in found.ops)
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


def atoms_saying(
    sentences: Mapping[str, str],
    pact: Pact,
    has_status: Callable[[str | None], bool] = lambda status: status not in {"superseded", "abandoned"},
) -> dict[str, str]:
    """Map each test whose sentence an atom of such a status has to that atom; the smallest id wins."""
    said = {
        normalised_intent(atom.intent): atom.id
        for atom in sorted(pact.atoms.values(), key=lambda one: one.id, reverse=True)
        if has_status(pact.status_of(atom.id))
    }
    wanted = {test: said.get(normalised_intent(sentence)) for test, sentence in sentences.items()}
    return {test: atom for test, atom in wanted.items() if atom is not None}
