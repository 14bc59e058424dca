"""The verb that adopts annotations which were there before the pact: each id they name becomes a draft atom."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from pactkeeper.catalog.journal import WriteEntry, FileEdit
from pactkeeper.catalog.schema import DEBT_FILE, atoms_path
from pactkeeper.catalog.transaction import WriteNote, apply
from pactkeeper.catalog.write import put_atom, remove_debt
from pactkeeper.intent.atoms import Atom
from pactkeeper.intent.links import Link, LinkedTest
from pactkeeper.operators.asserted import asserted
from pactkeeper.reconcile.inferring import infer_tests
from pactkeeper.reconcile.world import World
from pactkeeper.repo.snapshot import Snapshot
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
