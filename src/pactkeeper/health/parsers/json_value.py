"""JSON in what a tool printed."""

from __future__ import annotations

from json import JSONDecoder
from typing import Final

from pactkeeper.ledger.whole_text import whole_escapes

_DECODER: Final = JSONDecoder()


def json_value(text: str, start: int = 0) -> object:
    """The value that starts there, whatever follows it; None where it is cut off or none, as null is."""
    try:
        found, _ = _DECODER.raw_decode(whole_escapes(text), start)
    except (ValueError, RecursionError):
        return None
    return found
