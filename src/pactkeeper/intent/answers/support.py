"""Whether a sentence rests on its source: values that are written there, and at least one word that stands there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from pactkeeper.intent.answers.names import Source
from pactkeeper.intent.concepts import SLIGHT, STOP
from pactkeeper.intent.reading.tokens import Token, tokens
from pactkeeper.intent.wording.words import is_plural, stems_of
from pactkeeper.speech.words import stem

_SAYS_LITTLE = frozenset(stem(word) for word in (*SLIGHT, *STOP, "be", "is", "are", "result", "value", "system"))
_MOST_COUNTED: Final = 12
_MARKS = "\"'`“”‘’"


def unsupported(sentence: str, source: Source) -> Iterator[str]:
    """Say what of a sentence was invented: values that the source does not hold, or all of its words."""
    words: list[str] = []
    supported = False
    found = tokens(sentence)
    for at, token in enumerate(found):
        bare = token.text.strip(_MARKS)
        if token.kind == "number":
            if _digits(bare) in source.numbers:
                supported = True
            elif not _counts(found, at):
                yield f"{bare!r} stands nowhere in the source; give only values that the test gives"
        elif token.kind in {"quoted", "name"} and token.text[:1] in _MARKS:
            if bare.removesuffix("…") in source.text:
                supported = True
            else:
                yield f"{token.text} stands nowhere in the source; quote only values that the test gives"
        elif token.kind in {"word", "name"}:
            words += [one for one in (stem(token.lower), *stems_of(token.text)) if one not in _SAYS_LITTLE]
    if not supported and words and not source.stems.intersection(words):
        yield "nothing that the test asserts or does speaks of it; say only what its lines show"


def _counts(found: Sequence[Token], at: int) -> bool:
    """Whether a number says how many members something has, which a source may write out one by one."""
    number = _digits(found[at].text)
    following = found[at + 1].lower if at + 1 < len(found) else ""
    return number.isdigit() and int(number) <= _MOST_COUNTED and is_plural(following)


def _digits(number: str) -> str:
    return number.replace(",", "").rstrip(".").rstrip("%")
