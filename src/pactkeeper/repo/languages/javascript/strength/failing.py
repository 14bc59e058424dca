"""Code that must fail: assertions about the error become part of the claim that it is raised."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from pactkeeper.intent.claims import Argument, Attribute, Call, Claim, Collection, Expression, Name, Raised, Value
from pactkeeper.intent.strength.program import Bind, Block, Check, Statement, Within
from pactkeeper.intent.strength.terms import claim_with
from pactkeeper.repo.languages.javascript.claims.raising import ANY_ERROR

THE_ERROR = Raised(ANY_ERROR)
_THERE = frozenset({"truthy", "exists"})
_ABSENT = frozenset({"none", "undefined", "falsy"})


def expected_failure(body: Block, caught: Block, line: int, quote: str) -> list[Statement]:
    """Combine a body that must raise with its handler's assertions about the error."""
    held: dict[Expression, Expression] = {
        one.target: one.value for one in caught if isinstance(one, Bind) and one.value is not None
    }
    claims: list[Claim] = []
    rest: list[Statement] = []
    for one in caught:
        said = [claim_with(claim, held) for claim in one.claims] if isinstance(one, Check) else []
        if said and all(_of_error(claim) for claim in said):
            claims += said
        else:
            rest.append(one)
    return [Within(folded((Claim("raises", ANY_ERROR), *claims)), body, line, quote), *rest]


def folded(claims: tuple[Claim, ...]) -> tuple[Claim, ...]:
    """Fold claims about an error's class, message and code into the claim that it is raised."""
    raising = next((claim for claim in claims if claim.relation == "raises" and not claim.negated), None)
    if raising is None:
        return claims
    rest: list[Claim] = []
    for claim in _apart(one for one in claims if one is not raising):
        folding = _folded(raising, claim)
        if folding is None:
            rest.append(claim)
        else:
            raising = folding
    return (raising, *rest)


def _of_error(claim: Claim) -> bool:
    subject = claim.subject
    return subject == THE_ERROR or (isinstance(subject, Attribute) and subject.value == THE_ERROR)


def _apart(claims: Iterable[Claim]) -> list[Claim]:
    """Split an object that an error must contain into a claim per entry."""
    found: list[Claim] = []
    for claim in claims:
        entries = claim.object
        if (
            claim.subject == THE_ERROR
            and claim.relation == "contains"
            and isinstance(entries, Collection)
            and entries.kind == "mapping"
        ):
            pairs = zip(entries.items[::2], entries.items[1::2], strict=False)
            found += [
                Claim("equals", Attribute(THE_ERROR, key.text), value) for key, value in pairs if isinstance(key, Value)
            ]
        else:
            found.append(claim)
    return found


def _folded(raising: Claim, claim: Claim) -> Claim | None:
    """Add one claim about the error to the claim that it is raised; None if it can't express that."""
    part = claim.subject.name if isinstance(claim.subject, Attribute) else ""
    if claim.alternatives or not _of_error(claim):
        return None
    if claim.negated or claim.relation in _THERE:
        plain = (claim.relation in _THERE) is not claim.negated and (
            claim.relation in _THERE or claim.relation in _ABSENT
        )
        return raising if plain or (claim.negated and claim.relation in _ABSENT) else None
    if claim.subject == THE_ERROR:
        return _classed(raising, claim)
    if part == "name" and isinstance(claim.object, Value) and raising.subject == ANY_ERROR:
        return replace(raising, subject=Name(claim.object.text))
    name = {"equals": {"message": "message", "code": "code"}, "same": {"message": "message", "code": "code"}}.get(
        claim.relation, {"message": "match"} if claim.relation in {"contains", "matches"} else {}
    ).get(part)
    return _with(raising, name, claim.object) if name is not None and claim.object is not None else None


def _classed(raising: Claim, claim: Claim) -> Claim | None:
    if claim.relation == "instance_of" and claim.object is not None and raising.subject == ANY_ERROR:
        return replace(raising, subject=claim.object)
    if claim.relation in {"equals", "same"} and isinstance(claim.object, Call) and claim.object.arguments:
        return _with(replace(raising, subject=claim.object.function), "message", claim.object.arguments[0].value)
    return None


def _with(raising: Claim, name: str, value: Expression) -> Claim | None:
    if any(extra.name == name for extra in raising.qualifiers):
        return None
    return replace(raising, qualifiers=(*raising.qualifiers, Argument(value, name)))
