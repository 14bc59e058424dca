"""Questions about atoms that somebody wrote: better words, single behaviours, what two of them are to each other.

A person raises them, and what an answer proposes waits for review. Committed words are never asked about: they are
replaced by supersession.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, cast

from pactkeeper.intent.atomicity import joints
from pactkeeper.intent.atoms import Atom
from pactkeeper.intent.conflicts import Conflict, find_conflicts
from pactkeeper.intent.links import LIVE_LINKS
from pactkeeper.intent.quality import AtomWords, QualityVocabulary, assess
from pactkeeper.ledger.finding import Evidence
from pactkeeper.ledger.op import Op
from pactkeeper.ledger.question import Answer, Question
from pactkeeper.reconcile.authored import AtomChange, NewAtom, change, creation, successor
from pactkeeper.reconcile.world import World
from pactkeeper.reconcile.worth import sureness

MOST_RAISED: Final = 20  # at a time; answers change what the next ones are
_PAIR: Final = 2


def raised(kind: str, world: World, names: Sequence[str] = ()) -> Iterator[Question]:
    """The questions of a kind in `RAISED` that rules find worth asking, of the named atoms or of all."""
    if kind == "contradiction":
        for conflict in find_conflicts(world.pact, world.linked).found:
            if (
                conflict.kind != "shared test"
                and len(conflict.atoms) == _PAIR
                and (not names or set(names) & set(conflict.atoms))
            ):
                yield comparing(conflict, world)
        return
    ask = bettering if kind == "better_words" else splitting
    for atom in world.pact.atoms.values():
        if (not names or atom.id in names) and _open(atom, world):
            question = ask(atom, world)
            if question is not None:
                yield question


def bettering(atom: Atom, world: World) -> Question | None:
    """Ask for better words; None where rules find nothing to better."""
    quality = assess(AtomWords.of(atom), QualityVocabulary.of(world.pact.settings))
    if quality.verdict == "approve":
        return None
    lacks = [f"{one.words!r} {one.why}" if one.words else one.why for one in quality.deductions]
    return Question("better_words", atom.id, {**_shown(atom, world), "lacks": lacks})


def splitting(atom: Atom, world: World) -> Question | None:
    """Ask for the single behaviours of a compound sentence; None where rules find one."""
    found = joints(atom.intent)
    return Question("split_intent", atom.id, {**_shown(atom, world), "why": found}) if found else None


def comparing(conflict: Conflict, world: World) -> Question:
    """Ask what two atoms are to each other that may contradict or repeat each other."""
    atoms = [world.pact.atoms[name] for name in conflict.atoms]
    texts = [text for one in atoms for text in (one.intent, *one.outcomes)]
    says = [f"{one.id}: {one.intent}" for one in atoms]
    return Question("contradiction", " ".join(conflict.atoms), {"atoms": says, "why": conflict.message, "texts": texts})


def proposed(question: Question, answer: Answer, world: World) -> tuple[Op, ...]:
    """What an answer about one atom proposes; nothing where the atom is not any more what was asked about.

    What two atoms are to each other proposes nothing: people decide which of them stays.
    """
    atom = world.pact.atoms.get(question.subject)
    if atom is None or not _open(atom, world):
        return ()
    said = cast("Mapping[str, Any]", answer.value)
    if question.kind == "better_words" and bettering(atom, world) == question:
        wanted = AtomChange(
            said["intent"], outcomes=said["outcomes"], falsified_by=said.get("falsified_by") or _kept(atom, said)
        )
        return tuple(_weighed(op, answer) for op in [change(world, atom, wanted, by=answer.by)] if op is not None)
    if question.kind == "split_intent" and splitting(atom, world) == question:
        return tuple(_weighed(op, answer) for op in _parted(atom, said["parts"], answer, world))
    return ()


def _parted(atom: Atom, parts: Sequence[Mapping[str, Any]], answer: Answer, world: World) -> Iterator[Op]:
    """The atom says the first part from now on, so that its tests keep their links; the others are new."""
    if len(parts) < _PAIR:
        return
    first, *others = parts
    op = change(world, atom, AtomChange(first["intent"], outcomes=first["outcomes"]), by=answer.by)
    if op is not None:
        yield op
    like = successor(atom, AtomChange(), world.pact.folder)
    for part in others:
        new = NewAtom(
            part["intent"],
            atom.category,
            part["outcomes"],
            tags=atom.tags,
            source="person" if answer.answerer == "person" else "agent",
            origin=atom.origin,
            topic=like.topic,
        )
        yield creation(world, new, by=answer.by)


def _weighed(op: Op, answer: Answer) -> Op:
    """What no person said has the weight of a model's word; one answer is reviewed as one."""
    if answer.answerer == "person":
        return replace(op, group=answer.question)
    evidence = (Evidence("model", note=f"words of {answer.by}"),)
    return replace(op, group=answer.question, evidence=evidence, confidence=f"{sureness(answer) / 100:.2f}")


def _kept(atom: Atom, said: Mapping[str, Any]) -> Sequence[str] | None:
    return atom.falsified_by if tuple(said["outcomes"]) == atom.outcomes else ()


def _shown(atom: Atom, world: World) -> dict[str, Any]:
    tests = [entry.test.id for entry in world.linked for link in entry.links if _holds(link.atom, link.state, atom)]
    return {
        "intent": atom.intent,
        "outcomes": list(atom.outcomes),
        "falsified_by": list(atom.falsified_by),
        "texts": [atom.intent, *atom.outcomes],
        "tests": list(dict.fromkeys(tests)),
    }


def _holds(named: str, state: str, atom: Atom) -> bool:
    return named == atom.id and state in LIVE_LINKS


def _open(atom: Atom, world: World) -> bool:
    """Whether its words may still be changed."""
    return not world.pact.is_committed(atom.id) and world.pact.status_of(atom.id) not in {"superseded", "abandoned"}
