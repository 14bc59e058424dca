"""What keeps a text from being an intent, judged by a few visible features.

Verbs are recognised only by their ending: readers accept a sentence of seven words whatever else the rules find in it.
"""

from __future__ import annotations

import re
from itertools import pairwise

from pactkeeper.intent.wording.tables import table
from pactkeeper.intent.wording.tokens import ends_in_s, is_finite, says

_ASKING = table("how what whether why")
_ABOUT_TESTS = table("test tests testing check verify ensure assert confirm validate exercise exercises")
_TALK = table("we i you let here now first note see todo fixme this these those there example")
_VAGUE = table("""
    correct correctly proper properly expected appropriate appropriately fine ok okay sane sensible gracefully nicely
    work works
""")
_EMPTY_VERB = re.compile(
    r"(?:(?:should|must|can|will|does|do|it) (?:not )?(?:just )?){0,9}"
    r"(?:work|handle|behave|render|succeed|run|pass)s?\b"
)
_FILLED = table("render renders run runs pass passes succeed succeeds")
"""Verbs that say something with three words behind them: `renders an empty list`."""
_OF_TESTS = re.compile(r"\b(?:the|this) tests?\b|\bwe\b")
_WORD = re.compile(r"[^\W_](?:[\w.'’/()-]*[\w)])?")
_HEADS = table("can cannot could should must may might will would shall has does it is")
_LEAST = 2
_UNSPACED = re.compile(r"[぀-ヿ㐀-鿿가-힯]")
_LEAST_UNSPACED = 6


def obstacle(text: str) -> str:
    """Return why a text is not an intent, worded to follow "its title"; "" if nothing speaks against it."""
    words = _words(text)
    if _UNSPACED.search(text):
        return "" if len(_UNSPACED.findall(text)) >= _LEAST_UNSPACED else "is very short"
    if len(words) < _LEAST:
        return "is a single word"
    if text.rstrip().endswith("?") or words[0] in _ASKING:
        return "is a question"
    begins = next((one for one in _first_words(text) if one in _ABOUT_TESTS), words[0] if words[0] in _TALK else "")
    if begins:
        return f"begins with {begins!r}"
    found = _OF_TESTS.search(" ".join(words))
    if found:
        return "says 'we'" if found.group() == "we" else "speaks of the test itself"
    if vague := _vague(words):
        return f"leaves the result open with {vague!r}"
    return "" if headless(text) or says(words) else "has no verb form such as 'is', 'stores' or 'stored'"


def headless(text: str) -> bool:
    """Whether a text starts with what looks like its verb, so that its context must supply the subject."""
    words = _words(text)
    if not words or _UNSPACED.search(text):
        return False
    noun = len(words) > 1 and is_finite(words, 1)  # `orders are kept`
    return words[0] in _HEADS or (ends_in_s(words[0]) and not noun)


def has_verb(text: str) -> bool:
    """Whether a word of the text is certainly its verb."""
    words = _words(text)
    return any(is_finite(words, at) for at in range(1, len(words)))


def length(text: str) -> int:
    """How many words a text has."""
    return len(_words(text))


def _words(text: str) -> list[str]:
    return [found.group().lower().replace("’", "'") for found in _WORD.finditer(text)]


def _first_words(text: str) -> list[str]:
    """Return the first word of each part between colons."""
    return [words[0] for part in text.split(": ") if (words := _words(part))]


def _vague(words: list[str]) -> str:
    """Return words that leave the result open: `correctly`, `should work`, `is defined`."""
    said = " ".join(words)
    empty = _EMPTY_VERB.match(said)
    if empty and (empty.group().split()[-1] not in _FILLED or len(said[empty.end() :].split()) < _LEAST):
        return empty.group()
    told = (word for before, word in pairwise(["", *words]) if not (word == "fine" and before in {"a", "the", "this"}))
    return next((word for word in told if word in _VAGUE), "")
