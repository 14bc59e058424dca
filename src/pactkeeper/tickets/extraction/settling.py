"""A person's word on a conflict: the side that was decided against goes, and the choice is kept with it."""

from __future__ import annotations

from collections.abc import Iterator

from pactkeeper.intent.ticket import LISTS, SINGLE, Ask, Choice, Draft, Said, sides_of, values_of
from pactkeeper.intent.ticket_patch import DraftPatch
from pactkeeper.tickets.bounds import bounds_in_words

_KEPT: tuple[Choice, ...] = ("keep_a", "keep_b")


def settled(draft: Draft, ask: Ask, side: int, words: Said) -> tuple[DraftPatch, ...]:
    """What follows from keeping the side of a number, or both where it is 0."""
    if side == 0:
        return (_word(ask, "both", words),)
    gone = (one for number, one in enumerate(ask.sides, 1) if number != side)
    return (*(patch for one in gone for patch in _without(draft, ask, one, words)), _word(ask, _KEPT[side - 1], words))


def said_anew(draft: Draft, ask: Ask, words: Said) -> tuple[DraftPatch, ...]:
    """What follows from words that take the place of both sides."""
    word = _word(ask, "amend", words)
    if ask.field in SINGLE or (ask.field == "constraints" and ask.key):
        return (DraftPatch("correct", ask.field, words, key=ask.key), word)
    gone = (patch for side in ask.sides for patch in _without(draft, ask, side, words))
    return (*gone, DraftPatch("add", ask.field, words), word)


def _word(ask: Ask, choice: Choice, words: Said) -> DraftPatch:
    said = Said(choice, words.author, words.message, words.permalink, words.quote)
    return DraftPatch("settle", ask.field, said, key=ask.subject)


def _without(draft: Draft, ask: Ask, side: str, words: Said) -> Iterator[DraftPatch]:
    """Take a side out of the draft, wherever it stands there; nothing where it is somebody else's."""
    for key, bound, text in bounds_in_words(draft):
        if text == side or (ask.field == "constraints" and ask.key == key and bound.value == side):
            yield DraftPatch("retract", "constraints", words, key=key, old=bound.value)
            return
    for constraint in draft.constraints:
        if ask.key and constraint.key == ask.key and any(one.value == side for one in sides_of(constraint.value)):
            yield DraftPatch("retract", "constraints", words, key=constraint.key, old=side)
            return
    for name in (*SINGLE, *LISTS):
        if any(one.value == side for one in values_of(draft, name)):
            yield DraftPatch("retract", name, words, old=side)
            return
