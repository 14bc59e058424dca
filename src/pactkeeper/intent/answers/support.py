"""Whether a sentence rests on its source: values that are written there, and at least one word that stands there."""

from __future__ import annotations

from collections.abc import Iterator

from pactkeeper.intent.answers.source import Source, stems_of
from pactkeeper.intent.concepts import SLIGHT, STOP
from pactkeeper.intent.conflicts.opposites import stem
from pactkeeper.intent.reading.tokens import tokens

_SAYS_LITTLE = frozenset(stem(word) for word in (*SLIGHT, *STOP, "be", "is", "are", "result", "value", "system"))
_MARKS = "\"'`“”‘’"


def unsupported(sentence: str, source: Source) -> Iterator[str]:
    """Say what of a sentence was invented: values that the source does not hold, or all of its words."""
    words: list[str] = []
    supported = False
    for token in tokens(sentence):
        bare = token.text.strip(_MARKS)
        if token.kind == "number":
            if _digits(bare) in source.numbers:
                supported = True
            else:
                yield f"{bare!r} stands nowhere in the source; give only values that the test gives"
        elif token.kind in {"quoted", "name"} and token.text[:1] in _MARKS:
            if bare in source.text:
                supported = True
            else:
                yield f"{token.text} stands nowhere in the source; quote only values that the test gives"
        elif token.kind in {"word", "name"}:
            words += [one for one in (stem(token.lower), *stems_of(token.text)) if one not in _SAYS_LITTLE]
    if not supported and words and not source.stems.intersection(words):
        yield "nothing that the test asserts or does speaks of it; say only what its lines show"


def _digits(number: str) -> str:
    return number.replace(",", "").rstrip(".").rstrip("%")
