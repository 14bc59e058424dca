"""What a saying is about, apart from what it says of it: its subject, its verb, the rest, and its condition."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from pactkeeper.intent.reading.clauses import read
from pactkeeper.intent.reading.words import Word
from pactkeeper.intent.wording.tables import table
from pactkeeper.tickets.sayings.speakers import unspoken
from pactkeeper.tickets.sayings.words import EMPTY, stems_of

_LEAD: Final = re.compile(r"(?:(?:fyi|btw|well|no|but|and|hm+)\b[,:]?\s+)+(?=\w)", re.IGNORECASE)
# Words that say which side of a thing is measured, or how many of it are meant, and not which thing it is.
_SIDES: Final = table(
    "time limit length size duration period number amount count maximum minimum max min value timeout lifetime "
    "retention "
    "only also too all every each any just really please then still always never it this that these those we they you i"
)
# What closes a saying so gives its value, and no condition: "is deleted after 30 days", "ends before 1 March".
_VALUE: Final = re.compile(r"\w+\s+(?:at (?:least|most)\s+)?(?:the\s+)?(?:\d|one\b|two\b|three\b)", re.IGNORECASE)
_ABLE: Final = re.compile(r"(?:\w+\s+){1,2}(?:able|allowed|permitted)\s+to\b", re.IGNORECASE)
_LONGEST: Final = 400  # characters of a saying that is read; what is longer says more than one thing


@dataclass(frozen=True, slots=True)
class Topic:
    """A saying in its parts: the predicate stands from `verb` to `after` of `text`, a condition behind `closing`.

    `condition` are the stems of what must be so first, `acts` is whether the subject does something rather than being
    something. Without a predicate that rules can read, `verb` is at the colon, or the end.
    """

    text: str
    verb: int
    after: int
    condition: frozenset[str]
    closing: int
    acts: bool = False

    def about(self, cut: int) -> frozenset[str]:
        """The stems of the thing of which something is said at `cut`: the subject, or what stands before."""
        return named(self.text[: min(cut, self.verb)])

    def besides(self, start: int, end: int) -> frozenset[str]:
        """The stems of all of the saying without what stands from `start` to `end`."""
        return named(f"{self.text[:start]} {self.text[end : self.closing]}")

    def around(self, start: int, end: int) -> frozenset[str]:
        """As `besides`, without the predicate: the thing and the circumstances of what is said of it."""
        text = self.text
        if end <= self.verb:
            return named(f"{text[:start]} {text[end : self.verb]} {text[self.after : self.closing]}")
        return named(f"{text[: min(self.verb, start)]} {text[self.after : start]} {text[end : self.closing]}")


def named(text: str) -> frozenset[str]:
    """The stems of the words that name things."""
    return stems_of(text) - _SIDES - EMPTY


@lru_cache(maxsize=4096)
def topic_of(saying: str) -> Topic:
    """Read the first sentence of a saying, without the words that only tell who says it."""
    text = _unreported(saying[:_LONGEST])
    found = read(text)
    reading = found[0] if found else None
    if reading is None or reading.predicate is None:
        key = text.find(":")
        return Topic(text, len(text) if key < 0 else key, len(text), frozenset(), len(text))
    words = reading.words
    verb = _start(words, reading.predicate.start, text)
    after = words[reading.predicate.end - 1].token.end
    closing = _start(words, reading.tail, text)
    if _VALUE.match(text, closing):
        closing = len(text)
    lead = text[_start(words, reading.title, text) : _start(words, reading.lead, text)]
    group = words[reading.predicate.start : reading.predicate.end]
    acts = all(word.tag != "be" for word in group) or _ABLE.match(text, verb) is not None
    return Topic(text, verb, after, stems_of(lead) | stems_of(text[closing:]), closing, acts)


def _unreported(text: str) -> str:
    lead = _LEAD.match(text)
    bare = text[lead.end() :] if lead else text
    told = unspoken(bare)
    return told if told != bare else text


def _start(words: Sequence[Word], at: int, text: str) -> int:
    return words[at].token.start if at < len(words) else len(text)
