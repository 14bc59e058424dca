"""Atoms that people write: their ops (atoms without a test, changed drafts, successors), and questions about them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import chain, count
from typing import Any, Final, cast

from pactkeeper.catalog import schema
from pactkeeper.intent.atoms import Atom, Category, Source, WrittenStatus
from pactkeeper.intent.conflicts import Conflict, find_conflicts
from pactkeeper.intent.folder import Folder
from pactkeeper.intent.ids import authored_id, next_id
from pactkeeper.intent.links import LIVE_LINKS
from pactkeeper.intent.quality import AtomWords, QualityVocabulary, assess
from pactkeeper.intent.wording.outcomes import is_read
from pactkeeper.intent.wording.tokens import joints
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.ledger.finding import Evidence
from pactkeeper.ledger.op import Op
from pactkeeper.ledger.question import Answer, Question
from pactkeeper.reconcile.edits import TOPIC
from pactkeeper.reconcile.world import ATOM, World
from pactkeeper.reconcile.worth import sureness
from pactkeeper.speech.amounts import amounts_in


@dataclass(frozen=True, slots=True)
class NewAtom:
    """An atom in somebody's words; `topic` names the file below pact/atoms, `origin` its source."""

    intent: str
    category: Category = "functional"
    outcomes: Sequence[str] = ()
    falsified_by: Sequence[str] = ()
    tags: Sequence[str] = ()
    status: WrittenStatus = "draft"
    source: Source = "person"
    origin: str | None = None
    topic: str = TOPIC


@dataclass(frozen=True, slots=True)
class AtomChange:
    """Changes to an uncommitted atom, or for the successor of a committed one; None leaves a field as it is.

    Falsifiers refer to outcomes, so new outcomes without new falsifiers leave none. `reason` says why it is abandoned;
    `replaces_nothing` withdraws its claim to replace another atom.
    """

    intent: str | None = None
    category: Category | None = None
    outcomes: Sequence[str] | None = None
    falsified_by: Sequence[str] | None = None
    tags: Sequence[str] | None = None
    status: WrittenStatus | None = None
    reason: str | None = None
    replaces_nothing: bool = False


def creation(world: World, new: NewAtom, *, by: str) -> Op:
    """Return the op that declares a new atom under a fresh id."""
    name = _unused_id(world, new.intent)
    payload: dict[str, JsonValue] = {
        "atomId": name,
        "description": new.intent,
        "category": new.category,
        "observableOutcomes": list(new.outcomes),
        "falsifiedBy": list(new.falsified_by),
        "tags": list(new.tags),
        "source": new.source,
        "status": "proposed" if new.status == "proposed" else "draft",
        "topic": new.topic,
        "confidence": "1.00",
        **({} if new.origin is None else {"origin": new.origin}),
    }
    return Op("createAtom", ATOM + name, None, payload, evidence=_word_of(by), group=name)


def change(world: World, atom: Atom, wanted: AtomChange, *, by: str) -> Op | None:
    """Return the op that changes what differs; None if nothing does."""
    words: Mapping[str, tuple[JsonValue, JsonValue]] = {
        "description": (atom.intent, wanted.intent),
        "category": (atom.category, wanted.category),
        "observableOutcomes": (list(atom.outcomes), _listed(wanted.outcomes)),
        "falsifiedBy": (list(atom.falsified_by), list(_falsifiers(atom, wanted))),
        "tags": (list(atom.tags), _listed(wanted.tags)),
        "status": (atom.status, wanted.status),
        "reason": (atom.reason, wanted.reason),
    }
    payload = {key: new for key, (old, new) in words.items() if new is not None and new != old}
    if wanted.replaces_nothing and atom.supersedes is not None:
        payload["supersedes"] = ""
    return _op("updateAtom", world, atom.id, {"atomId": atom.id, **payload}, by=by) if payload else None


