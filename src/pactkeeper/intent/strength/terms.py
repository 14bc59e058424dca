"""Expressions as terms: substitution, constants, and the parts of a value."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from operator import is_
from typing import Final

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
)
from pactkeeper.intent.strength.folding import (
    EMPTY,
    is_constant,
    is_spread,
    is_written_out,
    joined_place,
    joined_text,
    number_of,
    written_out,
)

_MAX_SIZE = 160
_NAME_PARTS = 2
_WORDS = re.compile(r"(?<![\w.'\"])[^\W\d]\w*+(?!\s?=[^=])")

Environment = Mapping[Expression, Expression]


def rebuilt(  # noqa: PLR0911 - one case a form of expression
    one: Expression, change: Callable[[Expression], Expression]
) -> Expression:
    """Rebuild a form with every direct part changed; return the same object if none changes."""
    if isinstance(one, Name | Value | Opaque):
        return one
    parts = children(one)
    changed = tuple(map(change, parts))
    if all(map(is_, parts, changed)):
        return one
    match one:
        case Attribute(name=name):
            return Attribute(changed[0], name)
        case Subscript():
            return Subscript(changed[0], changed[1])
        case Call(arguments=arguments):
            given = zip(changed[1:], arguments, strict=True)
            return Call(changed[0], tuple(Argument(value, each.name) for value, each in given))
        case Operation(operator=operator):
            return Operation(operator, changed)
        case Collection(kind=kind):
            return Collection(kind, changed)
        case Raised():
            return Raised(changed[0])
    return one


def substitute(one: Expression, held: Environment) -> Expression:
    """Replace names (and attributes of `self`) with their values; a term that grows too large becomes a digest."""
    found = _substituted(one, held)
    if found is one:
        return one
    return found if size(found) <= _MAX_SIZE else digest(found)


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


def simplified(one: Expression) -> Expression:  # noqa: C901, PLR0911, PLR0912 - one case a form
    """Return a term in its canonical spelling: numbers, members of literals, joined text."""
    match one:
        case Value(kind="number"):
            return _plain_number(one)
        case Collection(kind="list" | "tuple" | "set" as kind, items=items) if any(map(is_written_out, items)):
            return Collection(kind, tuple(written_out(items)))
        case Call(arguments=arguments) if any(is_written_out(each.value) for each in arguments):
            given = ((value, each.name) for each in arguments for value in written_out((each.value,)))
            return Call(one.function, tuple(Argument(value, name) for value, name in given))
        case Operation(operator="member", operands=(Collection(kind=kind, items=items), Name(name=at))) if (
            kind != "mapping"
        ):
            return _at(items, int(at)) or one
        case Operation(operator="text" | "%" | "+") | Call(function=Attribute(name="format")):
            return joined_text(one) or one
        case Call(function=Attribute(value=Value(kind="string", text=text), name="split"), arguments=()):
            return Collection("list", tuple(Value("string", word) for word in text.split()))
        case Subscript(value=Collection(kind=kind, items=items), key=Value(kind="number", text=text)) if kind in {
            "list",
            "tuple",
        }:
            return (_at(items, int(text)) if text.isdigit() else None) or one
        case Attribute(value=Collection(kind="mapping", items=items), name=name):
            return _entry(items, Value("string", name)) or one
        case Subscript(value=Collection(kind="mapping", items=items), key=Value() as key):
            return _entry(items, key) or one
        case (
            Call(function=Attribute(value=Collection(kind="mapping", items=items), name=name), arguments=())
            | Call(
                function=Attribute(value=Name(name="Object"), name=name),
                arguments=(Argument(value=Collection(kind="mapping", items=items), name=None),),
            )
        ) if name in _LISTED:
            return Collection("list", tuple(_LISTED[name](items)))
        case Call(function=Operation(operator="=>", operands=(Operation(operator="given"), body)), arguments=()):
            return body
        case Call(function=function, arguments=(*given, Argument(value=Value(kind="undefined"), name=None))):
            return Call(function, tuple(given))
        case Operation(operator="entered", operands=(Call(arguments=(*_, _)) as call,)):
            return Operation("entered", (_of_patch(call),))
        case Operation(operator="object", operands=parts):
            return _joined(parts) or one
        case Call(
            function=Attribute(value=Call(arguments=()) as fake, name=name), arguments=(Argument(value=value),)
        ) if name in _ANSWERING:
            return Call(fake.function, (Argument(Operation("=>", (_NO_PARAMETER, value))),))
        case Call(function=Name(name="getattr"), arguments=(Argument(value=value), Argument(value=Value(text=text)))):
            return Attribute(value, text)
        case Call(
            function=Attribute(value=Name(name="Promise"), name="resolve")
            | Attribute(value=Name(name="Object"), name="freeze"),
            arguments=(Argument(value=value),),
        ):
            return value  # neither the time of its arrival nor its constness matters
        case Call(function=Name(name="zip"), arguments=arguments) if any(each.name == "strict" for each in arguments):
            return Call(one.function, tuple(each for each in arguments if each.name != "strict"))
        case Call(function=Name(name=name), arguments=()) if name in EMPTY:
            return Collection(EMPTY[name], ())
        case Call(function=Name(name=name), arguments=(Argument(value=Collection() as written, name=None),)):
            return _converted(one, name, written)
        case Attribute(value=Call()) | Operation(operator="/") | Call():
            return joined_place(one) or one
    return one


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
    number = number_of(one)
    if number is None or not ("_" in one.text or "x" in one.text or "e" in one.text.lower()):
        return one
    return Value("number", str(int(number)) if number == int(number) and "." not in one.text else repr(number))


def _converted(one: Expression, name: str, written: Collection) -> Expression:
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


def size(one: Expression) -> int:
    """Count the nodes of a term, up to just above the limit."""
    count, pending = 0, [one]
    while pending and count <= _MAX_SIZE:
        count += 1
        pending.extend(children(pending.pop()))
    return count


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
    object_ = None if claim.object is None else _untouched(substitute(claim.object, held))
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
    return one


def plainly(claim: Claim) -> Claim:
    """Return the claim as if its values were written in the assertion itself, not in a row or a constant."""
    match claim:
        case Claim(relation="length", object=Value(kind="number", text="0")):
            return replace(claim, relation="empty", object=None)
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
    parts = (part for part in terms_of(one) if isinstance(part, Call) and part.function == Name("zip"))
    return tuple(part for part in parts if strict in part.arguments)


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


TEST_SIDE = Name("tests·")  # holds the names that a file imports from other test files
