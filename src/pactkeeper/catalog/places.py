"""Where the entries of a file stand, as ranges of lines."""

from __future__ import annotations

from pactkeeper.catalog.statements import split
from pactkeeper.errors import InputError


def entry_ranges(source: bytes, name: str) -> tuple[tuple[int, int], ...]:
    """The lines of one entry, in whichever form it stands; lines count from 1, ends included, neighbours are joined."""
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
