"""How a block of statements ends: what leaves it, and under which condition the code after it runs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from pactkeeper.intent.claims import Expression, Name, Opaque, Operation, Value
from pactkeeper.intent.strength.folding import truth_of
from pactkeeper.intent.strength.frames import Frame
from pactkeeper.intent.strength.program import Attempt, Block, Branch, Check, Leave, Loop, Statement
from pactkeeper.intent.strength.substitution import substitute
from pactkeeper.intent.strength.terms import negated_term

QUIETLY: Final = frozenset({"return", "leave", "break"})  # without an error
_ANYTHING: Final = Name("Exception")
_NEVER: Final = Value("boolean", "false")


def ending(block: Block) -> str:
    """Return the kind of the statement that leaves a block at its end; "" if the code after it is reached."""
    last = block[-1] if block else None
    return last.kind if isinstance(last, Leave) else ""


def only_skip(block: Block) -> Leave | None:
    """Return the skip that a block consists of; None if it does anything else."""
    match block:
        case (Leave(kind="skip" | "xfail") as leave,):
            return leave
    return None


def left_early(one: Statement) -> Expression | None:
    """Return the condition under which the rest of a block runs, if one side of a branch leaves silently."""
    match one:
        case Attempt(catches=catches):
            quiet = [catch for catch in catches if ending(catch.body) in QUIETLY]
            return unless_raised(kind for each in quiet for kind in each.types or (_ANYTHING,)) if quiet else None
        case Loop(over=over, body=body) if _may_return(body):
            return Operation("no member of", (over or Opaque("the loop"),))
        case Branch(condition=condition, then=then) if ending(then) in QUIETLY:
            return negated_term(condition)
        case Branch(condition=condition, then=then, otherwise=otherwise) if ending(otherwise) in QUIETLY:
            return condition if only_skip(then) is None else None
    return None


def unless_raised(kinds: Iterable[Expression]) -> Operation:
    """Return the condition that none of these errors is raised."""
    return Operation("unless-raised", tuple(sorted(kinds, key=repr)))


def _may_return(block: Block) -> bool:
    """Whether a loop's body can end the function that it stands in."""
    branches = (one for one in block if isinstance(one, Branch))
    return ending(block) == "return" or any(_may_return(one.then) or _may_return(one.otherwise) for one in branches)


def broken_off(block: Block, frame: Frame) -> Expression | None:
    """Return the condition under which a loop goes on after its body, if a `break` may end it; None if nothing does."""
    for one in block:
        if isinstance(one, Leave) and one.kind == "break":
            return _NEVER
        if isinstance(one, Branch) and broken_off(one.then, frame) == _NEVER:
            return negated_term(substitute(one.condition, frame.held))
    return None


def always_fails(block: Block) -> bool:
    """Whether a handler fails the test on every path through it."""
    return any(map(_fails, block))


def _fails(one: Statement) -> bool:
    match one:
        case Leave(kind=kind):
            return kind in {"raise", "fail"}
        case Branch(then=then, otherwise=otherwise):
            return always_fails(then) and always_fails(otherwise)
        case Check(claims=claims):
            return any(truth_of(claim.subject) is False and not claim.negated for claim in claims)
    return False
