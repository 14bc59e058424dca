"""What matchers of several families claim alike: a relation to their first argument, a state, a type, a part."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from pactkeeper.intent.claims import Attribute, Claim, Collection, Expression, Relation, Value
from pactkeeper.repo.languages.javascript.claims.expressions import Match
from pactkeeper.repo.languages.javascript.claims.relations import (
    Claims,
    compare,
    compared,
    equate,
    holds,
    qualified,
    string,
    typed,
)

Reader = Callable[[Match], Claims | None]  # None: the arguments can't be read


def on_first(reader: Callable[[Match, Expression], Claims | None]) -> Reader:
    """Return a reader of matchers that need an argument, from one that is given it."""

    def read(match: Match) -> Claims | None:
        wanted = match.first
        return None if wanted is None else reader(match, wanted)

    return read


def turned(reader: Reader) -> Reader:
    """Return a reader of matchers that say the opposite: `notOk` of `ok`."""
    return lambda match: reader(replace(match, negated=not match.negated))


def of_part(name: str, reader: Reader) -> Reader:
    """Return a reader of matchers about one property of the subject: `lengthOf` about its `length`."""
    return lambda match: reader(replace(match, subject=Attribute(match.subject, name)))


def plain(relation: Relation, wanted: Expression | None = None) -> Reader:
    """Return a reader for a relation that needs no argument."""
    return lambda match: (Claim(relation, match.subject, wanted, match.negated),)


def state(name: str) -> Reader:
    """Return a reader for a state of the subject."""
    return plain("state", string(name))


def exactly(value: Expression) -> Reader:
    """Return a reader for equality with a value that the matcher's name says."""
    return lambda match: equate(match.subject, value, negated=match.negated)


def of_type(name: str) -> Reader:
    """Return a reader for a type that the matcher's name says."""
    return lambda match: (typed(match.subject, name, negated=match.negated),)


def truth(match: Match) -> Claims:
    """Claim that the subject is true."""
    return holds(match.subject, negated=match.negated)


def to_first(relation: Relation) -> Reader:
    """Return a reader for a relation to the first argument."""
    return on_first(lambda match, wanted: (Claim(relation, match.subject, wanted, match.negated),))


def ordered(relation: Relation) -> Reader:
    """Return a reader for an ordering of the subject and the first argument."""
    return on_first(lambda match, wanted: compare(relation, match.subject, wanted, negated=match.negated))


def keyed(relation: Relation, extra: str) -> Reader:
    """Return a reader for a relation to the first argument, with the second as a named qualifier."""

    def read(match: Match, wanted: Expression) -> Claims:
        extras = qualified(**{extra: match.given[1] if len(match.given) > 1 else None})
        return (Claim(relation, match.subject, wanted, match.negated, extras),)

    return on_first(read)


@on_first
def equal(match: Match, wanted: Expression) -> Claims:
    """Claim equality with the first argument."""
    return equate(match.subject, wanted, negated=match.negated)


@on_first
def identical(match: Match, wanted: Expression) -> Claims:
    """Claim that the subject is the first argument."""
    return equate(match.subject, wanted, negated=match.negated, relation="same")


@on_first
def deep_equal(match: Match, wanted: Expression) -> Claims | None:
    """Claim equality with the first argument, which may be an asymmetric matcher."""
    return compared(match.subject, wanted, negated=match.negated)


@on_first
def like(match: Match, wanted: Expression) -> Claims | None:
    """Claim that the subject contains the entries of the first argument, or matches it."""
    return to_first("contains" if isinstance(wanted, Collection) else "matches")(match)


@on_first
def type_named(match: Match, wanted: Expression) -> Claims | None:
    """Claim a type that the first argument names."""
    return (typed(match.subject, wanted.text, negated=match.negated),) if isinstance(wanted, Value) else None
