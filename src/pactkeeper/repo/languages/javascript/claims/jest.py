"""`expect(x).matcher(…)` of Jest, Vitest, Jasmine, Playwright and Bun, with jest-dom's matchers.

Which claim `.toBeGreaterThan(3)` makes, and of what.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pactkeeper.intent.claims import (
    Argument,
    Attribute,
    Call,
    Claim,
    Collection,
    Expression,
    Name,
    Opaque,
    Raised,
    Relation,
    Subscript,
    Value,
)
from pactkeeper.intent.strength.errors import ANY_ERROR
from pactkeeper.repo.languages.javascript.claims.expressions import UNREAD, Match, Reading, Scope
from pactkeeper.repo.languages.javascript.claims.raising import raises, thrower
from pactkeeper.repo.languages.javascript.claims.readers import (
    Reader,
    deep_equal,
    equal,
    exactly,
    identical,
    keyed,
    like,
    of_part,
    on_first,
    ordered,
    plain,
    to_first,
    truth,
    turned,
    type_named,
)
from pactkeeper.repo.languages.javascript.claims.relations import (
    FALSE,
    TRUE,
    Claims,
    called_times,
    entries,
    equate,
    is_constant,
    number,
    qualified,
    string,
)
from pactkeeper.repo.languages.javascript.claims.snapshots import inline_snapshot, thrown_snapshot
from pactkeeper.repo.languages.javascript.claims.syntax import Link, bare, body_of, is_function

if TYPE_CHECKING:
    from tree_sitter import Node


def matched(match: Match) -> Claims | None:
    """Return the claims of a matcher; None if the matcher is unknown or its arguments can't be read."""
    name = match.link.name
    if name in _RELATIONS:
        relation, wanted = _RELATIONS[name]
        claim = Claim(relation, match.subject, wanted, match.negated)
        return () if is_constant(match.subject) else (claim,)
    if name in _STATES:
        return (Claim("state", match.subject, string(_STATES[name]), match.negated),)
    reader = MATCHERS.get(name)
    return reader(match) if reader is not None else None


def thrown(match: Match) -> Claims | None:
    """Read `toThrow(wanted)`."""
    call = thrower(match.node, match.scope) if match.node is not None else None
    wanted = match.first
    if match.nodes and is_function(bare(match.nodes[0])):
        return None
    return compared_error(call, wanted, match.given[1:], negated=match.negated)


def compared_error(
    call: Expression | None, wanted: Expression | None, more: tuple[Expression, ...], *, negated: bool
) -> Claims | None:
    """Read `toThrow(wanted, message)`, asymmetric matchers included."""
    partial = entries(wanted) if wanted is not None else None
    claims = raises(call, partial if partial is not None else wanted, negated=negated)
    if claims is None or not more or not isinstance(more[0], Value):
        return claims
    kind = "match" if more[0].kind == "regex" else "message"
    return (replace(claims[0], qualifiers=(*claims[0].qualifiers, Argument(more[0], kind))), *claims[1:])


def _length(match: Match) -> Claims | None:
    return of_part("length", equal)(match) or None


def _text_match(match: Match) -> Claims | None:
    wanted = match.first
    literal = isinstance(wanted, Value) and wanted.kind == "string"
    return to_first("contains" if literal else "matches")(match)


def _property(match: Match) -> Claims | None:
    claims = keyed("has_property", "value")(match)
    return claims and tuple(replace(one, object=_path(one.object)) for one in claims if one.object is not None)


def _path(key: Expression) -> Expression:
    """Normalize a property path: `["a", "b"]` names the same property as `"a.b"`."""
    if isinstance(key, Collection) and key.items and all(isinstance(item, Value) for item in key.items):
        return string(".".join(item.text for item in key.items if isinstance(item, Value)))
    return key


def _called_with(
    match: Match, position: Expression | None = None, given: tuple[Expression, ...] | None = None
) -> Claims:
    arguments = match.given if given is None else given
    call = Call(match.subject, tuple(Argument(each) for each in arguments))
    return (Claim("called_with", match.subject, call, match.negated, qualified(position=position)),)


