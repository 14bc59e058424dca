"""The assertion families, in the order they are tried; a new family is one line here."""

from __future__ import annotations

from collections.abc import Mapping

from pactkeeper.intent.claims import Argument, Call, Claim, Expression, Name
from pactkeeper.repo.languages.javascript.claims.asserts import asserted
from pactkeeper.repo.languages.javascript.claims.chai import sentence, should_statics
from pactkeeper.repo.languages.javascript.claims.expressions import UNREAD, Family, Reading, Scope
from pactkeeper.repo.languages.javascript.claims.jest import expect
from pactkeeper.repo.languages.javascript.claims.relations import holds, number, qualified
from pactkeeper.repo.languages.javascript.claims.responses import supertest
from pactkeeper.repo.languages.javascript.claims.screens import cypress
from pactkeeper.repo.languages.javascript.claims.syntax import Link, arguments_of, bare, is_function
from pactkeeper.repo.languages.javascript.claims.types import typing

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
