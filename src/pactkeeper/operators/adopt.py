"""The verbs that begin a pact and keep its debt.

The verb that adopts annotations which were there before the pact: each id they name becomes a draft atom.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from pactkeeper.catalog.journal import FileEdit, WriteEntry
from pactkeeper.catalog.schema import ATTRIBUTES_FILE, DEBT_FILE, SETTINGS_FILE, atoms_path
from pactkeeper.catalog.transaction import WriteNote, apply
from pactkeeper.catalog.write import ATTRIBUTES, new_settings, put_atom, put_debt, remove_debt
from pactkeeper.errors import UsageError
from pactkeeper.intent.atoms import Atom
from pactkeeper.intent.folder import OWN, POINTER, USUAL, Folder, is_settings
from pactkeeper.intent.links import Link, LinkedTest
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.operators.asserted import asserted
from pactkeeper.operators.named import named_tests
from pactkeeper.reconcile.check import check
from pactkeeper.reconcile.looking import infer_tests
from pactkeeper.reconcile.world import World, unmarked
from pactkeeper.repo.pact_folder import below, folder_named, pointer_to
from pactkeeper.repo.snapshot import Snapshot
from pactkeeper.repo.strength.reading import debt_lines
from pactkeeper.workspace import Workspace

_SEPARATORS: Final = " \t-–—:;,.()#*/>"  # what may stand between an id and the words behind it
_FEWEST_WORDS: Final = 2


@dataclass(frozen=True, slots=True)
class Adopted:
    """The atoms that were made, and how many tests are linked to them."""

    atoms: tuple[Atom, ...]
    tests: int
    entry: WriteEntry | None


def adopt_annotations(workspace: Workspace) -> Adopted:
    """Make a draft atom of every id that an annotation names and the pact does not have.

    It says what stands behind the id in the code, else what rules read from the first test that names it.
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
    linked = [entry.test.id for entry in world.linked if any(link.atom in named for link in entry.links)]
    if sources.get(debt) is not None:
        paid = [entry.test.id for entry in world.linked if entry.links and _is_settled(entry, named)]
        written[debt] = remove_debt(sources[debt] or b"", paid)
    edits = [FileEdit(path, sources.get(path), after) for path, after in written.items()]
    metadata = {"verb": "adopt", "atoms": [atom.id for atom in atoms], **asserted(workspace)}
    entry = apply(workspace.place, edits, WriteNote(workspace.now().isoformat(timespec="seconds"), metadata))
    return Adopted(atoms, len(linked), entry)


def _is_settled(entry: LinkedTest, named: Mapping[str, object]) -> bool:
    """Whether every id that the test names is an atom once these are adopted."""
    return all(link.atom in named or link.state not in {"unknown", "malformed"} for link in entry.links)


def foreign(world: World) -> Iterator[tuple[str, tuple[LinkedTest, Link]]]:
    """The ids that annotations name and the pact does not have, each with the first link that does."""
    seen: set[str] = set()
    for entry in world.linked:
        for link in entry.links:
            if link.state == "unknown" and link.carrier != "sidecar" and link.atom not in seen:
                seen.add(link.atom)
                yield link.atom, (entry, link)


def _worded(snapshot: Snapshot, named: Mapping[str, tuple[LinkedTest, Link]]) -> dict[str, str]:
    """What each atom says."""
    lines: dict[str, list[str]] = {}
    for entry, _ in named.values():
        if entry.test.file not in lines:
            lines[entry.test.file] = (snapshot.read(entry.test.file) or b"").decode("utf-8", "replace").split("\n")
    found = {name: _behind(name, lines[entry.test.file], link.line) for name, (entry, link) in named.items()}
    silent = [entry for name, (entry, _) in named.items() if not found[name]]
    read = {one.entry.test.id: one.inference.intent for one in infer_tests(snapshot, silent)}
    return {name: found[name] or read.get(entry.test.id) or entry.test.name for name, (entry, _) in named.items()}


def _behind(name: str, lines: list[str], line: int) -> str:
    """The words behind an id on its line; empty where there are too few, or another id follows."""
    text = lines[line - 1] if 0 < line <= len(lines) else ""
    _, id_found, rest = text.partition(name)
    said = re.sub(r"\*/\s*$|-->\s*$", "", rest).strip().lstrip(_SEPARATORS).rstrip(" \t)")
    if not id_found or "@atom" not in text or rest.lstrip().startswith(",") or len(said.split()) < _FEWEST_WORDS:
        return ""
    return said if said.endswith((".", "!", "?")) else f"{said}."


# what a new pact owes words to: tests without links, and those whose annotations name nothing that it has
_WITHOUT_ATOM: Final = frozenset({"orphan", "unknown", "malformed"})


