"""`assert…` functions: node:assert, chai's assert, Deno's @std/assert, QUnit, the `t` of node:test, AVA and tape."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from pactkeeper.intent.claims import Argument, Attribute, Claim, Collection, Expression, Name, Value
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
    of_part,
    of_type,
    ordered,
    plain,
    state,
    to_first,
    truth,
    turned,
    type_named,
)
from pactkeeper.repo.languages.javascript.claims.relations import FALSE, TRUE, Claims
from pactkeeper.repo.languages.javascript.claims.syntax import Link, bare, is_function

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
    first, *names = [link.name for link in links]
    library, _, head = known.get(first, "").rpartition(":")
    if first in known and head:
        names = [head, *names]
    elif (first, *names[:1]) == ("chai", "assert"):
        library, names = "chai", names[1:] or ["ok"]
    elif first in known or (first == "t" and names and (names[0] == "assert" or names[0] in _T_WORDS)):
        names = [name for name in names if name not in {"strict", "assert"}] or ["ok"]
    else:
        return None
    name = ".".join(names)
    name = _OWN_WORDS.get(library, {}).get(name, name)
    return name if len(names) == 1 or name in _READERS else None


def _throws(match: Match) -> Claims | None:
    call = thrower(match.node, match.scope) if match.node is not None else None
    if match.nodes and is_function(bare(match.nodes[0])):
        return (Claim("raises", ANY_ERROR, call, match.negated),)
    wanted = match.first
    if match.negated and isinstance(wanted, Value):
        wanted = None
    claims = raises(call, wanted, negated=match.negated)
    return _with_message(claims, match.given) if not match.negated else claims


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
    return _throws(match)


def _of_a_type(match: Match) -> Claims | None:
    """Read tap's and uvu's `type(x, "string")`; tap takes a class, too."""
    return type_named(match) if isinstance(match.first, Value) else to_first("instance_of")(match)


def _with_value(match: Match) -> Claims | None:
    return keyed("has_property", "value")(match) if len(match.given) > 1 else None


def _members(match: Match) -> Claims | None:
    wanted = match.first
    if not isinstance(wanted, Collection):
        return None
    return tuple(Claim("contains", match.subject, item) for item in wanted.items) or None


_READERS: dict[str, Reader] = {
    **dict.fromkeys(("ok", "isOk", "truthy", "assert"), truth),
    **dict.fromkeys(("notOk", "isNotOk", "falsy", "notok", "assertFalse"), turned(truth)),
    **dict.fromkeys(
        ("deepEqual", "deepStrictEqual", "eql", "same", "strictSame", "assertEquals", "propEqual"), deep_equal
    ),
    **dict.fromkeys(("deepLooseEqual", "partialDeepStrictEqual"), deep_equal),
    **dict.fromkeys(
        ("notDeepEqual", "notDeepStrictEqual", "assertNotEquals", "notSame", "notPropEqual"), turned(deep_equal)
    ),
    **dict.fromkeys(("equal", "equals", "strictEqual", "is", "assertStrictEquals"), identical),
    **dict.fromkeys(("notEqual", "notStrictEqual", "not", "isNot", "assertNotStrictEquals"), turned(identical)),
    **dict.fromkeys(
        ("throws", "throwsAsync", "rejects", "assertThrows", "assertRejects", "Throw", "throw"), _node_throws
    ),
    **dict.fromkeys(("doesNotThrow", "doesNotReject", "notThrows", "notThrowsAsync"), turned(_throws)),
    **dict.fromkeys(("match", "regex", "matches", "assertMatch"), to_first("matches")),
    **dict.fromkeys(("doesNotMatch", "notMatch", "notRegex", "assertNotMatch"), turned(to_first("matches"))),
    **dict.fromkeys(
        ("include", "deepInclude", "includes", "assertStringIncludes", "assertObjectMatch"), to_first("contains")
    ),
    **dict.fromkeys(("notInclude", "notDeepInclude"), turned(to_first("contains"))),
    **dict.fromkeys(("includeMembers", "includeDeepMembers", "assertArrayIncludes"), _members),
    **dict.fromkeys(("sameMembers", "sameDeepMembers", "sameOrderedMembers", "sameDeepOrderedMembers"), deep_equal),
    **dict.fromkeys(("instanceOf", "assertInstanceOf"), to_first("instance_of")),
    **dict.fromkeys(("notInstanceOf", "assertNotInstanceOf"), turned(to_first("instance_of"))),
    **dict.fromkeys(("isAbove", "assertGreater"), ordered("greater")),
    **dict.fromkeys(("isAtLeast", "assertGreaterOrEqual"), ordered("at_least")),
    **dict.fromkeys(("isBelow", "assertLess"), ordered("less")),
    **dict.fromkeys(("isAtMost", "assertLessOrEqual"), ordered("at_most")),
    **dict.fromkeys(("closeTo", "approximately", "assertAlmostEquals"), keyed("approximately", "tolerance")),
    **dict.fromkeys(("property", "nestedProperty", "ownProperty"), to_first("has_property")),
    **dict.fromkeys(("notProperty", "notNestedProperty", "notOwnProperty"), turned(to_first("has_property"))),
    **dict.fromkeys(("propertyVal", "nestedPropertyVal", "deepPropertyVal"), _with_value),
    **dict.fromkeys(("exists", "isDefinedAndNotNull", "assertExists"), plain("exists")),
    **dict.fromkeys(("snapshot", "matchSnapshot", "assertSnapshot"), plain("snapshot")),
    **dict.fromkeys(("isTrue", "true"), exactly(TRUE)),
    **dict.fromkeys(("isFalse", "false"), exactly(FALSE)),
    "isNotTrue": turned(exactly(TRUE)),
    "isNotFalse": turned(exactly(FALSE)),
    "notExists": turned(plain("exists")),
    **dict.fromkeys(("ifError", "error"), plain("none")),  # a callback got none; its call is unknown here
    "isNull": plain("none"),
    "isNotNull": turned(plain("none")),
    "isUndefined": plain("undefined"),
    "isDefined": turned(plain("undefined")),
    "isEmpty": plain("empty"),
    "isNotEmpty": turned(plain("empty")),
    "isNaN": state("NaN"),
    "isNotNaN": turned(state("NaN")),
    "isFrozen": state("frozen"),
    "isNotFrozen": turned(state("frozen")),
    "isArray": of_type("array"),
    "isNotArray": turned(of_type("array")),
    "isObject": of_type("object"),
    "isNotObject": turned(of_type("object")),
    "isString": of_type("string"),
    "isNotString": turned(of_type("string")),
    "isNumber": of_type("number"),
    "isBoolean": of_type("boolean"),
    "isFunction": of_type("function"),
    "isNotFunction": turned(of_type("function")),
    "typeOf": type_named,
    "notTypeOf": turned(type_named),
    "type": _of_a_type,
    "instance": to_first("instance_of"),
    "throws.matching": _throws,
    "lengthOf": of_part("length", equal),
    "oneOf": to_first("contained_in"),
}
_READERS |= {f"not.{name}": turned(_READERS[name]) for name in ("ok", "equal", "type", "instance", "match")}
_READERS |= {"not.throws": turned(_throws), "is.not": turned(identical)}
_OWN_WORDS = {
    "chai": {"throws": "throws.matching"},
    "uvu": {"throws": "throws.matching", "equal": "deepEqual", "not.equal": "notDeepEqual", "not": "notOk"},
}  # what a library's names mean otherwise
_T_WORDS = frozenset(_READERS) | _SILENT
FUNCTIONS = frozenset(_READERS) | {"fail", "unreachable"}


def failing(links: tuple[Link, ...], known: Mapping[str, str]) -> bool:
    """Whether the chain is a call that fails the test outright: `assert.fail()`, `unreachable()`."""
    return _function(links, known) in {"fail", "unreachable"}
