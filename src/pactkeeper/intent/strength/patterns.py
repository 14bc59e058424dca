"""Patterns: which texts they accept, and whether one accepts all those that another one does."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf
from typing import Final

from pactkeeper.intent.claims import Expression, Operation, Value

_PIECE: Final = re.compile(
    r"(\\.|\[\^?+(?:\\.|[^\[\]\\])++\]|.)(?:([*+?])|\{(\d{0,4}+)(,?)(\d{0,4}+)\})?[?+]?", re.DOTALL
)
_FLAGS: Final = re.compile(r"^\(\?([ims]+)\)")  # with each of which a pattern matches more
_TIMES: Final = {"*": (0, inf), "+": (1, inf), "?": (0, 1), None: (1, 1)}
_MOST: Final = 120  # pieces of a pattern
_LONGEST: Final = 1_000
_DIGITS: Final = frozenset("0123456789")
_WORD: Final = _DIGITS | frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_")
_SPACE: Final = frozenset(" \t\n\r\f\v")
_EVERY: Final = frozenset(map(chr, range(256)))  # what stands for all characters
_CLASSES: Final = {"d": _DIGITS, "w": _WORD, "s": _SPACE, "D": _EVERY - _DIGITS, "W": _EVERY - _WORD,
                   "S": _EVERY - _SPACE, "n": frozenset("\n"), "t": frozenset("\t"), "r": frozenset("\r")}  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Piece:
    """Characters that a pattern accepts in one place, and how many of them."""

    of: frozenset[str]
    least: float
    most: float


@dataclass(frozen=True, slots=True)
class _Form:
    pieces: tuple[_Piece, ...]
    first: bool  # it starts where the text does
    last: bool


def is_whole(pattern: Expression, text: Expression) -> bool:
    """Whether an error's message is the text if it matches the pattern."""
    if isinstance(pattern, Value) and isinstance(text, Value):
        return pattern == text or accepts_only(pattern, text)
    return pattern == text


def says_more(one: Expression | None, other: Expression, *, whole: bool) -> bool:
    """Whether `other` accepts everything `one` accepts: a `whole` text or a pattern."""
    if isinstance(one, Operation) and one.operator == "text":
        parts = (part.text for part in one.operands if isinstance(part, Value))
        sure = (run for text in parts for run in ([text] if whole else sure_texts(text)) if run)
        return any(says_more(Value("regex", re.escape(run)), other, whole=False) for run in sure)
    return isinstance(one, Value) and isinstance(other, Value) and accepts_all(other, one, whole=whole)


def sure_texts(pattern: str) -> list[str]:
    """Return the literal runs in every match of a pattern; none if it has alternatives or flags."""
    if re.search(r"(?<!\\)[|\[{(]", pattern) is not None:
        return []
    return [re.sub(r"\\(\W)", r"\1", run) for run in re.split(r"(?:\\.|[^\\])?(?<!\\)[*?]|(?<!\\)[.^$+]|\\\w", pattern)]


def accepts_all(wide: Value, narrow: Value, *, whole: bool) -> bool:
    """Whether a pattern finds a match in every text in which a narrower one does; `whole` texts are exact."""
    if not whole and _flags(narrow) != _flags(wide):
        return False
    one, other = _form(wide, whole=False), _form(narrow, whole=whole)
    if one is None or other is None or (one.first and not other.first) or (one.last and not other.last):
        return False
    ends = {0} if one.first else set(range(len(other.pieces) + 1))
    for at, piece in enumerate(one.pieces):
        open_ended = (at == 0 and not one.first) or (at == len(one.pieces) - 1 and not one.last)
        most = inf if open_ended else piece.most
        ends = {end for start in ends for end in _runs(other.pieces, start, piece, most)}
    return bool(ends) and (not one.last or len(other.pieces) in ends)


def accepts_only(pattern: Value, text: Value) -> bool:
    """Whether a pattern finds a match in no other text: `^negative$` in `negative`."""
    one = _form(pattern, whole=False)
    exact = one is not None and one.first and one.last and not _flags(pattern)
    return exact and one == _form(text, whole=True)


def _flags(one: Value) -> frozenset[str]:
    found = _FLAGS.match(one.text) if one.kind == "regex" else None
    return frozenset(found[1] if found is not None else "")


def _runs(pieces: Sequence[_Piece], start: int, wide: _Piece, most: float) -> Iterator[int]:
    """Yield where runs of pieces from `start` end that are accepted by a single wider piece."""
    least = longest = 0.0
    if wide.least == 0:
        yield start
    for end, piece in enumerate(pieces[start:], start + 1):
        least, longest = least + piece.least, longest + piece.most
        if not piece.of <= wide.of or longest > most:
            return
        if least >= wide.least:
            yield end


def _form(one: Value, *, whole: bool) -> _Form | None:
    """Return the pieces of a pattern, or of a literal text; None for groups, alternatives and very long ones."""
    if whole or one.kind != "regex":
        pieces = tuple(_Piece(frozenset(sign), 1, 1) for sign in one.text)
        return _Form(pieces, whole, whole) if len(pieces) <= _MOST else None
    text = _FLAGS.sub("", one.text[:_LONGEST])
    first, last = text.startswith("^"), text.endswith("$") and not text.endswith(r"\$")
    found = list(_PIECE.finditer(text[first : len(text) - last]))
    if len(found) > _MOST or any(piece[1] in set("()[]|^$*+?") for piece in found):
        return None
    kinds = [_characters(piece[1]) for piece in found]
    made = [_Piece(kind, *_times(piece)) for kind, piece in zip(kinds, found, strict=True) if kind is not None]
    return _Form(tuple(made), first, last) if len(made) == len(found) else None


def _times(piece: re.Match[str]) -> tuple[float, float]:
    if piece[4] is None:
        return _TIMES[piece[2]]
    least = float(piece[3] or 0)
    return least, float(piece[5]) if piece[5] else inf if piece[4] else least


def _characters(sign: str) -> frozenset[str] | None:
    """Return the characters that a piece of a pattern accepts; None for those that depend on their place."""
    if sign == ".":
        return _EVERY - frozenset("\n")
    if sign.startswith("\\"):
        return _CLASSES.get(sign[1]) or (None if sign[1].isalnum() else frozenset(sign[1]))
    if not sign.startswith("["):
        return frozenset(sign)
    found: set[str] = set()
    for part in re.finditer(r"(\\.|[^\\])(?:-(\\.|[^\\\]]))?", sign[1 + sign.startswith("[^") : -1], re.DOTALL):
        start, end = _characters_of(part[1]), _characters_of(part[2] or part[1])
        if start is None or end is None:
            return None
        plain = len(start) == len(end) == 1
        found |= {chr(code) for code in range(ord(min(start)), min(ord(min(end)), 255) + 1)} if plain else start | end
    return _EVERY - found if sign.startswith("[^") else frozenset(found)


def _characters_of(sign: str) -> frozenset[str] | None:
    return _characters(sign) if sign.startswith("\\") else frozenset(sign)
