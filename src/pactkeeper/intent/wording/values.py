"""Values written in the source, as prose: quoted verbatim, shortened with `…`, collections listed."""

from __future__ import annotations

from collections.abc import Mapping

from pactkeeper.intent.claims import Value

MAX_VALUE = 60
MAX_LISTED = 6
_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\0"}
KINDS: Mapping[str, str] = {"list": "list", "tuple": "tuple", "set": "set", "mapping": "mapping"}


def shortened(text: str, limit: int = MAX_VALUE) -> str:
    """The text, cut with `…` where it is longer than the limit; nothing is put in the place of what was cut."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def quoted(text: str, limit: int = MAX_VALUE) -> str:
    """The text between quotes, single ones unless it has some itself; control characters escaped."""
    if not text:
        return "an empty string"
    cut = shortened(text, limit)
    shown = cut if cut.isprintable() else "".join(map(_printable, cut))
    if "'" not in shown:
        return f"'{shown}'"
    return f'"{shown}"' if '"' not in shown else f"“{shown}”"


def _printable(letter: str) -> str:
    return letter if letter.isprintable() else _ESCAPES.get(letter, "\ufffd")


def value_text(value: Value) -> str:
    """A value as it stands in a sentence."""
    if value.kind == "string":
        return quoted(value.text)
    if value.kind == "bytes":
        return quoted(value.text) if value.text else "empty bytes"
    if value.kind == "regex":
        return quoted(value.text)
    return shortened(value.text)


def count_of(text: str, noun: str) -> str:
    """`1 item`, `3 items`."""
    return f"{text} {noun}" if text == "1" else f"{text} {noun}s"
