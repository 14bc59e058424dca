"""Verbs about molecules: computed groups, and those a person keeps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from pactkeeper.advice import REGROUP, UNNEST
from pactkeeper.catalog.journal import FileEdit, WriteEntry
from pactkeeper.catalog.schema import MOLECULES_FILE
from pactkeeper.catalog.transaction import WriteNote, apply
from pactkeeper.catalog.write import put_molecule, remove_molecule
from pactkeeper.errors import RefusedError, UsageError
from pactkeeper.intent.atoms import Atom, Lens, Molecule, atoms_within, molecules_within, nesting_problems, predecessors
from pactkeeper.intent.ids import hashed_id
from pactkeeper.intent.links import TestState
from pactkeeper.intent.pact import Pact
from pactkeeper.operators.atoms import AtomRow, row_of
from pactkeeper.reconcile.molecules import UNGROUPED, Grouping, MoleculeView, views
from pactkeeper.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Molecules:
    """The stored molecules, and the currently computed ones."""

    pact: Pact
    stored: tuple[Molecule, ...]
    computed: tuple[MoleculeView, ...]


def list_molecules(workspace: Workspace, grouping: Grouping) -> Molecules:
    """List stored molecules and the computed groups of one kind, all of them with the atoms in force."""
    pact = workspace.pact(workspace.snapshot(), required=True)
    stored = tuple(_renewed(pact, pact.molecules[name]) for name in sorted(pact.molecules))
    return Molecules(pact, stored, views(_live(pact), grouping))


def _renewed(pact: Pact, molecule: Molecule) -> Molecule:
    return replace(molecule, atoms=pact.in_force(molecule.atoms))


def _live(pact: Pact) -> Iterator[Atom]:
    """Yield the atoms that are neither abandoned nor superseded; a successor stands where what it replaces stood."""
    for atom in pact.atoms.values():
        if pact.status_of(atom.id) not in {"abandoned", "superseded"}:
            earlier = (pact.atoms[name].origin for name in predecessors(atom.id, pact.atoms))
            yield replace(atom, origin=next(filter(None, (atom.origin, *earlier)), None))


@dataclass(frozen=True, slots=True)
class MoleculeDetail:
    """A stored molecule with its contents: molecules and atoms on all levels, and the tests it names.

    `outer` are the molecules that contain it, `tests` those of a change set with the state of their links, None for a
    missing one.
    """

    molecule: Molecule
    inner: tuple[Molecule, ...]
    outer: tuple[Molecule, ...]
    atoms: tuple[AtomRow, ...]
    tests: tuple[tuple[str, TestState | None], ...]


def get_molecule(workspace: Workspace, name: str) -> MoleculeDetail:
    """Get one stored molecule by its id or name."""
    world = workspace.world(workspace.snapshot(), required=True)
    pact = world.pact
    molecule = stored_molecule(pact, name)
    inner = molecules_within(molecule.id, pact.molecules)[1:]
    return MoleculeDetail(
        _renewed(pact, molecule),
        tuple(pact.molecules[one] for one in inner),
        tuple(one for one in pact.molecules.values() if molecule.id in one.molecules),
        tuple(row_of(pact.atoms[one], pact) for one in pact.in_force(atoms_within(molecule.id, pact.molecules))),
        tuple((test, world.by_id[test].state if test in world.by_id else None) for test in molecule.tests),
    )


@dataclass(frozen=True, slots=True)
class Change:
    """A change to a molecule: `new` names one to create, `view` a computed one to keep, `molecule` a stored one.

    An empty `lens` removes it. Atoms and tests are added and removed by id, molecules by id or name.
    """

    molecule: str | None = None
    new: str | None = None
    view: str | None = None
    grouping: Grouping = "path"
    name: str | None = None
    description: str | None = None
    lens: Lens | Literal[""] | None = None
    add: Sequence[str] = ()
    remove: Sequence[str] = ()
    nest: Sequence[str] = ()
    unnest: Sequence[str] = ()
    add_tests: Sequence[str] = ()
    remove_tests: Sequence[str] = ()
    delete: bool = False


def change_molecule(workspace: Workspace, change: Change) -> tuple[Molecule, WriteEntry | None]:
    """Create a molecule or keep a computed one, or rename, describe, extend, shrink, nest or delete a stored one.

    Raises `UsageError` for what the pact does not have, and `RefusedError` for a cycle, nesting that is too deep, and
    deleting a molecule that another one contains.
    """
    workspace.settle()
    known = list_molecules(workspace, change.grouping)
    molecule = _meant(known, change)
    _refuse_unknown(known.pact, change)
    made = replace(
        molecule,
        name=change.name or molecule.name,
        description=molecule.description if change.description is None else change.description,
        lens=molecule.lens if change.lens is None else change.lens or None,
        atoms=_members(known.pact.in_force(molecule.atoms), change.add, known.pact.in_force(change.remove)),
        molecules=_members(molecule.molecules, _ids(known.pact, change.nest), _ids(known.pact, change.unnest)),
        tests=_members(molecule.tests, change.add_tests, change.remove_tests),
    )
    if change.delete:
        _refuse_held(known.pact, made)
    else:
        _refuse_nesting(known.pact, made)
    path = known.pact.folder.path(MOLECULES_FILE)
    before = workspace.pact_files(workspace.snapshot()).get(path)
    after = remove_molecule(before or b"", made.id) if change.delete else put_molecule(before, made)
    at = workspace.now().isoformat(timespec="seconds")
    edit = FileEdit(path, before, after)
    return made, apply(workspace.place, (edit,), WriteNote(at, {"verb": "molecule", "molecule": made.id}))


def stored_molecule(pact: Pact, name: str) -> Molecule:
    """Return the stored molecule with this id or name; raises `UsageError` if none or several match."""
    hits = [one for one in pact.molecules.values() if name in {one.id, one.name}]
    if len(hits) != 1:
        problem = "there is no molecule" if not hits else "more than one molecule is named"
        raise UsageError(f"{problem} {name!r}; see: pk molecule list")
    return hits[0]


def _meant(known: Molecules, change: Change) -> Molecule:
    if change.new is not None:
        return _created(known.pact, change.new)
    return _kept(known, change) if change.view is not None else stored_molecule(known.pact, change.molecule or "")


def _created(pact: Pact, name: str) -> Molecule:
    made = Molecule(hashed_id("M", "named", name), name, ())
    taken = next((one for one in pact.molecules.values() if one.id == made.id or one.name == name), None)
    if taken is not None:
        raise UsageError(f"{taken.id} is already called {taken.name!r}; change it with: " + REGROUP(taken.id))
    if not name.strip():
        raise UsageError("the name is empty; name the group")
    return made


def _members(known: Sequence[str], add: Sequence[str], remove: Sequence[str]) -> tuple[str, ...]:
    return tuple(name for name in dict.fromkeys((*known, *add)) if name not in set(remove))


def _ids(pact: Pact, names: Sequence[str]) -> tuple[str, ...]:
    return tuple(stored_molecule(pact, name).id for name in names)


def _refuse_unknown(pact: Pact, change: Change) -> None:
    unknown = [name for name in (*change.add, *change.remove) if name not in pact.atoms]
    if unknown:
        named = ", ".join(repr(name) for name in unknown)
        raise UsageError(f"the pact has no atom {named}; to find it: pk atom search WORDS")


def _refuse_nesting(pact: Pact, made: Molecule) -> None:
    problems = [message for _, message in nesting_problems({**pact.molecules, made.id: made})]
    if problems:
        raise RefusedError(f"nothing was written: {'; '.join(problems)}")


def _refuse_held(pact: Pact, made: Molecule) -> None:
    outer = [one.id for one in pact.molecules.values() if made.id in one.molecules]
    if outer:
        raise RefusedError(f"{', '.join(outer)} holds {made.id}; take it out first: " + UNNEST(outer[0], made.id))


def _kept(known: Molecules, change: Change) -> Molecule:
    view = next((one for one in known.computed if one.key == change.view), None)
    if view is None:
        raise UsageError(f"there is no view {change.view!r} by {change.grouping}; see: pk molecule list")
    return Molecule(hashed_id("M", change.grouping, view.key), change.name or view.name, view.atoms)


def cluster_atoms_for_molecules(workspace: Workspace, grouping: Grouping) -> tuple[MoleculeView, ...]:
    """Group the live atoms that no stored molecule contains, without groups of one and ungrouped atoms."""
    pact = workspace.pact(workspace.snapshot(), required=True)
    held = {atom for one in pact.molecules.values() for atom in pact.in_force(one.atoms)}
    found = views([one for one in _live(pact) if one.id not in held], grouping)
    return tuple(one for one in found if len(one.atoms) > 1 and one.key != UNGROUPED)
