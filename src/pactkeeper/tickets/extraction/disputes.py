"""Amounts that somebody sets against what others said, with nothing but the amount: "no. 15 minutes, we need it"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pactkeeper.intent.amounts import amount, relation
from pactkeeper.intent.ticket import Draft, Said, sides_of
from pactkeeper.intent.ticket_patch import DraftPatch
from pactkeeper.tickets.extraction.meant import with_unit
from pactkeeper.tickets.sayings.words import words_of

_BARE: Final = re.compile(
    r"(?:(?:no|nope|nah|nein|non|rather|more like|make it|i'd say|say|better)\b[,.!]?\s+)*"
    r"(?P<amount>(?:at most |at least |max\.? |min\.? )?[€$£]?\d[\d.,]*\s?(?:%|€|[^\W\d_]+))"
    r"(?:\s+(?:max|min|please|pls|tops|is enough|at most|at least))?\s*(?:[,;!.–—-].*|because .*|weil .*)?",
    re.IGNORECASE,
)


def disputed(draft: Draft, said: Said) -> Iterator[DraftPatch]:
    """The saying that an amount alone is set against, with that amount; nothing where several might be meant."""
    hit = _BARE.fullmatch(said.quote)
    wanted = amount(hit["amount"]) if hit else None
    if hit is None or wanted is None or not wanted.dimension:
        return
    value = hit["amount"]
    found = [one for one in _held(draft, said) if _is_against(one[1], value)]
    if len({(key, text) for key, _, text in found}) != 1:
        return
    key, old, text = found[0]
    value = with_unit(value, old)
    told = value if key else text.replace(old, value, 1)
    one = Said(told, said.author, said.message, said.permalink, said.quote)
    yield DraftPatch("add", "constraints", one, key=key) if key else DraftPatch("add", "acceptance_criteria", one)


def _held(draft: Draft, said: Said) -> Iterator[tuple[str, str, str]]:
    """The amounts that others gave: the key of a constraint or nothing, the amount, and the words that it stands in."""
    for one in draft.constraints:
        yield from ((one.key, side.value, side.value) for side in sides_of(one.value) if side.author != said.author)
    for other in draft.acceptance_criteria:
        if other.author != said.author:
            yield from (("", held, other.value) for held in words_of(other.value).amounts)


def _is_against(held: str, value: str) -> bool:
    ours, theirs = amount(held), amount(value)
    same_kind = ours is not None and theirs is not None and ours.dimension == theirs.dimension
    return same_kind and relation(held, value) == "contradict"
