"""Values under labels as changes of a draft, and what every other way to read a message shares with them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from pactkeeper.intent.ticket import SINGLE, Draft, Field, Said, ThreadMessage, sides_of
from pactkeeper.intent.ticket_patch import DraftPatch
from pactkeeper.tickets.extraction.blocks import Block
from pactkeeper.tickets.extraction.bounds import Bounded, listed
from pactkeeper.tickets.extraction.hints import PAINS
from pactkeeper.tickets.extraction.labels import label_of
from pactkeeper.tickets.extraction.noise import is_unknown
from pactkeeper.tickets.extraction.phrases import STRONG, Hit, found
from pactkeeper.tickets.extraction.plain import is_statement
from pactkeeper.tickets.extraction.ranges import sides
from pactkeeper.tickets.extraction.scenarios import is_scenario
from pactkeeper.tickets.extraction.spans import Span, said, sentences, span
from pactkeeper.tickets.extraction.wishes import request_of

URL: Final = re.compile(r"<?(?P<url>https?://[^\s>|)\]]+[^\s>|)\].,;:!?])(?:\|[^>]*>|>)?")
EPIC_ID: Final = re.compile(r"[A-Z][A-Z0-9]+-\d+|#\d+")
_NOTHING: Final = re.compile(
    r"(?:none|no|nothing|n/?a|-|—|keine?|nichts|aucune?|rien|ningun[oa]|nada)[.!]?", re.IGNORECASE
)
SHORT: Final = 4  # words of what is a name rather than a sentence


@dataclass(frozen=True, slots=True)
class Placing:
    """A message that is being read, with the draft as it was before it."""

    message: ThreadMessage
    draft: Draft

    def said(self, whole: Span, value: str = "") -> Said:
        """What a span of the message says."""
        return said(self.message, whole, value)

    def part(self, whole: Span, hit: Hit) -> Span:
        """A part of a span as a span."""
        return span(self.message.text, whole.start + hit.start, whole.start + hit.end)


def labelled(at: Placing, block: Block) -> Iterator[DraftPatch]:
    """The changes of a value under a label."""
    field = block.field
    assert field is not None  # noqa: S101 - blocks of this kind have one
    if not block.value or (_NOTHING.fullmatch(block.value) and field not in SINGLE):
        return
    if _NOTHING.fullmatch(block.value) or is_unknown(block.value):
        yield DraftPatch("unknown", field, at.said(block.whole))
    elif field == "constraints":
        for part in _parts(block.value, ";"):
            yield from constraint(at, block.whole, listed(part))
    elif field in SINGLE:
        yield single(at, field, at.said(block.whole, block.value))
    else:
        for value in listed_values(field, block.value):
            yield DraftPatch("add", field, at.said(block.whole, value))


def single(at: Placing, field: Field, value: Said) -> DraftPatch:
    """A single value under a label; it takes the place of what its own author only seemed to say before."""
    if field == "epic_id":
        hit = EPIC_ID.search(value.value)
        value = Said(hit[0] if hit else value.value, value.author, value.message, value.permalink, value.quote)
    sides = sides_of(getattr(at.draft, field))
    guessed = len(sides) == 1 and sides[0].author == value.author and _is_guess(field, sides[0])
    return DraftPatch("correct" if guessed else "set", field, value)


def _is_guess(field: Field, value: Said) -> bool:
    """Whether a value was taken from a sentence that does not name the field."""
    quote = value.quote
    if field not in {"title", "problem"} or label_of(quote) or found(STRONG[field], quote.rstrip(" .!")):
        return False
    if request_of(quote) is not None:
        return True
    return field == "problem" and (is_statement(quote) or found(PAINS, quote, whole=False) is not None)


def listed_values(field: Field, text: str) -> list[str]:
    """The values that a text gives a field that holds any number of them."""
    if field == "evidence_links":
        return [hit["url"] for hit in URL.finditer(text)] or [text]
    if field == "dependencies":
        parts = _parts(text, r",|;|\band\b|\bund\b|\bet\b|\by\b")
        return parts if all(len(part.split()) <= SHORT for part in parts) else [text]
    if field == "acceptance_criteria" and not is_scenario(text):
        whole = Span(0, len(text), text)
        return [one.text for one in sentences(text, whole)]
    return _parts(text, ";")


def _parts(text: str, mark: str) -> list[str]:
    return [
        part.strip(" .") if len(text) > len(part) else part.strip() for part in re.split(mark, text) if part.strip()
    ]


def constraint(at: Placing, whole: Span, found_bound: Bounded) -> Iterator[DraftPatch]:
    """A bound as constraints of the draft: one, or a least and a most."""
    for value in sides(found_bound.value):
        yield DraftPatch("add", "constraints", at.said(whole, value), key=found_bound.key)
