"""Claims in one canonical form, however they are written: what is known last, and no place."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from pactkeeper.intent.claims import (
    Argument,
    Attribute,
    Call,
    Claim,
    Collection,
    Each,
    Expression,
    Name,
    Operation,
    Raised,
    Subscript,
    Value,
)
from pactkeeper.intent.strength.folding import is_constant
from pactkeeper.intent.strength.substitution import Environment, members, substitute
from pactkeeper.intent.strength.terms import rebuilt


def claim_with(claim: Claim, held: Environment) -> Claim:
    """Substitute everything in a claim, put the known side of an equality last, and drop its place."""
    each = claim.each
    if each is not None:
        first = Name("each·0")
        each, held = Each(each.kind, first, substitute(each.over, held)), {**held, each.variable: first}
    subject = _read_from(substitute(claim.subject, held))
    expected = None if claim.object is None else _untouched(members(substitute(claim.object, held)))
    turned = claim.relation in {"equals", "same"} and _is_written(subject)
    if turned and expected is not None and not _is_written(expected):
        subject, expected = expected, subject
    made = Claim(
        claim.relation,
        subject,
        expected,
        negated=claim.negated,
        qualifiers=tuple(Argument(substitute(extra.value, held), extra.name) for extra in claim.qualifiers),
        each=each,
        alternatives=tuple(claim_with(other, held) for other in claim.alternatives),
    )
    return plainly(made)


@lru_cache(maxsize=4_096)
def _untouched(one: Expression) -> Expression:
    """Restore mappings passed to calls to their literal form: what is read from one stays the same."""
    if isinstance(one, Operation) and one.operator == "touched":
        inner = _untouched(one.operands[0])
        return inner if isinstance(inner, Collection) and inner.kind == "mapping" and inner.items else one
    return rebuilt(one, _untouched)


def _read_from(one: Expression) -> Expression:
    match one:
        case Attribute(value=value, name=name):
            return Attribute(_read_from(value), name)
        case Subscript(value=value, key=key):
            return Subscript(_read_from(value), key)
        case Call(function=function, arguments=arguments):
            return Call(_read_from(function), tuple(Argument(_untouched(each.value), each.name) for each in arguments))
        case Operation(operator="each", operands=(element, variable, over, *conditions)):
            return Operation("each", (element, variable, _read_from(over), *conditions))
    return one


def plainly(claim: Claim) -> Claim:
    """Return the claim as if its values were written in the assertion itself, not in a row or a constant."""
    match claim:
        case Claim(relation="length", object=Value(kind="number", text="0")):
            return replace(claim, relation="empty", object=None)
        case Claim(relation="contained_in", object=Collection(kind="list" | "tuple", items=(only,))):
            return plainly(replace(claim, relation="equals", object=only))
        case Claim("contains", Collection("list" | "tuple") as items, one) if one is not None and not _is_written(one):
            return plainly(replace(claim, relation="contained_in", subject=one, object=items))
        case Claim("equals", Attribute(Raised(), "args") as args, Collection(items=(only,))):
            return replace(claim, subject=Subscript(args, Value("number", "0")), object=only)
        case Claim(relation="raises", subject=Value(kind="string" | "regex") as text, qualifiers=()):
            return replace(claim, subject=Name("Error"), qualifiers=(Argument(text, "match"),))
        case Claim("equals", Operation("each", (_, _, over)), Collection("list", ())):
            return replace(claim, subject=over)  # what is made of each member is empty if and only if there are none
        case Claim(relation="equals" | "same", object=Value(kind="none" | "undefined", text=text) as value):
            left = None if text in {"None", "undefined"} else value
            return replace(claim, relation="none" if value.kind == "none" else "undefined", object=left)
    return claim


def _is_written(one: Expression) -> bool:
    return isinstance(one, Collection) or is_constant(one)
