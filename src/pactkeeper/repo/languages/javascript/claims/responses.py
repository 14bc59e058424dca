"""supertest's chains: `request(app).get("/x").expect(200).expect("Content-Type", /json/, done)`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pactkeeper.intent.claims import Attribute, Claim, Expression, Name, Subscript, Value
from pactkeeper.repo.languages.javascript.claims.expressions import Handed, Reading, Scope
from pactkeeper.repo.languages.javascript.claims.relations import Claims, equate
from pactkeeper.repo.languages.javascript.claims.syntax import Link, bare, is_function, text

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
