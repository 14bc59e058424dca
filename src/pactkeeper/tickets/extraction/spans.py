"""Spans of a message: the words that a value rests on, and the value that they give."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from pactkeeper.intent.ticket import Said, ThreadMessage

_LINK: Final = re.compile(
    r"<(?P<target>https?://[^|<>\s]+)(?:\|(?P<name>[^<>]*))?>|\[(?P<text>[^][]+)\]\((?P<url>https?://[^()\s]+)\)"
)
_MENTION: Final = re.compile(r"<[@#!][^<>]*>\s*,?\s*|(?<![\w.])@[\w-]+\s*[,:]?\s*")
_ADDRESSED: Final = re.compile(rf"(?:{_MENTION.pattern})+")
_MARKUP: Final = re.compile(
    r"(?<![\w*])\*{1,2}(?=\S)|(?<=\S)\*{1,2}(?![\w*])|(?<![\w_])_{1,2}(?=\S)|(?<=\S)_{1,2}(?![\w_])"
)
_QUOTATION: Final = re.compile(r"[\"“„«'‘](?P<inner>[^\"“”„«»]+)[\"”“»'’][.!]?")
_ENTITIES: Final = (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"))
# People in chats begin the next sentence small; a period before it ends a word, or it may be an abbreviation.
_SENTENCE_END: Final = re.compile(
    r"(?<=[.!?…])[\"”)]?\s+(?=[\"“„(¿¡]?[A-ZÄÖÜÉÈÀÁÍÓÚÑ0-9])|(?<=[^\W\d_]{3}\.)\s+(?=[^\W\d_])|(?<=[!?…])\s+(?=\w)"
    r"|(?<=[^\s;])\s*;\s+(?=\w)"
)
_LONGEST_ABBREVIATION: Final = 12
_ABBREVIATED: Final = re.compile(
    r"\b(?:e\.g|i\.e|z\.B|etc|approx|vs|no|max|min|p\.ej|ca|bzw|incl|inkl|excl|exkl|evtl|ggf|usw|mind|bspw|vgl|dept|fig"
    r"|sec|tel|resp|esp)\.$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Span:
    """`[start, end)` of a message's text, with the text there."""

    start: int
    end: int
    text: str


def span(source: str, start: int, end: int) -> Span:
    """A span without the white space around it."""
    text = source[start:end]
    left, right = len(text) - len(text.lstrip()), len(text.rstrip())
    return Span(start + left, start + max(left, right), text[left:right] if right > left else "")


def said(message: ThreadMessage, found: Span, value: str = "") -> Said:
    """What a span says: `value`, or the span's own words without markup; the quote is always the span itself."""
    return Said(value or clean(found.text), message.author, message.id, message.permalink, found.text)


def clean(text: str) -> str:
    """Words without markup, mentions, and the quotation marks around all of them."""
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
    for hit in _SENTENCE_END.finditer(whole.text):
        if _ABBREVIATED.search(whole.text, max(0, hit.start() - _LONGEST_ABBREVIATION), hit.start()):
            continue
        yield span(source, start, whole.start + hit.start())
        start = whole.start + hit.end()
    rest = span(source, start, whole.end)
    if rest.text:
        yield rest


def without_mentions(source: str, found: Span) -> Span:
    """A span without the names at its beginning to whom it is addressed."""
    hit = _ADDRESSED.match(found.text)
    return span(source, found.start + hit.end(), found.end) if hit else found
