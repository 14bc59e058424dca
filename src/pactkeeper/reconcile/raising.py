"""Questions about atoms people wrote: better wording, separate behaviours, and how two atoms relate.

They are raised by a person, and proposals from answers await review. Committed wording is never asked about: it is
replaced by supersession.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, cast

from pactkeeper.intent.atoms import Atom
from pactkeeper.intent.conflicts import Conflict, find_conflicts
from pactkeeper.intent.links import LIVE_LINKS
from pactkeeper.intent.quality import AtomWords, QualityVocabulary, assess
from pactkeeper.intent.wording.verbs import joints
from pactkeeper.ledger.finding import Evidence
from pactkeeper.ledger.op import Op
from pactkeeper.ledger.question import Answer, Question
from pactkeeper.reconcile.authored import AtomChange, NewAtom, change, creation, successor
from pactkeeper.reconcile.world import World
from pactkeeper.reconcile.worth import sureness

MOST_RAISED: Final = 20  # at a time; answers change the questions that follow
_PAIR: Final = 2


def raised(kind: str, world: World, names: Sequence[str] = ()) -> Iterator[Question]:
    """Yield the questions of a kind in `RAISED` that rules find worth asking, about the named atoms or all."""
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
    """Ask for better wording; None if rules find nothing to improve."""
    quality = assess(AtomWords.of(atom), QualityVocabulary.of(world.pact.settings))
    if quality.verdict == "approve":
        return None
    lacks = [f"{one.words!r} {one.why}" if one.words else one.why for one in quality.deductions]
    return Question("better_words", atom.id, {**_shown(atom, world), "lacks": lacks})


def splitting(atom: Atom, world: World) -> Question | None:
    """Ask to split a compound sentence into separate behaviours; None if it states only one."""
    found = joints(atom.intent)
    return Question("split_intent", atom.id, {**_shown(atom, world), "why": found}) if found else None


def comparing(conflict: Conflict, world: World) -> Question:
    """Ask how two atoms relate that may contradict or repeat each other."""
    atoms = [world.pact.atoms[name] for name in conflict.atoms]
    texts = [text for one in atoms for text in (one.intent, *one.outcomes)]
    says = [f"{one.id}: {one.intent}" for one in atoms]
    return Question("contradiction", " ".join(conflict.atoms), {"atoms": says, "why": conflict.message, "texts": texts})


def proposed(question: Question, answer: Answer, world: World) -> tuple[Op, ...]:
    """Return what an answer about one atom proposes; nothing if the atom has changed since the question.

    An answer about two atoms proposes nothing: people decide which of them stays.
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
    """Give the atom the first part, so that its tests keep their links; the other parts become new atoms."""
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
    """Give ops from non-persons a model's weight; the ops of one answer are reviewed together."""
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
    """Whether its wording may still change."""
    return not world.pact.is_committed(atom.id) and world.pact.status_of(atom.id) not in {"superseded", "abandoned"}
