"""The verb that moves links between comments in tests and records under `pact/links/`, keeping their meaning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from pactkeeper.catalog.journal import FileEdit, WriteEntry
from pactkeeper.catalog.transaction import WriteNote, apply
from pactkeeper.intent.links import LIVE_LINKS, LinkedTest
from pactkeeper.intent.pact import LinkRecord
from pactkeeper.operators.named import named_tests
from pactkeeper.reconcile.applying import file_diff, read_file
from pactkeeper.reconcile.edits import FileDraft
from pactkeeper.reconcile.sound import comment_writer
from pactkeeper.workspace import Workspace

Carrier = Literal["comment", "sidecar"]


@dataclass(frozen=True, slots=True)
class Converted:
    """How many links moved, which tests were left alone and why, and what was or would be written."""

    moved: int
    refused: tuple[tuple[str, str], ...]
    edits: tuple[FileEdit, ...]
    entry: WriteEntry | None

    def diff(self) -> list[str]:
        """The unified diff of all files."""
        return [line for edit in self.edits for line in file_diff(edit)]


def convert_links(workspace: Workspace, names: Sequence[str], to: Carrier, *, dry_run: bool = False) -> Converted:
    """Move the links of the named tests, or of all; links to atoms that are not live stay where they are."""
    workspace.settle(dry_run=dry_run)
    world = workspace.world(workspace.snapshot(), required=True)
    entries = named_tests(world, names, folder=workspace.folder) if names else world.linked
    draft = FileDraft(world)
    moved = sum(_move(draft, entry, to) for entry in entries)
    outcome = draft.outcome(lambda path: read_file(workspace, path), comment_writer(world.pact.settings.atom_prefix))
    edits = tuple(FileEdit(path, read_file(workspace, path), data) for path, data in outcome.files.items())
    entry = None
    if edits and not dry_run:
        at = workspace.now().isoformat(timespec="seconds")
        entry = apply(workspace.place, edits, WriteNote(at, {"verb": "annotate", "to": to}))
    return Converted(moved - len(outcome.refused), outcome.refused, edits, entry)


def _move(draft: FileDraft, entry: LinkedTest, to: Carrier) -> int:
    """Plan the move of one test's links; returns how many move."""
    test = entry.test
    source = "sidecar" if to == "comment" else "comment"
    here = [link for link in entry.links if link.carrier == source and link.scope == "test"]
    atoms = tuple(link.atom for link in here if link.state in LIVE_LINKS)
    if not atoms:
        return 0
    record = entry.record or LinkRecord(test.id, body=test.body_hash, helpers=test.helpers or None)
    annotated, sidecar = {*record.annotated}, {*record.atoms}
    if to == "comment":
        draft.comment(test.id, add=atoms)
        annotated, sidecar = annotated.union(atoms), sidecar.difference(atoms)
    else:
        draft.comment(test.id, remove=atoms)
        annotated, sidecar = annotated.difference(atoms), sidecar.union(atoms)
    draft.records[test.id] = replace(record, atoms=tuple(sorted(sidecar)), annotated=tuple(sorted(annotated)))
    return len(atoms)
