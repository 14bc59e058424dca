"""Assertions as checks: whether the test waits for them, and what the functions inside them do."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pactkeeper.intent.claims import Call, Claim, Expression, Name
from pactkeeper.intent.strength.program import Act, Check, Leave, Loop, Statement, Within
from pactkeeper.repo.languages.javascript.claims.expressions import Scope
from pactkeeper.repo.languages.javascript.claims.relations import holds
from pactkeeper.repo.languages.javascript.claims.syntax import (
    Link,
    body_of,
    chain,
    children,
    is_function,
    parameters_of,
)
from pactkeeper.repo.languages.javascript.strength.asserting import Asserted, affirms, given_to
from pactkeeper.repo.languages.javascript.strength.place import Place, line_of, quote_of, taken
from pactkeeper.repo.languages.javascript.strength.values import bindings_of, called_arguments, receiver_of
from pactkeeper.repo.languages.javascript.strength.waiting import floats, needs_waiting

if TYPE_CHECKING:
    from tree_sitter import Node

    from pactkeeper.repo.languages.javascript.strength.lowering import Lowering


def checked(lower: Lowering, found: Asserted, node: Node, place: Place) -> list[Statement]:
    """An assertion, what its parts assert, and whether the test waits for it."""
    links = chain(node)
    waiting = not needs_waiting(links, page=lower.page) or not floats(node)
    awaited = place.waited or (waiting and not place.floating)
    statements = _of_every(lower, found, links, node, awaited=awaited) or _within(lower, found, node, awaited=awaited)
    inner: list[Statement] = []
    for each in found.visit:
        if each is not found.raiser:
            inner += [one for one in lower.expression(each, place) if not isinstance(one, Act)]
    for handed in found.handed:
        inner += _handed(lower, handed.function, handed.value, node, awaited=awaited)
    return [*inner, *statements]


def _of_every(
    lower: Lowering, found: Asserted, links: tuple[Link, ...], node: Node, *, awaited: bool
) -> list[Statement]:
    """`expect(xs.every((x) => x > 0)).toBe(true)` asserts of each member what a loop would."""
    call = given_to(links)
    affirmed = len(found.claims) == 1 and affirms(found.claims[0])
    receiver = receiver_of(call) if call is not None and call.type == "call_expression" else None
    given = called_arguments(call) if call is not None and receiver is not None else []
    body = body_of(given[0]) if len(given) == 1 and is_function(given[0]) else None
    if not affirmed or call is None or receiver is None or body is None or body.type == "statement_block":
        return []
    if chain(call)[-1].name != "every":
        return []
    parameters = parameters_of(given[0])
    variable, opening = taken(parameters[0], f"member·{body.start_byte}") if parameters else (None, [])
    check = Check(holds(lower.scope.read(body)), line_of(node), quote_of(node), awaited)
    return [Loop(variable, lower.scope.read(receiver), (*opening, check))]


def _within(lower: Lowering, found: Asserted, node: Node, *, awaited: bool) -> list[Statement]:
    """A check; one of what a whole function raises surrounds what that function does."""
    check = Check(found.claims, line_of(node), quote_of(node), awaited, found.understood)
    raiser = found.raiser
    if raiser is None or not found.claims:
        return [check] if found.claims else []
    body = body_of(raiser) if is_function(raiser) else None
    if body is not None and body.type == "statement_block" and len(children(body)) != 1:
        inner = lower.block(children(body), Place(callback=True))
        return [
            Within(
                found.claims, tuple(one for one in inner if not isinstance(one, Leave)), line_of(node), quote_of(node)
            )
        ]
    return [replace(check, claims=tuple(_of_call(claim, raiser, body, lower.scope) for claim in found.claims))]


def _handed(lower: Lowering, node: Node, value: Expression | None, call: Node, *, awaited: bool) -> list[Statement]:
    function = lower.function_at(node)
    if function is None:
        return []
    parameters = parameters_of(function)
    opening = bindings_of(parameters[0], value) if parameters and value is not None else []
    place = Place(callback=True, floating=not awaited)
    return [Loop(None, None, (*opening, *lower.callback(call, function, place)))]


def _of_call(claim: Claim, raiser: Node, body: Node | None, scope: Scope) -> Claim:
    """The claim about what a function with one statement, or a promise, runs."""
    if claim.relation not in {"raises", "completes"}:
        return claim
    statement = children(body)[0] if body is not None and body.type == "statement_block" else body
    read = scope.read(statement if statement is not None else raiser)
    if statement is None and isinstance(read, Name):
        read = Call(read)
    return replace(claim, object=read) if claim.relation == "raises" else replace(claim, subject=read)
