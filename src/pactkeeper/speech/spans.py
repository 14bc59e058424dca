"""Spans of a text: words with their place, so that whatever is made of them can be shown where it was said."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from pactkeeper.speech.languages import words_of

_LINK: Final = re.compile(
    r"<(?P<target>https?://[^|<>\s]++)(?:\|(?P<name>[^<>]*+))?>|\[(?P<text>[^][]++)\]\((?P<url>https?://[^()\s]++)\)"
)
_MENTION: Final = re.compile(r"<[@#!][^<>]*+>[\s,:]*+|(?<![\w.])@[\w-]++[\s,:]*+")
_ADDRESSED: Final = re.compile(rf"\s*+(?:{_MENTION.pattern})++")
_MARKUP: Final = re.compile(
    r"(?<![\w*])\*{1,3}(?=\S)|(?<=\S)\*{1,3}(?![\w*])|(?<![\w_])_{1,2}(?=\S)|(?<=\S)_{1,2}(?![\w_])"
)
_QUOTATION: Final = re.compile(r"[\"“„«'‘](?P<inner>[^\"“”„«»]++)[\"”“»'’][.!]?")
_ENTITIES: Final = (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"))
# People in chats begin the next sentence small; a period before it ends a word, or it may be an abbreviation.
_END: Final = re.compile(
    r"(?<=[.!?…])[\"”)]?\s+(?=[\"“„(¿¡]?[A-ZÄÖÜÉÈÀÁÍÓÚÑ0-9])|(?<=[^\W\d_]{3}\.)\s+(?=[^\W\d_])|(?<=[!?…])\s+(?=\w)"
)
_LAST_WORD: Final = re.compile(r"(?P<word>[^\W\d_](?:[\w.]{0,10}))\.\Z")
_LONGEST_ABBREVIATION: Final = 12


@dataclass(frozen=True, slots=True)
class Span:
    """`[start, end)` of a text, with the words there."""

    start: int
    end: int
    text: str


def span(source: str, start: int, end: int) -> Span:
    """A span without the white space around it."""
    text = source[start:end]
    left, bare = len(text) - len(text.lstrip()), text.strip()
    return Span(start + left, start + left + len(bare), bare)


def clean(text: str) -> str:
    """The words as they are, without markup, mentions, and the quotation marks around all of them."""
    plain = _LINK.sub(lambda hit: hit["name"] or hit["text"] or hit["target"], text)
    plain = _MARKUP.sub("", _MENTION.sub("", plain))
    for entity, letter in _ENTITIES:
        plain = plain.replace(entity, letter)
    plain = " ".join(plain.split()).strip(" *_")
    whole = _QUOTATION.fullmatch(plain)
    return whole["inner"].strip() if whole else plain


def sentences(source: str, whole: Span) -> Iterator[Span]:
    """The sentences of a span, each a span of its own."""
    start = whole.start
    for hit in _END.finditer(whole.text):
        if _is_abbreviated(whole.text[max(0, hit.start() - _LONGEST_ABBREVIATION) : hit.start()]):
            continue
        yield span(source, start, whole.start + hit.start())
        start = whole.start + hit.end()
    rest = span(source, start, whole.end)
    if rest.text:
        yield rest


def behind_mentions(source: str, found: Span) -> Span:
    """A span without the names at its beginning to whom it is addressed."""
    hit = _ADDRESSED.match(found.text)
    return span(source, found.start + hit.end(), found.end) if hit else found


def _is_abbreviated(text: str) -> bool:
    last = _LAST_WORD.search(text)
    return last is not None and last["word"].casefold() in words_of("abbreviations")
