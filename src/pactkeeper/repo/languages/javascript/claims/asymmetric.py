"""Asymmetric matchers: `expect.any(Number)`, `expect.objectContaining({…})`, `expect.stringMatching(/…/)`."""

from __future__ import annotations

from pactkeeper.intent.claims import Attribute, Call, Claim, Collection, Expression, Name, Value
from pactkeeper.repo.languages.javascript.claims.relations import Claims, equate, typed

_PRIMITIVES = frozenset({"String", "Number", "Boolean", "Function", "Object", "Symbol", "BigInt"})
_OWNERS = frozenset({"expect", "jasmine"})


def compared(subject: Expression, wanted: Expression | None, *, negated: bool = False) -> Claims | None:
    """Return the claims of deep equality with `wanted`; a top-level asymmetric matcher becomes its own relation."""
    if wanted is None:
        return None
    parts = _parts(wanted)
    if parts is None:
        return equate(subject, wanted, negated=negated)
    name, given, turned = parts
    claims = _asymmetric(subject, name, given)
    if claims is None or not (negated or turned):
        return claims
    first = claims[0]
    turned_claim = Claim(first.relation, first.subject, first.object, first.negated is not (negated is not turned))
    return (turned_claim,) if len(claims) == 1 else None


def entries(wanted: Expression) -> Expression | None:
    """Return the mapping inside `expect.objectContaining({…})`, or None for anything else."""
    parts = _parts(wanted)
    if parts is None or parts[0] != "objectContaining" or parts[2]:
        return None
    return parts[1]


def _parts(wanted: Expression) -> tuple[str, Expression | None, bool] | None:
    """Return the name, argument and negation (`.not`) of an asymmetric matcher."""
    if not isinstance(wanted, Call) or not isinstance(wanted.function, Attribute):
        return None
    owner, turned = wanted.function.value, False
    if isinstance(owner, Attribute) and owner.name == "not":
        owner, turned = owner.value, True
    if not isinstance(owner, Name) or owner.name not in _OWNERS:
        return None
    return wanted.function.name, wanted.arguments[0].value if wanted.arguments else None, turned


def _asymmetric(subject: Expression, name: str, given: Expression | None) -> Claims | None:
    if name == "anything":
        return (Claim("none", subject, negated=True),)
    if given is None:
        return None
    if name == "any":
        return (_any(subject, given),)
    literal = isinstance(given, Value) and given.kind == "string"
    if name in {"objectContaining", "stringContaining"} or (name == "stringMatching" and literal):
        return (Claim("contains", subject, given),)
    if name == "stringMatching":
        return (Claim("matches", subject, given),)
    if name == "closeTo":
        return (Claim("approximately", subject, given),)
    if name == "arrayContaining" and isinstance(given, Collection):
        return tuple(Claim("contains", subject, item) for item in given.items) or None
    return None


def _any(subject: Expression, kind: Expression) -> Claim:
    if isinstance(kind, Name) and kind.name in _PRIMITIVES:
        return typed(subject, kind.name.lower())
    return Claim("instance_of", subject, kind)
