"""Constraints that deny in other words what a criterion, another constraint or another thread claims."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations

from pactkeeper.intent.ticket import CHOICES, AcceptedConstraint, Draft, Said
from pactkeeper.intent.ticket_patch import same_key
from pactkeeper.tickets.apart import bound_denied, bounds_in_words, in_words
from pactkeeper.tickets.sayings.clash import clash, lookups
from pactkeeper.tickets.sayings.keys import about_of, texts_apart
from pactkeeper.tickets.sayings.words import stems_of
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
        if not same_key(key, name) and (clash(ours, theirs) or texts_apart(key, one.value, name, other.value)):
            yield _of_the_draft(_side(one, ours), _side(other, theirs))


def clashes_elsewhere(draft: Draft, accepted: Iterable[AcceptedConstraint]) -> Iterator[Contradiction]:
    """Criteria and constraints of a draft against constraints that other threads accepted."""
    facts = [(said, as_fact(said.value)) for said in draft.acceptance_criteria]
    bounds = tuple(bounds_in_words(draft))
    wanted = {stems for _, saying in facts for stems in lookups(saying)}
    wanted |= {stems for _, _, saying in bounds for stems in lookups(saying)}
    for one in accepted:
        key, value = one.key, one.said.value
        theirs = Side(in_words(key, value), one.thread, one.said.permalink)
        known = stems_of(theirs.value) | about_of(key)
        if not any(stems <= known for stems in wanted if stems):
            continue  # reading a saying whole takes far longer than its words
        for said, fact in facts:
            if clash(theirs.value, fact) and not bound_denied(key, value, said.value):
                yield _elsewhere(_side(said), theirs)
        for name, bound, words in bounds:
            if not same_key(name, key) and (clash(theirs.value, words) or texts_apart(key, value, name, bound.value)):
                yield _elsewhere(_side(bound, words), theirs)


def _side(said: Said, words: str = "") -> Side:
    return Side(words or said.value, said.author, said.permalink)


def _of_the_draft(a: Side, b: Side) -> Contradiction:
    message = f"{a.value!r} ({a.where}) and {b.value!r} ({b.where}) cannot both hold"
    return Contradiction("draft", "acceptance_criteria", a, b, message, CHOICES)


def _elsewhere(ours: Side, theirs: Side) -> Contradiction:
    message = f"{ours.value!r} is said here, and {theirs.value!r} was accepted in {theirs.where}"
    return Contradiction("thread", "acceptance_criteria", ours, theirs, message, CHOICES)
