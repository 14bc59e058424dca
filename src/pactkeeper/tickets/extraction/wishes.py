"""Wishes, and the title that one gives: what is wished for, without the reason."""

from __future__ import annotations

from typing import Final

from pactkeeper.tickets.extraction.hints import REQUEST
from pactkeeper.tickets.extraction.noise import lead_of
from pactkeeper.tickets.extraction.phrases import SO_THAT, WHY, Hit, found, opinion
from pactkeeper.tickets.extraction.spans import clean

_LONGEST_TITLE: Final = 100


def is_wish(text: str) -> bool:
    """Whether a sentence wishes for something, at whatever length."""
    return _wished(text)[1] is not None


def _wished(text: str) -> tuple[str, Hit | None]:
    bare = clean(text).rstrip(" .!?")
    bare = bare[lead_of(bare) :]
    bare = bare[opinion(bare) :]
    return bare, found(REQUEST, bare)


def request_of(text: str) -> str | None:
    """The title that a wish gives: what is wished for, without the reason; None where nothing is wished for."""
    bare, hit = _wished(text)
    if hit is None:
        return None
    wish = SO_THAT.sub("", WHY.split(bare[hit.start : hit.end])[0]).strip(" ,.")
    return capitalised(wish) if 0 < len(wish) <= _LONGEST_TITLE else None


def capitalised(text: str) -> str:
    """A text with a capital at its start, unless its first word has letters of both cases."""
    first = text.split(" ", 1)[0]
    return text if first != first.lower() else text[:1].upper() + text[1:]
