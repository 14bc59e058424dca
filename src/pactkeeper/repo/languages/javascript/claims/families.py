"""The assertion families in the order in which they are asked; a new family is one line here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from pactkeeper.intent.claims import (
    Argument,
    Attribute,
    Call,
    Claim,
    Expression,
    Name,
    Opaque,
    Relation,
    Subscript,
    Value,
)
from pactkeeper.repo.languages.javascript.claims.asserts import asserted
from pactkeeper.repo.languages.javascript.claims.chai import sentence, should_statics
from pactkeeper.repo.languages.javascript.claims.expressions import Scope
from pactkeeper.repo.languages.javascript.claims.jest import expect
from pactkeeper.repo.languages.javascript.claims.reading import UNREAD, Family, Reading
from pactkeeper.repo.languages.javascript.claims.relations import number, qualified
from pactkeeper.repo.languages.javascript.claims.responses import supertest
from pactkeeper.repo.languages.javascript.claims.screens import cypress
from pactkeeper.repo.languages.javascript.claims.syntax import Link, children, squeezed, text

if TYPE_CHECKING:
    from tree_sitter import Node


_RELATIONS: dict[str, Relation] = {
    "toEqualTypeOf": "has_type",
    "toExtend": "instance_of",
    "toMatchTypeOf": "instance_of",
    "toMatchObjectType": "has_type",
    "toBeInstanceOf": "instance_of",
}
_TYPE_EQUALITY = frozenset({"assertEqual", "assertEquals", "assertTypesEqual", "expectEqual"})
_READABLE = 60
_DEEPEST = 5
_NAMES = frozenset({"type_identifier", "predefined_type", "nested_type_identifier"})
_DERIVED = {"infer": "inferred", "TypeOf": "inferred", "ReturnType": "return"}
_NAMED = {
    "toBeString": "string",
    "toBeNumber": "number",
    "toBeBoolean": "boolean",
    "toBeFunction": "function",
    "toBeObject": "object",
    "toBeArray": "Array",
    "toBeAny": "any",
    "toBeUnknown": "unknown",
    "toBeNever": "never",
    "toBeVoid": "void",
    "toBeNull": "null",
    "toBeUndefined": "undefined",
    "toBeSymbol": "symbol",
    "toBeBigInt": "bigint",
}


def typing(links: tuple[Link, ...], scope: Scope) -> Reading | None:
    """Read a static type assertion; None where the chain is none."""
    first = links[0]
    if first.name in {"assertType", "expectTypeOf", "expectType"} and first.arguments is not None:
        return _assert_type(first, scope) if first.name != "expectTypeOf" else _expect_type(links, scope)
    last = links[-1]
    if last.name in _TYPE_EQUALITY and len(last.types) == 2 and len(last.arguments or ()) <= 1:  # noqa: PLR2004 - two types
        return Reading((_equal_types(last.types[0], last.types[1], scope),))
    return None


def _assert_type(link: Link, scope: Scope) -> Reading:
    if not link.types or not link.arguments:
        return UNREAD
    return Reading((Claim("has_type", scope.read(link.arguments[0]), _type(link.types[0], scope)),))


def _expect_type(links: tuple[Link, ...], scope: Scope) -> Reading:
    last = links[-1]
    if len(links) < 2 or last.arguments is None:  # noqa: PLR2004 - a matcher follows
        return UNREAD
    subject = _subject(links[0], scope)
    negated = False
    for link in links[1:-1]:
        if link.name == "not":
            negated = not negated
        else:
            subject = _part(subject, link, scope) if subject is not None else None
    claim = _matched(subject, last, scope) if subject is not None else None
    return UNREAD if claim is None else Reading((replace(claim, negated=negated),))


def _part(subject: Expression, link: Link, scope: Scope) -> Expression | None:
    """`.parameter(0)`, `.parameters`, `.returns`, `.resolves`, `.items`: what of the subject's type is meant."""
    if link.name == "parameter" and link.arguments:
        return Subscript(Attribute(subject, "parameters"), scope.read(link.arguments[0]))
    if link.name == "returns":
        return Call(subject)
    if link.name == "resolves":
        return subject
    if link.name in {"parameters", "items", "instance", "guards"} and link.arguments is None:
        return Attribute(subject, link.name)
    return None


def _matched(subject: Expression, link: Link, scope: Scope) -> Claim | None:
    given = link.arguments or ()
    if link.name in _NAMED:
        return Claim("has_type", subject, Name(_NAMED[link.name]))
    if link.name == "toHaveProperty" and given:
        return Claim("has_property", subject, scope.read(given[0]))
    if link.name == "toBeCallableWith":
        written = ", ".join(squeezed(each) for each in given)
        state = f"callable with {written}" if given else "callable without arguments"
        return Claim("state", subject, Value("string", state)) if len(written) <= _READABLE else None
    wanted = _type(link.types[0], scope) if link.types else (scope.read(given[0]) if given else None)
    return Claim(_RELATIONS[link.name], subject, wanted) if link.name in _RELATIONS and wanted is not None else None


