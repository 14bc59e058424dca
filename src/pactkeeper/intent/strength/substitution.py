"""Terms with the values of their names in place, in one canonical spelling."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

from pactkeeper.intent.claims import (
    Argument,
    Attribute,
    Call,
    Captured,
    Claim,
    Collection,
    Each,
    Expression,
    Name,
    Opaque,
    Operation,
    Raised,
    Subscript,
    Value,
    children,
    size,
)
from pactkeeper.intent.strength.folding import (
    is_constant,
    is_nothing,
    is_spread,
    is_written_out,
    joined_truth,
    numbers_of,
    truth_of,
    written_out,
)
from pactkeeper.intent.strength.joining import joined_place, on_path
from pactkeeper.intent.strength.literals import (
    MOST_NUMBERS,
    of_attribute,
    of_call,
    of_operation,
    of_subscript,
    of_value,
)
from pactkeeper.intent.strength.terms import digest, last_name, rebuilt, root

_MAX_SIZE: Final = 160
_GIVEN: Final[tuple[Expression, ...]] = (Name("given·0"), Name("given·1"))  # a member and its index, for a function
_WORDS: Final = re.compile(r"(?<![\w.'\"])[^\W\d]\w*+(?!\s?=[^=])")

Environment = Mapping[Expression, Expression]


def substitute(one: Expression, held: Environment) -> Expression:
    """Replace names (and attributes of `self`) with their values; a term that grows too large becomes a digest."""
    found = _substituted(one, held)
    return found if found is one or size(found) <= _MAX_SIZE else digest(found)


def filled_in(held: Environment, row: Environment) -> dict[Expression, Expression]:
    """Substitute names with a row's values in everything held; what mentions none of them is only computed once."""
    return {key: _spelled(one) if _words(one).isdisjoint(row) else substitute(one, row) for key, one in held.items()}


@lru_cache(maxsize=4_096)
def _spelled(one: Expression) -> Expression:
    return substitute(one, {})


@lru_cache(maxsize=4_096)
def _words(one: Expression) -> frozenset[Expression]:
    """Return the names in a term, and the words of its parts that are source text."""
    if isinstance(one, Opaque):
        return frozenset(map(Name, _WORDS.findall(one.text)))
    return frozenset([one]) if isinstance(one, Name) else frozenset().union(*map(_words, children(one)))


def _substituted(one: Expression, held: Environment) -> Expression:
    match one:
        case Name():
            return held.get(one, one)
        case Attribute() | Subscript() if isinstance(root(one), Name) and one in held:
            return held[one]
        case Value():
            return of_value(one)
        case Opaque():
            return held[one] if one in held else _opaque(one, held)
        case Operation(operator="each", operands=(_, _, _, *_)):
            return _each(one, held)
    made = _of_something(one, simplified(rebuilt(one, lambda part: _substituted(part, held))))
    placed = made is not one and isinstance(made, Attribute) and isinstance(root(made), Name)
    return held.get(made, made) if placed else made


def _of_something(one: Expression, made: Expression) -> Expression:
    """Return what is read from a name that held nothing: something has filled it in, or reading it would fail."""
    match one, made:
        case Attribute(value=before) | Subscript(value=before), Attribute(value=now) | Subscript(value=now):
            if is_nothing(now) and now != before:
                return replace(made, value=Operation("changed", (now,)))
    return made


def _opaque(one: Opaque, held: Environment) -> Expression:
    """Normalise source text without its own form: words become their values, so that renaming changes nothing."""

    def word(found: re.Match[str]) -> str:
        value = held.get(Name(found[0]))
        return found[0] if value is None else _word_for(value)

    return Opaque(_WORDS.sub(word, " ".join(one.text.split())))


@lru_cache(maxsize=4_096)
def _word_for(value: Expression) -> str:
    if isinstance(value, Name):
        return value.name
    return f"‹{hashlib.sha256(repr(value).encode()).hexdigest()[:8]}›"


def _each(one: Operation, held: Environment) -> Expression:
    """Substitute in a comprehension, giving its variable the same name whatever the source calls it."""
    element, variable, over, *conditions = one.operands
    depth = sum(1 for key in held.values() if isinstance(key, Name) and key.name.startswith("each·"))
    inner = dict(held)
    inner.update((name, Name(f"each·{depth + at}")) for at, name in enumerate(_leaves(variable)))
    made, name, *filters = (_substituted(part, inner) for part in (element, variable, *conditions))
    return Operation("each", (made, name, _substituted(over, held), *filters))


def _leaves(one: Expression) -> list[Name]:
    return [one] if isinstance(one, Name) else [leaf for part in children(one) for leaf in _leaves(part)]


def simplified(one: Expression) -> Expression:
    """Return a term in its canonical spelling: numbers, members of literals, joined text."""
    form = _FORMS.get(type(one))
    return one if form is None else form(one)


def _collection(one: Collection) -> Expression:
    if one.kind == "mapping" or not any(map(is_spread, one.items)):
        return one
    items = tuple(map(_spread, one.items))
    return Collection(one.kind, tuple(written_out(items))) if any(map(is_written_out, items)) else one


