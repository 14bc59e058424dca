"""Path patterns of the settings and the command line, with one meaning everywhere.

`*` and `?` stay within one folder, `**` crosses folders, `[abc]` and `{a,b}` choose. A pattern without a slash is
compared with every single part of a path; a pattern that names a folder means everything below it. Case matters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

_SPECIAL: Final = re.compile(r"[*?\[{]")


def matcher(patterns: Sequence[str]) -> Callable[[str], bool]:
    """A test whether a path relative to the repository's root matches any of the patterns."""
    if not patterns:
        return lambda _: False
    found = re.compile("|".join(f"(?:{_expression(pattern)})" for pattern in patterns)).match
    return lambda path: found(path) is not None


def path_filter(wanted: Sequence[str]) -> Callable[[str], bool]:
    """A test for paths as people type them: a file, a folder, or a pattern; `.` means everything."""
    places = [text.removeprefix("./").rstrip("/") for text in wanted]
    exact = {place for place in places if place not in {"", "."}}
    if len(exact) < len(set(places)):
        return lambda _: True
    below = tuple(f"{place}/" for place in exact)
    matches = matcher([place for place in exact if _SPECIAL.search(place)])
    return lambda path: path in exact or path.startswith(below) or matches(path)


def _expression(pattern: str) -> str:
    text = pattern.removeprefix("./").rstrip("/")
    if text in {"", ".", "**"}:
        return ""
    anywhere = "" if "/" in text else "(?:.*/)?"
    return rf"{anywhere}{_translate(text.removeprefix('/'))}(?:/.*)?\Z"


def _translate(text: str) -> str:
    parts: list[str] = []
    position = 0
    depth = 0
    while position < len(text):
        piece, step, depth = _piece(text, position, depth)
        parts.append(piece)
        position += step
    return "(?s:" + "".join(parts) + ")" if depth == 0 else re.escape(text)


def _piece(text: str, position: int, depth: int) -> tuple[str, int, int]:
    """The regular expression for what stands at `position`, how long that is, and the depth of braces after it."""
    if text.startswith("**/", position):
        return "(?:[^/]+/)*", 3, depth
    if text.startswith("**", position):
        return ".*", 2, depth
    character = text[position]
    if character == "[":
        end = text.find("]", position + 2)
        if end > 0:
            inside = text[position + 1 : end].replace("\\", r"\\").replace("[", r"\[")
            inside = "^" + inside[1:] if inside[0] in "!^" else inside
            return f"(?![/])[{inside}]", end + 1 - position, depth
    if character == "{":
        return "(?:", 1, depth + 1
    if character == "}" and depth:
        return ")", 1, depth - 1
    if character == "," and depth:
        return "|", 1, depth
    return {"*": "[^/]*", "?": "[^/]"}.get(character) or re.escape(character), 1, depth
