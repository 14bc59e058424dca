"""Replies to our own questions: the field is known, and so is what may be chosen."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from pactkeeper.intent.amounts import amount, relation
from pactkeeper.intent.ticket import Ask, Choice, Field, sides_of, values_of
from pactkeeper.intent.ticket_patch import DraftPatch, Verb, same_key
from pactkeeper.tickets.apart import bound_denied, bounds_in_words
from pactkeeper.tickets.extraction.bounds import listed
from pactkeeper.tickets.extraction.noise import is_noise, is_unknown, lead_of, not_knowing
from pactkeeper.tickets.extraction.phrases import AUTHORS, DUTY
from pactkeeper.tickets.extraction.placing import Placing, constraint
from pactkeeper.tickets.extraction.spans import Span, clean, span
from pactkeeper.tickets.extraction.wishes import capitalised, request_of

_CHOICES: Final[tuple[tuple[Choice, re.Pattern[str]], ...]] = (
    ("both", re.compile((
r"(?:keep |take |we need |we want )?(?:both|beide|les deux|ambos|ambas)(?: of them| are (?:true|right"
r"|fine|ok)| hold| gelten)?"
), re.IGNORECASE)),
    ("keep_a", re.compile((
r"(?:keep |take |use |option |the |i'd say |let's (?:take|keep|go with|use) )*(?:a|first|1st|1|former"
r"|first one|erste|ersten|premier|la première|primero|la primera)(?: one)?"
), re.IGNORECASE)),
    ("keep_b", re.compile((
r"(?:keep |take |use |option |the |i'd say |let's (?:take|keep|go with|use) )*(?:b|second|2nd|2|latter"
r"|second one|zweite|zweiten|deuxième|le second|segundo|la segunda)(?: one)?"
), re.IGNORECASE)),
)  # fmt: skip
_KEEP: Final = re.compile(
    (
        r"(?:keep|take|use|it's|it is|make it|let's (?:take|keep|go with|use|say)|we (?:take|keep|go with)"
        r"|go with|neither,?|none,?|wir nehmen|nehmen wir|on garde|gardons|nos quedamos con"
        r"|dejemos)\s+(?P<value>.+)"
    ),
    re.IGNORECASE,
)


def chosen(at: Placing, whole: Span, ask: Ask) -> tuple[DraftPatch, ...]:
    """What a reply to a conflict says: one side, both, or a value of its own; empty where it says neither."""
    text = clean(whole.text).strip(" .!")
    text = text[lead_of(text) :]
    keep = _KEEP.fullmatch(text)
    bare = clean(keep["value"]) if keep else text
    choice: Choice
    for number, side in enumerate(ask.sides):
        if relation(side, bare) == "same":
            choice = CHOICE_OF[number] if number < len(CHOICE_OF) else "amend"
            return _settled(at, whole, ask, choice, value=side)
    for choice, pattern in _CHOICES:
        if pattern.fullmatch(text) and choice in ask.choices:
            sides = dict(zip(CHOICE_OF, ask.sides, strict=False))
            return _settled(at, whole, ask, choice, value=sides.get(choice, ""))
    amended = keep is not None or (ask.field == "constraints" and _is_value(ask, bare))
    return _settled(at, whole, ask, "amend", value=bare) if amended else ()


def _is_value(ask: Ask, text: str) -> bool:
    """Whether a text says nothing but a value that could stand in the place of a side."""
    said, sides = amount(text), [amount(side) for side in ask.sides]
    return relation(ask.sides[0], text) != "contradict" or (
        said is not None and any(side is not None and side.dimension == said.dimension for side in sides)
    )


SENTENCES: Final[tuple[Field, ...]] = ("acceptance_criteria", "proposed_solution")
CHOICE_OF: Final[tuple[Choice, ...]] = ("keep_a", "keep_b")


def _settled(at: Placing, whole: Span, ask: Ask, choice: Choice, *, value: str) -> tuple[DraftPatch, ...]:
    """A word on a conflict, and the value that follows from it; both sides staying changes no value."""
    word = DraftPatch("settle", ask.field, at.said(whole, choice), key=ask.subject)
    if choice == "both" or not value:
        return (word,)
    others = [side for side in ask.sides if side != value]
    if ask.field == "constraints":
        return (*_bound(at, whole, key=ask.key, value=value), word)
    if ask.field == "acceptance_criteria":
        gone = tuple(_gone(at, whole, side) for side in others)
        added = (DraftPatch("add", ask.field, at.said(whole, value)),) if choice == "amend" else ()
        return (*gone, *added, word)
    return (DraftPatch("correct", ask.field, at.said(whole, value)), word)


def _gone(at: Placing, whole: Span, side: str) -> DraftPatch:
    """A side that was decided against as what it is in the draft: a criterion, or a constraint in words."""
    for key, bound, words in bounds_in_words(at.draft):
        if words == side:
            return DraftPatch("retract", "constraints", at.said(whole), key=key, old=bound.value)
    return DraftPatch("retract", "acceptance_criteria", at.said(whole), old=side)


def _bound(at: Placing, whole: Span, *, key: str, value: str) -> Iterator[DraftPatch]:
    """The constraint of a key as it was settled, and sentences of the draft that gave it another amount."""
    held = [side for one in at.draft.constraints if same_key(one.key, key) for side in sides_of(one.value)]
    if [side.value for side in held] != [value]:
        yield DraftPatch("correct", "constraints", at.said(whole, value), key=key)
    for name in SENTENCES:
        for said in values_of(at.draft, name):
            if denied := bound_denied(key, value, said.value):
                text = said.value.replace(denied, value, 1)
                yield DraftPatch("correct", name, at.said(whole, text), old=said.value)


def unknown(at: Placing, whole: Span, asks: Sequence[Ask]) -> tuple[DraftPatch, ...]:
    """A reply that nobody knows, to every question that it can be about; of a conflict nothing follows."""
    text = whole.text[lead_of(whole.text) :]
    if not (is_unknown(text) or not_knowing(text)):
        return ()
    return tuple(DraftPatch("unknown", ask.field, at.said(whole)) for ask in asks if ask.topic != "conflict")


def beside_unknown(at: Placing, whole: Span) -> Span:
    """What a reply that begins with not knowing goes on to say, such as whom to ask; empty where it ends there."""
    lead = lead_of(whole.text)
    if is_unknown(whole.text[lead:]):
        return span(at.message.text, whole.end, whole.end)
    return span(at.message.text, whole.start + lead + not_knowing(whole.text[lead:]), whole.end)


def answered(at: Placing, whole: Span, ask: Ask) -> Iterator[DraftPatch]:
    """What a reply says of the one field that was asked about."""
    if is_noise(whole.text):
        return
    lead = lead_of(whole.text)
    words = span(at.message.text, whole.start + lead, whole.end)
    value = clean(words.text)
    if ask.field == "constraints":
        yield from constraint(at, words, listed(value))
    elif ask.field == "title" and AUTHORS.match(value) and DUTY.search(value):
        wish = request_of(
            value
        )  # "we should archive them" wishes for something, "someone should buy beans" names nothing
        if wish is not None:
            yield DraftPatch("set", "title", at.said(words, wish))
    elif ask.field in {"title", "epic_id"}:
        yield DraftPatch("set", ask.field, at.said(words, capitalised(value.rstrip(" ."))))
    else:
        verb: Verb = "set" if ask.field in {"problem", "proposed_solution"} else "add"
        yield DraftPatch(verb, ask.field, at.said(words, capitalised(value)))