def _subject(link: Link, scope: Scope) -> Expression | None:
    if link.arguments:
        return scope.read(link.arguments[0])
    return _spoken(link.types[0], scope) if link.types else None


def _equal_types(left: Node, right: Node, scope: Scope) -> Claim:
    """Of two equal types the one that speaks of a value is what the claim is about."""
    subject, wanted = _spoken(left, scope), _type(right, scope)
    if isinstance(subject, (Attribute, Subscript)) or not isinstance(_spoken(right, scope), (Attribute, Subscript)):
        return Claim("has_type", subject, wanted)
    return Claim("has_type", _spoken(right, scope), _type(left, scope))


def _spoken(node: Node, scope: Scope, depth: int = 0) -> Expression:
    """A type as what a claim is about: `typeof x` is about x, `z.infer<typeof x>` about the type inferred from x."""
    alias = scope.type_alias(node)
    if alias is not None and depth < _DEEPEST:
        meant = _spoken(alias, scope, depth + 1)
        return meant if isinstance(meant, (Attribute, Subscript)) else Name(text(node))
    inner = children(node)
    if node.type == "type_query" and inner:
        return scope.read(inner[0])
    if node.type == "lookup_type" and len(inner) == 2:  # noqa: PLR2004 - an object's type and a key
        key = children(inner[1])
        return Subscript(_spoken(inner[0], scope, depth), scope.read(key[0])) if key else Opaque(squeezed(node))
    given = node.child_by_field_name("type_arguments")
    if node.type == "generic_type" and given is not None and len(children(given)) == 1:
        argument = children(given)[0]
        if argument.type == "type_query":
            name = text(node.child_by_field_name("name")).rpartition(".")[2]
            return Attribute(_spoken(argument, scope, depth), f"{_DERIVED.get(name, name)} type")
    return Name(squeezed(node)) if node.type in _NAMES else Opaque(squeezed(node))


def _type(node: Node, scope: Scope) -> Expression:
    """A type as what something is of: by its name, or by its text where it is short enough to read."""
    alias = scope.type_alias(node)
    written = squeezed(alias if alias is not None else node)
    if node.type in _NAMES and (alias is None or len(written) > _READABLE):
        return Name(text(node))
    return Value("string", written) if len(written) <= _READABLE else Opaque(written)


_COUNTS = {"calledOnce": "1", "calledTwice": "2", "calledThrice": "3"}
_WITH = frozenset({"calledWith", "calledWithExactly", "calledWithMatch", "neverCalledWith"})


def sinon(links: tuple[Link, ...], scope: Scope) -> Reading | None:
    """Read `sinon.assert.…(spy, …)`; None where the chain is no such call."""
    if [link.name for link in links[:2]] != ["sinon", "assert"] or len(links) != 3:  # noqa: PLR2004 - and the function
        return None
    name, nodes = links[2].name, links[2].arguments
    if not nodes:
        return UNREAD
    spy, *given = (scope.read(node) for node in nodes)
    claim = _claim(name, spy, given)
    return UNREAD if claim is None else Reading((claim,))


def _claim(name: str, spy: Expression, given: list[Expression]) -> Claim | None:
    if name in {"called", "notCalled"}:
        return Claim("called", spy, negated=name == "notCalled")
    if name in _COUNTS:
        return Claim("called_times", spy, number(_COUNTS[name]))
    if name == "callCount" and given:
        return Claim("called_times", spy, given[0])
    call = Call(spy, tuple(Argument(each) for each in given))
    if name in _WITH:
        return Claim("called_with", spy, call, name == "neverCalledWith")
    if name in {"calledOnceWithExactly", "calledOnceWithMatch", "calledOnceWith"}:
        return Claim("called_with", spy, call, qualifiers=qualified(times=number("1")))
    if name == "alwaysThrew":
        return Claim("raises", Name("Error"), Call(spy))
    return None


FAMILIES: tuple[Family, ...] = (sentence, should_statics, expect, typing, sinon, supertest, cypress)


def read_assertion(links: tuple[Link, ...], scope: Scope, known: Mapping[str, str]) -> Reading | None:
    """What an expression asserts; None where it is no assertion of any family."""
    for family in FAMILIES:
        reading = family(links, scope)
        if reading is not None:
            return reading
    return asserted(links, scope, known)
