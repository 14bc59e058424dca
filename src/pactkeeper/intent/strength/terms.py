"""Expressions as terms: substitution, constants, and the parts of a value."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from operator import is_
from textwrap import dedent
from typing import Any, Final

from pactkeeper.intent.claims import (
    Argument,
    Attribute,
    Call,
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
    descendants,
    size,
)
from pactkeeper.intent.strength.folding import (
    EMPTY,
    combined,
    is_constant,
    is_spread,
    is_written_out,
    joined_place,
    joined_text,
    number_of,
    numbers_of,
    summed,
    truth_of,
    whole_of,
    written_out,
)

_MAX_SIZE = 160
_NAME_PARTS = 2
_MOST_NUMBERS = 8  # of a `range` that is listed one by one; more are easier to read as a range
_ENDS: Final = 2  # of a slice
_WORDS = re.compile(r"(?<![\w.'\"])[^\W\d]\w*+(?!\s?=[^=])")

Environment = Mapping[Expression, Expression]


def rebuilt(one: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """Rebuild a form with every direct part changed; return the same object if none changes."""
    made = _MADE.get(type(one))
    if made is None:
        return one
    parts = children(one)
    changed = tuple(map(change, parts))
    return one if all(map(is_, parts, changed)) else made(one, changed)


def _called(one: Call, parts: tuple[Expression, ...]) -> Call:
    given = zip(parts[1:], one.arguments, strict=True)
    return Call(parts[0], tuple([Argument(value, each.name) for value, each in given]))


_MADE: Final[Mapping[type, Callable[[Any, tuple[Expression, ...]], Expression]]] = {
    Attribute: lambda one, parts: Attribute(parts[0], one.name),
    Subscript: lambda _, parts: Subscript(*parts),
    Call: _called,
    Operation: lambda one, parts: Operation(one.operator, parts),
    Collection: lambda one, parts: Collection(one.kind, parts),
    Raised: lambda _, parts: Raised(*parts),
}


def substitute(one: Expression, held: Environment) -> Expression:
    """Replace names (and attributes of `self`) with their values; a term that grows too large becomes a digest."""
    found = _substituted(one, held)
    if found is one:
        return one
    return found if size(found) <= _MAX_SIZE else digest(found)


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
    if isinstance(one, Name):
        return held.get(one, one)
    if isinstance(one, Attribute | Subscript) and _is_place(one) and one in held:
        return held[one]
    if isinstance(one, Value):
        return simplified(one)
    if isinstance(one, Opaque):
        return _opaque(one, held)
    if isinstance(one, Operation) and one.operator == "each" and len(one.operands) > _NAME_PARTS:
        return _each(one, held)
    made = simplified(rebuilt(one, lambda part: _substituted(part, held)))
    return held.get(made, made) if made is not one and isinstance(made, Attribute) and _is_place(made) else made


def _is_place(one: Expression) -> bool:
    """Whether it is read from a plain name, so that it may have been assigned."""
    while isinstance(one, Attribute | Subscript):
        one = one.value
    return isinstance(one, Name)


def simplified(one: Expression) -> Expression:
    """Return a term in its canonical spelling: numbers, members of literals, joined text."""
    form = _FORMS.get(type(one))
    return one if form is None else form(one)


def _operation(one: Operation) -> Expression:
    match one:
        case Operation(operator="member", operands=(Collection(kind=kind, items=items), Name(name=at))) if (
            kind != "mapping"
        ):
            return _at(items, int(at)) or one
        case Operation(operator="text" | "%" | "+" | "-" | "*"):
            return summed(one) or joined_text(one) or one
        case Operation(operator="if-else", operands=(value, condition, otherwise)):
            known = truth_of(condition)
            return one if known is None else value if known else otherwise
        case Operation(operator="entered", operands=(Call(arguments=(*_, _)) as call,)):
            return Operation("entered", (_of_patch(call),))
        case Operation(operator="object", operands=parts):
            return _joined(parts) or one
        case Operation(operator="/"):
            return joined_place(one) or one
    return one


def _collection(one: Collection) -> Expression:
    if one.kind == "mapping" or not any(map(is_spread, one.items)):
        return one
    items = tuple(map(_spread, one.items))
    return Collection(one.kind, tuple(written_out(items))) if any(map(is_written_out, items)) else one


def _spread(one: Expression) -> Expression:
    """Return `*(f(x) for x in [1, 2])` as `*[f(1), f(2)]`, and `*range(2)` as `*[0, 1]`; any other term as it is."""
    if not isinstance(one, Operation) or one.operator != "spread":
        return one
    return Operation("spread", (numbers_of(_members(one.operands[0]), most=_MOST_NUMBERS),))


def _attribute(one: Attribute) -> Expression:
    whole = one.value
    if isinstance(whole, Collection) and whole.kind == "mapping":
        return _entry(whole.items, Value("string", one.name)) or one
    return (joined_place(one) or one) if isinstance(whole, Call) else one


def _subscript(one: Subscript) -> Expression:
    whole, key = one.value, one.key
    if not isinstance(whole, Collection) or not isinstance(key, Value):
        return one
    if whole.kind == "mapping":
        known = _entry(whole.items, key)
        named = all(isinstance(name, Value) and name.text.isidentifier() for name in whole.items[::2])
        if known is not None or not named:
            return known or one
    items = whole.items[1::2] if whole.kind == "mapping" else whole.items  # a named tuple is read by place, too
    listed = key.kind == "number" and whole.kind != "set" and key.text.isdigit()
    return (_at(items, int(key.text)) if listed else None) or one


def _call(one: Call) -> Expression:
    given = one.arguments
    if any(_members(each.value) is not each.value for each in given):
        return Call(one.function, tuple(Argument(_members(each.value), each.name) for each in given))
    if any(is_written_out(each.value) for each in given):
        listed = ((value, each.name) for each in given for value in written_out((each.value,)))
        return Call(one.function, tuple(Argument(value, name) for value, name in listed))
    if given and given[-1].name is None and isinstance(given[-1].value, Value) and given[-1].value.kind == "undefined":
        return Call(one.function, given[:-1])
    if last_name(one) == "fileURLToPath" and len(given) == 1:
        return given[0].value
    found = _evaluated(one)
    return (joined_place(one) or one) if found is one else found


def _members(one: Expression) -> Expression:
    """Return the list that a comprehension over a literal list makes; any other term as it is."""
    match one:
        case Operation(operator="each", operands=(element, variable, Collection(kind="list" | "tuple") as over)):
            rows = [_taken_apart(variable, item) for item in over.items]
            if not any(map(is_spread, over.items)) and None not in rows:
                return Collection("list", tuple(substitute(element, row) for row in rows if row is not None))
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


def _mapped(over: Collection, arrow: Operation) -> Expression | None:
    """Return the list that `map` makes of a literal list with a function that is a single expression."""
    match arrow.operands:
        case (Operation(operator="given", operands=(Name(name="1" | "2"),)), element) if not any(
            map(is_spread, over.items)
        ):
            made = [
                substitute(element, {Name("given·0"): item, Name("given·1"): Value("number", str(at))})
                for at, item in enumerate(over.items)
            ]
            return Collection("list", tuple(made))
    return None


def _sliced(items: Sequence[Expression], ends: Sequence[int | None]) -> Expression | None:
    """Return what `slice` takes of a literal list; None if its ends aren't known."""
    whole = [end for end in ends if end is not None]
    if not 0 < len(whole) == len(ends) <= _ENDS:
        return None
    start, end = (*whole, len(items))[:_ENDS]
    return Collection("list", tuple(items[start:end]))


