"""`assert…` functions: node:assert, chai's assert, Deno's @std/assert, QUnit, the `t` of node:test, AVA and tape."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from pactkeeper.intent.claims import (
    Argument,
    Attribute,
    Claim,
    Collection,
    Expression,
    Name,
    Relation,
    Value,
)
from pactkeeper.repo.languages.javascript.claims.expressions import UNREAD, Match, Reading, Scope
from pactkeeper.repo.languages.javascript.claims.raising import ANY_ERROR, raises, thrower
from pactkeeper.repo.languages.javascript.claims.relations import (
    FALSE,
    TRUE,
    Claims,
    compare,
    compared,
    equate,
    holds,
    keyed,
    qualified,
    string,
    typed,
)
from pactkeeper.repo.languages.javascript.claims.syntax import Link, bare, is_function

Reader = Callable[[Match], Claims | None]
_SILENT = frozenset(
    {"fail", "expect", "async", "step", "verifySteps", "plan", "end", "pass", "log", "timeout", "teardown", "assert"}
    | {"comment", "unreachable", "diagnostic", "skip", "todo", "test", "before", "after", "beforeEach", "afterEach"}
    | {"mock"}
)


def asserted(links: tuple[Link, ...], scope: Scope, known: Mapping[str, str]) -> Reading | None:
    """Read `assert(x)`, `assert.equal(a, b)`, `strictEqual(a, b)`; `known` maps local names to assertion functions."""
    name = _function(links, known)
    if name is None:
        return None
    link = links[-1]
    if name in _SILENT:
        return Reading()
    reader = _READERS.get(name)
    if reader is None or not link.arguments:
        return UNREAD if name != "" else None
    subject = link.arguments[0]
    match = Match(scope.read(subject), subject, replace(link, arguments=link.arguments[1:]), scope)
    claims = reader(match)
    visit = () if is_function(bare(subject)) else (subject,)
    return UNREAD if claims is None else Reading(claims, visit=visit)


def _function(links: tuple[Link, ...], known: Mapping[str, str]) -> str | None:
    """Return the canonical name of the called assertion function, `ok` for a bare `assert(x)`."""
    if links[-1].arguments is None or any(link.arguments is not None for link in links[:-1]):
        return None
    names = [link.name for link in links]
    head = known.get(names[0])
    if head is not None and len(names) == 1:
        return "ok" if head == "" else head
    if head == "" or (names[0] == "t" and len(names) > 1 and (names[1] == "assert" or names[1] in _T_WORDS)):
        rest = [name for name in names[1:] if name not in {"strict", "assert"}]
        return rest[0] if len(rest) == 1 else ("ok" if not rest else None)
    if names[:2] == ["chai", "assert"]:
        return names[2] if len(names) > 2 else "ok"  # noqa: PLR2004 - chai, assert and the function
    return None


def _first(match: Match, reader: Callable[[Expression, Expression], Claims]) -> Claims | None:
    wanted = match.first
    return None if wanted is None else reader(match.subject, wanted)


def _equal(*, turned: bool = False, same: bool = False) -> Reader:
    relation: Relation = "same" if same else "equals"

    def read(match: Match) -> Claims | None:
        wanted = match.first
        if wanted is None:
            return None
        if not same:
            return compared(match.subject, wanted, negated=turned)
        return equate(match.subject, wanted, negated=turned, relation=relation)

    return read


def _binary(relation: Relation, *, turned: bool = False) -> Reader:
    return lambda match: _first(match, lambda left, right: (Claim(relation, left, right, turned),))


def _ordered(relation: Relation) -> Reader:
    return lambda match: _first(match, lambda left, right: compare(relation, left, right))


def _unary(relation: Relation, *, turned: bool = False) -> Reader:
    return lambda match: (Claim(relation, match.subject, None, turned),)


def _truth(*, turned: bool = False) -> Reader:
    return lambda match: holds(match.subject, negated=turned)


def _exactly(value: Expression, *, turned: bool = False) -> Reader:
    return lambda match: equate(match.subject, value, negated=turned)


def _type(name: str, *, turned: bool = False) -> Reader:
    return lambda match: (typed(match.subject, name, negated=turned),)


def _state(state: str, *, turned: bool = False) -> Reader:
    return lambda match: (Claim("state", match.subject, string(state), turned),)


def _type_of(*, turned: bool = False) -> Reader:
    def read(match: Match) -> Claims | None:
        wanted = match.first
        return (typed(match.subject, wanted.text, negated=turned),) if isinstance(wanted, Value) else None

    return read


def _throws(*, turned: bool = False) -> Reader:
    def read(match: Match) -> Claims | None:
        call = thrower(match.node, match.scope) if match.node is not None else None
        if match.nodes and is_function(bare(match.nodes[0])):
            return (Claim("raises", ANY_ERROR, call, turned),)
        given = match.given
        wanted = given[0] if given else None
        if turned and isinstance(wanted, Value):
            wanted = None
        claims = raises(call, wanted, negated=turned)
        return _with_message(claims, given) if not turned else claims

    return read


def _with_message(claims: Claims | None, given: tuple[Expression, ...]) -> Claims | None:
    """Add the message to match: chai's and Deno's second argument, if the first is an error class."""
    if claims is None or len(given) < 2 or not isinstance(given[0], (Name, Attribute)):  # noqa: PLR2004 - type, message
        return claims
    message = given[1]
    if not isinstance(message, Value) or message.kind not in {"string", "regex"}:
        return claims
    first = claims[0]
    return (replace(first, qualifiers=(*first.qualifiers, Argument(message, "match"))), *claims[1:])


def _node_throws(match: Match) -> Claims | None:
    """Handle node:assert, where a lone string is the assertion's own message."""
    if len(match.given) == 1 and isinstance(match.given[0], Value) and match.given[0].kind == "string":
        call = thrower(match.node, match.scope) if match.node is not None else None
        return (Claim("raises", ANY_ERROR, call),)
    return _throws()(match)


