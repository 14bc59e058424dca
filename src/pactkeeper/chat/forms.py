"""The forms of a word: which words of a text have its stem, and how the text writes them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Final

SHORTEST: Final = 4  # letters of a word that is inflected
LONGEST: Final = 40  # and of one at all
TELLING: Final = 7  # letters of a stem that words share only where they are of one family
HUMP: Final = re.compile(r"([a-z0-9]|[A-Z](?=[A-Z][a-z]))([A-Z])")
_PARTS: Final = re.compile(r"[^\W\d_]+|[0-9]+")
# A word begins and ends where letters do, and at the humps of `camelCase` and `HTTPServer`.
_BEGINS: Final = rb"(?:(?<![A-Za-z])|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]))"
_GOES_ON: Final = rb"(?:[a-z\x80-\xff]{0,20}|[A-Z\x80-\xff]{0,20})"
_ENDS: Final = rb"(?![a-z])(?!(?<=[A-Z])[A-Z](?![a-z]))"


@dataclass(frozen=True, slots=True)
class Form:
    """One word with all its forms: those that have its `stem`; a name has none and is found as a whole."""

    word: str
    base: bytes
    raw: re.Pattern[bytes]
    stem: str = ""

    def places(self, data: bytes, lowered: bytes) -> list[int]:
        """Where it stands in a file, in bytes; `lowered` is the file in small letters."""
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
        """How often it stands in a text."""
        data = text.encode()
        return len(self.places(data, data.lower()))

    def written(self, text: str) -> str:
        """The word as a text first writes it; empty where it has none."""
        data = text.encode()
        return next((self._written(data, at) for at in self.places(data, data.lower())), "")


def parts_of(word: str) -> tuple[str, ...]:
    """The words that a name is made of, in small letters; a plain word is one."""
    return tuple(part.casefold() for part in _PARTS.findall(HUMP.sub(r"\1 \2", word)))


@cache
def form_of(word: str) -> Form:
    """The forms of a word; those of a name are the ways to write it: `max_age`, `maxAge`, `max age`."""
    parts = parts_of(word)
    if len(parts) > 1:
        return _form(word, parts[0], "[ \t_./:-]{0,2}".join(re.escape(part) for part in parts) + "s?")
    word = word.casefold()
    stem = stem_of(word)
    base = stem.removesuffix("i")  # of `retries`, whose other form is `retry`
    if not SHORTEST <= len(base) + 1 <= LONGEST or not word.startswith(base) or not word.isalpha():
        return _form(word, word, re.escape(word))
    raw = re.compile(_BEGINS + b"(?i:" + re.escape(base.encode()) + b")" + _GOES_ON + _ENDS)
    return Form(word, base.encode(), raw, stem)


def _form(word: str, base: str, forms: str) -> Form:
    first, last = (b"(?<![0-9])" if word[0].isdigit() else b""), (b"(?![0-9])" if word[-1].isdigit() else b"")
    return Form(word, base.encode(), re.compile(_BEGINS + first + rb"(?i:" + forms.encode() + rb")" + last + _ENDS))


def forms_of(terms: Sequence[str]) -> dict[str, Form]:
    """The forms of each word, those that are forms of one word once."""
    found: dict[str, str] = {}
    for term in terms:
        found.setdefault(form_of(term).stem or term.casefold(), term)
    return {term: form_of(term) for term in found.values()}


@lru_cache(maxsize=16_384)
def stem_of(word: str) -> str:
    """What is left of a word in small letters without its ending; `thrown` is a form of `throw`.

    Short words for whoever does something are words of their own: `customer` is no form of `custom`.
    """
    stem = str(_stemmer().stemWord(word.removesuffix("n") if word.endswith("wn") else word))
    agent = word.removesuffix("s").endswith("er") and not stem.endswith("er") and len(stem) < TELLING
    return f"{stem}er" if agent else stem


@cache
def _stemmer() -> Any:  # noqa: ANN401 - the library has no types
    import snowballstemmer  # noqa: PLC0415 - only what searches needs it

    return snowballstemmer.stemmer("english")