def _last_called_with(match: Match) -> Claims:
    return _called_with(match, string("last"))


def _nth_called_with(match: Match) -> Claims | None:
    return _called_with(match, match.given[0], match.given[1:]) if match.nodes else None


def _once_called_with(match: Match) -> Claims:
    first = _called_with(match)[0]
    return (replace(first, qualifiers=qualified(times=number("1"))),)


@on_first
def _called_times(match: Match, wanted: Expression) -> Claims:
    claim = called_times(match.subject, wanted)
    return (replace(claim, negated=match.negated is not claim.negated),)


def _inline(match: Match) -> Claims:
    return inline_snapshot(match.subject, match.nodes)


def _thrown_inline(match: Match) -> Claims:
    call = thrower(match.node, match.scope) if match.node is not None else None
    return thrown_snapshot(call, match.nodes)


@on_first
def _satisfies(match: Match, wanted: Expression) -> Claims | None:
    if isinstance(wanted, Opaque):
        return None
    return (Claim("satisfies", Call(wanted, (Argument(match.subject),)), None, match.negated),)


def _part(name: str) -> Reader:
    """Return a matcher that compares one property of the subject: `toHaveValue(v)` means that `value` equals v."""

    def read(match: Match) -> Claims | None:
        wanted = match.first
        part = Attribute(match.subject, name)
        if wanted is None:
            return (Claim("exists", part, None, match.negated),)
        if isinstance(wanted, Value) and wanted.kind == "regex":
            return (Claim("matches", part, wanted, match.negated),)
        return equate(part, wanted, negated=match.negated)

    return read


def _css(match: Match) -> Claims | None:
    given = match.given
    if len(given) < 2:  # noqa: PLR2004 - a property and its value
        return _part("style")(match)
    return equate(Subscript(Attribute(match.subject, "style"), given[0]), given[1], negated=match.negated)


def _class(match: Match) -> Claims | None:
    classes = [each for each in match.given if not isinstance(each, Collection)]
    part = Attribute(match.subject, "class")
    return tuple(Claim("contains", part, each, match.negated) for each in classes) or None


