"""What a page shows: Testing Library queries and Cypress chains."""

from __future__ import annotations

from collections.abc import Callable

from pactkeeper.intent.claims import Attribute, Claim, Expression, Relation, Subscript, Value
from pactkeeper.repo.languages.javascript.claims.expressions import Handed, Reading, Scope
from pactkeeper.repo.languages.javascript.claims.relations import (
    FALSE,
    NULL,
    TRUE,
    UNDEFINED,
    Claims,
    compare,
    equate,
    qualified,
    string,
    typed,
)
from pactkeeper.repo.languages.javascript.claims.syntax import Link, bare, is_function

_QUERIES = ("getBy", "findBy", "getAllBy", "findAllBy")
_CY_EXISTENCE = frozenset({"contains", "findByText", "findByRole", "findByLabelText", "findByTestId"})


def query(links: tuple[Link, ...], scope: Scope) -> Reading | None:
    """Read a Testing Library query that stands alone as a statement and fails if nothing is found."""
    last = links[-1]
    if last.arguments and last.name.startswith(_QUERIES) and links[0].name not in {"cy", "page"}:
        return Reading((Claim("exists", scope.read(last.node)),))
    return None


def cypress(links: tuple[Link, ...], scope: Scope) -> Reading | None:
    """Read `cy.….should("chainer", …).and(…)`; None if the chain isn't a Cypress command."""
    if links[0].name != "cy" or len(links) < 2:  # noqa: PLR2004 - a command follows
        return None
    claims: list[Claim] = []
    handed: list[Handed] = []
    understood, subject = True, links[1]
    for index, link in enumerate(links[1:], start=1):
        if link.name in {"should", "and"} and link.arguments:
            read, functions = _should(scope.read(subject.node), link, scope)
            claims.extend(read or ())
            handed.extend(functions)
            understood = understood and read is not None
        elif link.name in {"then", "within", "each"}:
            handed.extend(Handed(each) for each in link.arguments or () if is_function(bare(each)))
            subject = link
        else:
            subject = link
        if link.name in _CY_EXISTENCE and index == len(links) - 1:
            claims.append(Claim("exists", scope.read(link.node)))
    if not claims and not handed and understood:
        return None
    return Reading(tuple(claims), understood, tuple(handed))


def _should(subject: Expression, link: Link, scope: Scope) -> tuple[Claims | None, list[Handed]]:
    nodes = link.arguments or ()
    if is_function(bare(nodes[0])):
        return (), [Handed(nodes[0], subject)]
    chainer = scope.read(nodes[0])
    if not isinstance(chainer, Value) or chainer.kind != "string":
        return None, []
    words = chainer.text.split(".")
    negated = "not" in words
    name = ".".join(word for word in words if word not in {"not", "to", "deep", "nested"})
    given = tuple(scope.read(node) for node in nodes[1:])
    reader = _CHAINERS.get(name)
    return (reader(subject, given, negated) if reader is not None else None), []


Chainer = Callable[[Expression, tuple[Expression, ...], bool], Claims | None]


def _plain(relation: Relation) -> Chainer:
    return lambda subject, _given, negated: (Claim(relation, subject, None, negated),)


def _state(state: str) -> Chainer:
    return lambda subject, _given, negated: (Claim("state", subject, string(state), negated),)


def _with(relation: Relation) -> Chainer:
    return lambda subject, given, negated: (Claim(relation, subject, given[0], negated),) if given else None


def _exactly(value: Expression) -> Chainer:
    return lambda subject, _given, negated: equate(subject, value, negated=negated)


def _equal(subject: Expression, given: tuple[Expression, ...], negated: bool) -> Claims | None:
    return equate(subject, given[0], negated=negated) if given else None


def _part(name: str) -> Chainer:
    return lambda subject, given, negated: (
        equate(Attribute(subject, name), given[0], negated=negated) if given else None
    )


def _ordered(name: str, relation: Relation) -> Chainer:
    def read(subject: Expression, given: tuple[Expression, ...], negated: bool) -> Claims | None:
        part = Attribute(subject, name) if name else subject
        return compare(relation, part, given[0], negated=negated) if given else None

    return read


def _keyed(relation: Relation) -> Chainer:
    def read(subject: Expression, given: tuple[Expression, ...], negated: bool) -> Claims | None:
        if not given:
            return None
        extras = qualified(value=given[1] if len(given) > 1 else None)
        return (Claim(relation, subject, given[0], negated, extras),)

    return read


def _class(subject: Expression, given: tuple[Expression, ...], negated: bool) -> Claims | None:
    return (Claim("contains", Attribute(subject, "class"), given[0], negated),) if given else None


def _css(subject: Expression, given: tuple[Expression, ...], negated: bool) -> Claims | None:
    if len(given) < 2:  # noqa: PLR2004 - a property and its value
        return None
    return equate(Subscript(Attribute(subject, "style"), given[0]), given[1], negated=negated)


def _type(subject: Expression, given: tuple[Expression, ...], negated: bool) -> Claims | None:
    return (typed(subject, given[0].text, negated=negated),) if given and isinstance(given[0], Value) else None


_CHAINERS: dict[str, Chainer] = {
    "exist": _plain("exists"),
    "be.visible": _plain("visible"),
    "be.empty": _plain("empty"),
    "be.null": _exactly(NULL),
    "be.undefined": _exactly(UNDEFINED),
    "be.true": _exactly(TRUE),
    "be.false": _exactly(FALSE),
    "be.hidden": _state("hidden"),
    "be.disabled": _state("disabled"),
    "be.enabled": _state("enabled"),
    "be.checked": _state("checked"),
    "be.selected": _state("selected"),
    "be.focused": _state("focused"),
    "have.focus": _state("focused"),
    "be.ok": _state("OK"),
    "have.text": _with("has_text"),
    "include.text": _with("contains"),
    "contain.text": _with("contains"),
    "contain": _with("contains"),
    "include": _with("contains"),
    "contains": _with("contains"),
    "match": _with("matches"),
    "have.length": _part("length"),
    "have.lengthOf": _part("length"),
    "have.length.gt": _ordered("length", "greater"),
    "have.length.greaterThan": _ordered("length", "greater"),
    "have.length.above": _ordered("length", "greater"),
    "have.length.gte": _ordered("length", "at_least"),
    "have.length.at.least": _ordered("length", "at_least"),
    "have.length.lt": _ordered("length", "less"),
    "be.gt": _ordered("", "greater"),
    "be.greaterThan": _ordered("", "greater"),
    "be.gte": _ordered("", "at_least"),
    "be.lt": _ordered("", "less"),
    "be.lessThan": _ordered("", "less"),
    "be.lte": _ordered("", "at_most"),
    "eq": _equal,
    "equal": _equal,
    "eql": _equal,
    "have.value": _part("value"),
    "have.id": _part("id"),
    "have.html": _part("HTML"),
    "have.attr": _keyed("has_attribute"),
    "have.prop": _keyed("has_property"),
    "have.property": _keyed("has_property"),
    "have.data": _keyed("has_property"),
    "have.class": _class,
    "have.css": _css,
    "be.a": _type,
    "be.an": _type,
    "be.called": _plain("called"),
    "have.been.called": _plain("called"),
}
