"""Conversion of drafts, their patches and a thread's questions to JSON values and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final, cast

from pactkeeper.intent.ticket import (
    FIELDS,
    LISTS,
    SINGLE,
    Ask,
    Conflict,
    Constraint,
    Draft,
    Loose,
    PlacedValue,
    Settled,
    ThreadMessage,
    Unknown,
    Value,
)
from pactkeeper.intent.ticket_patch import DraftPatch
from pactkeeper.ledger.canonical import JsonValue, plain

_KEYS: Final = frozenset({"thread", "version", "hash", "unknown", "settled", *FIELDS})


def draft_document(draft: Draft) -> dict[str, JsonValue]:
    """Return a draft as JSON: a single field is null, a value, or `{"conflict": [values]}`; its hash is included."""
    found: dict[str, JsonValue] = {"thread": draft.thread, "version": draft.version, "hash": draft.hash}
    for name in SINGLE:
        found[name] = _value(getattr(draft, name))
    for name in LISTS:
        found[name] = [_value(said) for said in getattr(draft, name)]
    found["constraints"] = [
        {"key": one.key, "value": _value(one.value), "status": one.status} for one in draft.constraints
    ]
    found["unknown"] = [{"field": one.field, "said": _value(one.said)} for one in draft.unknown]
    found["settled"] = [
        {"conflict": one.conflict, "choice": one.choice, "said": _value(one.said)} for one in draft.settled
    ]
    return found


def read_draft(document: Mapping[str, Any]) -> Draft:
    """Parse what `draft_document` wrote; raises ValueError for unknown keys and for a wrong hash."""
    if unknown := sorted(document.keys() - _KEYS):
        raise ValueError(f"a draft has no {unknown[0]!r}")
    single = {name: _read_value(document[name]) for name in SINGLE}
    lists = {name: tuple(_said(one) for one in document[name]) for name in LISTS}
    constraints = tuple(Constraint(one["key"], _held(one["value"]), one["status"]) for one in document["constraints"])
    unknown_fields = tuple(Unknown(one["field"], _said(one["said"])) for one in document["unknown"])
    settled = tuple(Settled(one["conflict"], one["choice"], _said(one["said"])) for one in document["settled"])
    draft = Draft(
        document["thread"],
        **cast("Any", single),
        **cast("Any", lists),
        constraints=constraints,
        unknown=unknown_fields,
        settled=settled,
        version=document["version"],
    )
    if draft.hash != document["hash"]:
        raise ValueError(f"the draft of {draft.thread!r} says the hash {document['hash']!r} and has {draft.hash!r}")
    return draft


def encode(value: DraftPatch | Ask | ThreadMessage | PlacedValue | Loose) -> dict[str, JsonValue]:
    """Return a patch, question, message or other value as a mapping of its fields."""
    return cast("dict[str, JsonValue]", plain(asdict(value)))


def read_ask(document: Mapping[str, Any]) -> Ask:
    """Parse what `encode` made of a question."""
    lists = {name: tuple(document[name]) for name in ("sides", "choices")}
    return Ask(**{**document, **lists})


def read_loose(document: Mapping[str, Any]) -> Loose:
    """Parse what `encode` made of unplaced words."""
    return Loose(**{**document, "said": _said(document["said"])})


def read_message(document: Mapping[str, Any]) -> ThreadMessage:
    """Parse what `encode` made of a message."""
    return ThreadMessage(**document)


def _value(value: Value | None) -> JsonValue:
    if isinstance(value, Conflict):
        return {"conflict": [encode(side) for side in value.sides]}
    return None if value is None else encode(value)


def _read_value(document: Mapping[str, Any] | None) -> Value | None:
    return None if document is None else _held(document)


def _held(document: Mapping[str, Any]) -> Value:
    sides: Sequence[Mapping[str, Any]] | None = document.get("conflict")
    return _said(document) if sides is None else Conflict(tuple(_said(one) for one in sides))


def _said(document: Mapping[str, Any]) -> PlacedValue:
    return PlacedValue(**document)
