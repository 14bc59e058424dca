"""Short replies: which side of a question is meant, that nobody knows, and small talk."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Final

from pactkeeper.speech.amounts import relation, same_text
from pactkeeper.speech.languages import either, phrases_of, words_of
from pactkeeper.speech.spans import clean

_WORDS: Final = re.compile(r"[^\W\d_][\w']*")
_MARKS: Final = " \t\n.,;:!?…()~-–—\"'`*_"
_MOST_TALK: Final = 8  # words of small talk; longer sentences are shown
_NAMED_EMOJI: Final = re.compile(r":[\w+-]{1,40}:")
_NUMBER: Final = re.compile(r"\d\d")
_BEHIND: Final = re.compile(r"\s*[,:;–—(-]\s*(?P<rest>\S.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Choice:
    """The side a reply picks, from 1, 0 for both; `doubt` says why it cannot be accepted as is.

    `by_words` means that it also contains the words of a side.
    """

    side: int
    doubt: str = ""
    by_words: bool = False


def is_small_talk(text: str) -> bool:
    """Whether a sentence is only a greeting, thanks, agreement or laughter; `+1` is, a time or an amount isn't."""
    bare = _NAMED_EMOJI.sub(" ", clean(text).casefold())
    words = _WORDS.findall(bare)
    is_short = len(words) <= _MOST_TALK and not _NUMBER.search(bare)
    return is_short and all(word in words_of("small_talk") for word in words)


def is_not_known(text: str) -> bool:
    """Whether a whole reply says that nobody knows."""
    return _bare(text) in phrases_of("not_known")


def choice_of(text: str, sides: tuple[str, ...], *, addressed: bool = False) -> Choice | None:
    """Return which of two sides a reply picks: by letter, order or words; None if it picks none.

    A reply not addressed to the question must be the bare letter, or start with a word such as `keep`.
    """
    whole = clean(text).strip(_MARKS)
    bare = _without_lead(whole)
    for number, side in enumerate(sides, 1):
        if relation(side, bare) == "same":
            return Choice(number)
    if _bare(bare) in phrases_of("both"):
        return Choice(0)
    named = _by_letter(bare)
    if named is None:
        return None
    number, rest = named
    found = _agreed(number, rest, sides)
    is_meant = addressed or bare != whole or bool(found and found.by_words)
    is_bare = not rest and (len(bare) == 1 or " " in bare) and not bare.isdecimal()
    return found if is_meant or is_bare else None


def _agreed(number: int, rest: str, sides: tuple[str, ...]) -> Choice | None:
    """Check that the words after a letter are not those of another side."""
    if number > len(sides):
        return None
    for other, side in enumerate(sides, 1):
        is_said = rest and (same_text(side, rest) or side.casefold() in rest.casefold())
        if is_said and other != number:
            doubt = f"it names {'AB'[number - 1]} and says {side!r}, which is {'AB'[other - 1]}"
            return Choice(number, doubt, by_words=True)
        if is_said:
            return Choice(number, by_words=True)
    if rest and any(mark in rest for mark in "0123456789?"):
        return Choice(number, f"it names {'AB'[number - 1]} and says {rest!r} besides")
    return Choice(number)


def _by_letter(text: str) -> tuple[int, str] | None:
    for number, found in enumerate(_letters(), 1):
        hit = found.match(text)
        if hit is None:
            continue
        rest = text[hit.end() :]
        behind = _BEHIND.fullmatch(rest)
        if not rest.strip(_MARKS) or is_small_talk(rest):
            return number, ""
        if behind is not None:
            words = re.sub(r"^(?:please|bitte|svp|por favor)\b[\s,:;–—-]*", "", behind["rest"], flags=re.IGNORECASE)
            return number, words.strip(_MARKS)
    return None


def _without_lead(text: str) -> str:
    found = _leads().match(text)
    return text[found.end() :].strip(_MARKS) if found else text


def _bare(text: str) -> str:
    return " ".join(clean(text).casefold().replace("’", "'").split()).strip(_MARKS)


@cache
def _letters() -> tuple[re.Pattern[str], ...]:
    rows = ("first", "second")
    return tuple(re.compile(rf"(?:{either(phrases_of(row))})(?!\w)", re.IGNORECASE) for row in rows)


@cache
def _leads() -> re.Pattern[str]:
    return re.compile(rf"(?:{either(phrases_of('keep'))})(?!\w)[\s,:–—-]*", re.IGNORECASE)