def _filtered(over: Collection, arrow: Operation) -> Expression | None:
    """Return what `filter` keeps of a literal list; None if that isn't known of each, or they are taken apart."""
    apart = any(isinstance(item, Collection) for item in over.items)
    asked = None if apart else _mapped(over, arrow)
    known = [truth_of(each) for each in asked.items] if isinstance(asked, Collection) else [None]
    if None in known:
        return None
    return Collection("list", tuple(item for item, kept in zip(over.items, known, strict=True) if kept))


def _evaluated(one: Call) -> Expression:
    match one.function:
        case Attribute() as method:
            found = _of_literal(one, method)
            return _answer(one, method) if found is one else found
        case Name(name=name):
            return _of_builtin(one, name)
        case Operation(operator="=>", operands=(Operation(operator="given"), body)) if not one.arguments:
            return body
    return one


def _of_literal(one: Call, method: Attribute) -> Expression:
    """Evaluate a method of a literal: `"a b".split()`, `{"a": 1}.items()`, `Object.keys({a: 1})`."""
    if method.name == "format":
        return joined_text(one) or one
    match method.value, one.arguments:
        case Collection(kind="list") as over, (Argument(value=Operation(operator="=>") as arrow),) if (
            method.name == "map"
        ):
            return _mapped(over, arrow) or one
        case Collection(kind="list") as over, (Argument(value=Operation(operator="=>") as arrow),) if (
            method.name == "filter"
        ):
            return _filtered(over, arrow) or one
        case Collection(kind="list", items=items), arguments if method.name == "slice" and not any(
            map(is_spread, items)
        ):
            return _sliced(items, [whole_of(each.value) for each in arguments]) or one
        case Value(kind="string", text=text), () if method.name == "split":
            return Collection("list", tuple(Value("string", word) for word in text.split()))
        case (Collection(kind="mapping", items=items), ()) | (
            Name(name="Object"),
            (Argument(value=Collection(kind="mapping", items=items), name=None),),
        ) if method.name in _LISTED:
            return Collection("list", tuple(_LISTED[method.name](items)))
    return one


