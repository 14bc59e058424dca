"""What an apply writes, file by file, as lines that a page can show."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from pactkeeper.reconcile.applying import Applied, file_diff

MOST_LINES: Final = 2_000  # of one file
MOST_FILES: Final = 200


@dataclass(frozen=True, slots=True)
class FileDifference:
    """The unified diff of one file; each line with what it is: `head`, `plus`, `minus` or nothing."""

    path: str
    added: int
    taken: int
    lines: tuple[tuple[str, str], ...]
    cut: int


@dataclass(frozen=True, slots=True)
class Difference:
    """Everything that would be written; `refused` are tests whose comment cannot be changed, with why."""

    ops: int
    rejected: int
    files: tuple[FileDifference, ...]
    more: int
    refused: tuple[tuple[str, str], ...]


def difference(applied: Applied) -> Difference:
    """Read a dry run."""
    files = tuple(_file(edit.path, tuple(file_diff(edit))) for edit in applied.edits[:MOST_FILES])
    more = len(applied.edits) - len(files)
    return Difference(len(applied.planned.ops), len(applied.rejected), files, more, applied.refused)


def _file(path: str, lines: tuple[str, ...]) -> FileDifference:
    told = tuple(_told(lines))
    added, taken = (sum(kind == one for kind, _ in told) for one in ("plus", "minus"))
    return FileDifference(path, added, taken, told[:MOST_LINES], max(0, len(told) - MOST_LINES))


def _told(lines: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """The lines without the two that name the file."""
    for line in lines[2:]:
        yield {"@": "head", "+": "plus", "-": "minus"}.get(line[:1], ""), line
