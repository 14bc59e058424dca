"""Sentences behind a labelled problem or solution that are criteria and bounds of their own."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from pactkeeper.intent.quality import DEFAULT, AtomWords, assess
from pactkeeper.intent.reading.language import foreign_language
from pactkeeper.intent.reading.opposite import stated
from pactkeeper.intent.ticket import Field
from pactkeeper.tickets.extraction.blocks import Block
from pactkeeper.tickets.extraction.bounds import bounded, gives_value
from pactkeeper.tickets.extraction.hints import PAINS
from pactkeeper.tickets.extraction.phrases import AUTHORS, found
from pactkeeper.tickets.extraction.placing import Placing
from pactkeeper.tickets.extraction.plain import tells_how_often
from pactkeeper.tickets.extraction.sentences import placed
from pactkeeper.tickets.extraction.spans import Span, clean, sentences, span

_PARTED: Final[frozenset[Field]] = frozenset({"problem", "proposed_solution"})
_OWN: Final[frozenset[Field]] = frozenset({"acceptance_criteria", "constraints"})
_MUST: Final = (
    r"\b(?:must|shall|should|muss|müssen|darf|dürfen|soll|sollen|sollte|sollten|doit|doivent|devrait|devraient"
    r"|debe|deben|debería|deberían|moet|moeten|mag|mogen)\b"
)
# A duty of a thing; what people must do stands in problems as what they suffer from.
_OF_A_THING: Final = re.compile(
    rf"{_MUST}\s+(?:not\s+|never\s+|always\s+|only\s+)?(?:be|contain|include|show|list|hold|stay|remain|finish|appear"
    r"|work|match|support)\b",
    re.IGNORECASE,
)
_WITHIN: Final = re.compile(
    rf"{_MUST}.*\b(?:within|under|below|at most|at least|no (?:more|less|later|longer) than|in less than|up to"
    r"|innerhalb|binnen|höchstens|mindestens|maximal|spätestens|unter|en moins de|au plus|au moins|au maximum"
    r"|en menos de|como máximo|al menos)\s+(?:\w+\s+)?[€$£]?\d",
    re.IGNORECASE,
)
_LONGEST: Final = 300  # characters of a sentence that says one thing
_DUTY: Final = re.compile(_MUST, re.IGNORECASE)
_SUFFERED: Final = re.compile(
    r"\b(?:wait|copy|retype|re-?enter|type|guess|ask|call|phone|scroll|repeat|redo|retry|search|spend|pay|click|warten"
    r"|abtippen|kopieren|suchen|attendre|recopier|copier|ressaisir|esperar|copiar|teclear|wachten)\b",
    re.IGNORECASE,
)


def parted(at: Placing, block: Block) -> tuple[Block, ...]:
    """A labelled problem or solution, and the sentences behind its first one that can be checked for themselves.

    Each sentence is in one place: the text keeps what is left, in its order, and all of its quote.
    """
    if block.field not in _PARTED:
        return (block,)
    parts = tuple(sentences(at.message.text, block.whole))
    values = tuple(sentences(block.value, Span(0, len(block.value), block.value)))
    own = [one for one in parts[1:] if _is_own(at, one)] if len(parts) == len(values) else []
    if not own:
        return (block,)
    kept = [number for number, one in enumerate(parts) if one not in own]
    whole = span(at.message.text, block.whole.start, parts[kept[-1]].end)
    left = replace(block, whole=whole, value=" ".join(values[number].text for number in kept))
    return (left, *(Block("sentence", one, clean(one.text)) for one in own))


def _is_own(at: Placing, one: Span) -> bool:
    if len(one.text) > _LONGEST:
        return False
    fields = {patch.field for patch in placed(at, one)}
    return bool(fields) and fields <= _OWN and _can_be_checked(one.text)


def _can_be_checked(text: str) -> bool:
    bare = text.strip(" .!")
    if bare.endswith("?") or AUTHORS.match(bare) or _SUFFERED.search(bare) or found(PAINS, bare, whole=False):
        return False
    if gives_value(bare):
        return True
    told = _OF_A_THING.search(bare) or _WITHIN.search(bare) or (_DUTY.search(bare) and bounded(bare))
    return bool(told) and not tells_how_often(bare) and _is_definite(bare)


def _is_definite(text: str) -> bool:
    """Whether the words of a duty say what would be seen; those of other languages do where they give a number."""
    if _WITHIN.search(text):
        return True
    return not foreign_language(text) and assess(AtomWords(stated(text)), DEFAULT).verdict != "reject"