def _answer(one: Call, method: Attribute) -> Expression:
    """Write `jest.fn().mockReturnValue(1)` as `jest.fn(() => 1)`, and `Promise.resolve(1)` as `1`."""
    match method.value, one.arguments:
        case Call(arguments=()) as fake, (Argument(value=value),) if method.name in _ANSWERING:
            return Call(fake.function, (Argument(Operation("=>", (_NO_PARAMETER, value))),))
        case Name(name="Promise" | "Object" as owner), (Argument(value=value),) if (owner, method.name) in _SAME:
            return value  # neither the time of its arrival nor its constness matters
    return one


def _of_builtin(one: Call, name: str) -> Expression:
    """Evaluate a function that Python has: `getattr(a, "b")`, `dict()`, `list((1, 2))`."""
    match one.arguments:
        case (Argument(value=value), Argument(value=Value(text=text))) if name == "getattr":
            return Attribute(value, text)
        case arguments if name == "zip" and any(each.name == "strict" for each in arguments):
            return Call(one.function, tuple(each for each in arguments if each.name != "strict"))
        case (Argument(value=Value(kind="string", text=text), name=None),) if name == "dedent":
            return Value("string", dedent(text))
        case () if name in EMPTY:
            return Collection(EMPTY[name], ())
        case arguments if name == "dict":
            return _dictionary(arguments) or one
        case _ if (rows := combined(one, name)) is not None:
            return rows
        case (Argument(value=Collection() | Call() as written, name=None),):
            return _converted(one, name, written)
    return one


def _dictionary(given: Sequence[Argument]) -> Expression | None:
    """Return the mapping that `dict({"a": 1}, b=2)` or `dict([("a", 1)])` makes; None if it isn't written out."""
    entries: dict[Expression, Expression] = {}
    for one in given:
        match one:
            case Argument(value=value, name=str() as name):
                entries[Value("string", name)] = value
            case Argument(value=Collection(kind="mapping", items=items)):
                entries.update(zip(items[::2], items[1::2], strict=True))
            case Argument(value=Collection(kind="list" | "tuple", items=pairs)):
                rows = [pair.items for pair in pairs if isinstance(pair, Collection) and len(pair.items) == _NAME_PARTS]
                if len(rows) < len(pairs):
                    return None
                entries.update((key, value) for key, value in rows)
            case _:
                return None
    return Collection("mapping", tuple(part for pair in entries.items() for part in pair))


def _of_patch(call: Call) -> Call:
    """Reduce `patch("a.b.c")` and `patch.object(b, "c")` to the last name of what they replace."""
    given = [each for each in call.arguments if each.name is None]
    target = given[-1].value if given and last_name(call) in {"patch", "object"} else None
    if not isinstance(target, Value) or target.kind != "string":
        return call
    named = (each for each in call.arguments if each.name is not None)
    return Call(Name("patch"), (Argument(Value("string", target.text.rpartition(".")[2])), *named))


