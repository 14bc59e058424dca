"""A message as lines that its author wrote: without code, without quotes of others, each with its place in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_FENCE: Final = re.compile(r"\s*(?:```|~~~)(?P<info>\w*)")
_QUOTED: Final = re.compile(r"\s*(?:>|&gt;)")
_WROTE: Final = re.compile(
    r"\s*(?:On\b.{4,80}\bwrote|Am\b.{4,80}\bschrieb\b.*|Le\b.{4,80}\ba écrit|El\b.{4,80}\bescribió)\s*:\s*$"
)
_SIGNATURE: Final = re.compile(r"--\s?$")
_BULLET: Final = re.compile(

r"(?P<indent>\s*)(?:(?P<bullet>[-*+•◦▪–])|(?P<number>\d{1,2})[.):]"
r"|\((?P<inner>\d{1,2})\))\s+(?:\[(?P<box>[ xX✓]?)\]\s+)?(?=\S)"

)  # fmt: skip
_HEADING: Final = re.compile(r"\s*#{1,6}\s+")
_GHERKIN: Final = re.compile(
    (
r"\s*(?:Feature|Funktionalität|Scenario|Szenario|Scénario|Escenario|Given|Angenommen|Étant donné"
r"|Dado)\b"
), re.IGNORECASE
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Line:
    """What a line says, at `[start, end)` of the message's text; `text` is empty for a line that parts paragraphs.

    `item` is whether it stands in a list, `number` the one it bears there (0 for none), `box` whether it can be ticked.
    """

    start: int
    end: int
    text: str
    item: bool = False
    number: int = 0
    box: bool = False
    heading: bool = False


def lines(text: str) -> tuple[Line, ...]:
    """The lines of a message; a block of code counts only where it holds scenarios."""
    return tuple(_lines(text))


def _lines(text: str) -> Iterator[Line]:
    fenced: list[tuple[int, str]] | None = None
    at = 0
    for raw in text.splitlines(keepends=True):
        start, at = at, at + len(raw)
        line = raw.rstrip()
        if not line and fenced is None:
            yield Line(start, start, "")
        elif _FENCE.match(line):
            if fenced is not None:
                yield from _scenarios(fenced)
            fenced = [] if fenced is None and "```" not in line.strip()[3:] else None
        elif fenced is not None:
            fenced.append((start, line))
        elif _SIGNATURE.fullmatch(line) and start:
            return
        elif not _QUOTED.match(line) and not _WROTE.match(line):
            yield _line(start, line)


def _scenarios(fenced: list[tuple[int, str]]) -> Iterator[Line]:
    if fenced and _GHERKIN.match(fenced[0][1]):
        yield from (_line(start, line) for start, line in fenced)


def _line(start: int, line: str) -> Line:
    bullet = _BULLET.match(line)
    heading = _HEADING.match(line)
    lead = bullet.end() if bullet else heading.end() if heading else len(line) - len(line.lstrip())
    number = int((bullet["number"] or bullet["inner"] or 0) if bullet else 0)
    return Line(
        start + lead,
        start + len(line),
        line[lead:],
        bullet is not None,
        number,
        bullet is not None and bullet["box"] is not None,
        heading is not None,
    )
