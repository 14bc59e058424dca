"""Constraints that deny in other words what a criterion, another constraint or another thread claims."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from pactkeeper.intent.ticket import CHOICES, AcceptedConstraint, Draft, Said
from pactkeeper.intent.ticket_patch import same_key
from pactkeeper.tickets.apart import bound_denied, bounds_in_words, in_words
from pactkeeper.tickets.sayings.clash import clash
from pactkeeper.tickets.validation.criteria import as_fact
from pactkeeper.tickets.validation.report import Contradiction, Side


def clashes(draft: Draft) -> Iterator[Contradiction]:
    """Constraints of a draft against its criteria and against each other; what the same key says is held already."""
    bounds = tuple(bounds_in_words(draft))
    for key, bound, words in bounds:
        for said in draft.acceptance_criteria:
            if not bound_denied(key, bound.value, said.value) and clash(words, as_fact(said.value)):
                yield _of_the_draft(_side(bound, words), _side(said))
    for (key, one, ours), (name, other, theirs) in combinations(bounds, 2):
        if not same_key(key, name) and clash(ours, theirs):
            yield _of_the_draft(_side(one, ours), _side(other, theirs))


def clashes_with(draft: Draft, accepted: AcceptedConstraint) -> Iterator[Contradiction]:
    """Criteria and constraints of a draft against a constraint that another thread accepted."""
    key, value = accepted.key, accepted.said.value
    theirs = Side(in_words(key, value), accepted.thread, accepted.said.permalink)
    for said in draft.acceptance_criteria:
        if not bound_denied(key, value, said.value) and clash(theirs.value, as_fact(said.value)):
            yield _elsewhere(_side(said), theirs)
    for name, bound, words in bounds_in_words(draft):
        if not same_key(name, key) and clash(theirs.value, words):
            yield _elsewhere(_side(bound, words), theirs)


def _side(said: Said, words: str = "") -> Side:
    return Side(words or said.value, said.author, said.permalink)


def _of_the_draft(a: Side, b: Side) -> Contradiction:
    message = f"{a.value!r} and {b.value!r} cannot both hold"
    return Contradiction("draft", "acceptance_criteria", a, b, message, CHOICES)


def _elsewhere(ours: Side, theirs: Side) -> Contradiction:
    message = f"{ours.value!r} is said here, and {theirs.value!r} was accepted in {theirs.where}"
    return Contradiction("thread", "acceptance_criteria", ours, theirs, message, CHOICES)