def _property(*, turned: bool = False, valued: bool = False) -> Reader:
    def read(match: Match) -> Claims | None:
        given = match.given
        if not given or (valued and len(given) < 2):  # noqa: PLR2004 - a key and its value
            return None
        extras = qualified(value=given[1] if valued else None)
        return (Claim("has_property", match.subject, given[0], turned, extras),)

    return read


def _length(match: Match) -> Claims | None:
    return _first(match, lambda left, right: equate(Attribute(left, "length"), right))


def _members(match: Match) -> Claims | None:
    wanted = match.first
    if not isinstance(wanted, Collection):
        return None
    return tuple(Claim("contains", match.subject, item) for item in wanted.items) or None


def _no_error(match: Match) -> Claims | None:
    """`ifError(err)` claims that a callback got no error; the call it belongs to is unknown here."""
    return (Claim("none", match.subject),)


_READERS: dict[str, Reader] = {
    **dict.fromkeys(("ok", "isOk", "truthy", "assert"), _truth()),
    **dict.fromkeys(("notOk", "isNotOk", "falsy", "notok", "assertFalse"), _truth(turned=True)),
    **dict.fromkeys(("deepEqual", "deepStrictEqual", "eql", "same", "assertEquals", "propEqual"), _equal()),
    **dict.fromkeys(("deepLooseEqual", "partialDeepStrictEqual"), _equal()),
    **dict.fromkeys(
        ("notDeepEqual", "notDeepStrictEqual", "assertNotEquals", "notSame", "notPropEqual"),
        _equal(turned=True),
    ),
    **dict.fromkeys(("equal", "equals", "strictEqual", "is", "assertStrictEquals", "strictSame"), _equal(same=True)),
    **dict.fromkeys(
        ("notEqual", "notStrictEqual", "not", "isNot", "assertNotStrictEquals"), _equal(turned=True, same=True)
    ),
    **dict.fromkeys(
        ("throws", "throwsAsync", "rejects", "assertThrows", "assertRejects", "Throw", "throw"), _node_throws
    ),
    **dict.fromkeys(("doesNotThrow", "doesNotReject", "notThrows", "notThrowsAsync"), _throws(turned=True)),
    **dict.fromkeys(("match", "regex", "matches", "assertMatch"), _binary("matches")),
    **dict.fromkeys(("doesNotMatch", "notMatch", "notRegex", "assertNotMatch"), _binary("matches", turned=True)),
    **dict.fromkeys(
        ("include", "deepInclude", "includes", "assertStringIncludes", "assertObjectMatch"), _binary("contains")
    ),
    **dict.fromkeys(("notInclude", "notDeepInclude"), _binary("contains", turned=True)),
    **dict.fromkeys(("includeMembers", "includeDeepMembers", "assertArrayIncludes"), _members),
    **dict.fromkeys(("sameMembers", "sameDeepMembers", "sameOrderedMembers", "sameDeepOrderedMembers"), _equal()),
    **dict.fromkeys(("instanceOf", "assertInstanceOf"), _binary("instance_of")),
    **dict.fromkeys(("notInstanceOf", "assertNotInstanceOf"), _binary("instance_of", turned=True)),
    **dict.fromkeys(("isAbove", "assertGreater"), _ordered("greater")),
    **dict.fromkeys(("isAtLeast", "assertGreaterOrEqual"), _ordered("at_least")),
    **dict.fromkeys(("isBelow", "assertLess"), _ordered("less")),
    **dict.fromkeys(("isAtMost", "assertLessOrEqual"), _ordered("at_most")),
    **dict.fromkeys(("closeTo", "approximately", "assertAlmostEquals"), keyed("approximately", "tolerance")),
    **dict.fromkeys(("property", "nestedProperty", "ownProperty"), _property()),
    **dict.fromkeys(("notProperty", "notNestedProperty", "notOwnProperty"), _property(turned=True)),
    **dict.fromkeys(("propertyVal", "nestedPropertyVal", "deepPropertyVal"), _property(valued=True)),
    **dict.fromkeys(("exists", "isDefinedAndNotNull", "assertExists"), _unary("exists")),
    **dict.fromkeys(("snapshot", "matchSnapshot", "assertSnapshot"), _unary("snapshot")),
    **dict.fromkeys(("isTrue", "true"), _exactly(TRUE)),
    **dict.fromkeys(("isFalse", "false"), _exactly(FALSE)),
    "isNotTrue": _exactly(TRUE, turned=True),
    "isNotFalse": _exactly(FALSE, turned=True),
    "notExists": _unary("exists", turned=True),
    "ifError": _no_error,
    "error": _no_error,
    "isNull": _unary("none"),
    "isNotNull": _unary("none", turned=True),
    "isUndefined": _unary("undefined"),
    "isDefined": _unary("undefined", turned=True),
    "isEmpty": _unary("empty"),
    "isNotEmpty": _unary("empty", turned=True),
    "isNaN": _state("NaN"),
    "isNotNaN": _state("NaN", turned=True),
    "isFrozen": _state("frozen"),
    "isNotFrozen": _state("frozen", turned=True),
    "isArray": _type("array"),
    "isNotArray": _type("array", turned=True),
    "isObject": _type("object"),
    "isNotObject": _type("object", turned=True),
    "isString": _type("string"),
    "isNotString": _type("string", turned=True),
    "isNumber": _type("number"),
    "isBoolean": _type("boolean"),
    "isFunction": _type("function"),
    "isNotFunction": _type("function", turned=True),
    "typeOf": _type_of(),
    "notTypeOf": _type_of(turned=True),
    "lengthOf": _length,
    "oneOf": _binary("contained_in"),
}
_T_WORDS = frozenset(_READERS) | _SILENT
FUNCTIONS = frozenset(_READERS) | {"fail", "unreachable"}


def failing(links: tuple[Link, ...], known: Mapping[str, str]) -> bool:
    """Whether the chain is a call that fails the test outright: `assert.fail()`, `unreachable()`."""
    return _function(links, known) in {"fail", "unreachable"}
