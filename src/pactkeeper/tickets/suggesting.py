"""Where a model or a host agent says that words belong: judged entry by entry, and marked as theirs in the draft."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, cast

from pactkeeper.intent.ticket import SINGLE, Draft, Field, Loose, PlacedValue, ThreadMessage, values_of
from pactkeeper.intent.ticket_patch import DraftPatch
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.ledger.kinds import KINDS
from pactkeeper.ledger.shape import misfits
from pactkeeper.tickets.judging import Consulted
from pactkeeper.tickets.loose import is_of_loose

KIND: Final = "extract_fields"


def consulted(value: JsonValue, unplaced: Sequence[ThreadMessage]) -> Consulted:
    """What is right in an answer, entry by entry; of quotes that overlap in one message the first one counts."""
    shapes = tuple(str(one) for one in misfits(value, KINDS[KIND].answer, "answer"))
    if shapes:
        return Consulted(refused=shapes)
    patches: list[DraftPatch] = []
    refused: list[str] = []
    for entry in cast("list[Mapping[str, Any]]", value):
        found = [one for one in unplaced if entry["quote"] in one.text]
        wrong = _wrong(entry, found) or _taken(entry, found[0], patches)
        if wrong:
            refused.append(wrong)
        else:
            patches.append(_patch(entry, found[0]))
    return Consulted(tuple(patches), tuple(dict.fromkeys(refused)))


def _wrong(entry: Mapping[str, Any], found: Sequence[ThreadMessage]) -> str:
    """Why an entry cannot be taken: its quote is nowhere or in several messages, a bound without a key, other words."""
    quote = entry["quote"]
    if not quote.strip() or len(found) != 1:
        return f"{quote!r} occurs in {len(found)} of the messages to place, and has to in one"
    if entry["field"] == "constraints" and not entry.get("key", "").strip():
        return f"the constraint {quote!r} needs a key that says what it bounds"
    if " ".join(entry.get("value", quote).split()) not in " ".join(quote.split()):
        return f"the value {entry['value']!r} is no part of its quote {quote!r}"
    return ""


def _taken(entry: Mapping[str, Any], message: ThreadMessage, patches: Sequence[DraftPatch]) -> str:
    quotes = (one.said.quote for one in patches if one.said.message == message.id)
    overlaps = any(one in entry["quote"] or entry["quote"] in one for one in quotes)
    return f"{entry['quote']!r} overlaps with words that are placed already" if overlaps else ""


def _patch(entry: Mapping[str, Any], message: ThreadMessage) -> DraftPatch:
    name = cast("Field", entry["field"])
    words = " ".join(entry.get("value", entry["quote"]).split())
    said = PlacedValue(words, message.author, message.id, message.permalink, entry["quote"])
    key = entry["key"].strip() if name == "constraints" else ""
    return DraftPatch("set" if name in SINGLE else "add", name, said, key=key)


def taken(found: Consulted, draft: Draft, loose: Sequence[Loose], *, by: str) -> Consulted:
    """What of an answer enters a draft, under the name of who gave it; a single field that is filled stays as it is."""
    patches: list[DraftPatch] = []
    refused = list(found.refused)
    for one in found.patches:
        if one.field in SINGLE and values_of(draft, one.field):
            refused.append(f"the {one.field} is filled already, so {one.said.value!r} stays unplaced")
        elif not is_of_loose(one, loose):
            refused.append(f"{one.said.quote!r} is not among the words that nothing marks")
        else:
            patches.append(replace(one, said=replace(one.said, placed_by=by)))
    return Consulted(tuple(patches), tuple(refused))
