"""Predicates that name no result: something is dealt with, thought or felt, and nothing is seen of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pactkeeper.intent.quality.phrases import phrases
from pactkeeper.intent.reading.clauses import Group, Reading
from pactkeeper.intent.reading.tokens import stopped
from pactkeeper.intent.reading.words import said
from pactkeeper.intent.wording.tables import table


@dataclass(frozen=True, slots=True)
class Empty:
    """Words that name no result; `inner` ones happen in somebody or something and show nowhere.

    `rewording` is the sentence said by what somebody can do, where that follows from its words.
    """

    words: str
    why: str
    advice: str
    inner: bool
    rewording: str | None = None


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
    "let": 'say who "can" do what',
    "integrate": "say what one side sees of the other",
    "leverage": "say what comes of it",
    "manage": "say what can be done with it",
    "offer": 'say who "can" do what',
    "permit": 'say who "can" do what',
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
_PERMITTING = table("allow enable let permit")
# "is enabled" and "is allowed" say how something is.
_STATES = table("enable allow permit offer provide cover take")
_QUALIFIED = table("take deal care")


def empty_predicate(text: str, readings: tuple[Reading, ...]) -> Empty | None:
    """The first predicate of a text that names no result; None where each names one."""
    for reading in readings:
        if reading.predicate is not None:
            found = _feeling(text, reading) or _verb(text, reading, reading.predicate)
            if found is not None:
                return found
    return None


def _feeling(text: str, reading: Reading) -> Empty | None:
    assert reading.predicate is not None  # noqa: S101 - the caller looked
    for hit in _FEELINGS.hits(reading.words):
        if hit.start >= reading.predicate.start:
            words = said(text, reading.words[hit.start : hit.end])
            return Empty(words, "what people feel cannot be looked at", "say what they do or see", inner=True)
    return None


def _verb(text: str, reading: Reading, main: Group) -> Empty | None:
    verb = reading.words[main.verb]
    if verb.base in _INNER and main.kind != "passive":
        return Empty(verb.token.text, "happens inside and shows nowhere", "say what is seen of it", inner=True)
    state = main.kind == "passive" and verb.base in _STATES
    if verb.base in _EMPTY and not state and _says_nothing(reading, main):
        made = _permitted(text, reading, main) if verb.base in _PERMITTING else None
        advice = _EMPTY[verb.base] if made is None else f"{_EMPTY[verb.base]}: {made}"
        return Empty(_with_preposition(reading, main), "names no result", advice, inner=False, rewording=made)
    return None


def _permitted(text: str, reading: Reading, main: Group) -> str | None:
    """`The app allows users to pay` as `Users can pay`; None where nobody is named."""
    words = reading.words
    at = next((place for place in range(main.end, reading.end) if words[place].tag == "to"), None)
    if at is None or at == main.end or any(word.tag in {"prep", "rel"} for word in words[main.end : at]):
        return None
    who, what = words[main.end : at], words[at + 1 : reading.end]
    told = (said(text, words[: reading.lead]), said(text, who), "can", said(text, what))
    return stopped(" ".join(part for part in told if part))


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
