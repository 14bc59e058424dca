"""Groups of the atoms that a run proposes: rules say which belong together, answers name them and what they lack."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, cast

from pactkeeper.intent.atoms import Atom
from pactkeeper.intent.ids import hashed_id, nearest
from pactkeeper.intent.records import MoleculeRecommendation
from pactkeeper.ledger.evidence import Evidence
from pactkeeper.ledger.op import Op
from pactkeeper.ledger.question import Answer, Question
from pactkeeper.reconcile.molecules import views
from pactkeeper.reconcile.worded_test import sureness
from pactkeeper.reconcile.world import ATOM, MOLECULE, World

SMALLEST_MOLECULE: Final = 2
SHOWN_ATOMS: Final = 40


@dataclass(frozen=True, slots=True)
class AtomGroup:
    """Atoms that a patch creates and that belong together; `known` are atoms of the pact that belong to them as well.

    `says` are the sentences of the new atoms and `tests` where they come from. `answers` are those that named the group
    or said what it lacks.
    """

    key: str
    name: str
    atoms: tuple[str, ...]
    says: tuple[str, ...]
    tests: tuple[str, ...]
    description: str = ""
    known: tuple[str, ...] = ()
    answers: tuple[Answer, ...] = ()

    @property
    def molecule(self) -> str:
        """The id that the group has as a molecule."""
        return hashed_id("M", self.key)

    @property
    def confidence(self) -> str:
        """How sure its least sure author is; rules are certain of what they group."""
        return f"{min((sureness(one) for one in self.answers), default=100) / 100:.2f}"


def grouped(ops: Iterable[Op], world: World) -> tuple[AtomGroup, ...]:
    """Group the atoms that a patch creates by the folders of their tests; seed 000 §5.6 groups by rules first."""
    new = {atom.id: atom for op in ops if op.verb == "createAtom" for atom in [_atom(op)]}
    found = (view for view in views(new.values(), "path") if len(view.atoms) >= SMALLEST_MOLECULE)
    return tuple(
        AtomGroup(
            view.key,
            view.name,
            view.atoms,
            tuple(new[name].intent for name in view.atoms),
            tuple(dict.fromkeys(origin for name in view.atoms if (origin := new[name].origin or "") in world.by_id)),
        )
        for view in found
    )


def naming(group: AtomGroup) -> Question:
    """Ask for a name; what rules call the group is shown."""
    context = {"called": group.name, "texts": list(group.says[:SHOWN_ATOMS])}
    return Question("name_molecule", MOLECULE + group.molecule, context)


def completing(group: AtomGroup) -> Question:
    """Ask whether the tests of a group show a behaviour that none of its atoms says."""
    context = {"called": group.name, "texts": list(group.says[:SHOWN_ATOMS]), "tests": list(group.tests)}
    return Question("molecule_complete", MOLECULE + group.molecule, context)


def completed(group: AtomGroup, answers: Mapping[str, Answer], world: World) -> AtomGroup:
    """The group as it was named, with the atoms of the pact that it was said to lack; what nothing says is told.

    The answer about completeness is looked up for the group as rules made it, and so comes back to it once.
    """
    name, lack = answers.get(naming(group).id), answers.get(completing(group).id)
    found = group
    if name is not None:
        said = cast("Mapping[str, Any]", name.value)
        found = replace(found, name=said["name"], description=said["description"], answers=(name,))
    if lack is None:
        return found
    known, missing = _sorted(cast("Mapping[str, Any]", lack.value)["missing"], group, world)
    told = f"Not declared yet: {' '.join(missing)}" if missing else ""
    description = " ".join(part for part in (found.description, told) if part)
    return replace(found, description=description, known=known, answers=(*found.answers, lack))


def _sorted(missing: Iterable[Mapping[str, Any]], group: AtomGroup, world: World) -> tuple[tuple[str, ...], list[str]]:
    """The atoms of the pact that say what is missing, and what none says."""
    live = [one for one in world.pact.atoms.values() if world.pact.status_of(one.id) not in {"superseded", "abandoned"}]
    known: list[str] = []
    untold: list[str] = []
    for one in missing:
        hit = nearest(one["behaviour"], live, most=1)
        if hit:
            known.append(hit[0].atom.id)
        else:
            untold.append(one["behaviour"])
    return tuple(name for name in dict.fromkeys(known) if name not in group.atoms), untold


def molecule_op(group: AtomGroup, creators: Mapping[str, str]) -> Op:
    """The op that stores a group; `creators` holds the ids of the ops that create its atoms."""
    note = f"the tests of {len(group.atoms)} new atoms stand there"
    said = tuple(Evidence("model", note=f"words of {by}") for by in dict.fromkeys(one.by for one in group.answers))
    return Op(
        "createMolecule",
        MOLECULE + group.molecule,
        None,
        {
            "moleculeId": group.molecule,
            "name": group.name,
            "description": group.description,
            "atomRecommendationIds": [creators[atom] for atom in group.atoms],
            "atomIds": [*group.atoms, *group.known],
            "confidence": group.confidence,
        },
        evidence=(Evidence("mechanical", group.key, note=note), *said),
        confidence=group.confidence,
        group=MOLECULE + group.molecule,
        depends_on=tuple(creators[atom] for atom in group.atoms),
    )


def recommendation(group: AtomGroup, creators: Mapping[str, str], run: str, at: str) -> MoleculeRecommendation:
    """The row that a run stores of a group."""
    return MoleculeRecommendation(
        id=molecule_op(group, creators).id,
        run_id=run,
        name=group.name,
        description=group.description,
        atom_recommendation_ids=tuple(creators[atom] for atom in group.atoms),
        atom_ids=group.known,
        confidence=group.confidence,
        status="pending",
        molecule_id=group.molecule,
        created_at=at,
    )


def _atom(op: Op) -> Atom:
    tags = op.payload.get("tags", [])
    return Atom(
        op.target.removeprefix(ATOM),
        str(op.payload["description"]),
        origin=op.group,
        tags=tuple(str(tag) for tag in tags) if isinstance(tags, list) else (),
    )
