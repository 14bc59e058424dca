"""What a decorator of the test side makes of a test: it may swallow every error, never call the test, or skip it.

Also whether the end of a context manager swallows a failed assertion.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import repeat
from typing import Final

from pactkeeper.intent.claims import Argument, Attribute, Call, Expression, Name, Operation, Value, children
from pactkeeper.intent.strength.conditions import skip_of
from pactkeeper.intent.strength.folding import joined_truth, truth_of
from pactkeeper.intent.strength.frames import left_early, runs_elsewhere
from pactkeeper.intent.strength.program import (
    YIELDED,
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
    Skip,
    Statement,
    Within,
    yields,
)
from pactkeeper.intent.strength.substitution import substitute
from pactkeeper.intent.strength.terms import last_name, negated_term, terms_of
from pactkeeper.intent.strength.unfailing import ELSEWHERE, swallows, unheard

_COPYING = frozenset({"wraps", "update_wrapper"})  # what gives a wrapper the name of what it wraps


def muted_by(decorator: Routine, *, makes_one: bool) -> str:
    """Return why no failure of a decorated test is seen; "" if one is, or if that can't be told.

    `makes_one` says that the function is called to make the decorator: `@retried(3)`. A context manager's body is then
    the test.
    """
    if makes_one and yields(decorator.body):
        body, held = decorator.body, YIELDED
    else:
        inner = _decorating(decorator, makes_one=makes_one)
        body, held = (inner.body, Name(inner.parameters[0].name)) if inner is not None else ((), YIELDED)
    if not body or any(map(_raises, body)):
        return ""
    reasons = list(_uses(body, held, ""))
    if not reasons:
        return f"its decorator {decorator.name} never calls it"
    return f"in its decorator {decorator.name}, {reasons[0]}" if all(reasons) else ""


def skips_by(decorator: Routine, *, makes_one: bool) -> Iterator[Skip]:
    """Yield the marks that a decorator gives a test, and a skip where it only calls the test under a condition."""
    inner = _decorating(decorator, makes_one=makes_one)
    if inner is None:
        return
    held = Name(inner.parameters[0].name)
    for one in inner.body:
        given = one.value if isinstance(one, Leave) and isinstance(one.value, Call) else None
        if given is not None and [each.value for each in given.arguments] == [held]:
            yield from filter(None, [skip_of(given.function)])
    found = set(_conditions(inner.body, held, None))
    condition = found.pop() if len(found) == 1 else None
    if condition is not None:
        yield Skip("skip", negated_term(condition))


def _decorating(decorator: Routine, *, makes_one: bool) -> Routine | None:
    """Return the function that gets the test; None if there may be several."""
    inner = [one.routine for one in decorator.body if isinstance(one, Define)] if makes_one else [decorator]
    return inner[0] if len(inner) == 1 and inner[0].parameters else None


def _uses(block: Block, held: Expression, why: str, *, called: bool = False) -> Iterator[str]:
    """Yield, for each time that a block calls a function or passes it on, why its failures go unnoticed there.

    A function that is `called` for the test doesn't run it by returning it.
    """
    for one in block:
        if isinstance(one, Bind) and one.target == held:
            yield why
        handed_back = called and isinstance(one, Leave) and one.value == held
        uses = (term for term in _terms(one) if _passes_on(term, held))
        yield from (why or _unseen(term, held) for term in uses if not handed_back)
        for inner, reason in _inside(one):
            yield from _uses(inner, held, why or reason, called=called or isinstance(one, Define))


def _unseen(term: Expression, held: Expression) -> str:
    """Return why a function's failures go unnoticed where a term passes it on; "" if they don't."""
    for part in terms_of(term):
        if isinstance(part, Call) and any(each.value == held for each in part.arguments):
            if runs_elsewhere(part, Routine("")):
                return ELSEWHERE
            if isinstance(part.function, Call) and last_name(part.function) == "suppress":
                return swallows(each.value for each in part.function.arguments)
    return ""


def _conditions(block: Block, held: Expression, under: Expression | None) -> Iterator[Expression | None]:
    """Yield, for each time that a block calls a function or passes it on, the first condition for that.

    What is asked of the function itself tells its kind.
    """
    for one in block:
        yield from (under for term in _terms(one) if _passes_on(term, held))
        sides = [one.condition, negated_term(one.condition)] if isinstance(one, Branch) else repeat(None)
        for (inner, _), side in zip(_inside(one), sides, strict=False):
            yield from _conditions(inner, held, under or _apart_from(held, side))
        under = under or _apart_from(held, left_early(one))


def _apart_from(held: Expression, condition: Expression | None) -> Expression | None:
    return None if condition is not None and held in terms_of(condition) else condition


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


def rebinds(block: Block, name: Expression) -> bool:
    """Whether anything in a block gives a name another value, and not only changes what it holds."""
    inner = (rebinds(each, name) for one in block for each, _ in _inside(one))
    return any(isinstance(one, Bind) and one.target == name for one in block) or any(inner)


def _raises(one: Statement) -> bool:
    """Whether anything in a statement raises or fails, so that it may pass on what it caught."""
    ends = isinstance(one, Leave) and one.kind in {"raise", "fail"}
    return ends or any(_raises(inner) for block, _ in _inside(one) for inner in block)


_FAILURE: Final = Name("AssertionError")
_RAISED: Final = Name("raised·")  # its value and its traceback
_NONE: Final = Value("none", "None")
_EQUAL: Final = {"is": True, "==": True, "is-not": False, "!=": False}


def keeps_quiet(leave: Routine) -> bool:
    """Whether an `__exit__` surely returns something true for a failed assertion."""
    given = dict(zip((Name(one.name) for one in leave.parameters[1:]), (_FAILURE, _RAISED, _RAISED), strict=False))
    rest = next((Name(one.name) for one in leave.parameters if one.rest), None)
    return _answered(leave.body, {key: one for key, one in given.items() if key != rest}) is True


def _answered(block: Block, given: dict[Expression, Expression]) -> bool | None:
    """Return whether a block returns something true; None if it goes on or can't be followed."""
    for one in block:
        if isinstance(one, Leave):
            return one.kind == "return" and one.value is not None and _holds(substitute(one.value, given)) is True
        if isinstance(one, Branch):
            holds = _holds(substitute(one.condition, given))
            answer = _answered(one.then if holds else one.otherwise, given) if holds is not None else None
            if answer is not None:
                return answer
    return None


def _holds(one: Expression) -> bool | None:
    """Whether a condition on the error of a failed assertion holds; None if only running it can tell."""
    match one:
        case Name() if one in {_FAILURE, _RAISED}:
            return True
        case Operation(operator="not" | "and" | "or" as operator, operands=parts):
            return joined_truth(operator, list(map(_holds, parts)))
        case Operation(operator=operator, operands=(left, right)) if operator in _EQUAL and left in {_FAILURE, _RAISED}:
            return (right == left) is _EQUAL[operator] if right in {_FAILURE, _NONE} else None
        case Call(Name("issubclass" | "isinstance"), (Argument(held), Argument(kind))):
            return bool(swallows([kind])) if held in {_FAILURE, _RAISED} else None
    return truth_of(one)
