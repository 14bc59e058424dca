"""What cannot fail a test: claims that hold whatever happens, handlers that swallow, blocks that leave."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from pactkeeper.intent.claims import Claim, Collection, Expression, Opaque, Operation
from pactkeeper.intent.strength.folding import is_constant, is_empty, truth_of
from pactkeeper.intent.strength.program import Block, Branch, Check, Leave, Loop, Statement, Within
from pactkeeper.intent.strength.terms import last_name, negated_term

CATCHES_ALL: Final = frozenset({"AssertionError", "Exception", "BaseException", "Throwable", "Error"})


def cannot_fail(claim: Claim) -> str:
    """Why a claim, or one of its alternatives, holds whatever the product does; empty where it can fail."""
    every = (claim, *claim.alternatives)
    if any(_constant(one) is True or _of_none(one) for one in every):
        return "it holds whatever happens"
    return "both sides are the same" if any(map(_is_of_itself, every)) else ""


def _of_none(claim: Claim) -> bool:
    """Whether it is made of every member of what is empty."""
    return claim.each is not None and claim.each.kind == "every" and is_empty(claim.each.over)


def _is_of_itself(claim: Claim) -> bool:
    compares = claim.relation in {"equals", "same", "approximately"}
    return compares and not claim.negated and claim.subject == claim.object


def _constant(claim: Claim) -> bool | None:
    """Whether the claim is about constants only and holds; None where it is about more."""
    if not is_constant(claim.subject) or (claim.object is not None and not is_constant(claim.object)):
        return None
    if claim.relation in {"truthy", "satisfies", "falsy"}:
        found = truth_of(claim.subject)
        return None if found is None else (found is not (claim.relation == "falsy")) is not claim.negated
    if claim.relation in {"equals", "same"}:
        return (claim.subject == claim.object) is not claim.negated
    return True if claim.relation != "raises" else None


def only_skip(block: Block) -> Leave | None:
    """The skip that a block consists of; None where it does anything else."""
    last = block[-1] if block else None
    return last if isinstance(last, Leave) and last.kind in {"skip", "xfail"} and len(block) == 1 else None


def left_early(one: Statement) -> Expression | None:
    """The condition under which a branch lets the rest of its block run, where one of its sides leaves in silence."""
    if isinstance(one, Loop) and one.body and isinstance(one.body[-1], Leave) and one.body[-1].kind == "return":
        return Operation("no member of", (one.over or Opaque("the loop"),))
    if not isinstance(one, Branch) or only_skip(one.then) is not None:
        return None
    if _leaves_quietly(one.then):
        return negated_term(one.condition)
    return one.condition if _leaves_quietly(one.otherwise) else None


def _leaves_quietly(block: Block) -> bool:
    last = block[-1] if block else None
    return isinstance(last, Leave) and last.kind in {"return", "leave"}


def swallows(types: Iterable[Expression]) -> str:
    """Why a handler of these types hides a failure; empty where it hides none."""
    listed = [item for kind in types for item in (kind.items if isinstance(kind, Collection) else (kind,))]
    if not listed:
        return "every exception around it is caught"
    found = next((last_name(kind) for kind in listed if last_name(kind) in CATCHES_ALL), "")
    return f"{found} around it is caught" if found else ""


def unheard(one: Within) -> str:
    """Why nobody hears of a failure inside of what surrounds it; empty where somebody does."""
    if one.suppresses:
        return swallows(one.suppresses)
    expected = any(claim.relation == "raises" and last_name(claim.subject) == "AssertionError" for claim in one.claims)
    return "its failure is expected" if expected else ""


def always_fails(block: Block) -> bool:
    """Whether a handler ends the test as failed on every way through it."""
    return (
        any(isinstance(one, Leave) and one.kind in {"raise", "fail"} for one in block)
        or any(isinstance(one, Branch) and always_fails(one.then) and always_fails(one.otherwise) for one in block)
        or _checks_false(block)
    )


def _checks_false(block: Block) -> bool:
    return any(
        isinstance(one, Check) and any(truth_of(claim.subject) is False and not claim.negated for claim in one.claims)
        for one in block
    )


def only_fails(block: Block) -> bool:
    """Whether a block does nothing but fail the test."""
    return len(block) == 1 and always_fails(block)


def ends(block: Block) -> bool:
    """Whether nothing behind a block is reached."""
    return bool(block) and isinstance(block[-1], Leave)
