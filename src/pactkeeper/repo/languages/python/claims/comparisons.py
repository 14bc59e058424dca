"""What a condition states: the claims that together say that it is true, or that it isn't."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

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
    Relation,
    Value,
)

FLIPPED: Mapping[str, str] = {
    "<": ">",
    "<=": ">=",
    ">": "<",
    ">=": "<=",
    "==": "==",
    "!=": "!=",
    "is": "is",
    "is-not": "is-not",
}
SNAPSHOTS = frozenset(
    {"snapshot", "snapshot_json", "external", "data_regression", "file_regression", "image_regression"}
)
_COMPARISONS: Mapping[str, tuple[Relation, bool]] = {
    "==": ("equals", False),
    "!=": ("equals", True),
    "is": ("same", False),
    "is-not": ("same", True),
    "in": ("contains", False),
    "not-in": ("contains", True),
    "<": ("less", False),
    "<=": ("at_most", False),
    ">": ("greater", False),
    ">=": ("at_least", False),
}
_METHODS: Mapping[str, Relation] = {"startswith": "starts_with", "endswith": "ends_with"}


def claims_of(condition: Expression, *, negated: bool = False) -> list[Claim]:
    """Return the claims that together state that the condition is true, or false if `negated`."""
    match condition:
        case Operation("not", (inner,)):
            return claims_of(inner, negated=not negated)
        case Operation("and" | "or" as joint, parts):
            stated = [claims_of(part, negated=negated) for part in parts]
            if (joint == "or") is negated:
                return [claim for claims in stated for claim in claims]
            return [_either(stated) or Claim("satisfies", condition, negated=negated)]
        case Operation(operator, (left, right)) if operator in _COMPARISONS:
            return [comparison(left, operator, right, negated=negated)]
        case Call(Name("all" | "any" as name), (Argument(Operation("each", (element, variable, over))), *_)):
            every = (name == "all") is not negated
            claims = claims_of(element, negated=negated)
            if len(claims) == 1:
                return [replace(claims[0], repeated=True, each=Each("every" if every else "some", variable, over))]
        case Collection("tuple", (_, *_)):
            return []  # `assert (condition, "message")` is always true and states nothing
    return [truth(condition, negated=negated)]


def _either(stated: Sequence[Sequence[Claim]]) -> Claim | None:
    """Return the claim with alternatives that says that one part holds; None if a part states several claims."""
    if any(len(claims) != 1 for claims in stated):
        return None
    first, *rest = (claims[0] for claims in stated)
    flat = [one for claim in rest for one in (replace(claim, alternatives=()), *claim.alternatives)]
    return replace(first, alternatives=(*first.alternatives, *flat))


def comparison(left: Expression, operator: str, right: Expression, *, negated: bool = False) -> Claim:
    """Return the claim that `left operator right` states, with the tested value as subject on either side."""
    if operator in FLIPPED and _is_fixed(left) and not _is_fixed(right):
        left, operator, right = right, FLIPPED[operator], left
    found = _COMPARISONS.get(operator)
    if found is None:
        return Claim("satisfies", Operation(operator, (left, right)), negated=negated)
    relation, opposite = found
    flag = negated is not opposite
    if relation == "contains":
        if isinstance(right, Collection):
            return Claim("contained_in", left, right, negated=flag)
        return Claim("contains", right, left, negated=flag)
    return refine(Claim(relation, left, right, negated=flag))


def refine(claim: Claim) -> Claim:
    """Replace an equality by the more specific relation that its sides show, if there is one."""
    for rule in _REFINEMENTS:
        better = rule(claim)
        if better is not None:
            return better
    return claim


def _none(claim: Claim) -> Claim | None:
    return replace(claim, relation="none", object=None) if _is_none(claim) else None


def _searched(claim: Claim) -> Claim | None:
    """Read `re.search(pattern, text) is not None` as a claim that the text matches."""
    if not _is_none(claim) or not isinstance(claim.subject, Call):
        return None
    known = _call_truth(claim.subject)
    if known is None or known.relation != "matches":
        return None
    return replace(known, negated=not claim.negated)


def _is_none(claim: Claim) -> bool:
    same = claim.relation in {"equals", "same"}
    return same and isinstance(claim.object, Value) and claim.object.kind == "none"


def _length(claim: Claim) -> Claim | None:
    measured = argument_of(claim.subject, "len")
    if measured is None:
        return None
    number = claim.object.text if isinstance(claim.object, Value) and claim.object.kind == "number" else None
    if claim.relation == "equals":
        if number == "0":
            return replace(claim, relation="empty", subject=measured, object=None)
        return replace(claim, relation="length", subject=measured)
    if (claim.relation, number) in {("greater", "0"), ("at_least", "1")}:
        return replace(claim, relation="empty", subject=measured, object=None, negated=not claim.negated)
    return None


_FOUND: Mapping[tuple[str, str], bool] = {
    ("equals", "-1"): False,
    ("greater", "-1"): True,
    ("at_least", "0"): True,
    ("less", "0"): False,
    ("at_most", "-1"): False,
}  # a relation to what `find` returns, and whether it says that the text is in there


def _found(claim: Claim) -> Claim | None:
    """Read `text.find(part) != -1` as a claim that the text contains the part."""
    call, number = claim.subject, claim.object
    if not isinstance(call, Call) or not isinstance(call.function, Attribute) or len(call.arguments) != 1:
        return None
    known = _FOUND.get((claim.relation, number.text)) if isinstance(number, Value) else None
    if known is None or call.function.name != "find":
        return None
    return Claim("contains", call.function.value, call.arguments[0].value, negated=known is claim.negated)


_TOLERANCES = {
    "delta": "tolerance", "atol": "tolerance", "abs_tol": "tolerance", "abs": "tolerance", "places": "places",
    "decimal": "places", "rtol": "relative", "rel_tol": "relative", "rel": "relative",
}  # fmt: skip


def tolerances(named: Iterable[tuple[str | None, Expression]]) -> list[Argument]:
    """Return what named arguments say about how far two values may be apart."""
    return [Argument(value, _TOLERANCES[name]) for name, value in named if name in _TOLERANCES]


def _approximation(claim: Claim) -> Claim | None:
    if claim.relation != "equals":
        return None
    sides = ((claim.subject, claim.object), (claim.object, claim.subject))
    for approximate, other in sides:
        if isinstance(approximate, Call) and _is_named(approximate.function, "approx") and approximate.arguments:
            first, *rest = approximate.arguments
            extras = tuple(tolerances((one.name, one.value) for one in rest))
            subject = other if other is not None else claim.subject
            return replace(claim, relation="approximately", subject=subject, object=first.value, qualifiers=extras)
    return None


def _calls(claim: Claim) -> Claim | None:
    if claim.relation not in {"equals", "same"} or not isinstance(claim.subject, Attribute):
        return None
    spy, name, value = claim.subject.value, claim.subject.name, claim.object
    if name in {"call_count", "await_count"} and value is not None:
        return replace(claim, relation="called_times", subject=spy)
    if name in {"called", "awaited"} and isinstance(value, Value) and value.kind == "boolean":
        negated = claim.negated is not (value.text == "False")
        return replace(claim, relation="called", subject=spy, object=None, negated=negated)
    if name in {"call_args", "await_args"} and isinstance(value, Call) and _is_named(value.function, "call"):
        return replace(
            claim, relation="called_with", subject=spy, qualifiers=(Argument(Value("string", "last"), "position"),)
        )
    return _only_call(claim) if name in {"call_args_list", "await_args_list", "mock_calls"} else None


def _only_call(claim: Claim) -> Claim | None:
    """Read `spy.mock_calls == [call.send("a")]` as one call, with these arguments."""
    spy, listed = claim.subject, claim.object
    made = listed.items[0] if isinstance(listed, Collection) and len(listed.items) == 1 else None
    if not isinstance(spy, Attribute) or not isinstance(made, Call) or claim.negated:
        return None
    asked = _of_spy(made.function, spy.value)
    alone = [Argument(Value("boolean", "True"), "alone")] if spy.name == "mock_calls" else []
    extras = (Argument(Value("number", "1"), "times"), *alone)
    call = Call(asked, made.arguments) if asked is not None else None
    return replace(claim, relation="called_with", subject=asked, object=call, qualifiers=extras) if asked else None


def _of_spy(one: Expression, spy: Expression) -> Expression | None:
    """Return `spy.send` for `call.send`; None if it isn't a mock's call."""
    if isinstance(one, Attribute):
        inner = _of_spy(one.value, spy)
        return Attribute(inner, one.name) if inner is not None else None
    return spy if one == Name("call") else None


def _type(claim: Claim) -> Claim | None:
    measured = argument_of(claim.subject, "type")
    if measured is None or claim.relation not in {"equals", "same"}:
        return None
    return replace(claim, relation="has_type", subject=measured)


def _snapshot(claim: Claim) -> Claim | None:
    if claim.relation != "equals":
        return None
    for stored, other in ((claim.object, claim.subject), (claim.subject, claim.object)):
        root = stored.function if isinstance(stored, Call) else stored
        if isinstance(root, Name) and root.name in SNAPSHOTS and other is not None:
            return replace(claim, relation="snapshot", subject=other, object=None)
    return None


_REFINEMENTS = (_searched, _none, _length, _found, _approximation, _calls, _type, _snapshot)


def truth(subject: Expression, *, negated: bool = False) -> Claim:
    """Return the claim that a value is truthy."""
    if isinstance(subject, Call):
        known = _call_truth(subject)
        if known is not None:
            return replace(known, negated=known.negated is not negated)
    if isinstance(subject, Attribute) and subject.name in {"called", "awaited"}:
        return Claim("called", subject.value, negated=negated)
    if isinstance(subject, Operation) and subject.operator in {"if-else", "and", "or"}:
        return Claim("satisfies", subject, negated=negated)
    return Claim("truthy", subject, negated=negated)


def error_match(call: Call) -> Claim | None:
    """Read `excinfo.match(pattern)`, itself an assertion, as a claim that the caught error's message matches."""
    function = call.function
    if not isinstance(function, Attribute) or not isinstance(function.value, Raised) or len(call.arguments) != 1:
        return None
    message = Attribute(function.value, "message")
    return Claim("matches", message, pattern(call.arguments[0].value)) if function.name == "match" else None


