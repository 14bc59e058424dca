"""Whether ops may be applied at all: what no decision and no setting can allow.

Anybody can write a patch file. Its hashes prove that it is intact, not that it makes sense here, so an apply repeats
the checks that discovery and the proposer made.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from pactkeeper.advice import ACCEPT, SUPERSEDE, Advice
from pactkeeper.intent.atoms import predecessors
from pactkeeper.intent.ids import is_id
from pactkeeper.intent.links import LinkedTest
from pactkeeper.intent.tests import Test
from pactkeeper.ledger.op import Op
from pactkeeper.reconcile.edits import Annotate, CommentEdit
from pactkeeper.reconcile.links import restoring
from pactkeeper.reconcile.world import ATOM, TEST, World
from pactkeeper.repo.annotations.writing import Wish, splice, write
from pactkeeper.repo.languages import owner


def unsound(ops: Iterable[Op], world: World) -> Iterator[str]:
    """Yield every reason why one of the ops must not be applied together with the others."""
    found = list(ops)
    made = {op.target.removeprefix(ATOM) for op in found if op.verb == "createAtom"}
    kept = world.last_proofs() if any(op.verb == "detachTest" for op in found) else frozenset[str]()
    yield from (_forgets(op) for op in found if op.verb == "detachTest" and op.payload["testId"] in kept)
    for op in found:
        yield from (f"{op.id} {op.verb}: " + reason for reason in _reasons(op, world, made, found))
    steps = [op.payload for op in found if op.verb == "markAtomSuperseded"]
    for key, what in (("oldAtomId", "is replaced"), ("newAtomId", "replaces another")):
        counts = Counter(str(one[key]) for one in steps)
        yield from (f"{name} {what} {number} times" for name, number in counts.items() if number > 1)


def _reasons(op: Op, world: World, made: set[str], ops: Sequence[Op]) -> Iterator[str]:
    expected = _target(op)
    if expected is not None and op.target != expected:
        yield f"it is about {op.target} and would change {expected}"
        return
    match op.verb:
        case "createAtom":
            yield from _creation(op.target.removeprefix(ATOM), world)
        case "updateAtom" | "removeAtom":
            yield from _change(str(op.payload["atomId"]), world)
            if op.verb == "removeAtom":
                yield from (f"it is needed: {reason}" for reason in named_by(str(op.payload["atomId"]), world))
        case "markAtomSuperseded":
            yield from _supersession(op, world, made)
        case "attachTestToAtom":
            yield from _attachment(op, world, made, ops)
        case "detachTest":
            if op.payload["testId"] in world.by_id:
                yield f"the test {op.payload['testId']!r} is there"


def _forgets(op: Op) -> Advice:
    return (
        f"{op.id} {op.verb}: the record of {op.payload['testId']!r} is the only record of what proved an atom "
        "that is committed or that a person wrote; link the test that took its place: "
        + ACCEPT("TEST --atom ATOM")
        + "; or replace the atom: "
        + SUPERSEDE("ATOM")
    )


def _target(op: Op) -> str | None:
    said = op.payload
    match op.verb:
        case "createAtom" | "updateAtom" | "removeAtom":
            return f"{ATOM}{said.get('atomId', op.target.removeprefix(ATOM))}"
        case "markAtomSuperseded":
            return f"{ATOM}{said['oldAtomId']}"
        case "attachTestToAtom" | "detachTest":
            return f"{TEST}{said.get('testId')}"
        case _:
            return None


def _creation(name: str, world: World) -> Iterator[str]:
    prefix = world.pact.settings.atom_prefix
    if not is_id(name, prefix):
        yield f"{name!r} is not an atom id; they look like {prefix}-7F3KQ9T"
    if name in world.pact.atoms:
        yield f"the pact has an atom {name} already"


def _change(name: str, world: World) -> Iterator[str]:
    status = world.pact.status_of(name)
    if status is None:
        yield f"the pact has no atom {name}"
    elif world.pact.is_committed(name):
        yield f"{name} is committed, and a committed atom never changes; replace it: " + SUPERSEDE(name)
    elif status == "superseded":
        yield f"{name} is superseded by {world.pact.successor_of(name)}; a superseded atom never changes"


def named_by(name: str, world: World) -> Iterator[str]:
    """Yield what refers to an atom, so that it can't be removed: tests, molecules, and atoms that replace it."""
    pact = world.pact
    tests = dict.fromkeys([entry.test.id for entry in world.linked if name in entry.atoms()])
    tests.update(dict.fromkeys(pact.tests_of(name)))
    yield from (f"the test {test!r} links to it" for test in tests)
    yield from (f"the molecule {one.id} {one.name!r} groups it" for one in pact.molecules.values() if name in one.atoms)
    yield from (f"{one.id} replaces it" for one in pact.atoms.values() if one.supersedes == name)


