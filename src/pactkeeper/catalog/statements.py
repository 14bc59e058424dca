"""Splits TOML text into statements with their positions, so that one can change and all other bytes stay.

Only positions are determined here; values are read by `tomllib`. Invalid text can still be split, so that every problem
of a file can be reported with its line.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from pactkeeper.errors import InputError
from pactkeeper.ledger.documents import read_toml

StatementKind = Literal["blank", "comment", "header", "pair", "broken"]

_TOKEN = re.compile(
    r'"""(?:\\.|[^\\])*?"""(?:"{0,2})'
    r"|'''.*?'''(?:'{0,2})"
    r'|"(?:\\[^\n]|[^"\\\n])*"'
    r"|'[^'\n]*'"
    r"|\#[^\n]*"
    r"|[\[\]{}\n]",
    re.DOTALL,
)
_PART = r"""(?:[A-Za-z0-9_-]+|"(?:\\[^\n]|[^"\\\n])*"|'[^'\n]*')"""
_KEY = re.compile(rf"{_PART}(?:[ \t]*\.[ \t]*{_PART})*")
_PARTS = re.compile(_PART)
_HEADER = re.compile(rf"[ \t]*(\[\[?)[ \t]*({_KEY.pattern})[ \t]*\]\]?[ \t]*(?:\#[^\n]*)?\r?(?:\n|\Z)")
_PAIR = re.compile(rf"[ \t]*({_KEY.pattern})[ \t]*=[ \t]*")
_REST = re.compile(r"[^\n]*(?:\n|\Z)")


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement with its line ending, `text[start:end]`; `path` is its full key, including the open table.

    `value` is the span of a pair's value alone; `line` is 1-based; `table` is the header of the enclosing table, empty
    at the top level.
    """

    kind: StatementKind
    start: int
    end: int
    line: int
    path: tuple[str, ...] = ()
    table: tuple[str, ...] = ()
    value: tuple[int, int] = (0, 0)
    array: bool = False


def split(text: str) -> list[Statement]:
    """Split the whole text into contiguous statements that cover every character."""
    return list(_split(text))


def _split(text: str) -> Iterator[Statement]:
    at, line = 0, 1
    table: tuple[str, ...] = ()
    while at < len(text):
        statement = _statement(text, at, line, table=table)
        if statement.kind == "header":
            table = statement.path
        yield statement
        line += text.count("\n", at, statement.end)
        at = statement.end


def _statement(text: str, at: int, line: int, *, table: tuple[str, ...]) -> Statement:
    rest = _REST.match(text, at)
    end = rest.end() if rest else len(text)
    bare = text[at:end].strip(" \t\r\n")
    if not bare:
        return Statement("blank", at, end, line, table=table)
    if bare[0] == "#":
        return Statement("comment", at, end, line, table=table)
    if bare[0] == "[":
        return _header(text, at, end, line=line)
    pair = _PAIR.match(text, at)
    parts = key_parts(pair[1]) if pair else None
    if pair is None or parts is None:
        return Statement("broken", at, end, line, table=table)
    value_end, end = _value(text, pair.end())
    return Statement("pair", at, end, line, path=(*table, *parts), table=table, value=(pair.end(), value_end))


def _header(text: str, at: int, end: int, *, line: int) -> Statement:
    found = _HEADER.match(text, at)
    parts = key_parts(found[2]) if found else None
    if found is None or parts is None:
        return Statement("broken", at, end, line)
    return Statement("header", at, end, line, path=parts, table=parts, array=found[1] == "[[")


def _value(text: str, at: int) -> tuple[int, int]:
    """Return where the value starting at `at` ends, and where its statement ends."""
    depth, value_end = 0, at
    for token in _TOKEN.finditer(text, at):
        piece = token[0]
        if piece == "\n":
            if depth <= 0:
                return max(value_end, _stripped(text, at, token.start(), value_end)), token.end()
        elif piece[0] == "#":
            if depth <= 0:
                value_end = _stripped(text, at, token.start(), value_end)
                rest = _REST.match(text, token.start())
                return value_end, rest.end() if rest else len(text)
        else:
            depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(piece, 0)
            value_end = token.end()
    return max(value_end, _stripped(text, at, len(text), value_end)), len(text)


def _stripped(text: str, at: int, end: int, least: int) -> int:
    return max(least, at + len(text[at:end].rstrip(" \t\r\n")))


def key_parts(key: str) -> tuple[str, ...] | None:
    """Decode a dotted key; None if a quoted part is not a valid string."""
    return tuple(parts) if None not in (parts := [_part(found[0]) for found in _PARTS.finditer(key)]) else None  # type: ignore[arg-type]  # None is excluded


def _part(part: str) -> str | None:
    if part[0] not in "\"'":
        return part
    if "\\" not in part:
        return part[1:-1]
    try:
        (decoded,) = read_toml(f"{part} = 0")
    except tomllib.TOMLDecodeError:
        return None
    return decoded


def entry_ranges(source: bytes, name: str) -> tuple[tuple[int, int], ...]:
    """Return the line ranges of one entry in any form; 1-based, inclusive, with adjacent ranges merged."""
    try:
        text = source.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"the file that holds {name!r} is not UTF-8: {error}") from error
    ranges: list[tuple[int, int]] = []
    for statement in split(text):
        if statement.path[:1] != (name,):
            continue
        last = statement.line + text.count("\n", statement.start, statement.end - 1)
        if ranges and statement.line == ranges[-1][1] + 1:
            ranges[-1] = (ranges[-1][0], last)
        else:
            ranges.append((statement.line, last))
    return tuple(ranges)
