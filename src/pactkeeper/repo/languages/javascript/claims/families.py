"""The assertion families, in the order they are tried; a new family is one line here.

Also the smaller ones: supertest's chains, sinon, fast-check, and what a page shows (Testing Library and Cypress).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from pactkeeper.intent.claims import Argument, Attribute, Call, Claim, Expression, Name, Subscript, Value
from pactkeeper.repo.languages.javascript.claims.asserts import asserted
from pactkeeper.repo.languages.javascript.claims.chai import sentence, should_statics
from pactkeeper.repo.languages.javascript.claims.expressions import UNREAD, Family, Handed, Match, Reading, Scope
from pactkeeper.repo.languages.javascript.claims.jest import expect
from pactkeeper.repo.languages.javascript.claims.readers import (
    Reader,
    equal,
    exactly,
    keyed,
    of_part,
    on_first,
    ordered,
    plain,
    state,
    to_first,
    type_named,
)
from pactkeeper.repo.languages.javascript.claims.relations import (
    FALSE,
    NULL,
    TRUE,
    UNDEFINED,
    Claims,
    equate,
    holds,
    number,
    qualified,
)
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


_QUERIES = ("getBy", "findBy", "getAllBy", "findAllBy")
_CY_EXISTENCE = frozenset({"contains", "findByText", "findByRole", "findByLabelText", "findByTestId"})


def query(links: tuple[Link, ...], scope: Scope) -> Reading | None:
    """Read a Testing Library query that stands alone as a statement and fails if nothing is found."""
    last = links[-1]
    if last.arguments and last.name.startswith(_QUERIES) and links[0].name not in {"cy", "page"}:
        return Reading((Claim("exists", scope.read(last.node)),))
    return None


def cypress(links: tuple[Link, ...], scope: Scope) -> Reading | None:
    """Read `cy.….should("chainer", …).and(…)`; None if the chain isn't a Cypress command."""
    if links[0].name != "cy" or len(links) < 2:  # noqa: PLR2004 - a command follows
        return None
    claims: list[Claim] = []
    handed: list[Handed] = []
    understood, subject = True, links[1]
    for index, link in enumerate(links[1:], start=1):
        if link.name in {"should", "and"} and link.arguments:
            read, functions = _should(scope.read(subject.node), link, scope)
            claims.extend(read or ())
            handed.extend(functions)
            understood = understood and read is not None
        elif link.name in {"then", "within", "each"}:
            handed.extend(Handed(each) for each in link.arguments or () if is_function(bare(each)))
            subject = link
        else:
            subject = link
        if link.name in _CY_EXISTENCE and index == len(links) - 1:
            claims.append(Claim("exists", scope.read(link.node)))
    if not claims and not handed and understood:
        return None
    return Reading(tuple(claims), understood, tuple(handed))


def _should(subject: Expression, link: Link, scope: Scope) -> tuple[Claims | None, list[Handed]]:
    nodes = link.arguments or ()
    if is_function(bare(nodes[0])):
        return (), [Handed(nodes[0], subject)]
    chainer = scope.read(nodes[0])
    if not isinstance(chainer, Value) or chainer.kind != "string":
        return None, []
    words = chainer.text.split(".")
    negated = "not" in words
    name = ".".join(word for word in words if word not in {"not", "to", "deep", "nested"})
    reader = _CHAINERS.get(name)
    match = Match(subject, None, replace(link, arguments=nodes[1:]), scope, negated)
    return (reader(match) if reader is not None else None), []


@on_first
def _css(match: Match, wanted: Expression) -> Claims | None:
    if len(match.given) < 2:  # noqa: PLR2004 - a property and its value
        return None
    return equate(Subscript(Attribute(match.subject, "style"), wanted), match.given[1], negated=match.negated)


_LENGTH = of_part("length", equal)
_CHAINERS: dict[str, Reader] = {
    "exist": plain("exists"),
    "be.visible": plain("visible"),
    "be.empty": plain("empty"),
    "be.null": exactly(NULL),
    "be.undefined": exactly(UNDEFINED),
    "be.true": exactly(TRUE),
    "be.false": exactly(FALSE),
    "be.hidden": state("hidden"),
    "be.disabled": state("disabled"),
    "be.enabled": state("enabled"),
    "be.checked": state("checked"),
    "be.selected": state("selected"),
    "be.focused": state("focused"),
    "have.focus": state("focused"),
    "be.ok": state("OK"),
    "have.text": to_first("has_text"),
    "include.text": to_first("contains"),
    "contain.text": to_first("contains"),
    "contain": to_first("contains"),
    "include": to_first("contains"),
    "contains": to_first("contains"),
    "match": to_first("matches"),
    "have.length": _LENGTH,
    "have.lengthOf": _LENGTH,
    "have.length.gt": of_part("length", ordered("greater")),
    "have.length.greaterThan": of_part("length", ordered("greater")),
    "have.length.above": of_part("length", ordered("greater")),
    "have.length.gte": of_part("length", ordered("at_least")),
    "have.length.at.least": of_part("length", ordered("at_least")),
    "have.length.lt": of_part("length", ordered("less")),
    "be.gt": ordered("greater"),
    "be.greaterThan": ordered("greater"),
    "be.gte": ordered("at_least"),
    "be.lt": ordered("less"),
    "be.lessThan": ordered("less"),
    "be.lte": ordered("at_most"),
    "eq": equal,
    "equal": equal,
    "eql": equal,
    "have.value": of_part("value", equal),
    "have.id": of_part("id", equal),
    "have.html": of_part("HTML", equal),
    "have.attr": keyed("has_attribute", "value"),
    "have.prop": keyed("has_property", "value"),
    "have.property": keyed("has_property", "value"),
    "have.data": keyed("has_property", "value"),
    "have.class": of_part("class", to_first("contains")),
    "have.css": _css,
    "be.a": type_named,
    "be.an": type_named,
    "be.called": plain("called"),
    "have.been.called": plain("called"),
}


FAMILIES: tuple[Family, ...] = (typing, sentence, should_statics, expect, sinon, prop, supertest, cypress)


def read_assertion(links: tuple[Link, ...], scope: Scope, known: Mapping[str, str]) -> Reading | None:
    """Return what an expression asserts; None if no family recognizes it."""
    for family in FAMILIES:
        reading = family(links, scope)
        if reading is not None:
            return reading
    return asserted(links, scope, known)
