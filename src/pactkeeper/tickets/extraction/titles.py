"""Where a title under a label ends, when its line goes on with sentences that say something else."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from pactkeeper.tickets.extraction.blocks import Block
from pactkeeper.tickets.extraction.phrases import DUTY, STRONG, WHY, found
from pactkeeper.tickets.extraction.placing import Placing
from pactkeeper.tickets.extraction.sentences import placed
from pactkeeper.tickets.extraction.spans import Span, clean, sentences
from pactkeeper.tickets.extraction.wishes import request_of

_FEWEST: Final = 2  # words of a title; a single one before a period is an abbreviation as often
_ABBREVIATED: Final = re.compile(r"\b[A-ZÄÖÜ][a-zäöü]{0,3}\.$")  # Dr., Inc., Prof.


def title_apart(at: Placing, block: Block) -> tuple[Block, ...]:
    """A labelled title and the sentences behind it, where rules know the second one; else the block as it is.

    What no rule could place stays in the title, since it would be nowhere else.
    """
    parts = tuple(sentences(at.message.text, block.whole))
    values = tuple(sentences(block.value, Span(0, len(block.value), block.value)))
    if len(parts) < 2 or len(values) != len(parts) or not _ends(values[0].text):  # noqa: PLR2004 - a title and more
        return (block,)
    title = replace(block, whole=parts[0], value=values[0].text.rstrip("."))
    after = replace(at, draft=replace(at.draft, title=at.said(title.whole, title.value)))
    if not all(_says_more(after, one) for one in parts[1:]):
        return (block,)
    return (title, *(Block("sentence", one, clean(one.text)) for one in parts[1:]))


def _ends(text: str) -> bool:
    return text.endswith((".", "!", "…")) and len(text.split()) >= _FEWEST and _ABBREVIATED.search(text) is None


def _says_more(at: Placing, one: Span) -> bool:
    """Whether a sentence is a duty, a wish with its reason, or names its field, and rules have a place for it."""
    bare = one.text.rstrip(" .!")
    if bare.endswith("?") or not placed(at, one):
        return False
    wished = request_of(bare) is not None and WHY.search(bare) is not None
    return wished or DUTY.search(bare) is not None or any(found(each, bare) is not None for each in STRONG.values())
