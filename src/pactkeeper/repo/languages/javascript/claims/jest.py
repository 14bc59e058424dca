"""`expect(x).matcher(…)` of Jest, Vitest, Jasmine, Playwright and Bun, with jest-dom's matchers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pactkeeper.intent.claims import (
    Claim,
    Expression,
    Name,
    Raised,
    Value,
)
from pactkeeper.repo.languages.javascript.claims.expressions import UNREAD, Match, Reading, Scope
from pactkeeper.repo.languages.javascript.claims.jest_matchers import THROWS, matched, thrown
from pactkeeper.repo.languages.javascript.claims.raising import ANY_ERROR, thrower
from pactkeeper.repo.languages.javascript.claims.relations import (
    Claims,
)
from pactkeeper.repo.languages.javascript.claims.syntax import Link, bare, body_of, is_function

if TYPE_CHECKING:
    from tree_sitter import Node

_SOFT = frozenset({"soft", "poll"})
_NO_CLAIM = frozenset({"assertions", "hasAssertions", "extend", "addSnapshotSerializer", "setState", "getState"})
_IMPLIED = frozenset({"truthy", "undefined", "none", "exists"})
_REASON = Name("reason")  # a promise may reject with a string or a number
_FLAGS = frozenset({"not", "resolves", "rejects", "lastCall", "withContext", "eventually"})


def expect(links: tuple[Link, ...], scope: Scope) -> Reading | None:
    """Read `expect(x)[.not|.resolves|.rejects].matcher(…)`; None if the chain isn't one."""
    start = _start(links)
    if start is None:
        return Reading() if links[0].name == "expect" and len(links) > 1 and links[1].name in _NO_CLAIM else None
    given, rest = links[start], links[start + 1 :]
    if not rest or rest[-1].arguments is None:
        return UNREAD
    flags = {link.name for link in rest[:-1]}
    if not flags <= _FLAGS or not given.arguments:
        return UNREAD
    node = given.arguments[0]
    match = Match(_subject(node, scope, polled=given.name == "poll"), node, rest[-1], scope, "not" in flags)
    claims = _rejected(match) if "rejects" in flags else matched(match)
    return UNREAD if claims is None else Reading(claims, visit=(node,))


def _start(links: tuple[Link, ...]) -> int | None:
    """Return the index of the link with the subject: `expect(x)`, `expect.soft(x)`, `t.expect(x)`, `chai.expect(x)`."""
    for index, link in enumerate(links[:3]):
        if link.name == "expect" and link.arguments is not None:
            alone = index == len(links) - 1
            return index if index == 0 or (links[index - 1].arguments is None and not alone) else None
        if link.name in _SOFT and index and links[index - 1].name == "expect" and link.arguments is not None:
            return index
    return None


def _subject(node: Node, scope: Scope, *, polled: bool) -> Expression:
    inner = bare(node)
    if polled and is_function(inner):
        body = body_of(inner)
        if body is not None and body.type != "statement_block":
            return scope.read(body)
    return scope.read(node)


def _rejected(match: Match) -> Claims | None:
    """Read `expect(promise).rejects.matcher(…)`: the promise rejects, and its reason satisfies the matcher."""
    call = thrower(match.node, match.scope) if match.node is not None else None
    if match.link.name in THROWS:
        return thrown(match)
    inner = matched(replace(match, subject=Raised(ANY_ERROR), node=None))
    if inner is None or match.negated:
        return inner and None
    first = inner[0] if inner else None
    if len(inner) == 1 and first is not None and first.relation == "instance_of" and first.object is not None:
        return (Claim("raises", first.object, call),)
    said = tuple(each for each in inner if each.subject != Raised(ANY_ERROR) or each.relation not in _IMPLIED)
    plain = any(each.subject == Raised(ANY_ERROR) and isinstance(each.object, Value) for each in said)
    return (Claim("raises", _REASON if plain else ANY_ERROR, call), *said)
