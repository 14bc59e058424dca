"""Sentence-like assertions: chai's `expect(x).to…` and `x.should…`, should.js, expect.js, sinon-chai, chai-http.

Their vocabulary says which claim `.above(3)` or `.empty` makes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pactkeeper.intent.claims import (
    Argument,
    Attribute,
    Call,
    Claim,
    Collection,
    Expression,
    Name,
    Relation,
    Subscript,
    Value,
)
from pactkeeper.intent.strength.errors import ANY_ERROR
from pactkeeper.repo.languages.javascript.claims.expressions import UNREAD, Match, Reading, Scope
from pactkeeper.repo.languages.javascript.claims.raising import raises, thrower
from pactkeeper.repo.languages.javascript.claims.readers import (
    Reader,
    equal,
    exactly,
    identical,
    keyed,
    like,
    of_part,
    of_type,
    on_first,
    ordered,
    plain,
    state,
    to_first,
    truth,
    type_named,
)
from pactkeeper.repo.languages.javascript.claims.relations import (
    FALSE,
    TRUE,
    Claims,
    equate,
    is_constant,
    number,
    qualified,
)
from pactkeeper.repo.languages.javascript.claims.syntax import Link, bare, is_function

if TYPE_CHECKING:
    from tree_sitter import Node

_FILLERS = frozenset(
    {
        "to", "be", "been", "is", "that", "which", "and", "has", "have", "with", "at", "of", "same", "but", "does",
        "still", "also", "a", "an", "it", "the", "should", "itself", "eventually", "when",
    }
)  # fmt: skip
_FLAGS = frozenset({"not", "deep", "nested", "own", "ordered", "any", "all", "only", "always", "some"})
_SENTENCE = frozenset({"to", "be", "been", "have", "has", "is", "deep", "eventually", "a", "an", "include"})
_MOVES = frozenset({"property", "ownProperty", "haveOwnProperty", "length", "lengthOf"})


def _plain(relation: Relation) -> Reader:
    return lambda word: () if is_constant(word.subject) else plain(relation)(word)


def _equal(word: Match) -> Claims | None:
    return (equal if "deep" in word.flags else identical)(word)


def _within(word: Match) -> Claims | None:
    given = word.given
    if len(given) < 2 or word.negated:  # noqa: PLR2004 - two bounds
        return None
    return (Claim("at_least", word.subject, given[0]), Claim("at_most", word.subject, given[1]))


def _a(word: Match) -> Claims | None:
    return type_named(word) or to_first("instance_of")(word)


def _properties(word: Match) -> Claims | None:
    given = word.given
    if "any" in word.flags:
        return None
    if len(given) == 1 and isinstance(given[0], Collection):
        if given[0].kind == "mapping":
            return (Claim("contains", word.subject, given[0], word.negated),)
        given = given[0].items
    if word.negated and len(given) > 1:
        return None
    return tuple(Claim("has_property", word.subject, each, word.negated) for each in given) or None


@on_first
def _members(word: Match, wanted: Expression) -> Claims | None:
    if "include" in word.flags and isinstance(wanted, Collection) and not word.negated:
        return tuple(Claim("contains", word.subject, item) for item in wanted.items) or None
    if "include" in word.flags:
        return None
    return equate(word.subject, wanted, negated=word.negated)


def _raises(word: Match) -> Claims | None:
    call = thrower(word.node, word.scope) if word.node is not None else word.subject
    given = word.given
    claims = raises(call, given[0] if given else None, negated=word.negated)
    if claims is None or len(given) < 2:  # noqa: PLR2004 - a type and a message
        return claims
    first = claims[0]
    return (replace(first, qualifiers=(*first.qualifiers, Argument(given[1], "match"))), *claims[1:])


@on_first
def _satisfy(word: Match, wanted: Expression) -> Claims | None:
    if not isinstance(wanted, (Name, Attribute)):
        return None
    return (Claim("satisfies", Call(wanted, (Argument(word.subject),)), None, word.negated),)


@on_first
def _responds(word: Match, wanted: Expression) -> Claims | None:
    if not isinstance(wanted, Value):
        return None
    return (Claim("instance_of", Attribute(word.subject, wanted.text), Name("function"), word.negated),)


def _called_with(word: Match) -> Claims:
    call = Call(word.subject, tuple(Argument(each) for each in word.given))
    times = number("1") if "Once" in word.link.name else None
    return (Claim("called_with", word.subject, call, word.negated, qualified(times=times)),)


def _fulfilled(word: Match) -> Claims | None:
    if word.negated:
        return (Claim("raises", ANY_ERROR, word.subject),)
    return (Claim("completes", word.subject),)


@on_first
def _header(word: Match, wanted: Expression) -> Claims:
    given = word.given
    header = Subscript(Attribute(word.subject, "headers"), wanted)
    if len(given) == 1:
        return (Claim("exists", header, None, word.negated),)
    if isinstance(given[1], Value) and given[1].kind == "regex":
        return (Claim("matches", header, given[1], word.negated),)
    return equate(header, given[1], negated=word.negated)


_INCLUDE: Reader = to_first("contains")
METHODS: dict[str, Reader] = {
    **dict.fromkeys(("equal", "equals", "eq", "exactly", "be"), _equal),
    **dict.fromkeys(("eql", "eqls", "deepEqual"), equal),
    **dict.fromkeys(("a", "an", "instanceof", "instanceOf", "type"), _a),
    **dict.fromkeys(("include", "includes", "contain", "contains", "string", "containEql", "containDeep"), _INCLUDE),
    **dict.fromkeys(("above", "gt", "greaterThan"), ordered("greater")),
    **dict.fromkeys(("least", "gte", "greaterThanOrEqual", "aboveOrEqual"), ordered("at_least")),
    **dict.fromkeys(("below", "lt", "lessThan"), ordered("less")),
    **dict.fromkeys(("most", "lte", "lessThanOrEqual", "belowOrEqual"), ordered("at_most")),
    **dict.fromkeys(("property", "ownProperty", "haveOwnProperty"), keyed("has_property", "value")),
    **dict.fromkeys(("properties", "keys", "key", "ownProperties"), _properties),
    **dict.fromkeys(("length", "lengthOf"), of_part("length", equal)),
    **dict.fromkeys(("match", "matches"), like),
    **dict.fromkeys(("closeTo", "approximately"), keyed("approximately", "tolerance")),
    **dict.fromkeys(("throw", "throws", "Throw", "throwError", "throwException", "rejectedWith", "rejected"), _raises),
    **dict.fromkeys(("calledWith", "calledWithExactly", "calledOnceWith", "calledOnceWithExactly"), _called_with),
    "within": _within,
    "members": _members,
    "oneOf": to_first("contained_in"),
    "satisfy": _satisfy,
    "respondTo": _responds,
    "startWith": to_first("starts_with"),
    "endWith": to_first("ends_with"),
    "callCount": to_first("called_times"),
    "status": of_part("status", equal),
    "header": _header,
    "text": to_first("has_text"),
}
PROPERTIES: dict[str, Reader] = {
    "ok": truth,
    "true": exactly(TRUE),
    "True": exactly(TRUE),
    "false": exactly(FALSE),
    "False": exactly(FALSE),
    "null": _plain("none"),
    "undefined": _plain("undefined"),
    "exist": _plain("exists"),
    "exists": _plain("exists"),
    "empty": _plain("empty"),
    "NaN": state("NaN"),
    "finite": state("finite"),
    "frozen": state("frozen"),
    "sealed": state("sealed"),
    "extensible": state("extensible"),
    "json": state("JSON"),
    "html": state("HTML"),
    "Array": of_type("array"),
    "Object": of_type("object"),
    "String": of_type("string"),
    "Number": of_type("number"),
    "Boolean": of_type("boolean"),
    "Function": of_type("function"),
    "Error": of_type("Error"),
    "Date": of_type("Date"),
    "called": plain("called"),
    "calledOnce": plain("called_times", number("1")),
    "calledTwice": plain("called_times", number("2")),
    "calledThrice": plain("called_times", number("3")),
    "throw": _raises,
    "throws": _raises,
    "rejected": _raises,
    "fulfilled": _fulfilled,
}


@dataclass(slots=True)
class _Sentence:
    """How far a sentence is read: its current subject and flags."""

    subject: Expression
    node: Node | None
    flags: frozenset[str] = frozenset()
    claims: Claims = ()


def sentence(links: tuple[Link, ...], scope: Scope) -> Reading | None:
    """Read a chai-like chain; None if it isn't one."""
    start = _start(links)
    if start is None:
        return None
    first, rest = links[start], links[start + 1 :]
    node = first.arguments[0] if first.arguments else first.node
    said = _Sentence(_subject(links, start, scope), node)
    for index, link in enumerate(rest):
        following = rest[index + 1].name if index + 1 < len(rest) else ""
        if not _advance(said, link, scope, following):
            return UNREAD
    if not said.claims and not any(link.name in METHODS or link.name in PROPERTIES for link in rest):
        return UNREAD
    handed = () if is_function(bare(node)) else (node,)
    return Reading(said.claims, visit=handed if first.arguments else ())


