"""Where a document still says the date that somebody moved: its words are proposed to be replaced, never rewritten."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from pactkeeper.boards.sections import under
from pactkeeper.errors import StaleError
from pactkeeper.intent.board import Document
from pactkeeper.intent.redaction import redacted
from pactkeeper.ledger.canonical import digest
from pactkeeper.speech.lines import heading
from pactkeeper.transcripts.reconciling.proposing import Found, WantedChange, judged, propose
from pactkeeper.transcripts.reconciling.saying import MONTH_NAMES, said
from pactkeeper.transcripts.reconciling.world import SeenArtifact, World

_MONTH: Final = rf"(?:{'|'.join(sorted(MONTH_NAMES))})"
_DATE: Final = re.compile(
    rf"(?i)\b\d{{4}}-\d{{2}}(?:-\d{{2}})?\b|\b\d{{1,2}}[./]\d{{1,2}}[./]\d{{2,4}}\b"
    rf"|\b{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?\b(?:,? \d{{4}})?"
    rf"|\b\d{{1,2}}\.? (?:de )?{_MONTH}\b(?: \d{{4}})?|\b{_MONTH}\b"
)


@dataclass(frozen=True, slots=True)
class _Line:
    document: Document
    heading: str
    text: str
    date: str


def moved(seen: SeenArtifact, target: str, world: World) -> Iterator[Found]:
    """Propose the new date for the one line of a document that a sentence is about and that has one other date."""
    found = [line for document in world.documents for line in _about(document, target)]
    new = _DATE.findall(target)
    if len(found) != 1 or len(new) != 1 or said(found[0].date).details == said(new[0]).details:
        return
    (line,) = found
    document, board = line.document, world.document_board.name
    changed = line.text.replace(line.date, redacted(new[0]), 1)
    why = f"{document.title!r} has {line.date} and somebody moved it to {new[0]}"
    yield judged(seen, target, "stale", why, by=document.id)
    payload = {"board": board, "document": document.id, "heading": line.heading, "old": line.text, "new": changed}
    where = f"{board}/document/{document.id}#line-" + digest([line.heading, line.text])[3:15]
    wanted = {**payload, "title": document.title}
    yield from propose(
        seen, WantedChange("patchDocumentSection", where, digest(line.text), wanted, document.title, why, asked=True), world
    )


def _about(document: Document, target: str) -> Iterator[_Line]:
    """Every line with one date whose words all stand in the sentence, and those that say more of the same."""
    found = [line for line in _dated(document) if _words(line) and _words(line) <= said(target).topics]
    about = frozenset[str]().union(*map(_words, found))
    more = (line for line in _dated(document) if found and about < _words(line))
    yield from (line for line in (*found, *more) if _once(document.body, line.heading, line.text))


def _dated(document: Document) -> Iterator[_Line]:
    over = ""
    for text in document.body.splitlines():
        named = heading(text)
        over = named.words if named else over
        dates = _DATE.findall(text)
        if not named and len(dates) == 1:
            yield _Line(document, over, text.strip(), dates[0])


def _words(line: _Line) -> frozenset[str]:
    """What a line is about besides its date."""
    return said(line.text.replace(line.date, " ")).topics


def _once(body: str, heading: str, text: str) -> bool:
    try:
        start, end = under(body, heading)
    except StaleError:
        return False
    return body.count(text, start, end) == 1 and "pactkeeper:" not in text
