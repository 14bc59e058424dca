"""Loops and tables of rows: what they go through, what their names hold, and whether they leave rows out."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from pactkeeper.intent.claims import (
    Argument,
    Attribute,
    Call,
    Claim,
    Collection,
    Expression,
    Name,
    Operation,
    Subscript,
    Value,
)
from pactkeeper.intent.strength.frames import Frame, Held, always_fails, ending, may_return
from pactkeeper.intent.strength.literals import LISTED
from pactkeeper.intent.strength.program import Block, Branch, Leave, Loop
from pactkeeper.intent.strength.substitution import simplified, substitute
from pactkeeper.intent.strength.terms import last_name, negated_term, rebuilt, terms_of

_NEVER: Final = Value("boolean", "false")
_ONLY_LISTED: Final = frozenset({"list", "tuple", "sorted", "set", "frozenset", "iter", "reversed"})
_ITERTOOLS: Final = frozenset({"islice", "compress", "takewhile", "dropwhile"})
_MOST_DIGITS: Final = 9
_READ: Final = {"any": "any", "last": "any", "row": "row"}  # what is read from rows, and from which of all


def members_of(over: Expression) -> Expression:
    """Return the keys, values or entries of a literal mapping, one by one."""
    match over:
        case Attribute(Collection(kind="mapping", items=items), "keys" | "values" | "entries" as name):
            return Collection("list", tuple(LISTED[name](items)))
    return over


def members(variable: Expression, over: Expression) -> Held:
    """Return what the variables of a loop hold for any member of `over`, or of its parts."""
    one = Operation("any", (over,))
    if isinstance(variable, Name):
        return {variable: one}
    return {name: Operation("member", (one, Name(str(at)))) for at, name in enumerate(names_in(variable))}


def turns_of(over: Expression | None) -> int:
    """Return how often a loop over `range(3)` runs; 1 for what isn't known."""
    match over:
        case Call(Name("range"), (Argument(Value("number", text)),)) if text.isdecimal():
            return int(text[:_MOST_DIGITS])
    return 1


def has_members(condition: Expression, over: Expression) -> bool:
    """Whether a condition says only that a list isn't empty, so that a loop over it does the same without it."""
    sizes = {Attribute(over, "length"), Attribute(over, "size"), Call(Name("len"), (Argument(over),))}
    match condition:
        case Operation(">" | "!=" | "!==", (size, Value("number", "0"))):
            return size in sizes
        case Operation(">=", (size, Value("number", "1"))):
            return size in sizes
    return condition in sizes


def after_the_last(over: Expression, frame: Frame) -> None:
    """Let what was read from any member be read from the last one: a loop leaves its names as they were then."""
    any_member = Operation("any", (over,))

    def last(one: Expression) -> Expression:
        return Operation("last", (over,)) if one == any_member else rebuilt(one, last)

    frame.held.update({name: last(value) for name, value in frame.held.items()})


def bind_each(variable: Expression | None, item: Expression, frame: Frame) -> None:
    """Bind the variable of a loop to one item, or to its parts."""
    if isinstance(variable, Name):
        frame.held[variable] = item
        return
    for at, part in enumerate(variable.items if isinstance(variable, Collection) else ()):
        bind_each(part, simplified(Operation("member", (item, Name(str(at))))), frame)


def names_in(one: Expression) -> list[Name]:
    """The names in a target, in order."""
    if isinstance(one, Name):
        return [one]
    return [name for part in (one.items if isinstance(one, Collection) else ()) for name in names_in(part)]


def in_any_order(over: Expression) -> Expression:
    """Return what a loop goes through without what only lists or orders it: a loop's body runs for the same members."""
    match over:
        case Call(Name(name), (Argument(value=whole), *_)) if name in _ONLY_LISTED:
            return in_any_order(whole)
        case Collection("list" | "tuple" | "set", (Operation("spread", (whole,)),)):
            return in_any_order(whole)
    return over


def of_all_rows(claim: Claim) -> Claim:
    """Return the claim as it is made of every row: no loop leaves some out, or asks only of the last one."""
    expected = None if claim.object is None else _of_all(claim.object)
    return replace(claim, subject=_of_all(claim.subject), object=expected)


def _of_all(one: Expression) -> Expression:
    if isinstance(one, Operation) and one.operator in _READ:
        over, *rest = one.operands
        return Operation(_READ[one.operator], (taken_from(over), *rest))
    return rebuilt(one, _of_all)


def taken_from(over: Expression) -> Expression:
    """Return what rows are taken from by a slice, a filter or a condition."""
    match over:
        case Operation("some of", (whole, _)):
            return whole
        case Subscript(value=whole, key=Operation(operator="slice")):
            return taken_from(whole)
        case Call(Attribute(value=whole, name="slice" | "filter" | "take"), _):
            return taken_from(whole)
        case Call(Name("filter"), (_, Argument(value=whole))):
            return taken_from(whole)
        case Call(function, (Argument(value=whole), *_)) if last_name(function) in _ITERTOOLS:
            return taken_from(whole)
        case Operation("each", (element, variable, whole, _, *_)) if element == variable:
            return taken_from(whole)
    whole = in_any_order(over)
    return over if whole is over else taken_from(whole)


def waited_for(one: Loop, after: Block) -> Expression | None:
    """Return the condition that a loop waits for: it returns as soon as that holds, and the code after it fails.

    None for any other loop, such as one that looks for a member that fulfils a condition.
    """
    fails = always_fails(after)
    if one.otherwise or not (fails or _gives(after, "false")):
        return None
    match [each for each in one.body if may_return((each,))]:
        case [Branch(condition, then, ())] if ending(then) == "return" and (fails or _gives(then, "true")):
            sought = set(names_in(one.variable)) if one.variable is not None else set()
            return None if sought & set(terms_of(condition)) else condition
    return None


def _gives(block: Block, truth: str) -> bool:
    last = block[-1] if block else None
    value = last.value if isinstance(last, Leave) and last.kind == "return" else None
    return isinstance(value, Value) and value.kind == "boolean" and value.text.lower() == truth


def broken_off(block: Block, frame: Frame) -> Expression | None:
    """Return the condition under which a loop goes on after its body, if a `break` may end it; None if nothing does."""
    for one in block:
        if isinstance(one, Leave) and one.kind == "break":
            return _NEVER
        if isinstance(one, Branch) and broken_off(one.then, frame) == _NEVER:
            return negated_term(substitute(one.condition, frame.held))
    return None