def _start(links: tuple[Link, ...]) -> int | None:
    """Return the place of the subject: `expect(x)`, `expect.soft(x)`, `should(x)`, or that before `.should`."""
    for index, link in enumerate(links):
        called = link.arguments is not None and len(link.arguments) > 0
        soft = link.name == "soft" and links[index - 1].name == "expect"
        if (link.name == "expect" or soft) and called and index <= 1:
            return index if any(each.name in _SENTENCE for each in links[index + 1 :]) else None
        if link.name == "should" and called and index == 0 and len(links) > 1:
            return index
        if link.name == "should" and link.arguments is None and 0 < index < len(links) - 1:
            return index - 1
    return None


def _subject(links: tuple[Link, ...], start: int, scope: Scope) -> Expression:
    link = links[start]
    if link.name in {"expect", "soft", "should"} and link.arguments and start <= 1:
        return scope.read(link.arguments[0])
    return scope.read(link.node)


def _advance(said: _Sentence, link: Link, scope: Scope, following: str) -> bool:
    """Read one word of the sentence; False if the word is unknown."""
    name, given = link.name, link.arguments
    if name in _FLAGS and given is None:
        said.flags |= {name}
        return True
    if given is None and name in _FILLERS:
        return True
    if given is None and name in METHODS and following:
        return _as_flag(said, name)
    table = PROPERTIES if not given and name in PROPERTIES else METHODS
    reader = table.get(name)
    if reader is None:
        return False
    claims = reader(Match(said.subject, said.node, link, scope, "not" in said.flags, said.flags))
    if claims is None:
        return False
    said.claims = (*said.claims, *claims)
    if name in _MOVES and given and "not" not in said.flags:
        _move(said, name, scope.read(given[0]))
    return True


