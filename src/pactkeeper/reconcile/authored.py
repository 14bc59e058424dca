"""Turns what a person writes into ops: atoms without a test, changes to drafts, and successors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count

from pactkeeper.catalog import schema
from pactkeeper.intent.atoms import Atom, Category, Source, WrittenStatus
from pactkeeper.intent.folder import Folder
from pactkeeper.intent.ids import authored_id, next_id
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.ledger.finding import Evidence
from pactkeeper.ledger.op import Op
from pactkeeper.reconcile.edits import TOPIC
from pactkeeper.reconcile.world import ATOM, World


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
    """Return the successor of an atom: with the given changes, otherwise equal, and in the same file."""
    return NewAtom(
        wanted.intent or old.intent,
        wanted.category or old.category,
        old.outcomes if wanted.outcomes is None else wanted.outcomes,
        _falsifiers(old, wanted),
        old.tags if wanted.tags is None else wanted.tags,
        wanted.status or "draft",
        topic=folder.name(old.path).removeprefix(schema.ATOMS_FOLDER).removesuffix(".toml"),
    )


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
    verb: str,
    world: World,
    atom: str,
    payload: Mapping[str, JsonValue],
    *,
    by: str,
    depends_on: tuple[str, ...] = (),
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
