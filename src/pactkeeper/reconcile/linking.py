"""Links to another atom than the reviewed one: whether the test holds the values that the atom's words give."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from pactkeeper.intent.answers.names import invented
from pactkeeper.intent.atoms import Atom
from pactkeeper.intent.wording.outcomes import is_read
from pactkeeper.intent.wording.tokens import tokens
from pactkeeper.ledger.op import Op
from pactkeeper.reconcile.answering import question_about
from pactkeeper.reconcile.asking import grounds_of
from pactkeeper.reconcile.world import World
from pactkeeper.reconcile.worth import DOUBTED, Inferred, mechanical

_VALUES: Final = frozenset({"number", "quoted"})


def contradicted(
    ops: Iterable[Op], inferred: Mapping[str, Inferred], read: Callable[[str], bytes | None], world: World
) -> Iterator[tuple[Op, tuple[str, ...]]]:
    """Yield each op that links a test to another atom of the pact whose values the test doesn't hold, with these.

    Values that the replaced atom gives too are no doubt: the test was reviewed with them.
    """
    for op in ops:
        one, atom = inferred.get(op.group), world.pact.atoms.get(str(op.payload.get("atomId")))
        if op.verb != "attachTestToAtom" or one is None or atom is None or atom.id in _linked(one):
            continue
        before = [*map(world.pact.atoms.get, _linked(one))]
        reviewed = "\n".join(_said(each) for each in before if each is not None)
        grounds = grounds_of(question_about(one), read, world)
        if grounds is None:
            continue
        near = f"{grounds.source.near or grounds.source.text}\n{reviewed}"
        values = [each for each in tokens(_said(atom)) if each.kind in _VALUES]
        doubts = tuple(dict.fromkeys(invented(values, replace(grounds.source, near=near))))
        if doubts:
            yield op, doubts


def with_doubts(
    ops: Iterable[Op], inferred: Mapping[str, Inferred], read: Callable[[str], bytes | None], world: World
) -> tuple[Op, ...]:
    """Return the ops, each contradicted link with its doubts as evidence and too unsure to be accepted unread."""
    every = tuple(ops)
    found = {op.id: doubts for op, doubts in contradicted(every, inferred, read, world)}
    return tuple(_doubted(op, inferred[op.group], found[op.id]) if op.id in found else op for op in every)


def _doubted(op: Op, one: Inferred, doubts: Iterable[str]) -> Op:
    notes = (mechanical(one, f"the atom's words don't fit this test: {doubt}") for doubt in doubts)
    return replace(op, confidence=DOUBTED, evidence=(*op.evidence, *notes))


def _linked(one: Inferred) -> frozenset[str]:
    return frozenset(link.atom for link in one.entry.links)


def _said(atom: Atom) -> str:
    """Return the words of an atom; outcomes that were read from a test are spelled as that test is."""
    return "\n".join((atom.intent, *(each for each in atom.outcomes if not is_read(each))))