@dataclass(frozen=True, slots=True)
class Started:
    """A new pact: how many tests there are, how many became debt, where most of them stand, and what cannot be seen.

    `foreign` counts the ids that annotations name and no pact had.
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
    """Write `pact.toml` and list every test without intent as debt; no test is touched.

    A pact that an apply began has no debt yet; it gets its debt here. One that has debt is left alone. `wanted` is the
    folder that it goes to; without one it is `pact/`, or `.pactkeeper/` where another program has that.
    """
    workspace.settle()
    snapshot = workspace.snapshot()
    folder = snapshot.folder if wanted is None else _chosen(snapshot, folder_named(wanted))
    if folder == snapshot.folder:
        workspace.pact(snapshot)  # settings that are lost or empty are named as what they are
    if folder.path(DEBT_FILE) in snapshot:
        raise UsageError("this repository has a pact already; see where it stands with: pk status")
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
    ranked = sorted(folders.items(), key=lambda item: (-item[1], item[0]))
    files = len({entry.test.file for entry in world.linked})
    return Started(
        len(world.linked),
        files,
        len(orphans),
        len(world.scan.gaps),
        tuple(ranked[:5]),
        entry,
        len(dict(foreign(world))),
        folder,
    )


def _chosen(snapshot: Snapshot, folder: Folder) -> Folder:
    """The folder that a person names, where nothing else is in it and no other folder holds the pact."""
    if folder == snapshot.folder:
        return folder
    held = snapshot.folder.path(SETTINGS_FILE)
    if is_settings(snapshot.read(held) or b""):
        raise UsageError(f"this repository has a pact already, in {snapshot.folder.root!r}")
    if any(True for _ in below(snapshot.paths, folder.root)):
        raise UsageError(f"there are files in {folder.root!r} already; name a folder that is empty or new")
    return folder


@dataclass(frozen=True, slots=True)
class DebtChange:
    """The test ids whose lines were added or removed, and how many lines there are now."""

    changed: tuple[str, ...]
    lines: int
    entry: WriteEntry | None


def change_debt(
    workspace: Workspace, action: Literal["add", "prune"], names: Sequence[str] = (), *, reason: str = ""
) -> DebtChange:
    """Add orphans to the debt, with a reason, or remove lines that cover nothing any more."""
    workspace.settle()
    snapshot = workspace.snapshot()
    world = workspace.world(snapshot, required=True)
    before = _bytes(workspace, snapshot)
    if action == "add":
        added = [entry for entry in named_tests(world, names, folder=workspace.folder) if _may_be_debt(entry)]
        changed = tuple(entry.test.id for entry in added)
        lines = debt_lines(snapshot, [entry.test for entry in added], known=world.pact.debt.grounds)
        after = put_debt(before, lines.items())
    else:
        changed = _prunable(workspace, world)
        after = _renewed(snapshot, world, remove_debt(before or b"", changed))
    edit = FileEdit(snapshot.folder.path(DEBT_FILE), before, after)
    entry = apply(workspace.place, (edit,), _note(workspace, f"debt {action}", list(changed), reason=reason))
    return DebtChange(changed, sum("::" in line for line in after.decode().splitlines()), entry)


def _renewed(snapshot: Snapshot, world: World, kept: bytes) -> bytes:
    """The debt as strong as its tests are now; where one of them got weaker, only lines that say nothing yet change.

    The files that tests rest on are written anew with it, so that what is weaker would pass for recorded.
    """
    debt = [entry for entry in world.linked if entry.state in {"debt", "changed_debt"}]
    if any(entry.weaker for entry in debt):
        return put_debt(kept, debt_lines(snapshot, unmarked(world), known=world.pact.debt.grounds).items())
    own = [entry.test for entry in debt if entry.state == "debt" and entry.test.id in world.pact.debt.by_test]
    return put_debt(remove_debt(kept, world.pact.debt.grounds), debt_lines(snapshot, own).items())


def _may_be_debt(entry: LinkedTest) -> bool:
    if entry.links:
        raise UsageError(f"{entry.test.id!r} is linked, so it is no debt")
    return entry.state in {"orphan", "changed_debt"} or bool(entry.weaker)


def _prunable(workspace: Workspace, world: World) -> tuple[str, ...]:
    """Lines of tests that are gone from a fully seen file, and of tests that are linked by now."""
    verdict = check(world.linked, world.pact, world.scan.gaps, today=workspace.now().date())
    gone = {one.finding.subject for one in verdict.findings if one.finding.code == "PK203"}
    linked = {entry.test.id for entry in world.linked if entry.links and entry.state not in _WITHOUT_ATOM}
    return tuple(sorted((gone | linked) & set(world.pact.debt.by_test)))


def _bytes(workspace: Workspace, snapshot: Snapshot) -> bytes | None:
    return workspace.pact_files(snapshot).get(snapshot.folder.path(DEBT_FILE))


def _note(workspace: Workspace, verb: str, tests: list[str], *, reason: str = "") -> WriteNote:
    metadata: dict[str, JsonValue] = {
        "verb": verb,
        "tests": list[JsonValue](tests),
        "reason": reason,
        **asserted(workspace),
    }
    return WriteNote(workspace.now().isoformat(timespec="seconds"), metadata)