def _call_truth(call: Call) -> Claim | None:
    if (matched := error_match(call)) is not None:
        return matched
    values = [argument.value for argument in call.arguments if argument.name is None]
    function = call.function
    if isinstance(function, Attribute) and function.name in _METHODS and len(values) == 1:
        return Claim(_METHODS[function.name], function.value, values[0])
    name = function.name if isinstance(function, Name | Attribute) else ""
    if name in {"search", "fullmatch"} and isinstance(function, Attribute) and len(values) == 1:
        regex = isinstance(function.value, Value) and function.value.kind == "regex"
        values = [function.value, *values] if regex else values  # `re.compile(pattern).search(text)`
    if name in _PAIRS:
        found = _PAIRS[name](*values[:2]) if len(values) > 1 else None
        extras = tolerances((one.name, one.value) for one in call.arguments)
        return replace(found, qualifiers=tuple(extras)) if found is not None and extras else found
    if name == "callable" and values:
        return Claim("state", values[0], Value("string", "callable"))
    return Claim("empty", values[0], negated=True) if name == "len" and len(values) == 1 else None


_PAIRS: Mapping[str, Callable[[Expression, Expression], Claim | None]] = {
    "isinstance": lambda one, other: Claim("instance_of", one, other),
    "issubclass": lambda one, other: Claim("satisfies", Call(Name("issubclass"), (Argument(one), Argument(other)))),
    "hasattr": lambda one, other: Claim("has_attribute", one, other),
    "isclose": lambda one, other: Claim("approximately", one, other),
    "allclose": lambda one, other: Claim("approximately", one, other),
    "array_equal": lambda one, other: Claim("equals", one, other),
    "search": lambda one, other: Claim("matches", other, pattern(one)) if isinstance(one, Value) else None,
    "fullmatch": lambda one, other: Claim("matches", other, pattern(one)) if isinstance(one, Value) else None,
}


def pattern(value: Expression) -> Expression:
    """Mark a regular expression written as a string as such."""
    return Value("regex", value.text) if isinstance(value, Value) and value.kind in {"string", "bytes"} else value


def argument_of(one: Expression | None, function: str) -> Expression | None:
    """Return the only argument of a call to the named builtin, else None."""
    if isinstance(one, Call) and _is_named(one.function, function) and len(one.arguments) == 1:
        return one.arguments[0].value
    return None


def _is_named(one: Expression, name: str) -> bool:
    return isinstance(one, Name) and one.name == name


def _is_fixed(one: Expression) -> bool:
    if isinstance(one, Collection):
        return all(_is_fixed(item) for item in one.items)
    return isinstance(one, Value) or (isinstance(one, Name) and one.name in {"expected", "NotImplemented", "Ellipsis"})
