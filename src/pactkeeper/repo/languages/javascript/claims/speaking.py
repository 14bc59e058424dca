"""What a claim speaks of, and of whom it had better speak."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pactkeeper.intent.claims import Argument, Attribute, Call, Claim, Expression, Name, Opaque, Raised, Subscript
from pactkeeper.repo.languages.javascript.claims.branches import ERRORS, Place
from pactkeeper.repo.languages.javascript.claims.syntax import (
    Link,
    arguments_of,
    bare,
    is_function,
    parameters_of,
    text,
)

if TYPE_CHECKING:
    from tree_sitter import Node


def is_raised(value: Expression) -> bool:
    """Whether a value is, or is part of, an error that was caught."""
    while isinstance(value, (Attribute, Subscript)):
        value = value.value
    return isinstance(value, Raised)


def answered(link: Link, function: Node, place: Place) -> Expression | None:
    """The call, without its callbacks, that hands the callback an error or none; the innermost one counts."""
    parameters = parameters_of(function)
    target = link.node.child_by_field_name("function") if link.node.type == "call_expression" else None
    if target is None or not parameters or text(parameters[0]) not in ERRORS:
        return place.answers
    given = [each for each in arguments_of(link.node) if not is_function(bare(each))]
    return Call(place.scope.read(target), tuple(Argument(place.scope.read(each)) for each in given))


def without_error(claim: Claim, call: Expression) -> Claim:
    """That a callback got no error says that the call it belongs to completes; that it got one, that one exists."""
    if not isinstance(claim.subject, Name) or claim.subject.name not in ERRORS:
        return claim
    absent = claim.relation in {"none", "undefined", "falsy"} and not claim.negated
    if absent or (claim.relation in {"truthy", "exists"} and claim.negated):
        return Claim("completes", call)
    return replace(claim, relation="exists") if claim.relation == "truthy" else claim


def speaks_of(value: object, hidden: Opaque) -> bool:
    """Whether a part of a claim is something hidden from who reads the test."""
    if isinstance(value, tuple):
        return any(speaks_of(each, hidden) for each in value)
    if isinstance(value, Opaque):
        return value == hidden
    return any(speaks_of(getattr(value, each), hidden) for each in getattr(value, "__dataclass_fields__", ()))


def mentions(value: object, name: str) -> bool:
    """Whether an expression or claim speaks of a name."""
    if isinstance(value, Name):
        return value.name == name
    if isinstance(value, tuple):
        return any(mentions(each, name) for each in value)
    fields = getattr(value, "__dataclass_fields__", None)
    return fields is not None and any(mentions(getattr(value, each), name) for each in fields)
