"""JSON may escape half of a surrogate pair, and no file, database or terminal takes the text that comes of it."""

from __future__ import annotations

import re
from typing import Final

_ESCAPE: Final = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.DOTALL
)


def whole_escapes(text: str) -> str:
    """JSON text in which each escaped half of a pair is U+FFFD instead; every offset stays what it was."""
    return _ESCAPE.sub(_whole, text) if "\\u" in text else text


def whole_text(text: str) -> str:
    """The text with U+FFFD for each half of a pair."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _whole(escape: re.Match[str]) -> str:
    return "\\ufffd" if escape[1] else escape[0]
