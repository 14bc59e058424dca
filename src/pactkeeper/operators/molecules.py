"""The verbs around molecules: computed views, and what a person keeps of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pactkeeper.catalog.journal import Entry, FileEdit
from pactkeeper.catalog.schema import MOLECULES_FILE
from pactkeeper.catalog.transaction import Note, apply
from pactkeeper.catalog.write import put_molecule, remove_molecule
from pactkeeper.errors import UsageError
from pactkeeper.intent.atoms import Molecule
from pactkeeper.intent.ids import hashed_id
from pactkeeper.intent.pact import Pact
from pactkeeper.reconcile.molecules import Grouping, View, views
from pactkeeper.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Molecules:
    """What people keep, and what is computed now."""

    pact: Pact
    stored: tuple[Molecule, ...]
    computed: tuple[View, ...]


def list_molecules(workspace: Workspace, grouping: Grouping) -> Molecules:
    """List stored molecules and the views of one grouping; abandoned and superseded atoms are in no view."""
    pact = workspace.pact(workspace.snapshot(), required=True)
    live = [one for one in pact.atoms.values() if pact.status_of(one.id) not in {"abandoned", "superseded"}]
    return Molecules(pact, tuple(sorted(pact.molecules.values(), key=lambda one: one.id)), views(live, grouping))


@dataclass(frozen=True, slots=True)
class Change:
    """What to make of a molecule; `view` is the key of a computed one to keep, else `molecule` names a stored one."""

    molecule: str | None = None
    view: str | None = None
    grouping: Grouping = "path"
    name: str | None = None
    description: str | None = None
    add: Sequence[str] = ()
    remove: Sequence[str] = ()
    delete: bool = False


def change_molecule(workspace: Workspace, change: Change) -> tuple[Molecule, Entry | None]:
    """Keep a view, or rename, describe, extend, shrink or delete a stored molecule."""
    known = list_molecules(workspace, change.grouping)
    molecule = _kept(known, change) if change.view is not None else _stored(known, change.molecule or "")
    members = [name for name in molecule.atoms if name not in set(change.remove)]
    members += [name for name in change.add if name not in members]
    unknown = [name for name in (*change.add, *change.remove) if name not in known.pact.atoms]
    if unknown:
        raise UsageError(f"the pact has no atom {', '.join(repr(name) for name in unknown)}")
    made = replace(
        molecule,
        name=change.name or molecule.name,
        description=molecule.description if change.description is None else change.description,
        atoms=tuple(members),
    )
    before = workspace.pact_files(workspace.snapshot()).get(MOLECULES_FILE)
    after = remove_molecule(before or b"", made.id) if change.delete else put_molecule(before, made)
    at = workspace.now().isoformat(timespec="seconds")
    edit = FileEdit(MOLECULES_FILE, before, after)
    return made, apply(workspace.place, (edit,), Note(at, {"verb": "molecule", "molecule": made.id}))


def _kept(known: Molecules, change: Change) -> Molecule:
    view = next((one for one in known.computed if one.key == change.view), None)
    if view is None:
        raise UsageError(f"there is no view {change.view!r} by {change.grouping}; see: pk molecule list")
    return Molecule(hashed_id("M", change.grouping, view.key), change.name or view.name, view.atoms)


def _stored(known: Molecules, name: str) -> Molecule:
    hits = [one for one in known.stored if name in {one.id, one.name}]
    if len(hits) != 1:
        problem = "there is no molecule" if not hits else "more than one molecule is named"
        raise UsageError(f"{problem} {name!r}; see: pk molecule list")
    return hits[0]
