"""Changes of mind in marked form: a correction, a removal, or new words in the place of old ones."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import cast

from pactkeeper.intent.ticket import LISTS, SINGLE, Draft, Field, PlacedValue, ThreadMessage, sides_of, values_of
from pactkeeper.intent.ticket_patch import DraftPatch, same_key
from pactkeeper.speech.amounts import relation, same_text
from pactkeeper.speech.blocks import Block
from pactkeeper.tickets.extraction.extracted import said

Patches = tuple[DraftPatch, ...]


def corrected(message: ThreadMessage, draft: Draft, block: Block) -> Patches | None:
    """A value in the place of the one that the label names by its number or key, or of the only one there is."""
    name, words = cast("Field", block.field), said(message, block.whole, block.value)
    if name in SINGLE:
        return (DraftPatch("correct", name, words),)
    if name == "constraints":
        return (DraftPatch("correct", name, words, key=block.key),) if block.key else None
    held = values_of(draft, name)
    old = _entry(held, block.number)
    if old is None:
        return (DraftPatch("add", name, words),) if not held else None
    return (DraftPatch("correct", name, words, old=old.value),)


def removed(message: ThreadMessage, draft: Draft, block: Block) -> Patches | None:
    """What a label takes away: the entry of its number, or the one with these words; None where there is none."""
    name, words = cast("Field", block.field), said(message, block.whole)
    if name == "constraints":
        keys = [one.key for one in draft.constraints if one.key and same_key(one.key, block.value)]
        if keys:
            return (DraftPatch("retract", name, words, key=keys[0]),)
    held = values_of(draft, name)
    if block.number and not block.value:
        old = _entry(held, block.number)
    else:
        old = next((one for one in held if same_text(one.value, block.value)), None)
    return None if old is None else (DraftPatch("retract", name, words, old=old.value),)


def swapped(message: ThreadMessage, draft: Draft, block: Block) -> Patches | None:
    """The one value that says the old words, with the new ones in their place; None where none or several do."""
    found = list(dict.fromkeys(_with_old(draft, block.old)))
    if len(found) != 1:
        return None
    name, key, held = found[0]
    if len(block.value.split()) > len(block.old.split()) + max(1, len(block.old.split()) // 2):
        return None  # what is said behind the new words would become part of them
    if not block.value:
        return (DraftPatch("retract", name, said(message, block.whole), key=key, old=held.value),)
    is_all = same_text(held.value, block.old) or (key and relation(held.value, block.old) == "same")
    value = block.value if is_all else _words(block.old).sub(lambda _: block.value, held.value, count=1)
    return (DraftPatch("correct", name, said(message, block.whole, value), key=key, old=held.value),)


def said_anew(message: ThreadMessage, draft: Draft, block: Block) -> Patches | None:
    """The one value that these words say with another piece in place of the one they deny: `10 logins (not 5)`."""
    held = ((name, one) for name in (*SINGLE, *LISTS) for one in values_of(draft, name))
    found = [(name, one) for name, one in held if block.old and _differ_by(one.value, block.value, block.old)]
    if len(found) != 1:
        return None
    ((name, old),) = found
    return (DraftPatch("correct", name, said(message, block.whole, block.value), old=old.value),)


def _differ_by(held: str, new: str, piece: str) -> bool:
    """Whether two texts are the same but for one piece of the first."""
    spans = (hit.span() for hit in _words(piece).finditer(held))
    ends = ((held[:start].casefold(), held[end:].casefold().rstrip(" .")) for start, end in spans)
    bare = new.casefold().rstrip(" .")
    return any(bare.startswith(head) and bare[len(head) :].endswith(tail) for head, tail in ends)


def _with_old(draft: Draft, old: str) -> Iterator[tuple[Field, str, PlacedValue]]:
    for name in (*SINGLE, *LISTS):
        yield from ((name, "", one) for one in values_of(draft, name) if _words(old).search(one.value))
    for constraint in draft.constraints:
        for side in sides_of(constraint.value):
            if _words(old).search(side.value) or relation(side.value, old) == "same":
                yield "constraints", constraint.key, side


def _words(text: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(text)}(?!\w)", re.IGNORECASE)


def _entry(held: tuple[PlacedValue, ...], number: int) -> PlacedValue | None:
    """The entry of a number, or the only one where no number is given."""
    if number:
        return held[number - 1] if number <= len(held) else None
    return held[0] if len(held) == 1 else None
