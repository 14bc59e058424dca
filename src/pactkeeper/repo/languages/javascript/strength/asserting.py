"""What one assertion guarantees, including everything that makes it stricter or looser."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from pactkeeper.intent.claims import (
    Argument,
    Attribute,
    Call,
    Claim,
    Collection,
    Expression,
    Name,
    Opaque,
    Subscript,
    Value,
)
from pactkeeper.intent.strength.errors import ANY_ERROR, apart, folded, of_error
from pactkeeper.intent.strength.program import Bind, Block, Check, Statement, Within
from pactkeeper.intent.strength.substitution import claim_with
from pactkeeper.repo.languages.javascript.claims.expressions import Handed, Scope
from pactkeeper.repo.languages.javascript.claims.families import RESPONSE, query, read_assertion
from pactkeeper.repo.languages.javascript.claims.module import Module
from pactkeeper.repo.languages.javascript.claims.relations import TRUE, is_constant, number
from pactkeeper.repo.languages.javascript.claims.syntax import Link, arguments_of, bare, is_function, text
from pactkeeper.repo.languages.javascript.claims.types import TYPE_ERROR

if TYPE_CHECKING:
    from tree_sitter import Node


_SENTENCE: Final = frozenset({"to", "be", "been", "have", "has", "is", "deep", "eventually", "include", "should"})
_WIDENING: Final = frozenset("ims")
_COUNTING: Final = frozenset({"assertions", "hasAssertions", "plan"})
_UNORDERED: Final = frozenset({"members", "sameMembers", "sameDeepMembers"})
_TOLERANT: Final = frozenset({"maxDiffPixels", "maxDiffPixelRatio", "threshold", "mask"})


@dataclass(frozen=True, slots=True)
class Asserted:
    """The claims of an assertion; `raiser` is the function or promise that it expects to fail or to complete.

    `visit` and `handed` are parts of it that may assert more.
    """

    claims: tuple[Claim, ...]
    understood: bool = True
    raiser: Node | None = None
    visit: tuple[Node, ...] = ()
    handed: tuple[Handed, ...] = ()


def asserted(node: Node, links: tuple[Link, ...], scope: Scope, module: Module) -> Asserted | None:
    """Read an assertion; None if the expression isn't one."""
    reading = read_assertion(links, scope, module.assertions)
    if reading is None:
        reading = query(links, scope) if _stands_alone(node) else None
    if reading is None:
        return None
    if not reading.understood:
        return _unread(node, links, scope)
    claims = tuple(_sharpened(claim, links, scope, module) for claim in reading.claims)
    claims = folded(claims)
    raising = any(claim.relation in {"raises", "completes"} and claim.subject != TYPE_ERROR for claim in claims)
    raiser = given_to(links) if raising and not any(claim.relation == "satisfies" for claim in claims) else None
    return Asserted(_of_request(claims, links, scope), raiser=raiser, visit=reading.visit, handed=reading.handed)


def _stands_alone(node: Node) -> bool:
    parent = node.parent
    while parent is not None and parent.type in {"await_expression", "parenthesized_expression"}:
        parent = parent.parent
    return parent is not None and parent.type == "expression_statement"


def counts(links: tuple[Link, ...]) -> bool:
    """Whether a call plans how many assertions must run."""
    return (
        links[-1].name in _COUNTING and links[0].name in {"expect", "t", "assert"} and links[-1].arguments is not None
    )


def given_to(links: tuple[Link, ...]) -> Node | None:
    """Return the first argument of an assertion: x in `expect(x)` or `assert.throws(x)`."""
    link = next((link for link in links if link.name in {"expect", "soft", "poll"} and link.arguments), links[-1])
    return bare(link.arguments[0]) if link.arguments else None


def affirms(claim: Claim) -> bool:
    """Whether a claim says only that something is true."""
    if claim.relation in {"truthy", "satisfies"}:
        return not claim.negated
    return claim.relation in {"equals", "same"} and claim.object == TRUE and not claim.negated


