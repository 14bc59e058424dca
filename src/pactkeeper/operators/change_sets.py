"""The verb that replaces a declared rule by another and gathers what has to change into one change set."""

from __future__ import annotations

from dataclasses import dataclass

from pactkeeper.catalog.journal import FileEdit, WriteEntry
from pactkeeper.catalog.schema import INVARIANTS_FILE, MOLECULES_FILE
from pactkeeper.catalog.transaction import WriteNote, apply
from pactkeeper.catalog.write import put_molecule, switch_invariant
from pactkeeper.errors import RefusedError, UsageError
from pactkeeper.intent.atoms import Atom, Molecule
from pactkeeper.intent.ids import hashed_id
from pactkeeper.intent.invariants import RULES
from pactkeeper.intent.invariants.impact import Impact, impact_of
from pactkeeper.intent.pact import Invariant, Pact
from pactkeeper.intent.quality import AtomWords, Quality, QualityVocabulary, assess
from pactkeeper.operators.invariants import facts_of
from pactkeeper.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Superseded:
    """A rule that another one replaces; `change_set` is None where everything holds to the new rule already."""

    old: str
    new: str
    impact: Impact
    change_set: Molecule | None
    entry: WriteEntry | None


def supersede_invariant(workspace: Workspace, old: str, new: str, *, dry_run: bool = False) -> Superseded:
    """Switch a declared rule off and its replacement on, and gather the atoms and tests that break the new one.

    Both stand in `pact/invariants.toml`. The change set is committed as one, when its atoms hold to the new rule.
    """
    workspace.settle(dry_run=dry_run)
    snapshot = workspace.snapshot()
    world = workspace.world(snapshot, required=True)
    before, after = _rules(world.pact, old, new)
    vocabulary = QualityVocabulary.of(world.pact.settings)

    def judge(atom: Atom) -> Quality:
        return assess(AtomWords.of(atom), vocabulary)

    impact = impact_of(before, after, facts_of(workspace, snapshot, world), assess=judge)
    if impact.unknown:
        raise RefusedError(f"nobody can tell what {new} changes: {impact.unknown}; nothing was written")
    change_set = _change_set(before, after, impact, world.pact)
    entry = None if dry_run else _write(workspace, before, after, change_set)
    return Superseded(before.id, after.id, impact, change_set, entry)


def _rules(pact: Pact, old: str, new: str) -> tuple[Invariant, Invariant]:
    for name in (old, new):
        if name in RULES:
            raise UsageError(f"{name} is built in and cannot be replaced; pk invariant disable {name} switches it off")
        if name not in pact.invariants:
            raise UsageError(f"{INVARIANTS_FILE} declares no {name!r}; declare the new rule there first, then replace")
    if old == new:
        raise UsageError(f"{old} cannot replace itself; declare the new rule under an id of its own")
    if not pact.invariants[old].enabled:
        raise UsageError(f"{old} is off already, so nothing is left to replace")
    return pact.invariants[old], pact.invariants[new]


def _change_set(old: Invariant, new: Invariant, impact: Impact, pact: Pact) -> Molecule | None:
    if not impact.atoms and not impact.tests:
        return None
    key = hashed_id("M", "change_set", old.id, new.id)
    if key in pact.molecules:
        raise RefusedError(f"{key} is the change set of this already; see: pk molecule show {key}")
    name = f"{new.id} takes the place of {old.id}"
    return Molecule(key, name, impact.atoms, new.rule, "change_set", tests=impact.tests)


def _write(workspace: Workspace, old: Invariant, new: Invariant, change_set: Molecule | None) -> WriteEntry | None:
    snapshot = workspace.snapshot()
    files, folder = workspace.pact_files(snapshot), snapshot.folder
    place = folder.path(INVARIANTS_FILE)
    rules = files.get(place)
    switched = switch_invariant(rules, old.id, "enabled", value=False)
    switched = switch_invariant(switched, new.id, "enabled", value=True)
    edits = [FileEdit(place, rules, switched)]
    if change_set is not None:
        stored = folder.path(MOLECULES_FILE)
        molecules = files.get(stored)
        edits.append(FileEdit(stored, molecules, put_molecule(molecules, change_set)))
    at = workspace.now().isoformat(timespec="seconds")
    facts = {"verb": "supersede invariant", "rule": f"{new.id} for {old.id}", "decided_by": [workspace.person()]}
    return apply(workspace.place, edits, WriteNote(at, facts))
