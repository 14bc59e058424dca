"""Replies to our own questions: the field is known, and so is what may be chosen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from pactkeeper.intent.ticket import Ask, Field, sides_of, values_of
from pactkeeper.intent.ticket_patch import DraftPatch, Verb, same_key
from pactkeeper.tickets.apart import bound_denied, bounds_in_words
from pactkeeper.tickets.extraction.bounds import listed
from pactkeeper.tickets.extraction.noise import is_noise, is_unknown, lead_of, not_knowing
from pactkeeper.tickets.extraction.phrases import AUTHORS, DUTY
from pactkeeper.tickets.extraction.placing import Placing, constraint
from pactkeeper.tickets.extraction.settling import Settlement, settlement
from pactkeeper.tickets.extraction.spans import Span, clean, span
from pactkeeper.tickets.extraction.wishes import capitalised, request_of

SENTENCES: Final[tuple[Field, ...]] = ("acceptance_criteria", "proposed_solution")


def chosen(at: Placing, whole: Span, ask: Ask) -> tuple[DraftPatch, ...]:
    """What a reply to a conflict changes: a word on it, and the value that follows; empty where it cannot be told."""
    found = settlement(whole.text, ask)
    return () if found is None else _settled(at, whole, ask, found)


def _settled(at: Placing, whole: Span, ask: Ask, found: Settlement) -> tuple[DraftPatch, ...]:
    """A word on a conflict, and the value that follows from it; both sides staying changes no value."""
    word = DraftPatch("settle", ask.field, at.said(whole, found.choice), key=ask.subject)
    if not found.value:
        return (word,)
    if ask.field == "constraints":
        return (*_bound(at, whole, key=ask.key, value=found.value), word)
    if ask.field == "acceptance_criteria":
        gone = tuple(_gone(at, whole, side) for side in ask.sides if side not in {found.value, found.side})
        return (*gone, *(_amended(at, whole, found) if found.choice == "amend" else ()), word)
    return (DraftPatch("correct", ask.field, at.said(whole, found.value)), word)


def _amended(at: Placing, whole: Span, found: Settlement) -> Iterator[DraftPatch]:
    """A side as it was said anew: a criterion, or the value of the constraint that it is in words."""
    for key, bound, words in bounds_in_words(at.draft):
        about = words.removesuffix(bound.value)
        if words == found.side and found.value.startswith(about):
            value = found.value.removeprefix(about)
            yield DraftPatch("correct", "constraints", at.said(whole, value), key=key, old=bound.value)
            return
    verb: Verb = "correct" if found.side else "add"
    yield DraftPatch(verb, "acceptance_criteria", at.said(whole, found.value), old=found.side)


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
