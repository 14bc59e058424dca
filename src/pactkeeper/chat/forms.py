"""The forms of a word: which words of a text are the one that is asked for, and how the text writes them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any, Final

from pactkeeper.speech.languages import language_of

SHORTEST: Final = 4  # letters of a root
TELLING: Final = 7  # letters of a stem that words share only where they are of one family
HUMP: Final = re.compile(r"([a-z0-9]|[A-Z](?=[A-Z][a-z]))([A-Z])")
# Endings of inflected words in English and German: a closed class, each with the letters that have to stand before it.
_ENDINGS: Final[Mapping[str, int]] = MappingProxyType(
    {"s": 3, "e": 4, "y": 4, "es": 4, "ed": 4, "ing": 4, "ies": 3, "ied": 3, "en": 6, "er": 7}
)
_ANY: Final = "(?:ings?|ies|ied|ying|ed|es|en|[sdeyn])?"
_PARTS: Final = re.compile(r"[^\W\d_]+|[0-9]+")
# A word begins and ends where letters do, and at the humps of `camelCase` and `HTTPServer`.
_BEGINS: Final = rb"(?:(?<![A-Za-z])|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]))"
_ENDS: Final = rb"(?![a-z])(?!(?<=[A-Z])[A-Z](?![a-z]))"


@dataclass(frozen=True, slots=True)
class Form:
    """One word with all its forms; a word that goes on otherwise is another word, and none is found inside another."""

    word: str
    base: bytes
    raw: re.Pattern[bytes]

    def places(self, data: bytes, lowered: bytes) -> list[int]:
        """Where it stands in a file, in bytes; `lowered` is the file in small letters."""
        found, at = [], lowered.find(self.base)
        while at >= 0:
            hit = self.raw.match(data, at)
            if hit is not None:
                found.append(at)
            at = lowered.find(self.base, at + 1)
        return found

    def count(self, text: str) -> int:
        """How often it stands in a text."""
        data = text.encode()
        return len(self.places(data, data.lower()))

    def written(self, text: str) -> str:
        """The word as a text first writes it; empty where it has none."""
        hit = self.raw.search(text.encode())
        return hit[0].decode("utf-8", "replace") if hit else ""


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
    if len(word) < SHORTEST - 1:
        return _form(word, word, re.escape(word))
    bases = [word[:-1]] if len(word) > SHORTEST and word.endswith(("ed", "en", "wn")) else []  # `thrown`, `shown`
    bases += [
        word[: -len(end)] for end, least in _ENDINGS.items() if word.endswith(end) and len(word) - len(end) >= least
    ]
    base = min((word, *bases), key=len)
    if len(base) > SHORTEST and base[-1] == base[-2] and base != word:
        base = base[:-1]  # `stopped` is a form of `stop`
    root = _root(word)
    more = f"|{re.escape(root)}[a-z]{{0,9}}" if len(root) >= TELLING else ""
    double = f"(?:{re.escape(base[-1])})?" if base[-1].isalpha() else ""
    forms = f"(?:{re.escape(word)}|{re.escape(base)}{double}){_ANY}{more}"
    return _form(word, min((base, root if more else base), key=len), forms)


def _form(word: str, base: str, forms: str) -> Form:
    first, last = (b"(?<![0-9])" if word[0].isdigit() else b""), (b"(?![0-9])" if word[-1].isdigit() else b"")
    return Form(word, base.encode(), re.compile(_BEGINS + first + rb"(?i:" + forms.encode() + rb")" + last + _ENDS))


def forms_of(terms: Sequence[str]) -> dict[str, Form]:
    """The forms of each word, those that are forms of one word once."""
    found: dict[str, Form] = {}
    for term in terms:
        if not any(one.raw.fullmatch(term.encode()) for one in found.values()):
            found[term] = form_of(term)
    return found


def roots_of(terms: Sequence[str]) -> dict[str, str]:
    """What stands for each word in all its forms: the beginning that it shares with its stem, in small letters."""
    stemmer = _stemmer(language_of(" ".join(terms)).stemmer)
    return {term: _shared(term, stemmer.stemWord(term)) for term in terms}


def _root(word: str) -> str:
    return _shared(word, _stemmer("english").stemWord(word))


@cache
def _stemmer(name: str) -> Any:  # noqa: ANN401 - the library has no types
    import snowballstemmer  # noqa: PLC0415 - only what searches needs it

    return snowballstemmer.stemmer(name)


def _shared(term: str, stemmed: str) -> str:
    """`proxies` and its stem `proxi` share `proxi`; what is left of a word may not be too short to tell anything."""
    same = next((at for at, (one, two) in enumerate(zip(term, stemmed, strict=False)) if one != two), len(stemmed))
    root = term[:same].removesuffix("i") if term.endswith("ies") else term[:same]
    return root if len(root) >= min(SHORTEST, len(term)) else term
