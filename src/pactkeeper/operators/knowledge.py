"""Verbs about knowledge: search it, show an item with everything about its subject, add, supersede and flag."""

from __future__ import annotations

from dataclasses import dataclass

from pactkeeper.errors import InputError
from pactkeeper.intent.conversation import ItemKind, KeptItem, KnowledgeItem, Mark, Provenance, Standing
from pactkeeper.personal import Personal
from pactkeeper.store.conversations import MOST, add_items, add_mark, find_item, list_items, search_items
from pactkeeper.store.history import History
from pactkeeper.transcripts.reconciling import instant


@dataclass(frozen=True, slots=True)
class FoundItem:
    """An item with its current standing."""

    known: KeptItem
    standing: Standing


@dataclass(frozen=True, slots=True)
class ShownItem:
    """One item, what supersedes it and what it supersedes, and everything else about its subject."""

    item: FoundItem
    successors: tuple[FoundItem, ...]
    predecessors: tuple[FoundItem, ...]
    others: tuple[FoundItem, ...]


def search_knowledge(
    personal: Personal, words: str = "", *, kinds: tuple[ItemKind, ...] = (), everything: bool = False, most: int = MOST
) -> tuple[FoundItem, ...]:
    """Return the best matching items, best first; without words, the newest first.

    A fact that is stored about two subjects is returned once. Superseded, doubted or expired items are left out unless
    `everything`.
    """
    found = [known for history in personal.history() for known in _matching(history, words)]
    now = personal.now().isoformat(timespec="seconds")
    rated = (FoundItem(known, known.standing(now)) for known in found if not kinds or known.item.kind in kinds)
    wanted = (one for one in rated if everything or one.standing == "holds")
    once = {(one.known.item.text, one.known.item.provenance): one for one in reversed(tuple(wanted))}
    return tuple(reversed(once.values()))[:most]


def _matching(history: History, words: str) -> tuple[KeptItem, ...]:
    if not words.strip():
        return tuple(reversed(list_items(history)))
    return search_items(history, words)


def _marked_by(known: KeptItem) -> frozenset[str]:
    return frozenset(mark.other for mark in known.marks)


def show_knowledge(personal: Personal, named: str) -> ShownItem:
    """Return one item by id with the items around it; raises InputError if there is none."""
    now = personal.now().isoformat(timespec="seconds")
    for history in personal.history():
        known = find_item(history, named)
        if known is not None:
            about = [FoundItem(one, one.standing(now)) for one in list_items(history)]
            after = _marked_by(known)
            before = {one.known.item.id for one in about if named in _marked_by(one.known)}
            return ShownItem(
                FoundItem(known, known.standing(now)),
                tuple(one for one in about if one.known.item.id in after),
                tuple(one for one in about if one.known.item.id in before),
                tuple(
                    one
                    for one in about
                    if one.known.item.key == known.item.key and one.known.item.id not in {named, *after, *before}
                ),
            )
    raise InputError(f"nothing is known under {named!r}; pk knowledge search WORDS lists ids")


def add_knowledge(personal: Personal, item: KnowledgeItem, *, supersedes: str = "", reason: str = "") -> FoundItem:
    """Store what a person says; a superseded item is kept and marked.

    Raises InputError for an empty text, times that are not ISO 8601, and an unknown item to supersede.
    """
    _refuse(item)
    history = personal.history(make=True)[0]
    now = personal.now().isoformat(timespec="seconds")
    with history.database.begin():
        add_items(history, [item], at=now)
        if supersedes:
            why = reason or "a person said what holds instead"
            add_mark(history, Mark(supersedes, "superseded", why, item.by, now, item.id))
    known = find_item(history, item.id)
    assert known is not None  # noqa: S101 - added above
    return FoundItem(known, known.standing(now))


def flag_knowledge(personal: Personal, named: str, reason: str, *, by: str) -> FoundItem:
    """Flag an item as doubtful; it is kept. Raises InputError if it is unknown or the reason is empty."""
    if not reason.strip():
        raise InputError("a doubt needs a reason: --reason 'why'")
    history = personal.history(make=True)[0]
    now = personal.now().isoformat(timespec="seconds")
    add_mark(history, Mark(named, "flagged", reason, by, now))
    known = find_item(history, named)
    assert known is not None  # noqa: S101 - only known items can be marked
    return FoundItem(known, known.standing(now))


def said_by(person: str, at: str, text: str) -> Provenance:
    """Return the provenance of an item that a person typed."""
    return Provenance(text, at, f"typed by {person}")


def _refuse(item: KnowledgeItem) -> None:
    if not item.key or not item.text.strip():
        raise InputError("an item needs a subject and a text: pk knowledge add SUBJECT TEXT")
    if item.kind == "relation" and not (item.predicate.strip() and item.object.strip()):
        raise InputError("a relation needs --predicate and --object")
    for name, value in (("--since", item.since), ("--until", item.until)):
        if value and instant(value) is None:
            raise InputError(f"{name} {value!r} is not a date; write it like 2026-05-01")
    if item.since and item.until and item.since > item.until:
        raise InputError(f"it cannot hold from {item.since!r} until {item.until!r}; swap them")
