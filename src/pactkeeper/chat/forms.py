"""Word forms: which words of a text share a stem, and how the text spells them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Final

SHORTEST: Final = 4  # minimum letters of an inflected word
LONGEST: Final = 40  # maximum letters of a word
TELLING: Final = 7  # letters from which a shared stem means the same word family
# Where a word begins within a name; `URLs` is the plural of one word.
HUMP: Final = re.compile(r"([a-z0-9]|[A-Z](?=[A-Z](?!s(?![a-z]))[a-z]))([A-Z])")
_PARTS: Final = re.compile(r"[^\W\d_]+|[0-9]+")
# Words begin and end at letter boundaries and at the humps of `camelCase` and `HTTPServer`.
_BEGINS: Final = rb"(?:(?<![A-Za-z])|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]))"
_GOES_ON: Final = rb"(?:[a-z\x80-\xff]{0,20}|[A-Z\x80-\xff]{0,20})"
_ENDS: Final = rb"(?![a-z])(?!(?<=[A-Z])[A-Z](?![a-z]))"


@dataclass(frozen=True, slots=True)
class Form:
    """One word with all forms that share its `stem`; a name has no stem and only matches as a whole."""

    word: str
    base: bytes
    raw: re.Pattern[bytes]
    stem: str = ""

    def places(self, data: bytes, lowered: bytes) -> list[int]:
        """Return the byte offsets where it occurs in a file; `lowered` is the file in lower case."""
        found, at = [], lowered.find(self.base)
        while at >= 0:
            if self._written(data, at):
                found.append(at)
            at = lowered.find(self.base, at + 1)
        return found

    def _written(self, data: bytes, at: int) -> str:
        hit = self.raw.match(data, at)
        word = hit[0].decode("utf-8", "replace") if hit else ""
        return word if not self.stem or (word and stem_of(word.casefold()) == self.stem) else ""

    def count(self, text: str) -> int:
        """Count its occurrences in a text."""
        data = text.encode()
        return len(self.places(data, data.lower()))

    def written(self, text: str) -> str:
        """Return the word as the text first spells it; empty if it does not occur."""
        data = text.encode()
        return next((self._written(data, at) for at in self.places(data, data.lower())), "")


def parts_of(word: str) -> tuple[str, ...]:
    """Split a name into its words, in lower case; a plain word yields itself."""
    return tuple(part.casefold() for part in _PARTS.findall(HUMP.sub(r"\1 \2", word)))


@cache
def form_of(word: str) -> Form:
    """Return the forms of a word; for a name the ways to spell it: `max_age`, `maxAge`, `max age`."""
    parts = parts_of(word)
    if len(parts) > 1:
        return _form(word, parts[0], "[ \t_./:-]{0,2}".join(re.escape(part) for part in parts) + "s?")
    word = word.casefold()
    stem = stem_of(word)
    base = stem.removesuffix("i")  # for `retries`, whose other form is `retry`
    if not SHORTEST <= len(base) + 1 <= LONGEST or not word.startswith(base) or not word.isalpha():
        return _form(word, word, re.escape(word))
    raw = re.compile(_BEGINS + b"(?i:" + re.escape(base.encode()) + b")" + _GOES_ON + _ENDS)
    return Form(word, base.encode(), raw, stem)


def _form(word: str, base: str, forms: str) -> Form:
    first, last = (b"(?<![0-9])" if word[0].isdigit() else b""), (b"(?![0-9])" if word[-1].isdigit() else b"")
    return Form(word, base.encode(), re.compile(_BEGINS + first + rb"(?i:" + forms.encode() + rb")" + last + _ENDS))


def forms_of(terms: Sequence[str]) -> dict[str, Form]:
    """Return the form of each word, once for words that share a stem."""
    found: dict[str, str] = {}
    for term in terms:
        found.setdefault(form_of(term).stem or term.casefold(), term)
    return {term: form_of(term) for term in found.values()}


@lru_cache(maxsize=16_384)
def stem_of(word: str) -> str:
    """Strip the ending of a lower-case word; `thrown` is a form of `throw`.

    Short agent nouns keep theirs: `customer` is not a form of `custom`.
    """
    stem = str(_stemmer().stemWord(word.removesuffix("n") if word.endswith("wn") else word))
    agent = word.removesuffix("s").endswith("er") and not stem.endswith("er") and len(stem) < TELLING
    return f"{stem}er" if agent else stem


@cache
def _stemmer() -> Any:  # noqa: ANN401 - the library has no types
    import snowballstemmer  # noqa: PLC0415 - only needed by searches

    return snowballstemmer.stemmer("english")
