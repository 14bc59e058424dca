"""Whether a sentence is supported by its source: all its values and at least one of its words occur there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pactkeeper.intent.answers.names import ERROR_NAME, Source
from pactkeeper.intent.concepts import SLIGHT, STOP
from pactkeeper.intent.reading.tokens import Token, tokens
from pactkeeper.intent.wording.tables import is_plural, stems_of
from pactkeeper.speech.words import stem

_SAYS_LITTLE = frozenset(stem(word) for word in (*SLIGHT, *STOP, "be", "is", "are", "result", "value", "system"))
_RAISING = re.compile(r"rais|thr[oe]w|reject|err|exc|catch|fail", re.IGNORECASE)
_EVENTS = {
    **dict.fromkeys(("raises", "raised", "throws", "thrown"), _RAISING),
    **dict.fromkeys(("warning", "warnings", "warns", "warned"), re.compile("warn", re.IGNORECASE)),
    **dict.fromkeys(("logs", "logged"), re.compile("log", re.IGNORECASE)),
}
"""What happens, and how the source of a test that looks at it speaks of that."""
_MARKS = "\"'`“”‘’"


def unsupported(sentence: str, source: Source) -> Iterator[str]:
    """Yield what was invented in a sentence: values that the source does not contain, or all of its words."""
    found = tokens(sentence)
    wrong = list(invented(found, source))
    yield from wrong
    values = [one for one in found if one.kind == "number" or _quoted(one)]
    words = {each for one in found if one not in values for each in _stems(one)}
    if len(wrong) == len(values) and words and not source.stems & words:
        yield "nothing that the test asserts or does speaks of it; say only what its lines show"


def invented(found: Sequence[Token], source: Source) -> Iterator[str]:
    """Yield each number, quotation and event that neither the test nor what it may use contains."""
    text = source.near or source.text
    for at, token in enumerate(found):
        bare = token.text.strip(_MARKS)
        if token.kind == "number" and _digits(bare) not in source.numbers and not _counts(found, at, source):
            yield f"{bare!r} stands nowhere in the source; give only values that the test gives"
        elif _quoted(token) and bare.removesuffix("…") not in text:
            yield f"{token.text} stands nowhere in the source; quote only values that the test gives"
        elif token.kind == "name" and _of_code(bare) and bare.partition("(")[0] not in text:
            yield f"{bare!r} stands nowhere in the source; name only what the test names"
        elif token.kind == "word" and (event := _EVENTS.get(token.lower)) and not event.search(text):
            yield f"nothing in the source speaks of {token.text!r}; say only what the test looks at"


def _of_code(name: str) -> bool:
    return "_" in name or "(" in name or ERROR_NAME.fullmatch(name) is not None


def _quoted(token: Token) -> bool:
    return token.kind in {"quoted", "name"} and token.text[:1] in _MARKS


def _stems(token: Token) -> frozenset[str]:
    if token.kind not in {"word", "name"}:
        return frozenset()
    return frozenset({stem(token.lower), *stems_of(token.text)}) - _SAYS_LITTLE


def _counts(found: Sequence[Token], at: int, source: Source) -> bool:
    """Whether a number is the size of something, and the test contains something of that size."""
    number = _digits(found[at].text)
    following = found[at + 1].lower if at + 1 < len(found) else ""
    return number.isdigit() and is_plural(following) and int(number) in source.sizes


def _digits(number: str) -> str:
    return number.replace(",", "").rstrip(".").rstrip("%")
