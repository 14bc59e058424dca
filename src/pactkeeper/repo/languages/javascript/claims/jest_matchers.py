"""The matchers of Jest, Vitest, Jasmine, Playwright, Bun and jest-dom: which claim `.toBeGreaterThan(3)` makes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from pactkeeper.intent.claims import (
    Argument,
    Attribute,
    Call,
    Claim,
    Collection,
    Expression,
    Name,
    Opaque,
    Relation,
    Subscript,
    Value,
)
from pactkeeper.repo.languages.javascript.claims.expressions import Match
from pactkeeper.repo.languages.javascript.claims.raising import raises, thrower
from pactkeeper.repo.languages.javascript.claims.relations import (
    FALSE,
    TRUE,
    Claims,
    called_times,
    compare,
    compared,
    entries,
    equate,
    holds,
    is_constant,
    keyed,
    number,
    qualified,
    string,
    typed,
)
from pactkeeper.repo.languages.javascript.claims.snapshots import inline_snapshot, thrown_snapshot
from pactkeeper.repo.languages.javascript.claims.syntax import bare, is_function


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


def _equal(match: Match) -> Claims | None:
    return compared(match.subject, match.first, negated=match.negated) if match.nodes else None


def _identical(match: Match) -> Claims | None:
    wanted = match.first
    if wanted is None:
        return None
    return equate(match.subject, wanted, negated=match.negated, relation="same")


def _contain(match: Match) -> Claims | None:
    return _binary(match, "contains")


def _binary(match: Match, relation: Relation) -> Claims | None:
    wanted = match.first
    return None if wanted is None else (Claim(relation, match.subject, wanted, match.negated),)


def _ordered(relation: Relation) -> Callable[[Match], Claims | None]:
    def read(match: Match) -> Claims | None:
        wanted = match.first
        return None if wanted is None else compare(relation, match.subject, wanted, negated=match.negated)

    return read


def _with(relation: Relation) -> Callable[[Match], Claims | None]:
    return lambda match: _binary(match, relation)


def _length(match: Match) -> Claims | None:
    wanted = match.first
    return None if wanted is None else equate(Attribute(match.subject, "length"), wanted, negated=match.negated) or None


def _text_match(match: Match) -> Claims | None:
    wanted = match.first
    if isinstance(wanted, Value) and wanted.kind == "string":
        return (Claim("contains", match.subject, wanted, match.negated),)
    return _binary(match, "matches")


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


def _called_times(match: Match) -> Claims | None:
    wanted = match.first
    if wanted is None:
        return None
    claim = called_times(match.subject, wanted)
    return (replace(claim, negated=match.negated is not claim.negated),)


def _called_once(match: Match) -> Claims:
    return (Claim("called_times", match.subject, number("1"), match.negated),)


def _snapshot(match: Match) -> Claims:
    return (Claim("snapshot", match.subject, None, match.negated),)


def _inline(match: Match) -> Claims:
    return inline_snapshot(match.subject, match.nodes)


def _thrown_inline(match: Match) -> Claims:
    call = thrower(match.node, match.scope) if match.node is not None else None
    return thrown_snapshot(call, match.nodes)


def _instance(match: Match) -> Claims | None:
    return _binary(match, "instance_of")


def _type_name(match: Match) -> Claims | None:
    wanted = match.first
    return (typed(match.subject, wanted.text, negated=match.negated),) if isinstance(wanted, Value) else None


def _object_match(match: Match) -> Claims | None:
    return _binary(match, "contains") if isinstance(match.first, Collection) else _binary(match, "matches")


def _one_of(match: Match) -> Claims | None:
    return _binary(match, "contained_in")


def _satisfies(match: Match) -> Claims | None:
    wanted = match.first
    if wanted is None or isinstance(wanted, Opaque):
        return None
    return (Claim("satisfies", Call(wanted, (Argument(match.subject),)), None, match.negated),)


def _exactly(value: Expression) -> Callable[[Match], Claims | None]:
    return lambda match: equate(match.subject, value, negated=match.negated)


def _truth(*, turned: bool) -> Callable[[Match], Claims | None]:
    return lambda match: holds(match.subject, negated=match.negated is not turned)


def _part(name: str) -> Callable[[Match], Claims | None]:
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


def _text(match: Match) -> Claims | None:
    wanted = match.first
    if wanted is None:
        return None
    return (Claim("has_text", match.subject, wanted, match.negated),)


def _returned(match: Match) -> Claims | None:
    return _binary(match, "returned")


def _defined_type(match: Match) -> Claims | None:
    return (Claim("undefined", match.subject, None, not match.negated),)


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
MATCHERS: dict[str, Callable[[Match], Claims | None]] = {
    "toBe": _identical,
    "toEqual": _equal,
    "toStrictEqual": _equal,
    "toBeTruthy": _truth(turned=False),
    "toBeFalsy": _truth(turned=True),
    "toBeTrue": _exactly(TRUE),
    "toBeFalse": _exactly(FALSE),
    "toBeTrueBoolean": _exactly(TRUE),
    "toBeDefined": _defined_type,
    "toBeNullable": _with("none"),
    "toContain": _contain,
    "toContainEqual": _contain,
    "toHaveLength": _length,
    "toHaveSize": _length,
    "toBeArrayOfSize": _length,
    "toHaveCount": _length,
    "toHaveProperty": _property,
    "toMatch": _text_match,
    "toMatchObject": _object_match,
    "toBeGreaterThan": _ordered("greater"),
    "toBeGreaterThanOrEqual": _ordered("at_least"),
    "toBeLessThan": _ordered("less"),
    "toBeLessThanOrEqual": _ordered("at_most"),
    "toBeCloseTo": keyed("approximately", "places"),
    "toBeInstanceOf": _instance,
    "toBeTypeOf": _type_name,
    "toBeOneOf": _one_of,
    "toSatisfy": _satisfies,
    "toStartWith": _with("starts_with"),
    "toEndWith": _with("ends_with"),
    "toInclude": _contain,
    "toThrow": thrown,
    "toThrowError": thrown,
    "toHaveBeenCalledTimes": _called_times,
    "toBeCalledTimes": _called_times,
    "toHaveBeenCalledOnce": _called_once,
    "toHaveBeenCalledWith": _called_with,
    "toBeCalledWith": _called_with,
    "toHaveBeenLastCalledWith": _last_called_with,
    "lastCalledWith": _last_called_with,
    "toHaveBeenNthCalledWith": _nth_called_with,
    "nthCalledWith": _nth_called_with,
    "toHaveBeenCalledExactlyOnceWith": _once_called_with,
    "toHaveBeenCalledOnceWith": _once_called_with,
    "toHaveReturnedWith": _returned,
    "toMatchSnapshot": _snapshot,
    "toMatchFileSnapshot": _snapshot,
    "toHaveScreenshot": _snapshot,
    "toThrowErrorMatchingSnapshot": thrown,
    "toMatchInlineSnapshot": _inline,
    "toThrowErrorMatchingInlineSnapshot": _thrown_inline,
    "toHaveTextContent": _text,
    "toHaveText": _text,
    "toContainText": _text,
    "toHaveAttribute": keyed("has_attribute", "value"),
    "toHaveClass": _class,
    "toHaveStyle": _css,
    "toHaveCSS": _css,
    "toHaveValue": _part("value"),
    "toHaveDisplayValue": _part("displayed value"),
    "toHaveFormValues": _object_match,
    "toHaveURL": _part("URL"),
    "toHaveTitle": _part("title"),
    "toHaveId": _part("id"),
    "toHaveAccessibleName": _part("accessible name"),
    "toHaveAccessibleDescription": _part("accessible description"),
    "toContainElement": _contain,
}
