"""Contradictions of a draft: inside it, with constraints that other threads accepted, and with the pact."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from typing import Final

from pactkeeper.intent.amounts import relation
from pactkeeper.intent.pact import Pact
from pactkeeper.intent.ticket import (
    CHOICES,
    SINGLE,
    Choice,
    Conflict,
    Draft,
    Field,
    Said,
    sides_of,
    values_of,
)
from pactkeeper.intent.ticket_patch import same_key
from pactkeeper.tickets.apart import bound_denied, bounds_in_words, contradicts
from pactkeeper.tickets.validation.clashes import clashes, clashes_elsewhere
from pactkeeper.tickets.validation.criteria import as_fact
from pactkeeper.tickets.validation.declared import Declared, Statement
from pactkeeper.tickets.validation.report import Contradiction, Side
from pactkeeper.tickets.validation.surroundings import Surroundings

# A title cannot be two things; of anything else both may hold, each in its place.
ONE_OF_TWO: Final[tuple[Choice, ...]] = ("keep_a", "keep_b", "amend")
_SENTENCES: Final[tuple[Field, ...]] = ("acceptance_criteria", "proposed_solution")


def contradictions(draft: Draft, around: Surroundings) -> Iterator[Contradiction]:
    """Everything that cannot hold together, with what a person said about it already."""
    chosen = {one.conflict: one.choice for one in draft.settled}
    for found in _all(draft, around):
        yield replace(found, settled=chosen.get(found.fingerprint))


def _all(draft: Draft, around: Surroundings) -> Iterator[Contradiction]:
    yield from _held(draft)
    yield from _criteria(draft)
    yield from _bounds_and_sentences(draft)
    yield from clashes(draft)
    yield from _other_threads(draft, around)
    if around.pact is not None:
        yield from _pact(draft, around.pact)


def _side(said: Said) -> Side:
    return Side(said.value, said.author, said.permalink)


def _held(draft: Draft) -> Iterator[Contradiction]:
    """What the draft itself holds as a conflict: each further side against the first."""
    held: list[tuple[Field, str, Conflict]] = [
        (name, "", value) for name in SINGLE if isinstance(value := getattr(draft, name), Conflict)
    ]
    held += [("constraints", one.key, one.value) for one in draft.constraints if isinstance(one.value, Conflict)]
    for name, key, conflict in held:
        a = conflict.sides[0]
        for b in conflict.sides[1:]:
            about = f"the constraint {key!r}" if key else f"the {name.replace('_', ' ')}"
            message = f"{about} is {a.value!r} for {a.author} and {b.value!r} for {b.author}"
            choices = CHOICES if name not in {"title", "epic_id"} else ONE_OF_TWO
            yield Contradiction("draft", name, _side(a), _side(b), message, choices, key=key)


def _criteria(draft: Draft) -> Iterator[Contradiction]:
    facts = [(said, as_fact(said.value)) for said in draft.acceptance_criteria]
    for (a, ours), (b, theirs) in combinations(facts, 2):
        if contradicts(ours, theirs):
            message = f"two criteria cannot both hold: {a.value!r} ({a.author}) and {b.value!r} ({b.author})"
            yield Contradiction("draft", "acceptance_criteria", _side(a), _side(b), message, CHOICES)


def _bounds_and_sentences(draft: Draft) -> Iterator[Contradiction]:
    """A constraint with an amount, and a criterion or the solution that gives the same thing another one."""
    for one in draft.constraints:
        for bound in sides_of(one.value):
            for name in _SENTENCES:
                for said in values_of(draft, name):
                    denied = bound_denied(one.key, bound.value, said.value)
                    if denied:
                        message = (
                            f"{one.key} is bounded by {bound.value!r} ({bound.author}), and {said.value!r} "
                            f"({said.author}) says {denied!r}"
                        )
                        yield Contradiction(
                            "draft",
                            "constraints",
                            _side(bound),
                            replace(_side(said), value=denied),
                            message,
                            CHOICES,
                            key=one.key,
                        )


def _other_threads(draft: Draft, around: Surroundings) -> Iterator[Contradiction]:
    for accepted in around.constraints:
        theirs = Side(accepted.said.value, accepted.thread, accepted.said.permalink)
        for one in draft.constraints:
            for ours in sides_of(one.value) if same_key(one.key, accepted.key) else ():
                if relation(ours.value, theirs.value) == "contradict":
                    message = (
                        f"the constraint {one.key!r} is {ours.value!r} here, and {theirs.value!r} was accepted in "
                        f"{accepted.thread}"
                    )
                    yield Contradiction("thread", "constraints", _side(ours), theirs, message, CHOICES, key=one.key)
        yield from _sentences_and_accepted(draft, accepted.key, theirs)
    yield from clashes_elsewhere(draft, around.constraints)


def _sentences_and_accepted(draft: Draft, key: str, theirs: Side) -> Iterator[Contradiction]:
    for name in _SENTENCES:
        for said in values_of(draft, name):
            denied = bound_denied(key, theirs.value, said.value)
            if denied:
                message = f"{said.value!r} says {denied!r}, and {key} {theirs.value!r} was accepted in {theirs.where}"
                yield Contradiction(
                    "thread", "constraints", replace(_side(said), value=denied), theirs, message, CHOICES, key=key
                )


def _pact(draft: Draft, pact: Pact) -> Iterator[Contradiction]:
    """Sayings that deny a sentence of the pact: what binds keeps the draft from preview, a mere draft is named."""
    declared = Declared(pact)
    for said in draft.acceptance_criteria:
        for statement in declared.denied_by(as_fact(said.value)):
            yield _with_statement("acceptance_criteria", said, statement)
    for one in draft.constraints:
        for said in sides_of(one.value):
            for statement in declared.bounded_otherwise(one.key, said.value):
                yield replace(_with_statement("constraints", said, statement), key=one.key)
    for key, bound, words in bounds_in_words(draft):
        known = {one.where for one in declared.bounded_otherwise(key, bound.value)}
        for statement in declared.denied_by(words):
            if statement.where not in known:
                yield _with_statement("acceptance_criteria", replace(bound, value=words), statement)


def _with_statement(name: Field, said: Said, statement: Statement) -> Contradiction:
    standing = {"atom": "committed" if statement.severity == "error" else "not committed", "invariant": "a rule"}
    message = (
        f"{said.value!r} denies {statement.where} ({standing[statement.against]}), {statement.text!r}; "
        f"{statement.advice}"
    )
    theirs = Side(statement.text, statement.where)
    return Contradiction(statement.against, name, _side(said), theirs, message, CHOICES, statement.severity)
