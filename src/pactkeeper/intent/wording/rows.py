"""Claims about the rows of a table that is written out, said of each row by its values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from pactkeeper.intent.claims import (
    Argument,
    Attribute,
    Call,
    Claim,
    Collection,
    Expression,
    Item,
    Name,
    Operation,
    TestEvidence,
    Value,
    children,
)
from pactkeeper.intent.wording.naming import weak

MAX_ROWS = 100
Filled = Mapping[str, Expression]


def row_by_row(evidence: TestEvidence) -> TestEvidence:
    """The evidence with each claim about a row's fields made once for every row; others stay as they are, behind."""
    if not 0 < len(evidence.rows) <= MAX_ROWS or not evidence.parameters:
        return evidence
    rows = [dict(zip(evidence.parameters, row, strict=False)) for row in evidence.rows]
    made: list[list[Claim]] = []
    kept: list[Claim] = []
    for claim in evidence.claims:
        said = _of_every_row(claim, rows, evidence)
        made += [said] if said else []
        kept += [] if said else [claim]
    return replace(evidence, claims=(*(claim for row in zip(*made, strict=True) for claim in row), *kept))


def _of_every_row(claim: Claim, rows: Sequence[Filled], evidence: TestEvidence) -> list[Claim]:
    """The claim said of each row; empty where it is about no row, or a row's value is not written out."""
    if not _is_about_rows(claim, evidence):
        return []
    definitions = dict(evidence.definitions)
    try:
        return [_said_of(claim, row, definitions) for row in rows]
    except LookupError:
        return []


def _is_about_rows(claim: Claim, evidence: TestEvidence) -> bool:
    """Whether the values of rows say more than the names of parameters do: fields, keys, names of one letter."""
    if claim.condition is not None or claim.each is not None or claim.repeated or claim.alternatives or claim.holds:
        return False
    used = [use for part in _parts(claim) for use in _uses(part, _fields(evidence), frozenset(evidence.parameters))]
    short = evidence.free_text_name and all(weak(name) for name, _ in used)
    return bool(used) and (short or any(deep for _, deep in used))


def _parts(claim: Claim) -> tuple[Expression, ...]:
    found = (claim.subject, claim.object, *(one.value for one in claim.qualifiers))
    return tuple(one for one in found if one is not None)


def _fields(evidence: TestEvidence) -> frozenset[str]:
    """The parameters that hold lists or mappings in every row."""
    columns = zip(evidence.parameters, zip(*evidence.rows, strict=False), strict=False)
    return frozenset(name for name, values in columns if all(isinstance(one, Collection) for one in values))


def _uses(one: Expression, fields: frozenset[str], names: frozenset[str]) -> Iterator[tuple[str, bool]]:
    """The parameters in an expression, each with whether a field of it or a value under it is meant."""
    match one:
        case Name(name=name) if name in names:
            yield name, False
        case Attribute(value=Name(name=name)) | Item(value=Name(name=name)) if name in names:
            yield name, name in fields
        case Item(value=_, key=Name(name=name)) if name in names:
            yield name, True
        case _:
            for inner in children(one):
                yield from _uses(inner, fields, names)


def _said_of(claim: Claim, row: Filled, definitions: Filled) -> Claim:
    return replace(
        claim,
        subject=_filled(claim.subject, row, definitions),
        object=None if claim.object is None else _filled(claim.object, row, definitions),
        qualifiers=tuple(Argument(_filled(one.value, row, definitions), one.name) for one in claim.qualifiers),
    )


def _filled(one: Expression, row: Filled, definitions: Filled) -> Expression:
    """An expression with a row's values in place of its parameters; raises LookupError where one is not known."""
    match one:
        case Name(name=name):
            return row[name] if name in row else _taken(one, row, definitions)
        case Attribute(value=value, name=name):
            owner = _filled(value, row, definitions)
            return _member(owner, name) if owner != value and isinstance(owner, Collection) else Attribute(owner, name)
        case Item(value=value, key=key):
            return _item(one, (_filled(value, row, definitions), _filled(key, row, definitions)), definitions)
        case Call(function=Attribute(value=value, name="toString"), arguments=()):
            return _as_text(_filled(value, row, definitions))
        case Call(function=function, arguments=arguments):
            given = _given(Argument(_filled(each.value, row, definitions), each.name) for each in arguments)
            return Call(_filled(function, row, definitions), given)
        case Operation(operator=operator, operands=parts):
            return Operation(operator, tuple(_filled(part, row, definitions) for part in parts))
        case Collection(kind=kind, items=parts):
            return Collection(kind, tuple(_filled(part, row, definitions) for part in parts))
    return one


def _as_text(one: Expression) -> Expression:
    """What `toString` makes of a value; of another thing than a plain value nothing is known for certain."""
    if isinstance(one, Collection) and one.kind == "list" and all(_is_text(item) for item in one.items):
        return Value("string", ",".join(item.text for item in one.items if isinstance(item, Value)))
    plain = isinstance(one, Value) and (one.kind == "boolean" or (one.kind == "number" and one.text.isdigit()))
    if isinstance(one, Value) and plain:
        return Value("string", one.text)
    return one if _is_text(one) else Call(Attribute(one, "toString"))


def _is_text(one: Expression) -> bool:
    return isinstance(one, Value) and one.kind == "string"


def _taken(one: Name, row: Filled, definitions: Filled) -> Expression:
    """What a local name holds, where that is taken from the row: `const [first] = row.out`."""
    held = definitions.get(one.name)
    if held is None or held == one or not any(_uses(held, frozenset(), frozenset(row))):
        return one
    return _filled(held, row, {name: value for name, value in definitions.items() if name != one.name})


def _item(one: Item, filled: tuple[Expression, Expression], definitions: Filled) -> Expression:
    owner, key = filled
    if isinstance(owner, Name) and key != one.key:
        owner = definitions.get(owner.name, owner)
    if not isinstance(owner, Collection) or not isinstance(key, Value):
        return Item(owner, key)
    if owner.kind == "mapping":
        return _member(owner, key.text)
    at = int(key.text) if key.kind == "number" and key.text.isdigit() else len(owner.items)
    return owner.items[at] if at < len(owner.items) else _UNDEFINED


def _member(owner: Collection, name: str) -> Expression:
    """The value under a key of a mapping whose keys are all written out."""
    keys = owner.items[::2]
    if owner.kind != "mapping" or not all(isinstance(key, Value) for key in keys):
        raise LookupError(name)
    entries = {key.text: value for key, value in zip(keys, owner.items[1::2], strict=True) if isinstance(key, Value)}
    return entries.get(name, _UNDEFINED)


_UNDEFINED = Value("undefined", "undefined")


def _given(arguments: Iterable[Argument]) -> tuple[Argument, ...]:
    """Arguments with a spread list taken apart, without what is left undefined at their end."""
    given: list[Argument] = []
    for one in arguments:
        value = one.value
        if isinstance(value, Operation) and value.operator == "spread" and isinstance(value.operands[0], Collection):
            given += [Argument(item) for item in value.operands[0].items]
        else:
            given.append(one)
    while given and given[-1].value == _UNDEFINED:
        given.pop()
    return tuple(given)
