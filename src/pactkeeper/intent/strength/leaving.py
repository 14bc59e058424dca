"""Whether a context manager's `__exit__` swallows a failed assertion."""

from __future__ import annotations

from typing import Final

from pactkeeper.intent.claims import Argument, Call, Expression, Name, Operation, Value
from pactkeeper.intent.strength.folding import joined_truth, truth_of
from pactkeeper.intent.strength.program import Block, Branch, Leave, Routine
from pactkeeper.intent.strength.substitution import substitute
from pactkeeper.intent.strength.unfailing import swallows

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