def _as_flag(said: _Sentence, name: str) -> bool:
    """Read a method's word without a call: `.contain.keys(…)`, `.include.members(…)`, `.length.above(2)`."""
    if name in {"length", "lengthOf"}:
        said.subject, said.node = Attribute(said.subject, "length"), None
    else:
        said.flags |= {"include"} if name.startswith(("contain", "include")) else set()
    return True


def _move(said: _Sentence, name: str, key: Expression) -> None:
    """Make the property the subject of what follows `.property("a")`."""
    if name in {"length", "lengthOf"} or not isinstance(key, Value):
        return
    said.subject, said.node = Attribute(said.subject, key.text), None


def should_statics(links: tuple[Link, ...], scope: Scope) -> Reading | None:
    """Read `should.exist(x)`, `should.not.exist(x)`, `should.equal(a, b)`."""
    if links[0].name != "should" or links[0].arguments is not None or len(links) < 2:  # noqa: PLR2004 - and a word
        return None
    last = links[-1]
    if not last.arguments:
        return None
    negated = any(link.name == "not" for link in links[1:-1])
    subject = scope.read(last.arguments[0])
    if last.name == "exist":
        return Reading((Claim("exists", subject, None, negated),))
    shorter = replace(last, arguments=last.arguments[1:])
    reader = METHODS.get(last.name)
    claims = reader(Match(subject, last.arguments[0], shorter, scope, negated)) if reader is not None else None
    return UNREAD if claims is None else Reading(claims)
