"""Values written in the source, as prose: quoted verbatim and whole, collections listed."""

from __future__ import annotations

from collections.abc import Mapping

from pactkeeper.intent.claims import Value

MAX_LISTED = 6
_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\0"}
_BYTE = 256
KINDS: Mapping[str, str] = {"list": "list", "tuple": "tuple", "set": "set", "mapping": "mapping"}


def quoted(text: str) -> str:
    """The whole text between quotes, single ones unless it has some itself; control characters escaped."""
    if not text:
        return "an empty string"
    shown = text if text.isprintable() else "".join(map(_printable, text))
    if "'" not in shown:
        return f"'{shown}'"
    return f'"{shown}"' if '"' not in shown else f"“{shown}”"


def _printable(letter: str) -> str:
    if letter.isprintable():
        return letter
    return _ESCAPES.get(letter) or (f"\\x{ord(letter):02x}" if ord(letter) < _BYTE else f"\\u{ord(letter):04x}")


def value_text(value: Value) -> str:
    """A value as it stands in a sentence, whole: what is too long for one is left to whoever words the sentence."""
    if value.kind == "bytes" and not value.text:
        return "empty bytes"
    return quoted(value.text) if value.kind in {"string", "bytes", "regex"} else value.text


def count_of(text: str, noun: str) -> str:
    """`1 item`, `3 items`."""
    return f"{text} {noun}" if text == "1" else f"{text} {noun}s"
