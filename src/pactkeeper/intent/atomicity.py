"""Whether a sentence carries more than one statement, judged by visible signs: a second sentence, a second verb."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from pactkeeper.intent.reading.tokens import Token, sentences
from pactkeeper.intent.reading.verbs import JOINING, is_finite
from pactkeeper.intent.wording.tables import table

_HARMLESS = table("nothing no never not")


def joints(text: str) -> tuple[str, ...]:
    """Return the words that join a further statement, verbatim; empty if there are none. Quotations join nothing."""
    found = sentences(text)
    more = (f"{len(found)} sentences",) if len(found) > 1 else ()
    return (*more, *(said for one in found for said in _joints(text, one)))


def _joints(text: str, words: Sequence[Token]) -> list[str]:
    """Return the text from each joining word to the verb after it, if another verb comes before."""
    lower = [one.lower for one in words]
    finite = [at for at, word in enumerate(words) if word.kind == "word" and is_finite(lower, at)]
    joining = [at for at, word in enumerate(lower) if word in JOINING]
    said = []
    for at, stop in pairwise((*joining, len(words))):
        behind = next((verb for verb in finite if at < verb < stop), None)
        if behind is not None and any(verb < at for verb in finite) and lower[at + 1] not in _HARMLESS:
            said.append(text[words[at].start : words[behind].end])
    return said
