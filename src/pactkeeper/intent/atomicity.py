"""Whether a sentence carries more than one statement, by what can be seen in it: a second sentence, a second verb."""

from __future__ import annotations

from itertools import pairwise

from pactkeeper.intent.reading.tokens import Token, sentences
from pactkeeper.intent.reading.verbs import also_noun, forms_of
from pactkeeper.intent.wording.tables import table

_FINITE = table("""
    is are was were isn't aren't wasn't weren't has hasn't does doesn't do don't did didn't can cannot can't could
    must mustn't may might should shouldn't will won't would shall
""")
_JOINING = table("and or but ; otherwise else")
_HARMLESS = table("nothing no never not")


def joints(text: str) -> tuple[str, ...]:
    """The words that join a further statement, as they stand; empty where none is seen. Quotations join nothing."""
    found = sentences(text)
    more = (f"{len(found)} sentences",) if len(found) > 1 else ()
    return (*more, *(said for one in found for said in _joints(text, one)))


def _joints(text: str, words: tuple[Token, ...]) -> list[str]:
    """From each joining word to the verb behind it, where another verb stands before."""
    said, finite = [], [at for at, word in enumerate(words) if _is_finite(word)]
    joining = [at for at, word in enumerate(words) if word.lower in _JOINING]
    for at, stop in pairwise((*joining, len(words))):
        behind = next((verb for verb in finite if at < verb < stop), None)
        if behind is None or not any(verb < at for verb in finite) or words[at + 1].lower in _HARMLESS:
            continue
        said.append(text[words[at].start : words[behind].end])
    return said


def _is_finite(token: Token) -> bool:
    if token.kind != "word":
        return False
    return token.lower in _FINITE or ("third" in forms_of(token.lower) and not also_noun(token.lower))
