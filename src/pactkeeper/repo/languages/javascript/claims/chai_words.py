"""The vocabulary of sentence-like assertions: which claim `.above(3)` or `.empty` makes."""

from __future__ import annotations

from collections.abc import Callable
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
from pactkeeper.repo.languages.javascript.claims.expressions import Scope
from pactkeeper.repo.languages.javascript.claims.raising import ANY_ERROR, raises, thrower
from pactkeeper.repo.languages.javascript.claims.relations import (
    FALSE,
    TRUE,
    Claims,
    compare,
    equate,
    holds,
    is_constant,
    keyed,
    number,
    qualified,
    string,
    typed,
)
from pactkeeper.repo.languages.javascript.claims.syntax import Link

if TYPE_CHECKING:
    from tree_sitter import Node


@dataclass(frozen=True, slots=True)
class Word:
    """One word of an assertion and its subject; `node` is the subject's source if the test writes it."""

    subject: Expression
    node: Node | None
    link: Link
    scope: Scope
    flags: frozenset[str]

    @property
    def negated(self) -> bool:
        """Whether `.not` precedes the word."""
        return "not" in self.flags

    @property
    def given(self) -> tuple[Expression, ...]:
        """The word's arguments."""
        return tuple(self.scope.read(node) for node in self.link.arguments or ())


Reader = Callable[[Word], Claims | None]


def _relation(relation: Relation) -> Reader:
    def read(word: Word) -> Claims | None:
        given = word.given
        return (Claim(relation, word.subject, given[0], word.negated),) if given else None

    return read


def _plain(relation: Relation) -> Reader:
    return lambda word: () if is_constant(word.subject) else (Claim(relation, word.subject, None, word.negated),)


def _state(state: str) -> Reader:
    return lambda word: (Claim("state", word.subject, string(state), word.negated),)


def _type(name: str) -> Reader:
    return lambda word: (typed(word.subject, name, negated=word.negated),)


def _exactly(value: Expression) -> Reader:
    return lambda word: equate(word.subject, value, negated=word.negated)


def _truthy(word: Word) -> Claims:
    return holds(word.subject, negated=word.negated)


def _equal(word: Word) -> Claims | None:
    given = word.given
    if not given:
        return None
    return equate(word.subject, given[0], negated=word.negated, relation="equals" if "deep" in word.flags else "same")


def _eql(word: Word) -> Claims | None:
    given = word.given
    return equate(word.subject, given[0], negated=word.negated) if given else None


def _ordered(relation: Relation) -> Reader:
    def read(word: Word) -> Claims | None:
        given = word.given
        return compare(relation, word.subject, given[0], negated=word.negated) if given else None

    return read


def _within(word: Word) -> Claims | None:
    given = word.given
    if len(given) < 2 or word.negated:  # noqa: PLR2004 - two bounds
        return None
    return (Claim("at_least", word.subject, given[0]), Claim("at_most", word.subject, given[1]))


def _a(word: Word) -> Claims | None:
    given = word.given
    if not given:
        return None
    if isinstance(given[0], Value):
        return (typed(word.subject, given[0].text, negated=word.negated),)
    return (Claim("instance_of", word.subject, given[0], word.negated),)


def _properties(word: Word) -> Claims | None:
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


def _length(word: Word) -> Claims | None:
    given = word.given
    return equate(Attribute(word.subject, "length"), given[0], negated=word.negated) if given else None


def _match(word: Word) -> Claims | None:
    given = word.given
    if not given:
        return None
    relation: Relation = "contains" if isinstance(given[0], Collection) else "matches"
    return (Claim(relation, word.subject, given[0], word.negated),)


def _members(word: Word) -> Claims | None:
    given = word.given
    if not given:
        return None
    if "include" in word.flags and isinstance(given[0], Collection) and not word.negated:
        return tuple(Claim("contains", word.subject, item) for item in given[0].items) or None
    if "include" in word.flags:
        return None
    return equate(word.subject, given[0], negated=word.negated)


def _raises(word: Word) -> Claims | None:
    call = thrower(word.node, word.scope) if word.node is not None else word.subject
    given = word.given
    claims = raises(call, given[0] if given else None, negated=word.negated)
    if claims is None or len(given) < 2:  # noqa: PLR2004 - a type and a message
        return claims
    first = claims[0]
    return (replace(first, qualifiers=(*first.qualifiers, Argument(given[1], "match"))), *claims[1:])


def _satisfy(word: Word) -> Claims | None:
    given = word.given
    if not given or not isinstance(given[0], (Name, Attribute)):
        return None
    return (Claim("satisfies", Call(given[0], (Argument(word.subject),)), None, word.negated),)


