"""What an approval agrees on for other threads: constraints that hold from now on, and those that hold no longer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from pactkeeper.intent.ticket import AcceptedConstraint, Draft, PlacedValue, sides_of
from pactkeeper.intent.ticket_patch import key_name, same_key
from pactkeeper.store.history import History
from pactkeeper.store.threads import accepted_constraints
from pactkeeper.tickets.bounds import in_words
from pactkeeper.tickets.validation.contradictions import contradictions
from pactkeeper.tickets.validation.report import Contradiction
from pactkeeper.tickets.validation.surroundings import Surroundings

_HOLDS: Final = frozenset({"proposed", "accepted"})


@dataclass(frozen=True, slots=True)
class Agreed:
    """Words on constraints to be kept together, and what people are told of those that hold no longer."""

    constraints: tuple[AcceptedConstraint, ...]
    notes: tuple[str, ...]


def agreed(history: History, draft: Draft, before: Draft | None, *, at: str) -> Agreed:
    """What an approved draft settles; `before` is the version that was approved last, None for the first one."""
    replaced = _replaced(history, draft, at=at)
    now, was = _held(draft), {} if before is None else _held(before)
    gone = [one for name, one in was.items() if name not in now]
    taken_back = [AcceptedConstraint(draft.thread, key, said, "superseded", at) for key, said in gone]
    accepted = [AcceptedConstraint(draft.thread, key, said, "accepted", at) for key, said in now.values()]
    notes = [f"{one.key} {one.said.value!r}, accepted in {one.thread}, holds no longer" for one in replaced]
    return Agreed((*replaced, *taken_back, *accepted), tuple(notes))


def _replaced(history: History, draft: Draft, *, at: str) -> list[AcceptedConstraint]:
    """What other threads agreed on and a person put aside for what this one says."""
    others = accepted_constraints(history, without=draft.thread)
    settled = [
        found
        for found in contradictions(draft, Surroundings(others))
        if (found.against, found.settled) == ("thread", "keep_a")
    ]
    gone = [one for one in others if any(_is_about(found, one) for found in settled)]
    return [replace(one, status="superseded", at=at) for one in gone]


def _is_about(found: Contradiction, one: AcceptedConstraint) -> bool:
    """Whether a contradiction is with this constraint, which it shows by its value or as a sentence."""
    if found.b.where != one.thread:
        return False
    by_value = same_key(found.key, one.key) and found.b.value == one.said.value
    return by_value or found.b.value == in_words(one.key, one.said.value)


def _held(draft: Draft) -> dict[tuple[str, str], tuple[str, PlacedValue]]:
    """The constraints of a draft that count, by the name of their key and their value."""
    return {(key_name(key), said.value): (key, said) for key, said in _said(draft)}


def _said(draft: Draft) -> Iterator[tuple[str, PlacedValue]]:
    for one in draft.constraints:
        if one.status in _HOLDS:
            yield from ((one.key, said) for said in sides_of(one.value))