_ANSWERING = frozenset({"mockReturnValue", "mockResolvedValue"})
_NO_PARAMETER = Operation("given", (Name("0"),))
_SAME = frozenset({("Promise", "resolve"), ("Object", "freeze")})


def _joined(parts: Sequence[Expression]) -> Expression | None:
    """Merge an object with the literals it spreads, entry by entry; None if one of them is not literal."""
    entries: dict[Expression, Expression] = {}
    for part in parts:
        match part:
            case Operation(operator="pair", operands=(Value() as key, value)):
                entries[key] = value
            case Operation(operator="spread", operands=(Collection(kind="mapping", items=items),)):
                entries.update(zip(items[::2], items[1::2], strict=False))
            case _:
                return None
    return Collection("mapping", tuple(part for pair in entries.items() for part in pair))


def _at(items: Sequence[Expression], index: int) -> Expression | None:
    """Return the member at an index, undefined after the last one; None if a spread precedes it."""
    if any(map(is_spread, items[: index + 1])):
        return None
    return items[index] if index < len(items) else Value("undefined", "undefined")


def _pairs(items: Sequence[Expression]) -> Iterator[Expression]:
    return (Collection("list", pair) for pair in zip(items[::2], items[1::2], strict=False))


_LISTED: Mapping[str, Callable[[Sequence[Expression]], Iterable[Expression]]] = {
    "items": _pairs,
    "entries": _pairs,
    "keys": lambda items: items[::2],
    "values": lambda items: items[1::2],
}


def _entry(items: tuple[Expression, ...], key: Value) -> Expression | None:
    return next((value for name, value in zip(items[::2], items[1::2], strict=False) if name == key), None)


def _plain_number(one: Value) -> Value:
    number, whole = number_of(one), whole_of(one)
    if whole is None or not ("_" in one.text or "x" in one.text or "e" in one.text.lower()):
        return one
    return Value("number", str(whole) if number == whole and "." not in one.text else repr(number))


_FORMS: Final[Mapping[type, Callable[[Any], Expression]]] = {
    Value: lambda one: _plain_number(one) if one.kind == "number" else one,
    Operation: _operation,
    Collection: _collection,
    Attribute: _attribute,
    Subscript: _subscript,
    Call: _call,
}


def _converted(one: Expression, name: str, written: Collection | Call) -> Expression:
    if isinstance(written, Call):
        return numbers_of(one, most=_MOST_NUMBERS) if name == "list" else one
    if name in {"list", "tuple", "set"}:
        items = written.items[::2] if written.kind == "mapping" else written.items
        return Collection(name, items)  # type: ignore[arg-type]  # the three names are kinds
    return one


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
    inner: dict[Expression, Expression] = dict(held)
    depth = sum(1 for key in held.values() if isinstance(key, Name) and key.name.startswith("each·"))
    for at, name in enumerate(_leaves(variable)):
        inner[name] = Name(f"each·{depth + at}")
    parts = (element, variable)
    inside = tuple(_substituted(part, inner) for part in parts)
    filters = tuple(_substituted(part, inner) for part in conditions)
    return Operation("each", (*inside, _substituted(over, held), *filters))


def _leaves(one: Expression) -> list[Name]:
    if isinstance(one, Name):
        return [one]
    return [leaf for part in children(one) for leaf in _leaves(part)]


@lru_cache(maxsize=4_096)
def digest(one: Expression) -> Expression:
    """Return a name that represents a term too large to carry around."""
    return Name(f"value·{hashlib.sha256(repr(one).encode()).hexdigest()[:12]}")


