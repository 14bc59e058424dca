"""Three-way merge of bytes by lines, refusing wherever the two sides touch the same lines."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import NamedTuple


class Hunk(NamedTuple):
    """Lines `start` to `end` of the base that become `lines`."""

    start: int
    end: int
    lines: tuple[bytes, ...]


def merge(base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
    """Apply both sides' changes to the base; None where they overlap or insert different lines at one place."""
    lines = base.splitlines(keepends=True)
    left, right = hunks(lines, ours.splitlines(keepends=True)), hunks(lines, theirs.splitlines(keepends=True))
    agreed = [hunk for hunk in left if hunk in right]
    rest = [hunk for hunk in right if hunk not in agreed]
    if any(_clash(one, other) for one in left if one not in agreed for other in right):
        return None
    if any(_clash(one, other) for one in agreed for other in rest):
        return None
    merged: list[bytes] = []
    at = 0
    for hunk in sorted([*left, *rest], key=lambda one: (one.start, one.end)):
        merged += [*lines[at : hunk.start], *hunk.lines]
        at = hunk.end
    return b"".join(merged + lines[at:])


def hunks(base: list[bytes], changed: list[bytes]) -> list[Hunk]:
    """Find what changed; lines that both share at the start and at the end are never part of it."""
    start = 0
    while start < min(len(base), len(changed)) and base[start] == changed[start]:
        start += 1
    tail = 0
    while tail < min(len(base), len(changed)) - start and base[-1 - tail] == changed[-1 - tail]:
        tail += 1
    middle, new = base[start : len(base) - tail], changed[start : len(changed) - tail]
    matcher = SequenceMatcher(None, middle, new, autojunk=False)
    return [Hunk(start + a, start + b, tuple(new[c:d])) for tag, a, b, c, d in matcher.get_opcodes() if tag != "equal"]


def _clash(one: Hunk, other: Hunk) -> bool:
    if one.start == one.end and other.start == other.end:
        return one.start == other.start
    return one.start < other.end and other.start < one.end