def successor(old: Atom, wanted: AtomChange, folder: Folder) -> NewAtom:
    """Return the successor of an atom: with the given changes, otherwise equal, and in the same file.

    With another sentence, outcomes that were read from a test are not taken over, as the test may assert something else
    by now; where the sentence has other numbers, neither are outcomes and falsifiers with numbers.
    """
    if wanted.intent and wanted.intent != old.intent:
        old = replace(old, outcomes=tuple(one for one in old.outcomes if not is_read(one)))
    if wanted.intent and _numbers(wanted.intent) != _numbers(old.intent):
        kept = tuple(one for one in old.outcomes if not _numbers(one))
        old = replace(old, outcomes=kept, falsified_by=tuple(one for one in old.falsified_by if not _numbers(one)))
    return NewAtom(
        wanted.intent or old.intent,
        wanted.category or old.category,
        old.outcomes if wanted.outcomes is None else wanted.outcomes,
        _falsifiers(old, wanted),
        old.tags if wanted.tags is None else wanted.tags,
        wanted.status or "draft",
        topic=folder.name(old.path).removeprefix(schema.ATOMS_FOLDER).removesuffix(".toml"),
    )


def _numbers(text: str) -> frozenset[tuple[Decimal, str]]:
    return frozenset((one.number, one.dimension) for one in amounts_in(text))


def _falsifiers(atom: Atom, wanted: AtomChange) -> Sequence[str]:
    if wanted.falsified_by is not None:
        return wanted.falsified_by
    return atom.falsified_by if wanted.outcomes is None or tuple(wanted.outcomes) == atom.outcomes else ()


def removal(world: World, atom: str, *, reason: str, by: str) -> Op:
    """Return the op that removes an atom from the pact."""
    return _op("removeAtom", world, atom, {"atomId": atom, "reason": reason}, by=by)


def replacement(world: World, old: str, new: str | Op, *, reason: str, by: str) -> Op:
    """Return the op that declares an atom, existing or created by an op, the successor of `old`."""
    name = new if isinstance(new, str) else str(new.payload["atomId"])
    payload: dict[str, JsonValue] = {"oldAtomId": old, "newAtomId": name, "reason": reason}
    depends_on = () if isinstance(new, str) else (new.id,)
    return _op("markAtomSuperseded", world, old, payload, by=by, depends_on=depends_on)


def _op(  # noqa: PLR0913 - the parts of one op, all named
    verb: str, world: World, atom: str, payload: Mapping[str, JsonValue], *, by: str, depends_on: tuple[str, ...] = ()
) -> Op:
    target = ATOM + atom
    before = world.node_hash(target)
    return Op(verb, target, before, payload, evidence=_word_of(by), group=atom, depends_on=depends_on)


def _word_of(by: str) -> tuple[Evidence, ...]:
    return (Evidence("quoted", note=f"written by {by}"),)


def _listed(texts: Sequence[str] | None) -> JsonValue:
    return None if texts is None else list(texts)


def _unused_id(world: World, intent: str) -> str:
    """Return the id derived from the wording, with a number appended to the wording if it is taken."""
    settings, taken = world.pact.settings, world.ids_in_use()
    if settings.id_style == "sequential":
        return next_id(taken, settings.atom_prefix)
    wordings = chain((intent,), (f"{intent} #{number}" for number in count(2)))
    names = (authored_id(one, prefix=settings.atom_prefix) for one in wordings)
    return next(name for name in names if name not in taken)


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
    tests = [entry.test.id for entry in world.linked if atom.id in entry.atoms(LIVE_LINKS)]
    return {
        "intent": atom.intent,
        "outcomes": list(atom.outcomes),
        "falsified_by": list(atom.falsified_by),
        "texts": [atom.intent, *atom.outcomes],
        "tests": list(dict.fromkeys(tests)),
    }


def _open(atom: Atom, world: World) -> bool:
    """Whether its wording may still change."""
    return not world.pact.is_committed(atom.id) and world.pact.is_live(atom.id)
