"""Verbs that start a pact and maintain its debt.

Also adopts annotations that predate the pact, each id they name as a draft atom, and moves links between comments in
tests and records under `pact/links/`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from pactkeeper.catalog.journal import FileEdit, WriteEntry
from pactkeeper.catalog.schema import ATTRIBUTES_FILE, DEBT_FILE, SETTINGS_FILE, atoms_path
from pactkeeper.catalog.transaction import WriteNote, apply
from pactkeeper.catalog.write import ATTRIBUTES, new_settings, put_atom, put_debt, remove_debt
from pactkeeper.errors import UsageError
from pactkeeper.intent.atoms import Atom
from pactkeeper.intent.folder import OWN, POINTER, USUAL, Folder, is_settings
from pactkeeper.intent.links import LIVE_LINKS, Link, LinkedTest
from pactkeeper.intent.pact import LinkRecord
from pactkeeper.intent.tests import file_of, under
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.operators.history import asserted
from pactkeeper.operators.named import named_tests
from pactkeeper.reconcile.applying import digits, file_diff, read_file
from pactkeeper.reconcile.edits import FileDraft
from pactkeeper.reconcile.looking import infer_tests
from pactkeeper.reconcile.sound import comment_writer
from pactkeeper.reconcile.world import World, unmarked
from pactkeeper.repo.pact_folder import below, folder_named, pointer_to
from pactkeeper.repo.snapshot import Snapshot
from pactkeeper.repo.strength.reading import debt_lines
from pactkeeper.workspace import Workspace

_SEPARATORS: Final = " \t-–—:;,.()#*/>"  # characters allowed between an id and its words
_FEWEST_WORDS: Final = 2


@dataclass(frozen=True, slots=True)
class Adopted:
    """The atoms created, and how many tests are linked to them."""

    atoms: tuple[Atom, ...]
    tests: int
    entry: WriteEntry | None


def adopt_annotations(workspace: Workspace) -> Adopted:
    """Create a draft atom for every id that annotations name and the pact lacks.

    Its words are the text after the id in the code, else what rules infer from the first test that names it.
    """
    workspace.settle()
    snapshot = workspace.snapshot()
    world = workspace.world(snapshot, required=True)
    named = dict(foreign(world))
    worded = _worded(snapshot, named)
    folder = snapshot.folder
    debt = folder.path(DEBT_FILE)
    atoms = tuple(
        Atom(
            name,
            worded[name],
            origin=entry.test.id,
            source="reconciliation",
            path=folder.path(atoms_path(entry.test.file)),
        )
        for name, (entry, _) in named.items()
    )
    sources: Mapping[str, bytes | None] = workspace.pact_files(snapshot)
    written: dict[str, bytes | None] = {}
    for atom in atoms:
        written[atom.path] = put_atom(written.get(atom.path, sources.get(atom.path)), atom)
    linked = [entry.test.id for entry in world.linked if not named.keys().isdisjoint(entry.atoms())]
    if sources.get(debt) is not None:
        paid = [entry.test.id for entry in world.linked if entry.links and _is_settled(entry, named)]
        written[debt] = remove_debt(sources[debt] or b"", paid)
    edits = [FileEdit(path, sources.get(path), after) for path, after in written.items()]
    metadata = {"verb": "adopt", "atoms": [atom.id for atom in atoms], **asserted(workspace)}
    entry = apply(workspace.place, edits, WriteNote(workspace.now().isoformat(timespec="seconds"), metadata))
    return Adopted(atoms, len(linked), entry)


def _is_settled(entry: LinkedTest, named: Mapping[str, object]) -> bool:
    """Whether every id that the test names will be an atom after adoption."""
    return all(link.atom in named or link.state not in {"unknown", "malformed"} for link in entry.links)


def foreign(world: World) -> Iterator[tuple[str, tuple[LinkedTest, Link]]]:
    """Yield the ids that annotations name and the pact lacks, each with the first link to it."""
    seen: set[str] = set()
    for entry in world.linked:
        for link in entry.links:
            if link.state == "unknown" and link.carrier != "sidecar" and link.atom not in seen:
                seen.add(link.atom)
                yield link.atom, (entry, link)


def _worded(snapshot: Snapshot, named: Mapping[str, tuple[LinkedTest, Link]]) -> dict[str, str]:
    """Return the sentence of each atom."""
    lines: dict[str, list[str]] = {}
    for entry, _ in named.values():
        if entry.test.file not in lines:
            lines[entry.test.file] = (snapshot.read(entry.test.file) or b"").decode("utf-8", "replace").split("\n")
    found = {name: _behind(name, lines[entry.test.file], link.line) for name, (entry, link) in named.items()}
    silent = [entry for name, (entry, _) in named.items() if not found[name]]
    read = {one.entry.test.id: one.inference.intent for one in infer_tests(snapshot, silent)}
    return {name: found[name] or read.get(entry.test.id) or entry.test.name for name, (entry, _) in named.items()}


def _behind(name: str, lines: list[str], line: int) -> str:
    """Return the words after an id on its line; empty if there are too few, or another id follows."""
    text = lines[line - 1] if 0 < line <= len(lines) else ""
    _, id_found, rest = text.partition(name)
    said = re.sub(r"\*/\s*$|-->\s*$", "", rest).strip().lstrip(_SEPARATORS).rstrip(" \t)")
    if not id_found or "@atom" not in text or rest.lstrip().startswith(",") or len(said.split()) < _FEWEST_WORDS:
        return ""
    return said if said.endswith((".", "!", "?")) else f"{said}."


# what a new pact lists as debt: tests without links, and those whose annotations name unknown atoms
_WITHOUT_ATOM: Final = frozenset({"orphan", "unknown", "malformed"})


@dataclass(frozen=True, slots=True)
class Started:
    """A new pact: the numbers of tests, debt and gaps, and the folders with most of the debt.

    A folder's number includes the folders below it, as `pk reconcile FOLDER` does. `foreign` counts the ids in
    annotations that no pact has.
    """

    tests: int
    files: int
    debt: int
    gaps: int
    folders: tuple[tuple[str, int], ...]
    entry: WriteEntry | None
    foreign: int
    folder: Folder


def start_pact(workspace: Workspace, wanted: str | None = None) -> Started:
    """Write `pact.toml` and list every test without intent as debt; tests are not touched.

    A pact created by an apply has no debt yet and gets it here; one with debt is left alone. `wanted` is its folder, by
    default `pact/`, or `.pactkeeper/` if another program uses that.
    """
    workspace.settle()
    snapshot = workspace.snapshot()
    folder = snapshot.folder if wanted is None else _chosen(snapshot, folder_named(wanted))
    if folder == snapshot.folder:
        workspace.pact(snapshot)  # report lost or empty settings as such
    if folder.path(DEBT_FILE) in snapshot:
        raise UsageError("this repository already has a pact; to see its state: pk status")
    world = workspace.world(snapshot, judged=False)
    orphans = [entry.test for entry in world.linked if entry.state in _WITHOUT_ATOM]
    new = {folder.path(SETTINGS_FILE): new_settings(), folder.path(ATTRIBUTES_FILE): ATTRIBUTES.encode()}
    if folder.root not in {USUAL, OWN}:
        new[POINTER] = pointer_to(folder)
    edits = [FileEdit(path, None, data) for path, data in new.items() if path not in snapshot]
    debt = put_debt(None, debt_lines(snapshot, orphans).items())
    edits.append(FileEdit(folder.path(DEBT_FILE), None, debt))
    entry = apply(workspace.place, edits, _note(workspace, "init", []))
    folders = Counter(test.file.rpartition("/")[0] or "." for test in orphans)
    most = sorted(folders, key=lambda name: (-folders[name], name))[:5]
    files = len({entry.test.file for entry in world.linked})
    return Started(
        len(world.linked),
        files,
        len(orphans),
        len(world.scan.gaps),
        tuple((name, sum(under(test.file, (name,)) for test in orphans)) for name in most),
        entry,
        len(dict(foreign(world))),
        folder,
    )


def _chosen(snapshot: Snapshot, folder: Folder) -> Folder:
    """Return the folder a person named, if it is empty and no other folder holds the pact."""
    if folder == snapshot.folder:
        return folder
    held = snapshot.folder.path(SETTINGS_FILE)
    if is_settings(snapshot.read(held) or b""):
        raise UsageError(f"this repository already has a pact, in {snapshot.folder.root!r}")
    if any(True for _ in below(snapshot.paths, folder.root)):
        raise UsageError(f"{folder.root!r} already has files; name an empty or new folder")
    return folder


@dataclass(frozen=True, slots=True)
class DebtChange:
    """The test ids whose lines were added, removed or `moved` to other names, and how many lines there are now."""

    changed: tuple[str, ...]
    lines: int
    entry: WriteEntry | None
    moved: int = 0


def change_debt(
    workspace: Workspace, action: Literal["add", "prune"], names: Sequence[str] = (), *, reason: str = ""
) -> DebtChange:
    """Add orphans to the debt, with a reason, or remove lines that no longer cover anything.

    A file or folder stands for its tests without a link that continue no other one.
    """
    workspace.settle()
    snapshot = workspace.snapshot()
    world = workspace.world(snapshot, required=True)
    before = workspace.pact_files(snapshot).get(snapshot.folder.path(DEBT_FILE))
    if action == "add":
        ids = [name for name in names if ":" in name]
        single = {one.test.id for one in named_tests(world, ids, folder=workspace.folder)}
        every = named_tests(world, names, folder=workspace.folder)
        added = [one for one in every if (_may_be_debt(one) if one.test.id in single else _is_new(one))]
        changed = tuple(entry.test.id for entry in added)
        lines = debt_lines(snapshot, [entry.test for entry in added], known=world.pact.debt.grounds)
        after = put_debt(before, lines.items())
    else:
        changed = _prunable(world)
        after = _renewed(snapshot, world, remove_debt(before or b"", changed), gone=changed)
    edit = FileEdit(snapshot.folder.path(DEBT_FILE), before, after)
    entry = apply(workspace.place, (edit,), _note(workspace, f"debt {action}", list(changed), reason=reason))
    total = sum("::" in line for line in after.decode().splitlines())
    kept = len(world.pact.debt.by_test) - len(changed)
    return DebtChange(changed, total, entry, total - kept if action == "prune" else 0)


def _renewed(snapshot: Snapshot, world: World, kept: bytes, *, gone: Collection[str]) -> bytes:
    """Record the current strength of tests in debt, moved ones under their new names in place of the `gone` ones.

    If one got weaker, only lines without a record change: otherwise the files that tests depend on would be recorded
    anew as well, and the weakening would pass as reviewed.
    """
    debt = [entry for entry in world.linked if entry.state in {"debt", "changed_debt"}]
    lines = world.pact.debt.by_test
    left = {body for name, body in lines.items() if name not in gone}
    kept = put_debt(kept, ((one.test.id, world.pact.debt.line(one.debt_of)) for one in debt if one.debt_of in gone))
    own = [
        entry.test
        for entry in debt
        if entry.state == "debt" and (entry.test.id in lines or entry.test.body_hash not in left)
    ]
    if any(entry.weaker for entry in debt):
        new = [test for test in own if test.id not in lines]
        return put_debt(kept, debt_lines(snapshot, [*unmarked(world), *new], known=world.pact.debt.grounds).items())
    return put_debt(remove_debt(kept, world.pact.debt.grounds), debt_lines(snapshot, own).items())


def _is_new(entry: LinkedTest) -> bool:
    return entry.state == "orphan" and not (entry.links or entry.unlike or entry.instead_of)


def _may_be_debt(entry: LinkedTest) -> bool:
    if entry.links:
        raise UsageError(f"{entry.test.id!r} is linked, so it can't be debt")
    return entry.state in {"orphan", "changed_debt"} or bool(entry.weaker)


def _prunable(world: World) -> tuple[str, ...]:
    """Return lines of tests that are gone from a completely scanned file, and of tests that are linked now."""
    lines = world.pact.debt.by_test
    gone = {name for name in lines if name not in world.by_id and file_of(name) not in world.unseen}
    linked = {entry.test.id for entry in world.linked if entry.links and entry.state not in _WITHOUT_ATOM}
    return tuple(sorted((gone | linked) & set(lines)))


def _note(workspace: Workspace, verb: str, tests: list[str], *, reason: str = "") -> WriteNote:
    metadata: dict[str, JsonValue] = {
        "verb": verb,
        "tests": list[JsonValue](tests),
        "reason": reason,
        **asserted(workspace),
    }
    return WriteNote(workspace.now().isoformat(timespec="seconds"), metadata)


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
    writer = comment_writer(world.pact.settings.atom_prefix)
    outcome = draft.outcome(lambda path: read_file(workspace, path), writer, digits(workspace))
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