def _unread(node: Node, links: tuple[Link, ...], scope: Scope) -> Asserted | None:
    """Read an assertion that has no equivalent claim; a subject without a matcher asserts nothing."""
    sentence = any(link.name in _SENTENCE for link in links[1:])
    if links[-1].arguments is None and (not sentence or links[-1].name in _SENTENCE):
        return Asserted(())
    if links[-1].name in {"expect", "soft"} and len(links) <= 2:  # noqa: PLR2004 - `expect.soft(x)`
        return Asserted(())
    handed = tuple(Handed(each) for link in links for each in link.arguments or () if is_function(bare(each)))
    claim = Claim("satisfies", scope.read(node))
    return Asserted((claim,), understood=False, handed=handed)


def _of_request(claims: tuple[Claim, ...], links: tuple[Link, ...], scope: Scope) -> tuple[Claim, ...]:
    """Replace "the response" in claims by the request that the chain makes."""
    at = next((at for at, link in enumerate(links) if at and link.name == "expect"), 0)
    if not at or links[0].name in {"t", "chai"}:
        return claims
    request = scope.read(links[at - 1].node)
    return tuple(claim_with(claim, {RESPONSE: request}) for claim in claims)


def _turned(claim: Claim) -> Claim:
    """Flip a literal list that contains a value: the value is one of them. A mock's only call becomes `called_with`.

    The global `isNaN` is also true of what is no number.
    """
    match claim:
        case Claim(subject=Call(Name("isNaN"), (Argument(value),))) if affirms(claim):
            return Claim("state", value, Value("string", "NaN"), alternatives=(claim,))
        case Claim(relation="equals", negated=False, object=Collection(items=(Collection(kind="list", items=given),)),
                   subject=Attribute(value=Attribute(value=spy, name="mock"), name="calls")):  # fmt: skip
            call = Call(spy, tuple(map(Argument, given)))
            return replace(
                claim, relation="called_with", subject=spy, object=call, qualifiers=(Argument(number("1"), "times"),)
            )
    if claim.relation != "contains" or not isinstance(claim.object, Call | Name | Attribute | Subscript):
        return claim
    if not is_constant(claim.subject):
        return claim
    return replace(claim, relation="contained_in", subject=claim.object, object=claim.subject)


def _flagged(claim: Claim, links: tuple[Link, ...]) -> Claim:
    """Write the flags of an expected pattern with which it matches more in front of it: `(?i)negative`."""
    given = bare(links[-1].arguments[0]) if links[-1].arguments else None
    if given is None or given.type != "regex":
        return claim
    flags = "".join(sorted(set(text(given.child_by_field_name("flags"))) & _WIDENING))
    pattern = Value("regex", text(given.child_by_field_name("pattern")))
    if not flags:
        return claim
    said = Value("regex", f"(?{flags}){pattern.text}")
    extras = (replace(one, value=said) if one.value == pattern else one for one in claim.qualifiers)
    return replace(claim, object=said if claim.object == pattern else claim.object, qualifiers=tuple(extras))


def _sharpened(claim: Claim, links: tuple[Link, ...], scope: Scope, module: Module) -> Claim:
    claim = _flagged(_turned(claim), links)
    change = _SHARPER.get(links[-1].name)
    return claim if change is None else change(claim, links, scope, module)


_OF_NODE: Final = frozenset({"assert", "node:assert", "assert/strict", "node:assert/strict"})


def _strict(claim: Claim, *_: object) -> Claim:
    if claim.relation != "equals" or isinstance(claim.object, Value):
        return claim
    return replace(claim, qualifiers=(*claim.qualifiers, Argument(TRUE, "strict")))


def _close(claim: Claim, *_: object) -> Claim:
    plain = claim.relation == "approximately" and not claim.qualifiers
    return replace(claim, qualifiers=(Argument(number("2"), "places"),)) if plain else claim


def _exact(claim: Claim, *_: object) -> Claim:
    if claim.relation != "has_text" or (isinstance(claim.object, Value) and claim.object.kind == "regex"):
        return claim
    return replace(claim, qualifiers=(*claim.qualifiers, Argument(TRUE, "exact")))


