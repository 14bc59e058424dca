"""How a file is split for a search: into definitions, sections, titled tests, and the lines between them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from pactkeeper.repo.languages.outline import Definition

LONGEST: Final = 60  # maximum lines of a unit
_TITLED: Final = re.compile(r"\s*(?:it|test|describe|context|suite)(?:\.\w+)?\(\s*['\"`]([^'\"`\n]{1,120})")
_HEADING: Final = re.compile(r"#{1,6}\s+(.+)")
_UNDERLINE: Final = re.compile(r"([=~^\"'*+#-])\1{2,}\s*$")
DOCUMENTS: Final = (".md", ".rst", ".txt", ".adoc")


@dataclass(frozen=True, slots=True)
class Block:
    """Lines of a file from `first` (counted from 0) up to `end` that belong to one definition or section.

    `head` is the line that defines it, -1 for none; `called` is its name qualified by those of its parents.
    """

    first: int
    end: int
    head: int = -1
    name: str = ""
    called: str = ""


Units = Callable[[str, Sequence[str]], Sequence[Block]]  # splits a file, given its path and lines


def blocks_of(path: str, lines: Sequence[str], outline: Sequence[Definition]) -> list[Block]:
    """Split a file into definitions, sections and the lines between them; long ones into several blocks."""
    names = _sections(lines) if path.lower().endswith(DOCUMENTS) else _names(lines, outline)
    starts = [at for at in range(len(lines)) if at == 0 or names.get(at) != names.get(at - 1)]
    return [
        Block(at, min(at + LONGEST, end), *names.get(first, ()))
        for first, end in zip(starts, [*starts[1:], len(lines)], strict=False)
        for at in range(first, end, LONGEST)
    ]


_Held = tuple[int, str, str]  # the first line of the definition, its name, its qualified name


def _sections(lines: Sequence[str]) -> dict[int, _Held]:
    """Map each line of a document to the heading above it: its line and text."""
    fences = accumulate(line.lstrip().startswith("```") for line in lines)
    heads = [(at, title, title) for at, fence in enumerate(fences) if fence % 2 == 0 and (title := _heading(lines, at))]
    ends = [*(head[0] for head in heads[1:]), len(lines)]
    return {line: head for head, end in zip(heads, ends, strict=False) for line in range(head[0], end)}


def _heading(lines: Sequence[str], at: int) -> str:
    """Return the heading on a line of a document; empty if there is none."""
    line, under = lines[at][:300], lines[at + 1] if at + 1 < len(lines) else ""
    hit = _HEADING.match(line)
    return hit[1].strip() if hit else line.strip() if _UNDERLINE.match(under) and line[:1].isalnum() else ""


def _names(lines: Sequence[str], outline: Sequence[Definition]) -> dict[int, _Held]:
    """Map each line to the innermost definition or titled test that contains it: its first line and names.

    Lines directly above a definition, such as decorators and comments, belong to it.
    """
    found: dict[int, _Held] = {}
    spread = [one for one in outline if one.kind != "value" or "." not in one.name]
    ends = {one.last - 1 for one in spread}
    for one in sorted(spread, key=lambda one: one.line - one.last):
        first = one.line - 1
        outer = found.get(first)
        while first and lines[first - 1].strip() and first - 1 not in ends and (outer is None or outer[0] != first - 1):
            first -= 1
        held = range(first, min(one.last, len(lines)))
        found |= dict.fromkeys(held, (one.line - 1, one.name.rpartition(".")[2], one.name))
    titled = ((at, hit[1].strip()) for at in range(len(lines)) if (hit := _TITLED.match(lines[at][:300])))
    for at, name in titled:
        found |= dict.fromkeys(range(at, _closed(lines, at)), (at, name, name))
    return found


def _closed(lines: Sequence[str], at: int) -> int:
    """Return the end of the block that a line opens: after the next line that is indented no deeper."""
    deep = len(lines[at]) - len(lines[at].lstrip())
    rest = range(at + 1, len(lines))
    return 1 + next(
        (one for one in rest if lines[one].strip() and len(lines[one]) - len(lines[one].lstrip()) <= deep), at
    )