def _responds(word: Word) -> Claims | None:
    given = word.given
    if not given or not isinstance(given[0], Value):
        return None
    return (Claim("instance_of", Attribute(word.subject, given[0].text), Name("function"), word.negated),)


def _called(times: str | None) -> Reader:
    def read(word: Word) -> Claims:
        if times is None:
            return (Claim("called", word.subject, None, word.negated),)
        return (Claim("called_times", word.subject, number(times), word.negated),)

    return read


def _called_with(word: Word) -> Claims:
    call = Call(word.subject, tuple(Argument(each) for each in word.given))
    times = number("1") if "Once" in word.link.name else None
    return (Claim("called_with", word.subject, call, word.negated, qualified(times=times)),)


def _fulfilled(word: Word) -> Claims | None:
    if word.negated:
        return (Claim("raises", ANY_ERROR, word.subject),)
    return (Claim("completes", word.subject),)


def _part(name: str) -> Reader:
    """Compare a part of the subject: chai-http's `.status(200)`."""
    return lambda word: (
        equate(Attribute(word.subject, name), word.given[0], negated=word.negated) if word.given else None
    )


def _header(word: Word) -> Claims | None:
    given = word.given
    if not given:
        return None
    header = Subscript(Attribute(word.subject, "headers"), given[0])
    if len(given) == 1:
        return (Claim("exists", header, None, word.negated),)
    if isinstance(given[1], Value) and given[1].kind == "regex":
        return (Claim("matches", header, given[1], word.negated),)
    return equate(header, given[1], negated=word.negated)


_INCLUDE: Reader = _relation("contains")
METHODS: dict[str, Reader] = {
    **dict.fromkeys(("equal", "equals", "eq", "exactly", "be"), _equal),
    **dict.fromkeys(("eql", "eqls", "deepEqual"), _eql),
    **dict.fromkeys(("a", "an", "instanceof", "instanceOf", "type"), _a),
    **dict.fromkeys(("include", "includes", "contain", "contains", "string", "containEql", "containDeep"), _INCLUDE),
    **dict.fromkeys(("above", "gt", "greaterThan"), _ordered("greater")),
    **dict.fromkeys(("least", "gte", "greaterThanOrEqual", "aboveOrEqual"), _ordered("at_least")),
    **dict.fromkeys(("below", "lt", "lessThan"), _ordered("less")),
    **dict.fromkeys(("most", "lte", "lessThanOrEqual", "belowOrEqual"), _ordered("at_most")),
    **dict.fromkeys(("property", "ownProperty", "haveOwnProperty"), keyed("has_property", "value")),
    **dict.fromkeys(("properties", "keys", "key", "ownProperties"), _properties),
    **dict.fromkeys(("length", "lengthOf"), _length),
    **dict.fromkeys(("match", "matches"), _match),
    **dict.fromkeys(("closeTo", "approximately"), keyed("approximately", "tolerance")),
    **dict.fromkeys(("throw", "throws", "Throw", "throwError", "throwException", "rejectedWith", "rejected"), _raises),
    **dict.fromkeys(("calledWith", "calledWithExactly", "calledOnceWith", "calledOnceWithExactly"), _called_with),
    "within": _within,
    "members": _members,
    "oneOf": _relation("contained_in"),
    "satisfy": _satisfy,
    "respondTo": _responds,
    "startWith": _relation("starts_with"),
    "endWith": _relation("ends_with"),
    "callCount": _relation("called_times"),
    "status": _part("status"),
    "header": _header,
    "text": _relation("has_text"),
}
PROPERTIES: dict[str, Reader] = {
    "ok": _truthy,
    "true": _exactly(TRUE),
    "True": _exactly(TRUE),
    "false": _exactly(FALSE),
    "False": _exactly(FALSE),
    "null": _plain("none"),
    "undefined": _plain("undefined"),
    "exist": _plain("exists"),
    "exists": _plain("exists"),
    "empty": _plain("empty"),
    "NaN": _state("NaN"),
    "finite": _state("finite"),
    "frozen": _state("frozen"),
    "sealed": _state("sealed"),
    "extensible": _state("extensible"),
    "json": _state("JSON"),
    "html": _state("HTML"),
    "Array": _type("array"),
    "Object": _type("object"),
    "String": _type("string"),
    "Number": _type("number"),
    "Boolean": _type("boolean"),
    "Function": _type("function"),
    "Error": _type("Error"),
    "Date": _type("Date"),
    "called": _called(None),
    "calledOnce": _called("1"),
    "calledTwice": _called("2"),
    "calledThrice": _called("3"),
    "throw": _raises,
    "throws": _raises,
    "rejected": _raises,
    "fulfilled": _fulfilled,
}
