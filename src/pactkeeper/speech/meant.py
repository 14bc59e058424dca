"""What a sentence of somebody says of its own standing: that it holds, is denied, decided, done or moved."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from pactkeeper.speech.languages import phrases_of, words_of

_WORD: Final = re.compile(r"[^\W\d_][\w'’-]*")


def is_meant(sentence: str) -> bool:
    """Whether a sentence says that something is so; questions and what is only imagined or wished do not."""
    return not sentence.rstrip(" \"')”").endswith("?") and not has_word("hedges", sentence)


def is_denied(text: str) -> bool:
    """Whether anything in a text negates."""
    return has_word("negations", text) or has_phrase("without", text) or "n't" in text.replace("’", "'")


def refuses(sentence: str) -> bool:
    """Whether a sentence denies something by more than the reason it gives: `no, because …`."""
    reason = phrase_in("reasons", sentence)
    return is_meant(sentence) and is_denied(sentence[: reason.start()] if reason else sentence)


def has_word(row: str, text: str) -> bool:
    """Whether a text has a word of one row of the language tables."""
    words = words_of(row)
    return any(hit[0].casefold().replace("’", "'") in words for hit in _WORD.finditer(text))


def has_phrase(row: str, text: str) -> bool:
    """Whether a text has a phrase of one row of the language tables."""
    return phrase_in(row, text) is not None


def phrase_in(row: str, text: str) -> re.Match[str] | None:
    """Where the first phrase of a row stands in a text; None for nowhere."""
    return _phrases(row).search(text)


def begins(row: str, text: str) -> re.Match[str] | None:
    """The phrase of a row that a text begins with, behind marks; None for none."""
    return _phrases(row).match(text, len(text) - len(text.lstrip(" \t*_-–>#!.,")))


@cache
def _phrases(row: str) -> re.Pattern[str]:
    found = "|".join(re.escape(one).replace(r"\ ", r"\s+").replace("'", "['’]") for one in phrases_of(row))
    return re.compile(rf"(?<!\w)(?:{found})(?!\w)", re.IGNORECASE)
