"""Statements whose parts run under a condition, more than once, or only when something fails."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from pactkeeper.intent.claims import Claim, Each, Expression, Name, Operation, Raised, descendants
from pactkeeper.intent.strength.errors import ANY_ERROR
from pactkeeper.repo.languages.javascript.claims.branches import (
    Place,
    always_fails,
    denied,
    negation,
    passes_error_on,
    proven,
)
from pactkeeper.repo.languages.javascript.claims.expressions import Scope
from pactkeeper.repo.languages.javascript.claims.module import names_in
from pactkeeper.repo.languages.javascript.claims.project import asserts
from pactkeeper.repo.languages.javascript.claims.raising import run_by
from pactkeeper.repo.languages.javascript.claims.relations import holds
from pactkeeper.repo.languages.javascript.claims.snapshots import exchanged
from pactkeeper.repo.languages.javascript.claims.syntax import children, text

if TYPE_CHECKING:
    from tree_sitter import Node

    from pactkeeper.repo.languages.javascript.claims.walk import Walk


def _block(walk: Walk, node: Node, place: Place) -> None:
    for child in children(node):
        walk.statement(child, place)


def _if(walk: Walk, node: Node, place: Place) -> None:
    condition, branch = node.child_by_field_name("condition"), node.child_by_field_name("consequence")
    other = node.child_by_field_name("alternative")
    if condition is None or branch is None:
        return _block(walk, node, place)
    walk.expression(condition, place.quietly())
    held = place.scope.read(condition)
    if always_fails(other):
        _claim(walk, holds(held), condition, place)
        return walk.statement(branch, place)
    if always_fails(branch):
        if not passes_error_on(held, branch):
            before = len(walk.claims)
            _claim(walk, denied(held), condition, place)
            quote = f"if {text(condition)} {text(branch)}"  # the condition alone would state the opposite
            walk.claims[before:] = [replace(claim, quote=quote) for claim in walk.claims[before:]]
        return walk.statement(other, place) if other is not None else None
    settled = proven(held, walk.claims)
    walk.statement(branch, replace(place, straight=False) if settled else place.under(held))
    if other is not None:
        walk.statement(other, place.under(negation(held)))
    return None


def _claim(walk: Walk, claims: tuple[Claim, ...], node: Node, place: Place) -> None:
    for claim in claims:
        walk.claim(claim, node, place)


def _for(walk: Walk, node: Node, place: Place) -> None:
    initial = node.child_by_field_name("initializer")
    if initial is not None:
        walk.statement(initial, place.quietly())
    _body(walk, node, place.looped(None))


def _body(walk: Walk, node: Node, place: Place) -> None:
    body = node.child_by_field_name("body")
    if body is not None:
        walk.statement(body, place)


def _for_in(walk: Walk, node: Node, place: Place) -> None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        return _block(walk, node, place.looped(None))
    walk.expression(right, place.quietly())
    names = tuple(text(name) for name in names_in(left))
    inner = replace(place, scope=place.scope.without(names))
    return _body(walk, node, inner.looped(every(left, right, place.scope)))


def every(pattern: Node, over: Node, scope: Scope) -> Each:
    """Return the members that a loop iterates over; a destructured member is named "case"."""
    return Each("every", Name(text(pattern) if pattern.type == "identifier" else "case"), scope.read(over))


def _try(walk: Walk, node: Node, place: Place) -> None:
    body, handler = node.child_by_field_name("body"), node.child_by_field_name("handler")
    finalizer = node.child_by_field_name("finalizer")
    if body is not None and handler is not None and _must_fail(walk, body, handler):
        _expected_failure(walk, body, handler, place)
    else:
        if body is not None:
            walk.statement(body, place)
        if handler is not None:
            _handler(walk, handler, place)
    if finalizer is not None:
        _block(walk, finalizer, place)


def _must_fail(walk: Walk, body: Node, handler: Node) -> bool:
    """Whether the test can pass only through the handler: the body ends by failing, or a planned count requires it."""
    if always_fails(body):
        return len(children(body)) > 1
    return walk.counted and asserts(handler) and not asserts(body)


def _expected_failure(walk: Walk, body: Node, handler: Node, place: Place) -> None:
    statements = children(body)[: -1 if always_fails(body) else None]
    for each in statements:
        walk.statement(each, place)
    before = len(walk.claims)
    call = run_by(statements[-1], place.scope) if statements else None
    whole, tried = text(body.parent) if body.parent is not None else "", text(body)
    said = Claim("raises", ANY_ERROR, call, quote=whole.partition(tried)[0] + tried)
    walk.claim(said, statements[-1] if statements else body, place)
    _handler(walk, handler, place, certain=True)
    if always_fails(body) and not any(_tells(claim) for claim in walk.claims[before + 1 :]):
        walk.claims[before] = replace(walk.claims[before], condition=Raised(ANY_ERROR), quote=whole)
    _name_error(walk, before)


def _tells(claim: Claim) -> bool:
    """Whether a handler's assertion would reject the failure that the try block itself ends with."""
    if not any(isinstance(one, Raised) for one in descendants(claim.subject)):
        return False
    any_error = isinstance(claim.object, Name) and claim.object.name in {"Error", "Object", "AssertionError"}
    return claim.relation != "truthy" and not (claim.relation == "instance_of" and any_error)


def _name_error(walk: Walk, start: int) -> None:
    """Let `toBeInstanceOf(TypeError)` in the handler name the error that the try block raises."""
    made = walk.claims[start:]
    found = next((each for each in made if each.relation == "instance_of" and each.subject == Raised(ANY_ERROR)), None)
    if found is None or found.negated or not isinstance(found.object, Name) or not made:
        return
    first = replace(made[0], subject=found.object)
    rest = [
        cast("Claim", exchanged(each, Raised(ANY_ERROR), Raised(found.object)))
        for each in made[1:]
        if each is not found
    ]
    walk.claims[start:] = [first, *rest]


def _handler(walk: Walk, handler: Node, place: Place, *, certain: bool = False) -> None:
    parameter, body = handler.child_by_field_name("parameter"), handler.child_by_field_name("body")
    if body is None:
        return
    inner = place
    if parameter is not None and parameter.type == "identifier":
        name = text(parameter)
        inner = replace(place, scope=place.scope.with_bindings({name: Raised(ANY_ERROR)}))
    walk.statement(body, inner if certain else inner.under(Raised(ANY_ERROR)))


def _switch(walk: Walk, node: Node, place: Place) -> None:
    value, body = node.child_by_field_name("value"), node.child_by_field_name("body")
    if value is None or body is None:
        return
    subject = place.scope.read(value)
    cases: list[Expression] = []
    for case in children(body):
        wanted = case.child_by_field_name("value")
        if wanted is not None:
            cases.append(Operation("==", (subject, place.scope.read(wanted))))
        condition = cases[-1] if wanted is not None else negation(Operation("or", tuple(cases)))
        for statement in children(case)[0 if wanted is None else 1 :]:
            walk.statement(statement, place.under(condition))


def _loop(walk: Walk, node: Node, place: Place) -> None:
    _body(walk, node, place.looped(None))


STATEMENTS: dict[str, Callable[[Walk, Node, Place], None]] = {
    "statement_block": _block,
    "else_clause": _block,
    "labeled_statement": _block,
    "program": _block,
    "ERROR": _block,
    "if_statement": _if,
    "for_statement": _for,
    "for_in_statement": _for_in,
    "while_statement": _loop,
    "do_statement": _loop,
    "try_statement": _try,
    "switch_statement": _switch,
}
