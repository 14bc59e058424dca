"""What stands elsewhere and cannot hold together with what was said; it is shown with both sides' words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pactkeeper.intent.actions import Conflict, Side
from pactkeeper.intent.redaction import redacted
from pactkeeper.intent.wording.tables import table
from pactkeeper.transcripts.reconciling.saying import Said, said
from pactkeeper.transcripts.reconciling.world import Seen, World

_ASIDE: Final = re.compile(
    r"(?i)(?<!\w)(?:depriorit[iy][sz]\w*|paused?|on hold|postponed|parked|dropped|cancell?ed|abandoned|rejected"
    r"|frozen|not (?:doing|now|before|this)|won'?t|will not|no longer|stopped|decided against|out of scope"
    r"|zurückgestellt|pausiert|gestrichen|abgesagt|eingestellt|nicht mehr|vorerst nicht"
    r"|reportée?s?|abandonnée?s?|annulée?s?|en pause|ne \w+ plus"
    r"|aplazad[oa]s?|pausad[oa]s?|cancelad[oa]s?|abandonad[oa]s?|ya no)(?!\w)"
)
_RATHER: Final = re.compile(
    r"(?i)(?:instead of|rather than|over|statt|anstatt|anstelle von|au lieu de|plutôt que|en lugar de|en vez de)\s+"
    r"(?P<other>[\w.+#-]{2,40})"
)
_CHOSE: Final = re.compile(
    r"(?i)(?:chose|chosen|decided|picked|use|using|go(?:ing)? with|settled|entschieden|nehmen"
    r"|choisi|retenu|elegido|usar)"
)
# Of what a date, an amount or a number is one of a kind.
_ONE: Final = table(
    "launch release deadline due budget price go-live cutoff termin frist preis lancement échéance prix lanzamiento"
    " plazo precio limit"
)
_MOST: Final = 400  # characters of a line that is quoted
_ENOUGH: Final = 2


def conflicts(seen: Seen, subject: str, quote: str, world: World) -> Iterator[Conflict]:
    """Every line of the active context and every decision that holds which the subject cannot hold with."""
    for side in _standing(world):
        why = _against(subject, quote, side.quote)
        if why:
            mine = Side(seen.artifact.file, redacted(quote[:_MOST]), seen.artifact.at)
            yield Conflict(seen.artifact.fingerprint, redacted(subject), mine, side, why)


def _standing(world: World) -> Iterator[Side]:
    for document in world.context:
        for line in document.body.splitlines():
            if line.strip():
                yield Side(f"document “{document.title}”", redacted(line.strip()[:_MOST]), document.updated_at)
    for known in world.known:
        if known.item.kind == "decision" and known.standing(world.now) == "holds":
            came = known.item.provenance
            yield Side(f"decision {known.item.id}", redacted((came.quote or known.item.text)[:_MOST]), came.at)


def _against(subject: str, quote: str, line: str) -> str:
    mine, theirs = said(subject), said(line)
    if _about(mine, theirs) and (aside := _ASIDE.search(line)) and not _ASIDE.search(quote):
        return f"it stands as {aside[0]!r} there"
    if _about(mine, theirs) and (differs := _differs(mine, theirs)):
        return differs
    other = _RATHER.search(quote)
    if other and _CHOSE.search(line) and said(other["other"]).topics & theirs.topics and not _takes_back(line, other):
        return f"{other['other']!r} was turned down here and is chosen there"
    return ""


def _about(subject: Said, line: Said) -> bool:
    """Whether a line is about a subject: it has all of its words that say something, or two thirds of several."""
    shared = len(subject.topics & line.topics)
    enough = shared == len(subject.topics) or (shared >= _ENOUGH and shared * 3 >= len(subject.topics) * 2)
    return bool(subject.topics) and enough


def _differs(mine: Said, theirs: Said) -> str:
    if not mine.words & theirs.words & _ONE:
        return ""
    for field in ("dates", "amounts", "numbers"):
        a, b = mine.details.get(field), theirs.details.get(field)
        if a and b and a - b and b - a:
            return f"{field} differ: {', '.join(sorted(a))} here, {', '.join(sorted(b))} there"
    return ""


def _takes_back(line: str, other: re.Match[str]) -> bool:
    """Whether the line turns down the same thing, and so agrees."""
    found = _RATHER.search(line)
    return found is not None and found["other"].casefold() == other["other"].casefold()
