"""Loops and tables of rows: what they go through, what their names hold, and whether they leave rows out."""

from __future__ import annotations

from collections.abc import Container, Sequence
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
from pactkeeper.intent.strength.folding import boolean
from pactkeeper.intent.strength.frames import Frame, Held, always_fails, ending
from pactkeeper.intent.strength.literals import LISTED
from pactkeeper.intent.strength.program import Attempt, Bind, Block, Branch, Leave, Loop, Statement
from pactkeeper.intent.strength.substitution import simplified, substitute
from pactkeeper.intent.strength.terms import last_name, negated_term, rebuilt, terms_of

_ALWAYS: Final = Value("boolean", "true")
_WAYS_OUT: Final = frozenset({"return", "break"})
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


def turns_of(over: Expression | None, body: Block) -> int:
    """Return how often a loop over `range(3)` runs; 1 for what isn't known, as where it may be left before."""
    match over:
        case Call(Name("range"), (Argument(Value("number", text)),)) if not _exits(body, _WAYS_OUT):
            return int(text[:_MOST_DIGITS]) if text.isdecimal() else 1
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
    """Return the condition that a loop waits for: it is left where that holds, and what runs else fails the test.

    Of a loop that looks for a member, it is that one of them fulfils the condition. None for any other loop.
    """
    exits = _exits(one.body, _WAYS_OUT if always_fails(one.otherwise) else {"return"})
    told = [each for each in one.body if isinstance(each, Branch) and _gives(each.then, "true")]
    tells = not one.otherwise and len(told) == len(exits) and _gives(after, "false")
    if not exits or not (fails_unless_left(one, after) or tells):
        return None
    return _sought(exits[0] if len(exits) == 1 else Operation("or", tuple(exits)), one)


def fails_unless_left(one: Loop, after: Block) -> bool:
    """Whether the test fails if a loop is never left before its end."""
    return always_fails(one.otherwise) or (not one.otherwise and always_fails(after))


def heard(one: Loop) -> Loop:
    """Return a loop that tries again without the `try` that it is left from: an error there is heard in the end."""
    body: list[Statement] = []
    for each in one.body:
        if isinstance(each, Attempt) and _exits((each,), _WAYS_OUT):
            parts = (*each.body, *each.otherwise, *(inner for catch in each.catches for inner in catch.body))
            body += (inner for inner in parts if not isinstance(inner, Leave))
        else:
            body.append(each)
    return replace(one, body=tuple(body))


def flags(one: Loop, frame: Frame) -> Held:
    """Return what the flags hold that a loop turns where it is broken off: whether the condition for that came true."""
    ends = [each for each in one.body if isinstance(each, Branch) and ending(each.then) == "break"]
    turned = [each for each in ends[0].then if isinstance(each, Bind)] if len(ends) == 1 else []
    values = {each.target: (boolean(each.value), boolean(frame.held.get(each.target))) for each in turned}
    came = _sought(ends[0].condition, one) if turned else _ALWAYS
    pairs = {(True, False): came, (False, True): negated_term(came)}
    return {target: pairs[pair] for target, pair in values.items() if pair in pairs}


def _exits(block: Block, kinds: Container[str]) -> list[Expression]:
    """Return the conditions under which a turn leaves its loop in one of these ways, one for each place."""
    found: list[Expression] = []
    goes_on: list[Expression] = []
    for one in block:
        match one:
            case Leave(kind=kind):
                return [*found, _all_of(goes_on)] if kind in kinds else found
            case Branch(condition, then, otherwise):
                sides = ((condition, then), (negated_term(condition), otherwise))
                exits = ((side, each) for side, inner in sides for each in _exits(inner, kinds))
                found += (_all_of([*goes_on, side, each]) for side, each in exits)
                goes_on += [negated_term(condition)] if ending(then) == "leave" else []
            case Attempt(body=body, otherwise=otherwise):
                found += _exits((*body, *otherwise), kinds)
    return found


def _all_of(parts: Sequence[Expression]) -> Expression:
    """Return the condition that all of these hold."""
    told = tuple(each for each in parts if each != _ALWAYS)
    return Operation("and", told) if len(told) > 1 else told[0] if told else _ALWAYS


def _sought(condition: Expression, one: Loop) -> Expression:
    """Return the condition as one of any member, if it is about the variable of the loop."""
    if one.variable is None or one.over is None or not set(names_in(one.variable)) & set(terms_of(condition)):
        return condition
    return Call(Name("any"), (Argument(Operation("each", (condition, one.variable, one.over))),))


def _gives(block: Block, truth: str) -> bool:
    last = block[-1] if block else None
    value = last.value if isinstance(last, Leave) and last.kind == "return" else None
    return isinstance(value, Value) and value.kind == "boolean" and value.text.lower() == truth


def broken_off(block: Block, frame: Frame) -> Expression | None:
    """Return the condition under which a loop goes on after its body, if a `break` may end it; None if nothing does."""
    exits = _exits(block, {"break"})
    return negated_term(substitute(exits[0], frame.held)) if exits else None
