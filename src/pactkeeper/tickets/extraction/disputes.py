"""What somebody sets against what was said: their own value is put right, that of another is held beside theirs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from pactkeeper.intent.amounts import amount, relation
from pactkeeper.intent.ticket import SINGLE, Draft, Field, Said, sides_of, values_of
from pactkeeper.intent.ticket_patch import DraftPatch, Verb, same_key
from pactkeeper.tickets.extraction.meant import with_unit
from pactkeeper.tickets.extraction.pieces import AMOUNT, instead
from pactkeeper.tickets.sayings.words import words_of

_BARE: Final = re.compile(
    r"(?:(?:no|nope|nah|nein|non|rather|more like|make it|i'd say|say|better)\b[,.!]?\s++)*+"
    r"(?P<amount>(?:at most |at least |max\.? |min\.? )?[€$£]?\d[\d.,]*\s?(?:%|€|[^\W\d_]+))"
    r"(?:\s+(?:max|min|please|pls|tops|is enough|at most|at least))?\s*(?:[,;!.–—-].*|because .*|weil .*)?",
    re.IGNORECASE,
)


def disputed(draft: Draft, said: Said) -> tuple[DraftPatch, ...]:
    """The saying that an amount alone is set against, with that amount; nothing where several might be meant."""
    hit = _BARE.fullmatch(said.quote)
    wanted = amount(hit["amount"]) if hit else None
    if hit is None or wanted is None or not wanted.dimension:
        return ()
    found = [one for one in _held(draft, said) if _is_against(one[1], hit["amount"])]
    if len({(key, held.value) for key, _, held in found}) != 1:
        return ()
    key, old, held = found[0]
    value = with_unit(hit["amount"], old)
    told = value if key else instead(held.value, old, value)
    field: Field = "constraints" if key else "acceptance_criteria"
    return stated(draft, field, held, replace(said, value=told), key=key) if told else ()


def stated(draft: Draft, field: Field, held: Said, said: Said, *, key: str = "") -> tuple[DraftPatch, ...]:
    """A statement against a value: its speaker's own one is replaced, else it is held beside; `key` is a constraint's.

    Where both already have a value of the thing, the speaker's is the one that changes; empty where they have several.
    """
    sides = _sides(draft, field, held, key)
    mine = [held] if held.author == said.author else [one for one in sides if one.author == said.author]
    if len(mine) > 1:
        return ()
    if mine:
        return edited(draft, field, mine[0], said, key=key)
    return (DraftPatch("set" if field in SINGLE else "add", field, said, key=key),)


def edited(draft: Draft, field: Field, held: Said, said: Said, *, key: str = "") -> tuple[DraftPatch, ...]:
    """A value in the place of another one, whoever said that; the other sides of a conflict stay."""
    alone = len(_conflict(draft, field, held, key)) <= 1
    if alone:
        return (DraftPatch("correct", field, said, key=key, old=held.value),)
    verb: Verb = "set" if field in SINGLE else "add"
    gone = DraftPatch("retract", field, replace(said, value=said.quote), key=key, old=held.value)
    return (gone, DraftPatch(verb, field, said, key=key))


def _conflict(draft: Draft, field: Field, held: Said, key: str) -> Sequence[Said]:
    """The sides among which a value stands; itself alone in a list, whose values are apart."""
    if field in SINGLE:
        return sides_of(getattr(draft, field))
    if field != "constraints":
        return (held,)
    of_key = (sides_of(one.value) for one in draft.constraints if same_key(one.key, key))
    return next((sides for sides in of_key if held in sides), (held,))


def _sides(draft: Draft, field: Field, held: Said, key: str) -> Sequence[Said]:
    """What is said of the thing that a value is about: under its key, or in its words with whatever amounts."""
    if field == "constraints":
        return _conflict(draft, field, held, key)
    return [one for one in values_of(draft, field) if frame(one.value) == frame(held.value)]


def frame(text: str) -> str:
    """A saying without its amounts."""
    return AMOUNT.sub("#", text).casefold()


def _held(draft: Draft, said: Said) -> Iterator[tuple[str, str, Said]]:
    """The amounts that others gave: the key of a constraint or nothing, the amount, and the value it stands in."""
    for one in draft.constraints:
        yield from ((one.key, side.value, side) for side in sides_of(one.value) if side.author != said.author)
    for other in draft.acceptance_criteria:
        if other.author != said.author:
            yield from (("", held, other) for held in words_of(other.value).amounts)


def _is_against(held: str, value: str) -> bool:
    ours, theirs = amount(held), amount(value)
    same_kind = ours is not None and theirs is not None and ours.dimension == theirs.dimension
    return same_kind and relation(held, value) == "contradict"
