"""A text with git's conflict markers → the texts of both sides, and of their base where git wrote it down."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

OURS, BASE, THEIRS, BOTH = "<", "|", ">", ""
_WIDTH: Final = 7


@dataclass(frozen=True, slots=True)
class Sides:
    """Each side's whole text, and what the markers call the sides; `base` is None in git's default style."""

    ours: str
    theirs: str
    base: str | None
    labels: tuple[str, str]


def marker(line: str) -> str:
    """Which marker a line is: one of `<`, `|`, `=`, `>`, else empty."""
    sign = line[:1]
    if sign not in "<|=>" or not line.startswith(sign * _WIDTH) or line[_WIDTH : _WIDTH + 1] == sign:
        return ""
    return sign if line[_WIDTH:].strip() == "" or line[_WIDTH] == " " else ""


def sides_of(text: str, *, padded: bool) -> Sides | None:
    """Part a text; None where it has no marker, or markers that do not belong together.

    `padded` leaves an empty line for every line of the other sides, so that line numbers stay what they are.
    """
    parts: dict[str, list[str]] = {OURS: [], BASE: [], THEIRS: []}
    labels = {OURS: "", THEIRS: ""}
    part, torn, based = BOTH, False, False
    for line in text.splitlines(keepends=True):
        sign = marker(line)
        if sign and sign != _follows(part, sign):
            return None
        if sign:
            part, torn, based = _NEXT[sign], True, based or sign == BASE
            if sign in labels and not labels[sign]:
                labels[sign] = line[_WIDTH:].strip()
        for name, lines in parts.items():
            if not sign and part in (BOTH, name):
                lines.append(line)
            elif padded:
                lines.append("\n")
    if not torn or part != BOTH:
        return None
    base = "".join(parts[BASE]) if based else None
    return Sides("".join(parts[OURS]), "".join(parts[THEIRS]), base, (labels[OURS], labels[THEIRS]))


_NEXT: Final = {"<": OURS, "|": BASE, "=": THEIRS, ">": BOTH}
_EXPECTED: Final = {BOTH: "<", OURS: "|=", BASE: "=", THEIRS: ">"}


def _follows(part: str, sign: str) -> str:
    """The sign itself where it may come in this part, else nothing."""
    return sign if sign in _EXPECTED[part] else ""


def first_marker(text: str) -> int:
    """The line of the first marker, counted from 1; 0 where there is none."""
    return next((number for number, line in enumerate(text.split("\n"), start=1) if marker(line)), 0)
