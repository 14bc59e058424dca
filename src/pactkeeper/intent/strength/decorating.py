"""Whether a decorator of the test side keeps a test from failing: it swallows every error, or never calls the test."""

from __future__ import annotations

from collections.abc import Iterator

from pactkeeper.intent.claims import Attribute, Call, Expression, Name, children
from pactkeeper.intent.strength.program import (
    Act,
    Attempt,
    Bind,
    Block,
    Branch,
    Check,
    Define,
    Leave,
    Loop,
    Routine,
    Statement,
    Within,
)
from pactkeeper.intent.strength.terms import last_name
from pactkeeper.intent.strength.unfailing import swallows, unheard

_COPYING = frozenset({"wraps", "update_wrapper"})  # what gives a wrapper the name of what it wraps


def muted_by(decorator: Routine, *, makes_one: bool) -> str:
    """Return why no failure of a decorated test is seen; "" if one is, or if that can't be told.

    `makes_one` says that the function is called to make the decorator: `@retried(3)`.
    """
    inner = [one.routine for one in decorator.body if isinstance(one, Define)] if makes_one else [decorator]
    if len(inner) != 1 or not inner[0].parameters or any(map(_raises, inner[0].body)):
        return ""
    held = Name(inner[0].parameters[0].name)
    reasons = list(_uses(inner[0].body, held, ""))
    if not reasons:
        return f"its decorator {decorator.name} never calls it"
    return f"in its decorator {decorator.name}, {reasons[0]}" if all(reasons) else ""


def _uses(block: Block, held: Expression, why: str) -> Iterator[str]:
    """Yield, for each time that a block calls a function or passes it on, why its failures go unnoticed there."""
    for one in block:
        yield from (why for term in _terms(one) if _passes_on(term, held))
        for inner, reason in _inside(one):
            yield from _uses(inner, held, why or reason)


def _terms(one: Statement) -> Iterator[Expression]:
    """Yield what a statement itself evaluates."""
    match one:
        case Act(call=value) | Bind(value=value) | Leave(value=value) | Branch(condition=value) | Loop(over=value):
            yield from [value] if value is not None else []
        case Check(claims=claims) | Within(claims=claims):
            yield from (part for claim in claims for part in (claim.subject, claim.object) if part is not None)


def _passes_on(term: Expression, held: Expression) -> bool:
    """Whether a term is a function, calls it or hands it to something that may; reading its name is neither."""
    if isinstance(term, Attribute) and term.value == held:
        return False
    if isinstance(term, Call) and last_name(term.function) in _COPYING:
        return False
    return term == held or any(_passes_on(part, held) for part in children(term))


def _inside(one: Statement) -> Iterator[tuple[Block, str]]:
    """Yield the blocks in a statement, each with why a failure in it goes unnoticed."""
    match one:
        case Branch():
            yield from ((one.then, ""), (one.otherwise, ""))
        case Loop():
            yield from ((one.body, ""), (one.otherwise, ""))
        case Within():
            yield one.body, unheard(one)
        case Attempt():
            yield one.body, next(filter(None, (swallows(catch.types) for catch in one.catches)), "")
            yield from ((block, "") for block in (one.otherwise, one.final, *(catch.body for catch in one.catches)))
        case Define():
            yield one.routine.body, ""


def _raises(one: Statement) -> bool:
    """Whether anything in a statement raises or fails, so that it may pass on what it caught."""
    ends = isinstance(one, Leave) and one.kind in {"raise", "fail"}
    return ends or any(_raises(inner) for block, _ in _inside(one) for inner in block)
