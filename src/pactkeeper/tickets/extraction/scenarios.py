"""Scenarios in the steps of Gherkin, in four languages: each is one acceptance criterion."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pactkeeper.tickets.extraction.lines import Line

_TITLE: Final = re.compile(
    r"(?:Scenario(?: Outline)?|Szenario|Scénario|Escenario|Feature|Funktionalität|Background)\s*:.*", re.IGNORECASE
)
_GIVEN: Final = r"Given|Angenommen|Gegeben sei(?:en)?|Étant donnée?s?(?: que)?|Dad[oa]s?(?: que)?"
_WHEN: Final = r"When|Wenn|Quand|Lorsque|Cuando"
_THEN: Final = r"Then|Dann|Alors|Entonces"
_STEP: Final = re.compile(rf"[*_]*(?P<word>{_GIVEN}|{_WHEN}|{_THEN}|And|But|Und|Aber|Et|Mais|Y|Pero)\b[*_]*,?\s+\S.*")
_OPENS: Final = re.compile(rf"[*_]*(?:{_GIVEN}|{_WHEN})\b")
_ENDS: Final = re.compile(rf"[*_]*(?:{_THEN})\b")
_WHOLE: Final = re.compile(
    rf"[*_]*(?:{_GIVEN})\b.+\b(?:{_WHEN})\b.+\b(?:{_THEN})\b.+|[*_]*(?:{_WHEN})\b.+,\s*(?:{_THEN})\b.+", re.IGNORECASE
)


_MOST: Final = 60  # steps of a scenario


@dataclass(frozen=True, slots=True)
class Steps:
    """A scenario in lines `[first, last)` of a message, as one sentence."""

    first: int
    last: int
    text: str


def scenario_at(lines: Sequence[Line], at: int) -> Steps | None:
    """The scenario that begins with a line; None where none does. A title without steps is none."""
    first = at + 1 if _TITLE.fullmatch(lines[at].text) else at
    if first >= len(lines) or not _OPENS.match(lines[first].text):
        return None
    last, ended = first, False
    while last < min(len(lines), first + _MOST) and _STEP.fullmatch(lines[last].text):
        if ended and _OPENS.match(lines[last].text):
            break
        ended = ended or _ENDS.match(lines[last].text) is not None
        last += 1
    steps = [line.text.rstrip(" ,.;") for line in lines[first:last]]
    if not ended:
        return None
    return Steps(at, last, joined(steps))


def joined(steps: Sequence[str]) -> str:
    """Steps as one sentence: the first as it is, the others behind a comma."""
    return ", ".join([steps[0], *(step[0].lower() + step[1:] for step in steps[1:])]) + "."


def is_scenario(text: str) -> bool:
    """Whether one sentence has all steps of a scenario in it."""
    return _WHOLE.fullmatch(text.strip()) is not None
