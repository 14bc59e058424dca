"""Phrases of several words and their inflections, found as whole words outside quotations and names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from pactkeeper.intent.reading.tokens import Token
from pactkeeper.intent.reading.verbs import gerund_of, participle_of, third_of

Kind = TypeVar("Kind")


@dataclass(frozen=True, slots=True)
class Hit(Generic[Kind]):
    """A phrase at `[start, end)` of some words."""

    start: int
    end: int
    kind: Kind
    phrase: str


@dataclass(frozen=True, slots=True)
class Phrases(Generic[Kind]):
    """Phrases by their first word, the longest first; a word of a phrase is the set of its forms.

    Where `names` is False, a capitalised word inside a sentence is a name and matches nothing.
    """

    by_first: Mapping[str, tuple[tuple[tuple[frozenset[str], ...], Kind, str], ...]] = field(default_factory=dict)
    names: bool = False

    def hits(self, words: Sequence[Token]) -> Iterator[Hit[Kind]]:
        """Every phrase among the words, from left to right; the longest where several begin at one word."""
        at = 0
        while at < len(words):
            found = self._at(words, at)
            if found is None:
                at += 1
            else:
                yield found
                at = found.end

    def _at(self, words: Sequence[Token], at: int) -> Hit[Kind] | None:
        known = self.by_first.get(words[at].lower)
        if known is None or not (self.names or _is_prose(words, at)):
            return None
        for wanted, kind, phrase in known:
            end = at + len(wanted)
            if end <= len(words) and all(
                words[position].lower in forms and words[position].kind in {"word", "mark", "name"}
                for position, forms in enumerate(wanted, at)
            ):
                return Hit(at, end, kind, phrase)
        return None


def _is_prose(words: Sequence[Token], at: int) -> bool:
    """Whether a word is meant as a word: `Quick Start` and `Simple Interest` inside a sentence are names."""
    token = words[at]
    if token.kind not in {"word", "name"}:
        return token.kind == "mark"
    if not token.text[:1].isupper() or token.text.isupper() or token.lower.endswith("ly"):
        return True
    following = words[at + 1] if at + 1 < len(words) else None
    beside_name = following is not None and following.text[:1].isupper() and following.kind == "word"
    return at == 0 and not beside_name


def phrases(rows: Iterable[tuple[Kind, str]], *, names: bool = False) -> Phrases[Kind]:
    """Build the look-up from rows of a kind and its phrases, parted by `|`.

    A word may say how it inflects: `handle/v`, `fast/a`, `experience/n`. A hyphen also matches a space.
    """
    found: dict[str, list[tuple[tuple[frozenset[str], ...], Kind, str]]] = {}
    for kind, text in rows:
        for phrase in text.split("|"):
            plain = " ".join(word.partition("/")[0] or word for word in phrase.split())
            for variant in _variants(phrase.split()):
                forms = tuple(inflected(word) for word in variant)
                for first in forms[0] if forms else ():
                    found.setdefault(first, []).append((forms, kind, plain))
    ordered = {first: tuple(sorted(rows, key=lambda row: -len(row[0]))) for first, rows in found.items()}
    return Phrases(ordered, names)


def _variants(words: Sequence[str]) -> Iterator[list[str]]:
    """The words as they are, and with hyphens read as spaces."""
    yield list(words)
    if any("-" in word for word in words):
        yield [part for word in words for part in word.split("-")]


def inflected(word: str) -> frozenset[str]:
    """All forms of a word marked `/v`, `/a` or `/n`; the word itself where it is not marked."""
    base, _, mark = word.lower().partition("/") if len(word) > 1 else (word, "", "")
    match mark:
        case "v":
            return frozenset({base, third_of(base), participle_of(base), gerund_of(base)})
        case "a":
            return frozenset({base, *_compared(base), adverb_of(base)})
        case "n":
            return frozenset({base, third_of(base)})
    return frozenset({base})


_LONG = 7


def _compared(base: str) -> tuple[str, str]:
    """Comparative and superlative of a short adjective; longer ones take `more` and `most`."""
    if len(base) > _LONG:
        return base, base
    stem = base[:-1] + "i" if base.endswith("y") else base.removesuffix("e")
    closed = len(base) <= _SHORT and base[-1] in "bdgmnpt" and base[-2] in "aeiou" and base[-3] not in "aeiou"
    stem = base + base[-1] if closed else stem
    return f"{stem}er", f"{stem}est"


_SHORT = 4


def adverb_of(base: str) -> str:
    """`easy` to `easily`, `simple` to `simply`, `realistic` to `realistically`."""
    if base.endswith("y"):
        return f"{base[:-1]}ily"
    if base.endswith("le"):
        return f"{base[:-1]}y"
    if base.endswith("ic"):
        return f"{base}ally"
    return f"{base}ly"
