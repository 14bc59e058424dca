"""A sentence as clauses whose fields can be held against those of another one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from pactkeeper.intent.wording.tables import table
from pactkeeper.transcripts.statements.amounts import Quantity, amounts_in
from pactkeeper.transcripts.statements.clauses import clauses, is_past
from pactkeeper.transcripts.statements.dates import Date, dates_in
from pactkeeper.transcripts.statements.forms import Told, told, used
from pactkeeper.transcripts.statements.words import topics, words_of

# Of the verb itself; what is denied in `that` or `by` says nothing of the rest.
_NEGATED: Final = re.compile(
    r"(?i)^(?:(?!\b(?:that|which|who|whose|where|when|while|by|to|qui|que|où)\b).)*?(?:(?<!\w)"
    r"(?:not(?! (?:only|more|less|yet\b))"
    r"|never|no longer|cannot|nicht|nie|kein\w*|ne|n'\w+|jamais|no (?=\w+(?:amos|emos|imos|an|en))|nunca|ya no"
    r"|(?:needs?|requires?|has|have|includes?|offers?|accepts?|gets?|charges?) no)(?!\w)"
    r"|n['’]t(?!\w))"
)
_ASIDE: Final = re.compile(
    r"(?i)(?<!\w)(?:depriorit[iy][sz]\w*|paused?|on hold|postponed|parked|dropped|cancell?ed|abandoned|rejected|frozen"
    r"|stopped|decided against|out of scope|instead of|rather than|zurückgestellt|pausiert|gestrichen|abgesagt"
    r"|eingestellt|statt"
    r"|reportée?s?|abandonnée?s?|annulée?s?|en pause|aplazad[oa]s?|pausad[oa]s?|cancelad[oa]s?|abandonad[oa]s?)(?!\w)"
)
# A place, a group or a case that a value is said for; what stands there makes it another thing.
_SCOPE: Final = re.compile(
    r"(?i)(?<!\w)(?:for|in|on|at|during|within|für|bei|in|im|am|auf|pour|dans|chez|para|en)\s+"
    r"(?:the |a |an |our |der |die |das |dem |den |le |la |les |el |los |las )?"
    r"(?P<what>[^\W\d_][\w-]*(?: [^\W\d_][\w-]*)?)"
)
_SEASON: Final = re.compile(
    r"(?i)(?<!\w)(?:in|this|next|im|en|cette|cet|este|esta)(?: the| l')? ?"
    r"(?:spring|summer|autumn|fall|winter|frühling|sommer|herbst|printemps|été|automne|hiver|primavera|verano|otoño|invierno)"
)
# A name of up to four words with a value of up to three.
_KEYED: Final = re.compile(r"([^\W\d_][\w/-]*(?: [^\W\d_][\w/-]*){0,3}): (\S+(?: \S+){0,2}?)[.!]?")
_TAIL: Final = re.compile(
    r"(?i)(?:\s++(?:now|this (?:year|month|quarter|season)|any ?more|already|too|jetzt|désormais|ahora)\b)++$"
)
_AFTER: Final = re.compile(r"(?i)\s+(?:any ?more|already|too|this (?:year|month|quarter|season))$")
# Of a value that rose; `up to` alone is a limit.
_UP: Final = re.compile(r"(?i)(?<=\w)(?<=went|goes|gone|rose|ised| put|oved) up(?= to\b)")
_IDLE: Final = re.compile(
    r"(?i)(?<!\w)(?:tak(?:es?|ing) place|from now on|as of now|this time|a lieu|tiene lugar|ab jetzt|ab sofort)(?!\w)"
)
# States of which the opposite is another word.
_STATES: Final = table(
    "open closed enabled disabled public private optional required mandatory banned allowed permitted forbidden visible"
    " hidden online offline locked unlocked daily weekly monthly quarterly yearly manual automatic internal external"
    " erlaubt verboten täglich wöchentlich monatlich jährlich autorisé interdit permitido prohibido"
)
_NOT_THAT: Final = re.compile(
    r"(?i)^(?:not|and not|but not|nicht|pas|no)\s+(?:in|on|at|by|im|am|en|le|el)?\s*\S+(?: \S+)?$"
)
_FROM_TO: Final = re.compile(r"(?i)(?<!\w)(?:from|von|de) (?:[€$£]?\d[\w.,%€$£]*(?: [^\W\d_]+)?) (?=(?:to|auf|à|a) )")


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause: what it is about, the scope that is part of it, whether it denies, and the values that it gives.

    `words` are all its words.
    """

    text: str
    topics: frozenset[str]
    scope: frozenset[str]
    negated: bool
    aside: bool
    dates: tuple[Date, ...]
    amounts: tuple[Quantity, ...]
    words: frozenset[str]

    @property
    def told(self) -> tuple[Told, ...]:
        """Which owner, name or choice it gives, and what it gives up."""
        return _told(self.text)

    @property
    def used(self) -> tuple[Told, ...]:
        """What it says is used for something."""
        return _used(self.text)

    @property
    def says(self) -> bool:
        """Whether it gives anything that another clause could deny."""
        denies = len(self.topics) > 1 and (self.negated or self.words & _STATES)
        return bool(self.dates or self.amounts or denies or self.told)


@lru_cache(maxsize=4096)
def read(sentence: str) -> tuple[Clause, ...]:
    """Every clause of a sentence that tells how something is; kept, as lines are read again and again."""
    return read_once(sentence)


def read_once(sentence: str) -> tuple[Clause, ...]:
    """Every clause of a sentence that tells how something is."""
    pair = _KEYED.fullmatch(sentence)
    parts = (f"{pair[1]} is {pair[2]}",) if pair else clauses(sentence)
    found = (_clause(one) for one in parts if not _NOT_THAT.match(one) and not is_past(one))
    return tuple(one for one in found if one.topics)


@lru_cache(maxsize=4096)
def _told(text: str) -> tuple[Told, ...]:
    return tuple(told(" ".join(_AFTER.sub("", text).split())))


@lru_cache(maxsize=4096)
def _used(text: str) -> tuple[Told, ...]:
    return tuple(used(" ".join(_TAIL.sub("", _IDLE.sub("", text)).split())))


def _clause(text: str) -> Clause:
    plain = _UP.sub(" ", _IDLE.sub("", _FROM_TO.sub("", text)))
    dates, rest = dates_in(_SEASON.sub(" ", plain))
    amounts, labels, rest = amounts_in(rest)
    scope = frozenset[str]().union(*(topics(one["what"]) for one in _SCOPE.finditer(rest)))
    return Clause(
        text,
        topics(rest) | labels,
        scope,
        _NEGATED.search(text) is not None,
        _ASIDE.search(text) is not None,
        dates,
        amounts,
        frozenset(words_of(text)),
    )
