"""Strengths as rows of plain values, which a cache keeps for as long as no file they were read from changes.

Each row is the number of a form and its parts. A part is a plain value or, in brackets, the number of an earlier row,
so that a term that occurs often is one row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from pactkeeper.intent.claims import (
    Argument,
    Attribute,
    Call,
    Captured,
    Claim,
    Collection,
    Each,
    Name,
    Opaque,
    Operation,
    Raised,
    Subscript,
    Value,
)
from pactkeeper.intent.strength.facts import Dead, Fact, Skipped, Strength
from pactkeeper.repo.cache import Reads

_FORMS: Final[tuple[Any, ...]] = (
    tuple, Strength, Fact, Dead, Skipped, Claim, Each, Argument, Name, Attribute, Subscript, Call, Value, Operation,
    Collection, Opaque, Raised, Captured,
)  # fmt: skip
_NUMBERS: Final = {form: number for number, form in enumerate(_FORMS)}
_TUPLE: Final = 0


@dataclass(frozen=True, slots=True)
class KeptStrengths:
    """The strengths of some tests of a file: `tests` names their rows; `reads` are the other files they rest on."""

    reads: Reads
    rows: tuple[tuple[Any, ...], ...]
    tests: Mapping[str, int]


def packed(strengths: Mapping[str, Strength], reads: Reads) -> KeptStrengths:
    """Turn strengths into rows."""
    rows: dict[tuple[Any, ...], int] = {}
    tests = {name: _pack(strength, rows)[0] for name, strength in strengths.items()}
    return KeptStrengths(reads, tuple(rows), tests)


def _pack(one: Any, rows: dict[tuple[Any, ...], int]) -> Any:  # noqa: ANN401 - any part of a strength
    if one is None or isinstance(one, str | int):
        return one
    parts = one if isinstance(one, tuple) else map(one.__getattribute__, one.__match_args__)
    row = (_NUMBERS[type(one)], *[_pack(part, rows) for part in parts])
    return (rows.setdefault(row, len(rows)),)


def unpacked(kept: KeptStrengths) -> Mapping[str, Strength]:
    """Turn rows back into strengths."""
    made: list[Any] = []
    for number, *parts in kept.rows:
        values = [made[part[0]] if isinstance(part, list | tuple) else part for part in parts]
        made.append(tuple(values) if number == _TUPLE else _FORMS[number](*values))
    return {name: made[at] for name, at in kept.tests.items()}
