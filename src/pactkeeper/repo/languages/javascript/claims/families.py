"""The assertion families, in the order they are tried, and supertest's chains; a new family is one line here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from pactkeeper.intent.claims import Argument, Attribute, Call, Claim, Expression, Name, Subscript, Value
from pactkeeper.repo.languages.javascript.claims.asserts import asserted
from pactkeeper.repo.languages.javascript.claims.chai import sentence, should_statics
from pactkeeper.repo.languages.javascript.claims.expressions import UNREAD, Family, Handed, Reading, Scope
from pactkeeper.repo.languages.javascript.claims.jest import expect
from pactkeeper.repo.languages.javascript.claims.relations import Claims, equate, holds, number, qualified
from pactkeeper.repo.languages.javascript.claims.screens import cypress
from pactkeeper.repo.languages.javascript.claims.syntax import Link, arguments_of, bare, is_function, text
from pactkeeper.repo.languages.javascript.claims.types import typing

if TYPE_CHECKING:
    from tree_sitter import Node

RESPONSE = Name("response")
_CALLBACKS = frozenset({"done", "cb", "callback", "next", "end"})
_END = frozenset({"end", "then"})


def supertest(links: tuple[Link, ...], scope: Scope) -> Reading | None:
    """Read a request whose response is checked in the same chain; None without an `.expect(…)` on a request."""
    expects = [link for link in links[1:] if link.name == "expect" and link.arguments]
    if not expects or links[0].name == "expect":
        return None
    claims: list[Claim] = []
    handed: list[Handed] = []
    understood = True
    for link in expects:
        read, functions, plain = _expect(link, scope)
        claims.extend(replace(claim, line=_line(link), quote=_quote(link)) for claim in read)
        handed.extend(functions)
        understood = understood and plain
    handed.extend(_ends(links))
    return Reading(tuple(claims), understood, tuple(handed))


def _line(link: Link) -> int:
    arguments = link.arguments or ()
    return arguments[0].start_point[0] + 1 if arguments else link.node.end_point[0] + 1


def _quote(link: Link) -> str:
    arguments = ", ".join(text(each) for each in link.arguments or () if not is_function(bare(each)))
    return f".expect({arguments})"


def _ends(links: tuple[Link, ...]) -> list[Handed]:
    """Return the functions that receive the response at the end of the chain: `.end((err, res) => …)`, `.then(…)`."""
    return [
        Handed(each, RESPONSE)
        for link in links[1:]
        if link.name in _END
        for each in link.arguments or ()
        if is_function(bare(each))
    ]


def _expect(link: Link, scope: Scope) -> tuple[Claims, list[Handed], bool]:
    given = list(link.arguments or ())
    if len(given) > 1 and _is_callback(given[-1]):
        last = given.pop()
        handed = [Handed(last, RESPONSE)] if is_function(bare(last)) else []
    else:
        handed = []
    if len(given) == 1 and not _is_plain(given[0], scope):
        return (), [*handed, Handed(given[0], RESPONSE)], True
    values = [scope.read(each) for each in given]
    return _stated(values), handed, True


def _is_callback(node: Node) -> bool:
    node = bare(node)
    return is_function(node) or (node.type == "identifier" and text(node) in _CALLBACKS)


def _is_plain(node: Node, scope: Scope) -> bool:
    """Whether the only argument is a status or body rather than a function that checks the response."""
    node = bare(node)
    if is_function(node) or node.type == "call_expression":
        return False
    return (
        node.type != "identifier"
        or text(node) in scope.bindings
        or not text(node).startswith(("should", "assert", "check", "expect"))
    )


def _stated(values: list[Expression]) -> Claims:
    if len(values) == 1:
        return _status(values[0]) if _is_number(values[0]) else _body(values[0])
    if _is_number(values[0]) or not isinstance(values[0], Value):
        return (*_status(values[0]), *_body(values[1]))
    return _compare(Subscript(Attribute(RESPONSE, "headers"), values[0]), values[1])


def _is_number(value: Expression) -> bool:
    return isinstance(value, Value) and value.kind == "number"


def _status(value: Expression) -> Claims:
    return equate(Attribute(RESPONSE, "status"), value)


def _body(value: Expression) -> Claims:
    return _compare(Attribute(RESPONSE, "body"), value)


def _compare(subject: Expression, value: Expression) -> Claims:
    if isinstance(value, Value) and value.kind == "regex":
        return (Claim("matches", subject, value),)
    if value == Value("string", ""):
        return (Claim("empty", subject),)
    return equate(subject, value)


_COUNTS = {"calledOnce": "1", "calledTwice": "2", "calledThrice": "3"}
_WITH = frozenset({"calledWith", "calledWithExactly", "calledWithMatch", "neverCalledWith"})


def sinon(links: tuple[Link, ...], scope: Scope) -> Reading | None:
    """Read `sinon.assert.…(spy, …)`; None if the chain isn't such a call."""
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


def prop(links: tuple[Link, ...], scope: Scope) -> Reading | None:
    """Read fast-check's `fc.assert(fc.property(…, (x) => condition))`; None if the body isn't a single expression."""
    if [link.name for link in links] != ["fc", "assert"] or not links[1].arguments:
        return None
    given = arguments_of(bare(links[1].arguments[0]))
    body = given[-1].child_by_field_name("body") if given and is_function(given[-1]) else None
    plain = body is not None and body.type != "statement_block"
    return Reading(holds(scope.read(body))) if body is not None and plain else None


FAMILIES: tuple[Family, ...] = (typing, sentence, should_statics, expect, sinon, prop, supertest, cypress)


def read_assertion(links: tuple[Link, ...], scope: Scope, known: Mapping[str, str]) -> Reading | None:
    """Return what an expression asserts; None if no family recognizes it."""
    for family in FAMILIES:
        reading = family(links, scope)
        if reading is not None:
            return reading
    return asserted(links, scope, known)
