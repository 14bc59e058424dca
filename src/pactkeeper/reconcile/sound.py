"""Whether ops may be carried out at all: what no decision and no setting can allow.

A patch is a file that anybody can write. Its hashes say that it is whole, not that it makes sense here, so an apply
asks again what discovery and the proposer took care of.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pactkeeper.intent.ids import is_id
from pactkeeper.ledger.op import Op
from pactkeeper.reconcile.world import ATOM, TEST, World


def unsound(ops: Iterable[Op], world: World) -> Iterator[str]:
    """Name every reason for which one of the ops must not be applied together with the others."""
    found = list(ops)
    made = {op.target.removeprefix(ATOM) for op in found if op.verb == "createAtom"}
    for op in found:
        yield from (f"{op.id} {op.verb}: {reason}" for reason in _reasons(op, world, made))


def _reasons(op: Op, world: World, made: set[str]) -> Iterator[str]:
    expected = _target(op)
    if expected is not None and op.target != expected:
        yield f"it is about {op.target} and would change {expected}"
        return
    match op.verb:
        case "createAtom":
            yield from _creation(op.target.removeprefix(ATOM), world)
        case "updateAtom":
            if world.pact.is_committed(str(op.payload["atomId"])):
                yield f"{op.payload['atomId']} is committed, and a committed atom never changes"
            elif op.payload["atomId"] not in world.pact.atoms:
                yield f"the pact has no atom {op.payload['atomId']}"
        case "markAtomSuperseded":
            yield from _supersession(op, world, made)
        case "attachTestToAtom":
            yield from _attachment(op, world, made)
        case "detachTest":
            if op.payload["testId"] in world.by_id:
                yield f"the test {op.payload['testId']!r} is there"


def _target(op: Op) -> str | None:
    said = op.payload
    match op.verb:
        case "createAtom" | "updateAtom":
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
        yield f"{name!r} is no id of an atom; they look like {prefix}-7F3KQ9T"
    if name in world.pact.atoms:
        yield f"the pact has an atom {name} already"


def _supersession(op: Op, world: World, made: set[str]) -> Iterator[str]:
    old, new = str(op.payload["oldAtomId"]), str(op.payload["newAtomId"])
    if old not in world.pact.atoms:
        yield f"the pact has no atom {old}"
    if new not in made and world.pact.status_of(new) in {None, "superseded", "abandoned", "committed"}:
        yield f"{new} is {world.pact.status_of(new) or 'not in the pact'}, so it cannot become the successor of {old}"


def _attachment(op: Op, world: World, made: set[str]) -> Iterator[str]:
    said = op.payload
    entry = world.by_id.get(str(said["testId"]))
    if entry is None:
        yield f"there is no test {said['testId']!r}"
    elif said.get("bodyHash") != entry.test.body_hash:
        yield f"the test {said['testId']!r} has another body than the op says"
    if said["atomId"] not in made and said["atomId"] not in world.pact.atoms:
        yield f"the pact has no atom {said['atomId']}, and nothing that is accepted creates it"
    replaced = said.get("replacesTestId")
    if replaced is not None and replaced not in world.gone:
        yield f"the test {replaced!r} whose record it would take over is there, or its file cannot be seen"