def _supersession(op: Op, world: World, made: set[str]) -> Iterator[str]:
    """Check that a successor is one uncommitted atom that replaces one other and forms no cycle."""
    pact, old, new = world.pact, str(op.payload["oldAtomId"]), str(op.payload["newAtomId"])
    if old not in pact.atoms:
        yield f"the pact has no atom {old}"
        return
    if new not in made and (not pact.is_live(new) or pact.is_committed(new)):
        yield f"{new} is {pact.status_of(new) or 'not in the pact'}, so it cannot become the successor of {old}"
    others = [one for one in pact.claimants_of(old) if one != new]
    if others:
        yield f"{old} already has a successor, {others[0]}; replace or abandon that one"
    known = pact.atoms.get(new)
    if known is not None and known.supersedes not in {None, old}:
        yield f"{new} replaces {known.supersedes} already, and an atom can replace only one"
    if new == old or new in predecessors(old, pact.atoms):
        yield f"{old} was declared to replace {new}, so {new} cannot replace {old}"


def _lesser(entry: LinkedTest, atom: str, world: World, beside: Sequence[Test]) -> Iterator[str]:
    """Refuse a test that proves less of a committed atom than was reviewed, or than its vanished test did.

    What the tests `beside`, which are linked along with it, prove isn't asked of it.
    """
    weaker = world.weaker(entry, beside) if entry.proves_less else ()
    reviewed = entry.record is not None and atom in entry.record.named
    if atom not in entry.atoms() or (weaker and not reviewed):
        weaker = world.lesser(entry.test, atom, beside)
    if weaker:
        shown = "; ".join(f"{one.message}: {one.old or 'nothing'} → {one.new or 'nothing'}" for one in weaker[:3])
        yield (
            f"the test {entry.test.id!r} proves less of {atom} than was reviewed ({shown}), and {atom} is committed; "
            f"{restoring(atom, world.pact, replace(entry, weaker=weaker))}"
        )


def _attachment(op: Op, world: World, made: set[str], ops: Sequence[Op]) -> Iterator[str]:
    said = op.payload
    entry = world.by_id.get(str(said["testId"]))
    if entry is None:
        yield f"there is no test {said['testId']!r}"
    elif said.get("bodyHash") != entry.test.body_hash:
        yield f"the test {said['testId']!r} has changed since the op was made"
    status = world.pact.status_of(str(said["atomId"]))
    if said["atomId"] not in made and status is None:
        yield f"the pact has no atom {said['atomId']}, and no accepted op creates it"
    if status in {"superseded", "abandoned"}:
        yield f"{said['atomId']} is {status}, so no test can be linked to it"
    if entry is not None and world.pact.is_committed(str(said["atomId"])):
        same = [one.payload for one in ops if one.verb == op.verb and one.payload["atomId"] == said["atomId"]]
        beside = [world.by_id[name].test for one in same if (name := str(one["testId"])) in world.by_id]
        yield from _lesser(entry, str(said["atomId"]), world, [test for test in beside if test.id != entry.test.id])
    replaced = said.get("replacesTestId")
    if replaced is not None and replaced not in world.gone:
        yield f"the test {replaced!r} whose record it would take over still exists, or its file cannot be read"


def comment_writer(prefix: str) -> Annotate:
    """Return the writer for a pact whose atom ids have this prefix."""

    def write(path: str, source: bytes, comments: Sequence[CommentEdit]) -> tuple[bytes, Mapping[str, str]]:
        wishes = {Wish(one.test.line, one.add, one.remove): one.test.id for one in comments}
        data, refused = annotate(path, source, list(wishes), prefix=prefix)
        return data, {wishes[wish]: reason for wish, reason in refused.items()}

    return write


def annotate(
    path: str, source: bytes, wishes: Sequence[Wish], *, prefix: str = "IA"
) -> tuple[bytes, Mapping[Wish, str]]:
    """Apply comment changes to a file; what can't be done safely is left undone and returned with the reason."""
    language = owner(path)
    if language is None:
        return source, dict.fromkeys(wishes, "no language adapter reads this file")
    written = write(language.tree(path, source), source, wishes, prefix=prefix)
    return splice(source, written.splices), dict(written.refused)
