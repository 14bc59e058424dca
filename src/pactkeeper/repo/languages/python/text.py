"""Source bytes as UTF-8: byte order marks, encoding declarations and bytes that are no text."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from typing import Final

SIZE_LIMIT: Final = 8 << 20  # bytes; a module beyond this is generated data and would stall the parser
_COOKIE: Final = re.compile(rb"[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_BLANK: Final = re.compile(rb"[ \t\f]*(?:#[^\r\n]*)?$")
_UTF8: Final = frozenset({"utf-8", "utf8", "utf_8", "utf-8-sig"})


@dataclass(frozen=True, slots=True)
class Text:
    """A module's source as UTF-8 bytes, line for line, and why Python would not read it like that ("" if it would)."""

    source: bytes
    reason: str = ""


def read_text(data: bytes) -> Text:
    """Decode a module as Python does, and go on where Python would refuse an encoding, with the reason."""
    if len(data) > SIZE_LIMIT:
        return Text(b"", f"the file is larger than {SIZE_LIMIT >> 20} MiB and was not parsed")
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return Text(b"", "the file is UTF-16, which Python does not read as source, and was not parsed")
    if b"\0" in data:
        return Text(b"", "the file contains NUL bytes, for which Python refuses it, and was not parsed")
    encoding = (None if data.startswith(codecs.BOM_UTF8) else declared_encoding(data)) or "utf-8"
    return Text(data) if data.isascii() and encoding in _UTF8 else _recode(data, encoding)


def declared_encoding(data: bytes) -> str | None:
    """The encoding that a comment in the first two lines declares, in lower case."""
    for line in data.split(b"\n", 2)[:2]:
        found = _COOKIE.match(line)
        if found:
            return found.group(1).decode("ascii", "replace").lower()
        if not _BLANK.match(line.rstrip(b"\r")):
            return None
    return None


def _recode(data: bytes, encoding: str) -> Text:
    try:
        text = data.decode(encoding)
    except LookupError:
        return Text(data.decode("utf-8", "replace").encode(), f"the file declares the unknown encoding {encoding!r}")
    except UnicodeError:
        return Text(data.decode("latin-1").encode(), f"the file is not valid {encoding}, for which Python refuses it")
    return Text(data if encoding in _UTF8 else text.encode())
