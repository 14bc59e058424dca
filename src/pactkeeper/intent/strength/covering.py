"""Whether another assertion, in another form, still pins down all that a lost one expected.

A test of calls may compare a list of what was called, parts of a result may be compared as a whole, and a fake may give
way to another one. As much is expected if the later assertion is exact, and holds every value and number of the earlier
one, whatever is chosen and without asking the code under test.
"""

from __future__ import annotations

from typing import Final

from pactkeeper.intent.claims import Call, Claim, Collection, Expression, Operation, Value, children
from pactkeeper.intent.strength.facts import Fact, no_narrower
from pactkeeper.intent.strength.folding import is_constant, is_spread, number_of
from pactkeeper.intent.strength.inputs import loosely
from pactkeeper.intent.strength.replaced import called
from pactkeeper.intent.strength.terms import last_name, parts_in, root, terms_of

_CALLS: Final = frozenset({"called", "called_times", "called_with"})
_COUNTS: Final = frozenset({"length", "empty", "called_times"})
_MANY: Final = 3  # values that hardly stand together by chance, and
_LONG: Final = 6  # letters of a value that hardly does alone
_CUTTING: Final = frozenset({"filter", "slice", "splice", "find", "at", "pop", "shift"})
_EQUAL: Final = frozenset({"equals", "same"})
_EXACT: Final = _EQUAL | _CALLS | _COUNTS
_CHOOSING: Final = frozenset({"if-else", "and", "or", "&&", "||", "??"})


def keeps(fact: Fact, other: Fact, *, near: bool) -> bool:
    """Whether another assertion is exact and expects every value and number that a lost one expected.

    One that isn't `near`, in the same test, must ask as much, be about calls, or expect values that stand out.
    """
    one, two = fact.claim, other.claim
    if not (_is_exact(one) or one.relation == "contains") or not _is_exact(two) or not no_narrower(other, fact):
        return False
    if two.object is not None and any(map(_is_of_some, terms_of(two.object))):
        return False
    if loosely(two) - loosely(one) or is_answered(one, two):
        return False
    values, number = _values(one), _number(one)
    if number is not None and number not in _numbers(two):
        return False
    if not (values or number is not None) or not all(_stands_in(value, one, two) for value in values):
        return False
    telling = (near and bool(values)) or len(values) >= _MANY or any(len(value.text) >= _LONG for value in values)
    return telling or bool({one.relation, two.relation} & _CALLS) or _asks_as_much(one, two)


def _is_exact(claim: Claim) -> bool:
    if claim.relation == "called":
        return claim.negated
    return claim.relation in _EXACT and not (claim.negated or claim.alternatives or claim.each)


def _is_of_some(one: Expression) -> bool:
    """Whether a value is read from rows of which some may be left out."""
    match one:
        case Operation("any", (Operation("touched"),)) | Operation("row", (Operation("some of"), _)):
            return True
        case Operation(operator="any", operands=(Call() as rows,)):
            return any(last_name(part) in _CUTTING for part in terms_of(rows) if isinstance(part, Call))
    return False


def _values(claim: Claim) -> frozenset[Value]:
    """Return the literals that a claim expects, apart from numbers of members or calls."""
    given = terms_of(claim.object) if claim.object is not None and claim.relation not in _COUNTS else ()
    return frozenset(part for part in given if isinstance(part, Value))


def _stands_in(value: Value, one: Claim, two: Claim) -> bool:
    expected = _expected(one, two)
    if value in expected:
        return True
    texts = (part.text for part in expected if isinstance(part, Value) and part.kind == value.kind == "string")
    return len(value.text) > 1 and any(value.text in text for text in texts)


def _expected(one: Claim, two: Claim) -> frozenset[Expression]:
    """Return the parts that the later claim expects in every case, or in the same cases as the earlier one."""
    cases = {_case(part) for part in terms_of(one.object)} if one.object is not None else set[Expression | None]()
    found: set[Expression] = set()
    pending = [two.object] if two.object is not None else []
    while pending:
        part = pending.pop()
        if part not in found and _case(part) in {None, *cases}:
            found.add(part)
            pending.extend(children(part))
    return frozenset(found)


def _case(one: Expression) -> Expression | None:
    """Return what decides between the values of a choice: `c` in `a if c else b`, `a` in `a or b`; None for others."""
    if not isinstance(one, Operation) or one.operator not in _CHOOSING:
        return None
    return one.operands[one.operator == "if-else"]


def is_answered(one: Claim, two: Claim) -> bool:
    """Whether a claim expects of the same value what the code under test computes, and another one a written value."""
    written = one.object is not None and is_constant(one.object) and one.subject == two.subject
    equal = {one.relation, two.relation} <= _EQUAL and not (one.negated or two.negated)
    return written and equal and is_computed(two)


def is_computed(claim: Claim) -> bool:
    """Whether the code under test computes what a claim expects of it."""
    asked = called(terms_of(root(claim.subject)))
    return claim.object is not None and bool(asked) and asked <= called(terms_of(claim.object))


def _number(claim: Claim) -> float | None:
    """Return how many members or calls a claim expects; None if it says nothing of that."""
    if claim.relation in {"empty", "called"}:
        return 0
    if claim.relation == "called_with":
        return next((number_of(extra.value) for extra in claim.qualifiers if extra.name == "times"), None)
    if claim.relation in _COUNTS:
        return number_of(claim.object)
    return _size(claim.object)


def _numbers(claim: Claim) -> set[float | None]:
    """Return every number of members or calls that a claim states, in lists inside of lists, too."""
    inner = {_size(part) for part in terms_of(claim.object)} if claim.object is not None else set[float | None]()
    return {_number(claim), *inner} - {None}


def _size(one: Expression | None) -> float | None:
    listed = isinstance(one, Collection) and one.kind in {"list", "tuple"} and not any(map(is_spread, one.items))
    return len(one.items) if listed and isinstance(one, Collection) else None


def _asks_as_much(one: Claim, two: Claim) -> bool:
    """Whether a claim is about a result of the same calls, with the same literals and lists of them."""
    mine = {part for part in terms_of(one.subject) if isinstance(part, Value | Collection) and is_constant(part)}
    asked = called(part for part in terms_of(one.subject) if isinstance(part, Call))
    parts = parts_in(two)
    return bool(asked) and mine <= parts and asked <= called(part for part in parts if isinstance(part, Call))
