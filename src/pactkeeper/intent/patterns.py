"""Path patterns of the settings and the command line, with the same meaning everywhere.

`*` and `?` stay within one folder, `**` crosses folders, `[abc]` and `{a,b}` are alternatives. A pattern without a
slash is compared with every single part of a path; a pattern that names a folder matches everything below it. Matching
is case-sensitive.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from pactkeeper.errors import InputError

LONGEST: Final = 1_000  # characters of a pattern
MOST_CHOICES: Final = 256  # alternatives that a pattern's braces may expand to
_SPECIAL: Final = re.compile(r"[*?\[{]")
_INNERMOST: Final = re.compile(r"\{([^{}]*+)\}")
_OPERATORS: Final = re.compile(r"[\\\[&~|]|(?<=-)-")  # treated as special inside a set by `re`, now or in future
_WITHIN, _ANYTHING, _FOLDERS = "[^/]*?", ".*?", "(?:[^/]+/)*?"
_CROSSING: Final = frozenset({_ANYTHING, _FOLDERS})


def matcher(patterns: Sequence[str]) -> Callable[[str], bool]:
    """Return a predicate: whether a path relative to the repository's root matches any of the patterns."""
    if not patterns:
        return lambda _: False
    try:
        found = re.compile("|".join(f"(?:{_expression(pattern)})" for pattern in patterns), re.DOTALL).match
    except re.error as error:
        shown = ", ".join(repr(pattern[:40]) for pattern in patterns[:3])
        raise InputError(f"of the patterns {shown} one cannot be read: {error}; write ranges like [a-z]") from error
    return lambda path: found(path) is not None


def path_filter(wanted: Sequence[str]) -> Callable[[str], bool]:
    """Return a predicate for paths as people type them: a file, a folder, or a pattern; `.` means everything."""
    places = [text.removeprefix("./").rstrip("/") for text in wanted]
    exact = {place for place in places if place not in {"", "."}}
    if len(exact) < len(set(places)):
        return lambda _: True
    below = tuple(f"{place}/" for place in exact)
    matches = matcher([place for place in exact if _SPECIAL.search(place)])
    return lambda path: path in exact or path.startswith(below) or matches(path)


def _expression(pattern: str) -> str:
    text = pattern.removeprefix("./").rstrip("/")
    if len(text) > LONGEST:
        raise InputError(
            f"the pattern {text[:40]!r}… has {len(text):,} characters; patterns of up to {LONGEST:,} are read"
        )
    if text in {"", ".", "**"}:
        return ""
    anywhere = "" if "/" in text else "**/"
    found = [_translated(anywhere + one) for one in _alternatives(text.removeprefix("/"))]
    return "|".join(found)


def _alternatives(text: str) -> list[str]:
    """Expand braces into all alternatives; an unclosed brace is taken literally."""
    pending, plain = [text], []
    while pending:
        one = pending.pop()
        inner = _INNERMOST.search(one)
        if inner is None:
            plain.append(one)
            continue
        pending += [one[: inner.start()] + choice + one[inner.end() :] for choice in inner[1].split(",")]
        if len(pending) + len(plain) > MOST_CHOICES:
            raise InputError(f"the pattern {text[:40]!r} has more than {MOST_CHOICES} choices; write several patterns")
    return plain


def _translated(text: str) -> str:
    """Translate text without braces to a regular expression.

    A star takes as little as it can and never backtracks: what follows it up to the next star has a fixed length, so
    the first match is as good as any later one. After `**` that holds for everything up to the next `**`. So matching
    is at most quadratic in the length of the path, however many stars there are.
    """
    parts: list[str] = []
    position, stars, groups = 0, 0, 0
    while position < len(text):
        piece, step = _piece(text, position)
        if piece in _CROSSING:
            parts.append(")" * (stars + groups))
            stars, groups = 0, 1
        elif piece == _WITHIN:
            parts.append(")" * stars)
            stars = 1
        parts.append(f"(?>{piece}" if piece in {*_CROSSING, _WITHIN} else piece)
        position += step
    return "".join(parts) + r"(?=/|\Z)" + ")" * (stars + groups)


def _piece(text: str, position: int) -> tuple[str, int]:
    """Return the regular expression for the piece at `position`, and the length of that piece."""
    character = text[position]
    stars = len(text) - position - len(text[position:].lstrip("*"))
    if stars > 1 and text[position - 1 : position] in {"", "/"} and text.startswith("/", position + stars):
        return _FOLDERS, stars + 1
    if stars > 1:
        return _ANYTHING, stars
    if character == "[":
        end = text.find("]", position + 2)
        if end > 0:
            inside = _OPERATORS.sub(r"\\\g<0>", text[position + 1 : end])
            inside = "^" + inside[1:] if inside[0] in "!^" else inside
            return f"(?![/])[{inside}]", end + 1 - position
    return {"*": _WITHIN, "?": "[^/]"}.get(character) or re.escape(character), 1
