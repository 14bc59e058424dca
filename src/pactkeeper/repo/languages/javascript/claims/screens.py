"""What a page shows: Testing Library queries and Cypress chains."""

from __future__ import annotations

from dataclasses import replace

from pactkeeper.intent.claims import Attribute, Claim, Expression, Subscript, Value
from pactkeeper.repo.languages.javascript.claims.expressions import Handed, Match, Reading, Scope
from pactkeeper.repo.languages.javascript.claims.readers import (
    Reader,
    equal,
    exactly,
    keyed,
    of_part,
    on_first,
    ordered,
    plain,
    state,
    to_first,
    type_named,
)
from pactkeeper.repo.languages.javascript.claims.relations import FALSE, NULL, TRUE, UNDEFINED, Claims, equate
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
    reader = _CHAINERS.get(name)
    match = Match(subject, None, replace(link, arguments=nodes[1:]), scope, negated)
    return (reader(match) if reader is not None else None), []


@on_first
def _css(match: Match, wanted: Expression) -> Claims | None:
    if len(match.given) < 2:  # noqa: PLR2004 - a property and its value
        return None
    return equate(Subscript(Attribute(match.subject, "style"), wanted), match.given[1], negated=match.negated)


_LENGTH = of_part("length", equal)
_CHAINERS: dict[str, Reader] = {
    "exist": plain("exists"),
    "be.visible": plain("visible"),
    "be.empty": plain("empty"),
    "be.null": exactly(NULL),
    "be.undefined": exactly(UNDEFINED),
    "be.true": exactly(TRUE),
    "be.false": exactly(FALSE),
    "be.hidden": state("hidden"),
    "be.disabled": state("disabled"),
    "be.enabled": state("enabled"),
    "be.checked": state("checked"),
    "be.selected": state("selected"),
    "be.focused": state("focused"),
    "have.focus": state("focused"),
    "be.ok": state("OK"),
    "have.text": to_first("has_text"),
    "include.text": to_first("contains"),
    "contain.text": to_first("contains"),
    "contain": to_first("contains"),
    "include": to_first("contains"),
    "contains": to_first("contains"),
    "match": to_first("matches"),
    "have.length": _LENGTH,
    "have.lengthOf": _LENGTH,
    "have.length.gt": of_part("length", ordered("greater")),
    "have.length.greaterThan": of_part("length", ordered("greater")),
    "have.length.above": of_part("length", ordered("greater")),
    "have.length.gte": of_part("length", ordered("at_least")),
    "have.length.at.least": of_part("length", ordered("at_least")),
    "have.length.lt": of_part("length", ordered("less")),
    "be.gt": ordered("greater"),
    "be.greaterThan": ordered("greater"),
    "be.gte": ordered("at_least"),
    "be.lt": ordered("less"),
    "be.lessThan": ordered("less"),
    "be.lte": ordered("at_most"),
    "eq": equal,
    "equal": equal,
    "eql": equal,
    "have.value": of_part("value", equal),
    "have.id": of_part("id", equal),
    "have.html": of_part("HTML", equal),
    "have.attr": keyed("has_attribute", "value"),
    "have.prop": keyed("has_property", "value"),
    "have.property": keyed("has_property", "value"),
    "have.data": keyed("has_property", "value"),
    "have.class": of_part("class", to_first("contains")),
    "have.css": _css,
    "be.a": type_named,
    "be.an": type_named,
    "be.called": plain("called"),
    "have.been.called": plain("called"),
}