def _hidden(claim: Claim, *_: object) -> Claim:
    return Claim("visible", claim.subject, negated=not claim.negated)


def _loose(how: str) -> Callable[..., Claim]:
    """Add an alternative to an equality that other values satisfy as well."""

    def change(claim: Claim, links: tuple[Link, ...], _scope: Scope, module: Module) -> Claim:
        if _is_strict(links, module) and how == "loosely":
            node = module.imports.get(links[0].name, ("", ""))[0] in _OF_NODE
            return _strict(claim) if node and links[-1].name == "deepEqual" else claim
        if claim.object is None or claim.negated:
            return claim
        return replace(claim, alternatives=(Claim(claim.relation, claim.subject, Opaque(f"{how} the same")),))

    return change


def _is_strict(links: tuple[Link, ...], module: Module) -> bool:
    source, name = module.imports.get(links[0].name, ("", ""))
    plain = (
        source in _OF_NODE
        and not source.endswith("/strict")
        and name != "strict"
        and all(link.name != "strict" for link in links)
    )
    return not (plain or (source == "chai" and links[0].name == "assert"))


def _unordered(claim: Claim, links: tuple[Link, ...], scope: Scope, module: Module) -> Claim:
    if any(link.name in {"ordered", "include", "contain"} for link in links):
        return claim
    return _loose("in any order")(claim, links, scope, module)


def _picture(claim: Claim, links: tuple[Link, ...], scope: Scope, _module: Module) -> Claim:
    options = [scope.read(each) for each in links[-1].arguments or ()]
    loose = [each for each in options if isinstance(each, Collection) and _keys(each) & _TOLERANT]
    return replace(claim, alternatives=(Claim("matches", claim.subject, loose[0]),)) if loose else claim


def _keys(mapping: Collection) -> set[str]:
    return {key.text for key in mapping.items[::2] if isinstance(key, Value)} if mapping.kind == "mapping" else set()


def _partial(claim: Claim, *_: object) -> Claim:
    return replace(claim, relation="contains") if claim.relation == "equals" else claim


_SHARPER: Final[Mapping[str, Callable[..., Claim]]] = {
    "toStrictEqual": _strict, "deepStrictEqual": _strict, "toBeCloseTo": _close, "toHaveText": _exact,
    "toBeHidden": _hidden, "toHaveScreenshot": _picture, "partialDeepStrictEqual": _partial,
    **dict.fromkeys(("equal", "deepEqual", "deepLooseEqual"), _loose("loosely")),
    **dict.fromkeys(_UNORDERED, _unordered),
}  # fmt: skip


def options_of(node: Node) -> Mapping[str, Node]:
    """Return the literal options among the arguments of a call, by name."""
    found: dict[str, Node] = {}
    for each in arguments_of(node):
        if bare(each).type == "object":
            for pair in bare(each).named_children:
                key, value = pair.child_by_field_name("key"), pair.child_by_field_name("value")
                if pair.type == "pair" and key is not None and value is not None:
                    found[(key.text or b"").decode("utf-8", "replace").strip("'\"")] = value
                elif pair.type == "shorthand_property_identifier":
                    found[(pair.text or b"").decode("utf-8", "replace")] = pair
    return found


def expected_failure(body: Block, caught: Block, line: int, quote: str) -> list[Statement]:
    """Combine a body that must raise with its handler's assertions about the error."""
    held: dict[Expression, Expression] = {
        one.target: one.value for one in caught if isinstance(one, Bind) and one.value is not None
    }
    claims: list[Claim] = []
    rest: list[Statement] = []
    for one in caught:
        said = apart(claim_with(claim, held) for claim in one.claims) if isinstance(one, Check) else []
        if said and all(map(of_error, said)):
            claims += said
        else:
            rest.append(one)
    return [Within(folded((Claim("raises", ANY_ERROR), *claims)), body, line, quote), *rest]
