"""Predicates that name no result: something is dealt with, thought or felt, and nothing is seen of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pactkeeper.intent.quality.phrases import phrases
from pactkeeper.intent.reading.clauses import Group, Reading
from pactkeeper.intent.reading.tokens import span_text
from pactkeeper.intent.wording.tables import table


@dataclass(frozen=True, slots=True)
class Empty:
    """Words that name no result; `inner` ones happen in somebody or something and show nowhere."""

    words: str
    why: str
    advice: str
    inner: bool


# Verbs that say that something is dealt with and not what comes of it.
_EMPTY: Mapping[str, str] = {
    "address": "say what is shown or changed",
    "adapt": "say which value changes, and when",
    "allow": 'say who "can" do what',
    "behave": "say what it does",
    "cater": "say what happens",
    "cover": "say what happens",
    "deal": "say what happens",
    "enable": 'say who "can" do what',
    "ensure": "state what is ensured as a fact",
    "facilitate": 'say who "can" do what',
    "function": "say what it does",
    "handle": "say what is shown or changed",
    "integrate": "say what one side sees of the other",
    "leverage": "say what comes of it",
    "manage": "say what can be done with it",
    "offer": 'say who "can" do what',
    "perform": "say what it does",
    "process": "say what comes out",
    "provide": "say what is shown or returned",
    "support": 'say what "can" be done with it',
    "take": "say what happens",
    "treat": "say what happens",
    "work": "say what it does",
}
_INNER = table("assume believe care consider decide expect forget intend know realise realize think understand wish")
_FEELINGS = phrases(
    [
        (
            "feeling",
            """
            feel/v | happy | enjoy/v | enjoyable | enjoyment | motivated | satisfied | satisfaction | delighted
            | delight/v | confident | confidence in | frustrated | frustration | comfortable | love/v | fun |
            user experience/n | great experience/n | customer experience/n | peace of mind | engaged |
            engagement | impressed | excited | annoyed | annoying | confused | customer journey/n
            """,
        )
    ]
)
_QUALIFIED = table("take deal care")


def empty_predicate(text: str, readings: tuple[Reading, ...]) -> Empty | None:
    """The first predicate of a text that names no result; None where each names one."""
    for reading in readings:
        if reading.predicate is not None:
            found = _feeling(text, reading) or _verb(reading, reading.predicate)
            if found is not None:
                return found
    return None


def _feeling(text: str, reading: Reading) -> Empty | None:
    assert reading.predicate is not None  # noqa: S101 - the caller looked
    for hit in _FEELINGS.hits(reading.words):
        if hit.start >= reading.predicate.start:
            words = span_text(text, [word.token for word in reading.words[hit.start : hit.end]])
            return Empty(words, "what people feel cannot be looked at", "say what they do or see", inner=True)
    return None


def _verb(reading: Reading, main: Group) -> Empty | None:
    verb = reading.words[main.verb]
    if verb.base in _INNER and main.kind != "passive":
        return Empty(verb.token.text, "happens inside and shows nowhere", "say what is seen of it", inner=True)
    if verb.base in _EMPTY and _says_nothing(reading, main):
        return Empty(_with_preposition(reading, main), "names no result", _EMPTY[verb.base], inner=False)
    return None


def _says_nothing(reading: Reading, main: Group) -> bool:
    """Whether nothing after the verb says what comes of it."""
    words, verb = reading.words, reading.words[main.verb]
    following = [word.lower for word in words[main.verb + 1 : main.verb + 3]]
    if verb.base == "take":
        return following[:1] == ["care"]
    if verb.base == "deal":
        return following[:1] == ["with"]
    if verb.base in {"work", "perform", "function", "behave"}:
        return not any(word.tag == "num" or word.lower in {"once", "twice", "only"} for word in words)
    return not any(word.tag in {"num", "lit"} for word in words[main.verb :])


def _with_preposition(reading: Reading, main: Group) -> str:
    following = reading.words[main.verb + 1 : main.verb + 3]
    found = [reading.words[main.verb], *(following if reading.words[main.verb].base in _QUALIFIED else ())]
    return " ".join(word.token.text for word in found)