def claim_with(claim: Claim, held: Environment) -> Claim:
    """Substitute everything in a claim, put the known side of an equality last, and drop its place."""
    each = claim.each
    if each is not None:
        inner = {**held, each.variable: Name("each·0")}
        each = Each(each.kind, Name("each·0"), substitute(each.over, held))
        held = inner
    subject = _read_from(substitute(claim.subject, held))
    object_ = None if claim.object is None else _untouched(_members(substitute(claim.object, held)))
    if (
        claim.relation in {"equals", "same"}
        and object_ is not None
        and _is_written(subject)
        and not _is_written(object_)
    ):
        subject, object_ = object_, subject
    made = Claim(
        claim.relation,
        subject,
        object_,
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
        case Claim(relation="contains", subject=Collection(kind="list" | "tuple") as choices, object=one) if (
            one is not None and not _is_written(one)
        ):
            return plainly(replace(claim, relation="contained_in", subject=one, object=choices))
        case Claim(
            relation="equals", subject=Attribute(value=Raised(), name="args") as args, object=Collection(items=(only,))
        ):
            return replace(claim, subject=Subscript(args, Value("number", "0")), object=only)
        case Claim(relation="raises", subject=Value(kind="string" | "regex") as text, qualifiers=()):
            return replace(claim, subject=Name("Error"), qualifiers=(Argument(text, "match"),))
        case Claim(
            relation="equals",
            subject=Operation(operator="each", operands=(_, _, over)),
            object=Collection(kind="list", items=()),
        ):
            return replace(claim, subject=over)  # what is made of each member is empty if and only if there are none
        case Claim(relation="equals" | "same", object=Value(kind="none" | "undefined", text=text) as value):
            left = None if text in {"None", "undefined"} else value
            return replace(claim, relation="none" if value.kind == "none" else "undefined", object=left)
    return claim


def _is_written(one: Expression) -> bool:
    return isinstance(one, Collection) or is_constant(one)


_COMPARING: Final = frozenset({"==", "!=", "<=", ">="})


def changing(one: Expression) -> str:
    """Return the operator by which a term changes its first operand (`+=`, `delete`); "" if it changes nothing."""
    operator = one.operator if isinstance(one, Operation) else ""
    sign = operator.removeprefix("augmented_assignment_expression")
    return sign if operator == "delete" or (sign.endswith("=") and sign not in _COMPARING) else ""


def terms_of(one: Expression) -> frozenset[Expression]:
    """The term and all its parts."""
    found: set[Expression] = set()
    pending = [one]
    while pending:
        part = pending.pop()
        if part not in found:
            found.add(part)
            pending.extend(children(part))
    return frozenset(found)


@lru_cache(maxsize=16_384)
def has_call(one: Expression) -> bool:
    """Whether anything in a term is called."""
    return isinstance(one, Call) or any(map(has_call, children(one)))


def parts_in(*claims: Claim) -> frozenset[Expression]:
    """Return all parts of the subjects and expected values of claims."""
    terms = (term for claim in claims for term in (claim.subject, claim.object) if term is not None)
    return frozenset(part for term in terms for part in terms_of(term))


def is_part(part: Expression, whole: Expression) -> bool:
    """Whether a term is, or occurs in, another one; constants and classes do not count as parts."""
    if isinstance(part, Value | Opaque):
        return False
    pending = [whole]
    while pending:  # comparing is cheap, hashing a deep term is not
        one = pending.pop()
        if one == part:
            return True
        pending.extend(children(one))
    return False


def strict_zips(one: Expression) -> tuple[Expression, ...]:
    """Return the calls of `zip` in a term that fail if the sides differ in length."""
    strict = Argument(Value("boolean", "True"), "strict")
    calls = (part for part in descendants(one) if isinstance(part, Call) and part.function == Name("zip"))
    return tuple(dict.fromkeys(call for call in calls if strict in call.arguments))


def negated_term(one: Expression) -> Expression:
    """The opposite condition, without a double `not`."""
    if isinstance(one, Operation) and one.operator == "not":
        return one.operands[0]
    return Operation("not", (one,))


def last_name(one: Expression) -> str:
    """Return the last name of a call, attribute or name, or ""."""
    while isinstance(one, Call):
        one = one.function
    return one.name.rpartition(".")[2] if isinstance(one, Name | Attribute) else ""


def dotted(one: Expression) -> str:
    """Return `a.b.c` for nested attributes of a name; "" if anything else is in between."""
    parts: list[str] = []
    while isinstance(one, Attribute):
        parts.append(one.name)
        one = one.value
    return ".".join([one.name, *reversed(parts)]) if isinstance(one, Name) else ""


RAISE = "raise"  # the operator of an error that the test itself raises
TEST_SIDE = Name("tests·")  # holds the names that a file imports from other test files