_RELATIONS: dict[str, tuple[Relation, Expression | None]] = {
    "toBeNull": ("none", None),
    "toBeUndefined": ("undefined", None),
    "toHaveBeenCalled": ("called", None),
    "toBeCalled": ("called", None),
    "toBeVisible": ("visible", None),
    "toBeInTheDocument": ("exists", None),
    "toBeInTheDOM": ("exists", None),
    "toBeAttached": ("exists", None),
    "toBeEmpty": ("empty", None),
    "toBeEmptyDOMElement": ("empty", None),
    "toBeArray": ("instance_of", Name("Array")),
    "toBeFunction": ("instance_of", Name("function")),
    "toBeString": ("instance_of", Name("string")),
    "toBeNumber": ("instance_of", Name("number")),
    "toBeBoolean": ("instance_of", Name("boolean")),
    "toBeObject": ("instance_of", Name("object")),
    "toHaveReturned": ("returned", None),
    "toReturn": ("returned", None),
}
_STATES = {
    "toBeNaN": "NaN",
    "toBeDisabled": "disabled",
    "toBeEnabled": "enabled",
    "toBeChecked": "checked",
    "toBePartiallyChecked": "partially checked",
    "toBeRequired": "required",
    "toBeValid": "valid",
    "toBeInvalid": "invalid",
    "toBeEditable": "editable",
    "toHaveFocus": "focused",
    "toBeFocused": "focused",
    "toBeHidden": "hidden",
    "toBeInViewport": "in the viewport",
    "toBePositiveInfinity": "positive infinity",
    "toBeNegativeInfinity": "negative infinity",
    "toBeFinite": "finite",
    "toBeEven": "even",
    "toBeOdd": "odd",
    "toBePositive": "positive",
    "toBeNegative": "negative",
    "toBeInteger": "an integer",
    "toBeOK": "OK",
}
THROWS = frozenset({"toThrow", "toThrowError"})
MATCHERS: dict[str, Reader] = {
    "toBe": identical,
    "toEqual": deep_equal,
    "toStrictEqual": deep_equal,
    "toBeTruthy": truth,
    "toBeFalsy": turned(truth),
    "toBeTrue": exactly(TRUE),
    "toBeFalse": exactly(FALSE),
    "toBeTrueBoolean": exactly(TRUE),
    "toBeDefined": turned(plain("undefined")),
    "toBeNullable": to_first("none"),
    "toContain": to_first("contains"),
    "toContainEqual": to_first("contains"),
    "toHaveLength": _length,
    "toHaveSize": _length,
    "toBeArrayOfSize": _length,
    "toHaveCount": _length,
    "toHaveProperty": _property,
    "toMatch": _text_match,
    "toMatchObject": like,
    "toBeGreaterThan": ordered("greater"),
    "toBeGreaterThanOrEqual": ordered("at_least"),
    "toBeLessThan": ordered("less"),
    "toBeLessThanOrEqual": ordered("at_most"),
    "toBeCloseTo": keyed("approximately", "places"),
    "toBeInstanceOf": to_first("instance_of"),
    "toBeTypeOf": type_named,
    "toBeOneOf": to_first("contained_in"),
    "toSatisfy": _satisfies,
    "toStartWith": to_first("starts_with"),
    "toEndWith": to_first("ends_with"),
    "toInclude": to_first("contains"),
    "toThrow": thrown,
    "toThrowError": thrown,
    "toHaveBeenCalledTimes": _called_times,
    "toBeCalledTimes": _called_times,
    "toHaveBeenCalledOnce": plain("called_times", number("1")),
    "toHaveBeenCalledWith": _called_with,
    "toBeCalledWith": _called_with,
    "toHaveBeenLastCalledWith": _last_called_with,
    "lastCalledWith": _last_called_with,
    "toHaveBeenNthCalledWith": _nth_called_with,
    "nthCalledWith": _nth_called_with,
    "toHaveBeenCalledExactlyOnceWith": _once_called_with,
    "toHaveBeenCalledOnceWith": _once_called_with,
    "toHaveReturnedWith": to_first("returned"),
    "toReturnWith": to_first("returned"),
    "toMatchSnapshot": plain("snapshot"),
    "toMatchFileSnapshot": plain("snapshot"),
    "toHaveScreenshot": plain("snapshot"),
    "toThrowErrorMatchingSnapshot": thrown,
    "toMatchInlineSnapshot": _inline,
    "toThrowErrorMatchingInlineSnapshot": _thrown_inline,
    "toHaveTextContent": to_first("has_text"),
    "toHaveText": to_first("has_text"),
    "toContainText": to_first("has_text"),
    "toHaveAttribute": keyed("has_attribute", "value"),
    "toHaveClass": _class,
    "toHaveStyle": _css,
    "toHaveCSS": _css,
    "toHaveValue": _part("value"),
    "toHaveDisplayValue": _part("displayed value"),
    "toHaveFormValues": like,
    "toHaveURL": _part("URL"),
    "toHaveTitle": _part("title"),
    "toHaveId": _part("id"),
    "toHaveAccessibleName": _part("accessible name"),
    "toHaveAccessibleDescription": _part("accessible description"),
    "toContainElement": to_first("contains"),
}
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


_OF_REQUEST = frozenset({"end", "then", "expect"})  # what follows `.expect(200)` on a request of supertest


def _start(links: tuple[Link, ...]) -> int | None:
    """Return the index of the link with the subject: `expect(x)`, `expect.soft(x)`, `t.expect(x)`, `chai.expect(x)`."""
    for index, link in enumerate(links[:3]):
        if link.name == "expect" and link.arguments is not None:
            following = links[index + 1].name if index + 1 < len(links) else "end"
            asked = links[index - 1].arguments is not None or following in _OF_REQUEST
            return None if index and asked else index
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
