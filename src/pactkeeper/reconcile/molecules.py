"""Molecules as computed views: atoms grouped by the location of their tests, or by the subject of their wording.

Views are never stored; keeping one turns it into a person's molecule. Grouping is deterministic, as seed 000 §5.6 asks:
the same pact gives the same groups in the same order.

Also groups the atoms that a run proposes: rules decide which belong together, answers name them and what they lack.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any, Final, Literal, cast

from pactkeeper.intent.atoms import Atom
from pactkeeper.intent.ids import hashed_id, nearest
from pactkeeper.intent.records import MoleculeRecommendation
from pactkeeper.intent.tests import file_of
from pactkeeper.intent.wording import singular
from pactkeeper.ledger.canonical import by_key
from pactkeeper.ledger.finding import Evidence
from pactkeeper.ledger.op import Op
from pactkeeper.ledger.question import Answer, Question
from pactkeeper.reconcile.world import ATOM, MOLECULE, World
from pactkeeper.reconcile.worth import sureness

Grouping = Literal["path", "concept"]
UNGROUPED = "everything else"

_TEST_FOLDERS = frozenset(
    {"test", "tests", "testing", "__tests__", "spec", "specs", "unit", "integration", "e2e", "src"}
)
_TEST_MARKS = re.compile(r"^(?:test|spec)s?[_-]|[_.-](?:test|tests|spec|specs|cy|e2e)$", re.IGNORECASE)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_STOP_WORDS = (
    "a about after again all also an and any are as at be because been before being both but by can cannot case "
    "does each every for from get gets given got had has have how if in into is it its just like made make makes "
    "may more most must new no none nor not of off on once one only or other out over own raised returned returns "
    "same set should so some such test tested testing tests than that the their them then there these they this "
    "those to true false twice under until up use used uses using value values via was were what when where which "
    "while who will with within without work works wrong "
)
_STOP = frozenset(_STOP_WORDS.split())
_SHORTEST_CONCEPT = 3
_SMALLEST_GROUP = 2
_LARGEST_SHARE = 0.5  # a word in more than half of all atoms distinguishes nothing


@dataclass(frozen=True, slots=True)
class MoleculeView:
    """A computed group; `key` is its stable name for `pk molecule keep`."""

    key: str
    name: str
    atoms: tuple[str, ...]


def views(atoms: Iterable[Atom], grouping: Grouping) -> tuple[MoleculeView, ...]:
    """Group atoms; every atom is in exactly one view, and views are sorted by key with the remainder last."""
    found = sorted(atoms, key=lambda atom: atom.id)
    keys = {atom.id: _namespace(atom) for atom in found} if grouping == "path" else _concepts(found)
    groups = by_key((keys[atom.id], atom.id) for atom in found)
    ordered = sorted(groups.items(), key=lambda item: (item[0] == UNGROUPED, item[0]))
    return tuple(MoleculeView(key, _title(key), tuple(members)) for key, members in ordered)


def _title(key: str) -> str:
    words = key.replace("/", " / ").replace("_", " ").replace("-", " ").strip()
    return words[:1].upper() + words[1:]


def _namespace(atom: Atom) -> str:
    if not atom.origin:
        return UNGROUPED
    path = PurePosixPath(file_of(atom.origin))
    folders = [part for part in path.parts[:-1] if part.lower() not in _TEST_FOLDERS]
    stem = path.name.split(".", 1)[0] if path.name.count(".") == 1 else path.name.rsplit(".", 1)[0]
    while (bare := _TEST_MARKS.sub("", stem)) != stem and bare:
        stem = bare
    return "/".join([*folders, stem])


def _concepts(atoms: list[Atom]) -> Mapping[str, str]:
    terms = {atom.id: _terms(atom) for atom in atoms}
    frequency = Counter(term for found in terms.values() for term in found)
    most = max(_SMALLEST_GROUP, int(len(atoms) * _LARGEST_SHARE))
    usable = {term: count for term, count in frequency.items() if _SMALLEST_GROUP <= count <= most}
    return {name: _concept(found, usable) for name, found in terms.items()}


def _concept(terms: frozenset[str], usable: Mapping[str, int]) -> str:
    found = [term for term in terms if term in usable]
    return min(found, key=lambda term: (-usable[term], term)) if found else UNGROUPED


def _terms(atom: Atom) -> frozenset[str]:
    """Return the words of the suite, file or tags if there are any, since they name the subject; else of the intent."""
    if atom.tags:
        return frozenset(word for tag in atom.tags for word in _words(tag))
    file, *names = atom.origin.split("::") if atom.origin else [""]
    suites = [word for name in names[:-1] for word in _words(name)]
    return frozenset(suites or _words(PurePosixPath(_namespace(atom)).name if file else "") or _words(atom.intent))


def _words(text: str) -> list[str]:
    found = [singular(word.lower()) for word in _WORD.findall(text)]
    return [word for word in found if len(word) >= _SHORTEST_CONCEPT and word not in _STOP and not word.isdigit()]


SMALLEST_MOLECULE: Final = 2
SHOWN_ATOMS: Final = 40


@dataclass(frozen=True, slots=True)
class AtomGroup:
    """Related atoms that a patch creates; `known` are existing atoms that belong to them as well.

    `says` are the sentences of the new atoms and `tests` their origins. `answers` are those that named the group or
    said what it lacks.
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
        """The id of the group as a molecule."""
        return hashed_id("M", self.key)

    @property
    def confidence(self) -> str:
        """The confidence of its least confident author; rules are certain of their grouping."""
        return f"{min((sureness(one) for one in self.answers), default=100) / 100:.2f}"


def grouped(ops: Iterable[Op], world: World) -> tuple[AtomGroup, ...]:
    """Group the atoms that a patch creates by the folders of their tests; seed 000 §5.6 groups by rules first."""
    new = {atom.id: atom for op in ops if op.verb == "createAtom" for atom in [_atom(op)]}
    found = (view for view in views(new.values(), "path") if len(view.atoms) >= SMALLEST_MOLECULE)
    groups: list[AtomGroup] = []
    for view in found:
        atoms = [new[name] for name in view.atoms]
        origins = dict.fromkeys(one.origin for one in atoms if one.origin and one.origin in world.by_id)
        groups.append(AtomGroup(view.key, view.name, view.atoms, tuple(one.intent for one in atoms), tuple(origins)))
    return tuple(groups)


def naming(group: AtomGroup) -> Question:
    """Ask for a name, showing the one given by the rules."""
    context = {"called": group.name, "texts": list(group.says[:SHOWN_ATOMS])}
    return Question("name_molecule", MOLECULE + group.molecule, context)


def completing(group: AtomGroup) -> Question:
    """Ask whether a group's tests show a behaviour that none of its atoms states."""
    context = {"called": group.name, "texts": list(group.says[:SHOWN_ATOMS]), "tests": list(group.tests)}
    return Question("molecule_complete", MOLECULE + group.molecule, context)


def completed(group: AtomGroup, answers: Mapping[str, Answer], world: World) -> AtomGroup:
    """Return the group with its given name and missing atoms; the description lists what no atom declares.

    The answer about completeness is looked up for the group as formed by the rules, so it is applied only once.
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
    """Split what is missing into atoms of the pact that state it, and behaviours that none states."""
    live = world.pact.live_atoms
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
    """Return the op that stores a group; `creators` maps its atoms to the ops that create them."""
    note = f"the tests of {len(group.atoms)} new atoms stand there"
    authors = dict.fromkeys(one.by for one in group.answers)
    said = tuple(Evidence("model", note=f"words of {by}") for by in authors)
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
    """Return the row that a run stores for a group."""
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
