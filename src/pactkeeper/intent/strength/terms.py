"""Terms: the expressions of a test, their parts and their names, whatever they mean."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from operator import is_
from typing import Any, Final

from pactkeeper.intent.claims import (
    Argument,
    Attribute,
    Call,
    Claim,
    Collection,
    Expression,
    Name,
    Opaque,
    Operation,
    Raised,
    Subscript,
    Value,
    children,
    descendants,
)

RAISE = "raise"  # the operator of an error that the test itself raises
RAISED = "raised"  # the operator of the condition that one of some errors is raised
EARLIER = "earlier"  # the operator of an answer that was asked for before something else was done
CAUGHT = "caught"  # the operator of a step whose failure nothing hears
TEST_SIDE = Name("tests·")  # holds the names that a file imports from other test files
PARAMETER: Final = "given·"  # before the number of a parameter of a function that is written as a term
_COMPARING: Final = frozenset({"==", "!=", "<=", ">="})


def rebuilt(one: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """Rebuild a form with every direct part changed; return the same object if none changes."""
    made = _MADE.get(type(one))
    if made is None:
        return one
    parts = children(one)
    changed = tuple(map(change, parts))
    return one if all(map(is_, parts, changed)) else made(one, changed)


def parameters_in(one: Expression) -> int:
    """Return how many parameters a function has that is written as a term; 0 for any other term."""
    match one:
        case Operation("=>", (Operation("given", (Name(number),)), *_)) if number.isdigit():
            return int(number)
    return 0


def with_parameters(one: Expression, old: str, new: str, more: int = 0) -> Expression:
    """Return a term with other names for parameters, which are a prefix and a number each."""
    if isinstance(one, Name) and one.name.startswith(old):
        return Name(f"{new}{int(one.name.removeprefix(old)) + more}")
    return rebuilt(one, lambda part: with_parameters(part, old, new, more))


def _called(one: Call, parts: tuple[Expression, ...]) -> Call:
    given = zip(parts[1:], one.arguments, strict=True)
    return Call(parts[0], tuple([Argument(value, each.name) for value, each in given]))


_MADE: Final[Mapping[type, Callable[[Any, tuple[Expression, ...]], Expression]]] = {
    Attribute: lambda one, parts: Attribute(parts[0], one.name),
    Subscript: lambda _, parts: Subscript(*parts),
    Call: _called,
    Operation: lambda one, parts: Operation(one.operator, parts),
    Collection: lambda one, parts: Collection(one.kind, parts),
    Raised: lambda _, parts: Raised(*parts),
}


@lru_cache(maxsize=4_096)
def digest(one: Expression) -> Expression:
    """Return a name that represents a term too large to carry around."""
    return Name(f"value·{hashlib.sha256(repr(one).encode()).hexdigest()[:12]}")


def operator_of(one: Expression | None) -> str:
    """Return the operator of an operation; "" for any other term."""
    return one.operator if isinstance(one, Operation) else ""


def entries_of(items: Sequence[Expression]) -> Iterator[tuple[Expression, Expression]]:
    """Return the entries of a mapping, whose items are its keys and values in turn."""
    return zip(items[::2], items[1::2], strict=False)


def root(one: Expression) -> Expression:
    """The call or name that a value is read from: `f(x).items[0]` is read from `f(x)`."""
    while isinstance(one, Attribute | Subscript):
        one = one.value
    return one


def read_through(one: Expression) -> Iterator[Expression]:
    """Yield a term, then what it is read from or called on, and so on: `f(x).a`, `f(x)` and `f`."""
    yield one
    while isinstance(one, Attribute | Subscript | Call):
        one = one.function if isinstance(one, Call) else one.value
        yield one


TAKING: Final = frozenset({"pop", "popitem", "clear", "remove", "discard"})  # methods that take out of their object


def changing(one: Expression) -> str:
    """Return the operator by which a term changes its first operand (`+=`, `delete`); "" if it changes nothing."""
    sign = operator_of(one).removeprefix("augmented_assignment_expression")
    return sign if sign == "delete" or (sign.endswith("=") and sign not in _COMPARING) else ""


def terms_of(one: Expression) -> frozenset[Expression]:
    """The term and all its parts."""
    found: set[Expression] = set()
    pending = [one]
    while pending:
        part = pending.pop()
        if part not in found:
            found.add(part)
            pending.extend(children(part))
    return frozenset(found)


@lru_cache(maxsize=16_384)
def has_call(one: Expression) -> bool:
    """Whether anything in a term is called."""
    return isinstance(one, Call) or any(map(has_call, children(one)))


def parts_in(*claims: Claim) -> frozenset[Expression]:
    """Return all parts of the subjects and expected values of claims."""
    terms = (term for claim in claims for term in (claim.subject, claim.object) if term is not None)
    return frozenset(part for term in terms for part in terms_of(term))


def is_part(part: Expression, whole: Expression) -> bool:
    """Whether a term is, or occurs in, another one; constants and classes do not count as parts."""
    return not isinstance(part, Value | Opaque) and part in descendants(whole)  # comparing is cheap, hashing is not


def strict_zips(one: Expression) -> tuple[Expression, ...]:
    """Return the calls of `zip` in a term that fail if the sides differ in length."""
    strict = Argument(Value("boolean", "True"), "strict")
    calls = (part for part in descendants(one) if isinstance(part, Call) and part.function == Name("zip"))
    return tuple(dict.fromkeys(call for call in calls if strict in call.arguments))


def negated_term(one: Expression) -> Expression:
    """The opposite condition, without a double `not`."""
    return one.operands[0] if isinstance(one, Operation) and one.operator == "not" else Operation("not", (one,))


def last_name(one: Expression) -> str:
    """Return the last name of a call, attribute or name, or ""."""
    while isinstance(one, Call):
        one = one.function
    return one.name.rpartition(".")[2] if isinstance(one, Name | Attribute) else ""


def dotted(one: Expression) -> str:
    """Return `a.b.c` for nested attributes of a name; "" if anything else is in between."""
    parts: list[str] = []
    while isinstance(one, Attribute):
        parts.append(one.name)
        one = one.value
    return ".".join([one.name, *reversed(parts)]) if isinstance(one, Name) else ""


_OPERATORS: Final = {"not": "!", "and": "&&", "or": "||", "==": "===", "!=": "!==", "if-else": "?:",
                     "spread": "...", "spread-mapping": "...", "text": "`"}  # fmt: skip


def script_term(one: Expression) -> Expression:
    """Return a term whose operations are named as JavaScript writes them."""
    made = rebuilt(one, script_term)
    if not isinstance(made, Operation) or made.operator not in _OPERATORS:
        return made
    parts = tuple(map(_piece, made.operands)) if made.operator == "text" else made.operands
    return Operation(_OPERATORS[made.operator], parts)


def _piece(one: Expression) -> Expression:
    return Name(one.text) if isinstance(one, Value) else Operation("${", (one,))


def in_script(claim: Claim) -> Claim:
    """Return a claim with the terms that JavaScript would be written with."""
    return replace(
        claim,
        subject=script_term(claim.subject),
        object=script_term(claim.object) if claim.object is not None else None,
        qualifiers=tuple(Argument(script_term(each.value), each.name) for each in claim.qualifiers),
        alternatives=tuple(map(in_script, claim.alternatives)),
    )