def _spread(one: Expression) -> Expression:
    """Return `*(f(x) for x in [1, 2])` as `*[f(1), f(2)]`, and `*range(2)` as `*[0, 1]`; any other term as it is."""
    if not isinstance(one, Operation) or one.operator != "spread":
        return one
    return Operation("spread", (numbers_of(members(one.operands[0]), most=MOST_NUMBERS),))


def _call(one: Call) -> Expression:
    given = one.arguments
    listed = [members(each.value) for each in given]
    if any(made is not each.value for made, each in zip(listed, given, strict=True)):
        return _call(
            Call(one.function, tuple(Argument(made, each.name) for made, each in zip(listed, given, strict=True)))
        )
    if any(map(is_written_out, listed)):
        spread = (Argument(value, each.name) for each in given for value in written_out((each.value,)))
        return Call(one.function, tuple(spread))
    if given and given[-1].name is None and isinstance(given[-1].value, Value) and given[-1].value.kind == "undefined":
        return Call(one.function, given[:-1])
    if last_name(one) == "fileURLToPath" and len(given) == 1:
        return given[0].value
    return _evaluated(one) or joined_place(one) or on_path(one) or one


def _evaluated(one: Call) -> Expression | None:
    """Return what a call makes of literals, or of a function written out; None for any other call."""
    match one.function, one.arguments:
        case Attribute(Collection(kind="list") as over, "map"), (Argument(Operation("=>", operands)),):
            return _mapped(over, operands)
        case Attribute(Collection(kind="list") as over, "filter"), (Argument(Operation("=>", operands)),):
            return _filtered(over, operands)
        case Operation("=>", (Operation("given"), body)), ():
            return body
    return of_call(one)


def members(one: Expression) -> Expression:
    """Return the list that a comprehension over a literal list makes; any other term as it is."""
    match one:
        case Operation("each", (element, variable, Collection(kind="list" | "tuple", items=items), *conditions)):
            rows = [row for item in items if (row := _taken_apart(variable, item)) is not None]
            met = [joined_truth("and", [truth_of(substitute(each, row)) for each in conditions]) for row in rows]
            if not any(map(is_spread, items)) and len(rows) == len(items) and None not in met:
                made = (substitute(element, row) for row, kept in zip(rows, met, strict=True) if kept)
                return Collection("list", tuple(made))
    return one


def _taken_apart(variable: Expression, item: Expression) -> Environment | None:
    """Return what the names of a loop hold for one member; None if its parts aren't written out."""
    match variable, item:
        case (Name(), _):
            return {variable: item}
        case (Collection(items=names), Collection(kind="list" | "tuple", items=parts)) if len(names) == len(parts):
            rows = [_taken_apart(*pair) for pair in zip(names, parts, strict=True)]
            return None if None in rows else {key: row[key] for row in rows if row is not None for key in row}
    return None


def _mapped(over: Collection, arrow: tuple[Expression, ...]) -> Collection | None:
    """Return the list that `map` makes of a literal list with a function that is a single expression."""
    match arrow:
        case Operation("given", (Name("1" | "2"),)), element if not any(map(is_spread, over.items)):
            rows = [(item, Value("number", str(at))) for at, item in enumerate(over.items)]
            return Collection("list", tuple(substitute(element, dict(zip(_GIVEN, row, strict=True))) for row in rows))
    return None


def _filtered(over: Collection, arrow: tuple[Expression, ...]) -> Expression | None:
    """Return what `filter` keeps of a literal list; None if that isn't known of each, or they are taken apart."""
    asked = None if any(isinstance(item, Collection) for item in over.items) else _mapped(over, arrow)
    known = [None] if asked is None else [truth_of(each) for each in asked.items]
    if None in known:
        return None
    return Collection("list", tuple(item for item, kept in zip(over.items, known, strict=True) if kept))


_FORMS: Final[Mapping[type, Callable[[Any], Expression]]] = {
    Value: of_value,
    Operation: of_operation,
    Collection: _collection,
    Attribute: of_attribute,
    Subscript: of_subscript,
    Call: _call,
}


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


def plainly(claim: Claim) -> Claim:  # noqa: PLR0911 - one case a form
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
        case Claim("truthy", text, negated=True) if _is_printed(text):
            return replace(claim, relation="equals", object=Value("string", ""), negated=False)
        case Claim(relation="equals" | "same", object=Value(kind="none" | "undefined", text=text) as value):
            left = None if text in {"None", "undefined"} else value
            return replace(claim, relation="none" if value.kind == "none" else "undefined", object=left)
    return claim


def _is_printed(one: Expression) -> bool:
    """Whether a term is the text that a program printed, as pytest captures it: false only if it is empty."""
    taken = one.operands[0] if isinstance(one, Operation) and one.operator == "member" else None
    own = isinstance(taken, Call) and isinstance(taken.function, Attribute) and taken.function.name == "readouterr"
    return own or one in {Captured("output"), Captured("error_output")}


def _is_written(one: Expression) -> bool:
    return isinstance(one, Collection) or is_constant(one)
