"""Facts as lines of text, stored with a reviewed link and parsed again to compare them with the current state.

A line is an expression in Python's syntax: `equals(total(items), 3)`. Anything Python's literals cannot express is a
call of a member of `_`, such as `_.regex("a+")`.
"""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from keyword import iskeyword
from typing import Final, get_args

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
    Relation,
    Subscript,
    Value,
)
from pactkeeper.intent.strength.facts import Fact
from pactkeeper.intent.strength.terms import digest

_LONGEST: Final = 200
_MOST: Final = 60
_RELATIONS: Final = frozenset(get_args(Relation))
_DIGITS: Final = 20


def written(facts: Iterable[Fact]) -> tuple[str, ...]:
    """Return facts as sorted lines, one for each moment a fact is made at; a moment that is unknown makes it one line.

    Long terms become digests, and very many facts a single digest.
    """
    made: defaultdict[str, set[int]] = defaultdict(set)
    for fact in facts:
        made[line_of(fact)].add(fact.moment)
    lines = sorted(line for line, moments in made.items() for _ in ({0} if 0 in moments else moments))
    if len(lines) > _MOST:
        return (_digest("\n".join(lines)),)
    return tuple(lines)


def line_of(fact: Fact) -> str:
    """Return the line that a review stores about a fact."""
    for claim in _shorter(fact.claim):
        text = _text_of(fact, claim)
        if len(text) <= _LONGEST:
            return text
    return _digest(_text_of(fact, fact.claim))


def _shorter(claim: Claim) -> Iterator[Claim]:
    """Yield the claim, then with a digest for its subject, then also with one for what is expected."""
    yield claim
    claim = replace(claim, subject=digest(claim.subject))
    yield claim
    if claim.object is not None:
        yield replace(claim, object=digest(claim.object))


def _text_of(fact: Fact, claim: Claim) -> str:
    text = _claim(claim)
    extras = [f"if_=[{', '.join(map(_term, fact.conditions))}]"] if fact.conditions else []
    extras += [] if fact.awaited else ["awaited=False"]
    return f"{text[:-1]}, {', '.join(extras)})" if extras else text


def _digest(text: str) -> str:
    return f"#{sha256(text.encode()).hexdigest()[:_DIGITS]}"


def _claim(claim: Claim) -> str:
    parts = [_term(claim.subject)]
    if claim.object is not None:
        parts.append(_term(claim.object))
    parts += [f"{extra.name}={_term(extra.value)}" for extra in claim.qualifiers]
    if claim.negated:
        parts.append("negated=True")
    if claim.each is not None:
        parts.append(f"each=({claim.each.kind!r}, {_term(claim.each.variable)}, {_term(claim.each.over)})")
    if claim.alternatives:
        parts.append(f"or_=[{', '.join(_claim(other) for other in claim.alternatives)}]")
    return f"{claim.relation}({', '.join(parts)})"


def _plain(name: str) -> bool:
    return name.isidentifier() and not iskeyword(name) and name != "_" and name.isascii()


def _special(word: str, *parts: str) -> str:
    return f"_.{word}({', '.join(parts)})"


def _term(one: Expression) -> str:  # noqa: C901, PLR0911 - one case a form of expression
    match one:
        case Name(name=name):
            return name if _plain(name) else _special("name", repr(name))
        case Value():
            return _value(one)
        case Attribute(value=value, name=name):
            return f"{_held(value)}.{name}" if _plain(name) else _special("attribute", _term(value), repr(name))
        case Subscript(value=value, key=key):
            return f"{_held(value)}[{_term(key)}]"
        case Call(function=function, arguments=arguments):
            return f"{_held(function)}({', '.join(_arguments(arguments))})"
        case Collection():
            return _collection(one)
        case Operation(operator=operator, operands=operands):
            return _special("op", repr(operator), *map(_term, operands))
        case Opaque(text=text):
            return _special("code", repr(text))
        case Raised(error=error):
            return _special("raised", _term(error))
        case Captured(stream=stream):
            return _special("captured", repr(stream))


def _held(one: Expression) -> str:
    text = _term(one)
    return text if isinstance(one, Name | Attribute | Subscript | Call) else f"({text})"


def _arguments(given: Sequence[Argument]) -> Iterator[str]:
    """Yield arguments in Python's syntax; a name that is not allowed in its place becomes a special."""
    last = max((at for at, one in enumerate(given) if one.name is None), default=-1)
    for at, one in enumerate(given):
        if one.name is None:
            yield _term(one.value)
        elif at > last and _plain(one.name):
            yield f"{one.name}={_term(one.value)}"
        else:
            yield _special("named", repr(one.name), _term(one.value))


def _value(one: Value) -> str:
    if one.kind == "string":
        return repr(one.text)
    if one.kind == "number" and one.text.isdigit() and not (one.text.startswith("0") and one.text != "0"):
        return one.text
    if (one.kind, one.text) in {("boolean", "True"), ("boolean", "False"), ("none", "None")}:
        return one.text
    return _special(one.kind, repr(one.text))


def _collection(one: Collection) -> str:
    items = list(map(_term, one.items))
    if one.kind == "list":
        return f"[{', '.join(items)}]"
    if one.kind == "tuple":
        return f"({', '.join(items)},)" if items else "()"
    return _special(one.kind, *items)


def read(lines: Iterable[str]) -> tuple[Fact, ...] | None:
    """Parse such lines, numbering the moments of those that recur.

    None if one is a digest or unreadable, so that only equality can be checked.
    """
    found, times = [], Counter[str]()
    for line in lines:
        fact = _fact(line)
        if fact is None:
            return None
        times[line] += 1
        found.append(replace(fact, moment=times[line]))
    return tuple(found)


def _fact(line: str) -> Fact | None:
    if line.startswith("#") or len(line) > _LONGEST * 2:
        return None
    try:
        node = ast.parse(line, mode="eval").body
        if not isinstance(node, ast.Call):
            return None
        extras = {keyword.arg: keyword.value for keyword in node.keywords}
        conditions = extras.pop("if_", None)
        awaited = extras.pop("awaited", None) is None
        held = tuple(map(_read, conditions.elts)) if isinstance(conditions, ast.List) else ()
        return Fact(_read_claim(node, extras), held, awaited, quote=line)
    except (SyntaxError, ValueError, TypeError, KeyError, IndexError, MemoryError, RecursionError):
        return None


def _read_claim(node: ast.expr, extras: Mapping[str | None, ast.expr] | None = None) -> Claim:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id not in _RELATIONS:
        raise ValueError(ast.dump(node)[:80])
    given = dict(extras) if extras is not None else {keyword.arg: keyword.value for keyword in node.keywords}
    negated = given.pop("negated", None) is not None
    each, others = given.pop("each", None), given.pop("or_", None)
    return Claim(
        node.func.id,  # type: ignore[arg-type]  # looked up in the relations above
        _read(node.args[0]),
        _read(node.args[1]) if len(node.args) > 1 else None,
        negated=negated,
        qualifiers=tuple(Argument(_read(value), name) for name, value in given.items()),
        each=_read_each(each) if isinstance(each, ast.Tuple) else None,
        alternatives=tuple(map(_read_claim, others.elts)) if isinstance(others, ast.List) else (),
    )


def _read_each(node: ast.Tuple) -> Each:
    kind = ast.literal_eval(node.elts[0])
    return Each("some" if kind == "some" else "every", _read(node.elts[1]), _read(node.elts[2]))


def _read(node: ast.expr) -> Expression:
    reader = _READERS.get(type(node))
    if reader is None:
        raise ValueError(type(node).__name__)
    return reader(node)


def _read_constant(node: ast.Constant) -> Expression:
    value = node.value
    if value is None or isinstance(value, bool):
        return Value("none" if value is None else "boolean", str(value))
    return Value("string", value) if isinstance(value, str) else Value("number", str(value))


def _read_call(node: ast.Call) -> Expression:
    function = node.func
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name) and function.value.id == "_":
        return _read_special(function.attr, node.args)
    arguments = [_read_argument(each) for each in node.args]
    arguments += [Argument(_read(keyword.value), keyword.arg) for keyword in node.keywords]
    return Call(_read(function), tuple(arguments))


def _read_argument(node: ast.expr) -> Argument:
    named = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "named"
    if named and isinstance(node, ast.Call):
        return Argument(_read(node.args[1]), _text(node.args[0]))
    return Argument(_read(node))


def _read_special(word: str, parts: list[ast.expr]) -> Expression:
    reader = _SPECIAL.get(word)
    if reader is not None:
        return reader(*parts)
    if word in {"set", "mapping"}:
        return Collection(word, tuple(map(_read, parts)))  # type: ignore[arg-type]  # one of two kinds
    return Value(word, _text(parts[0]))  # type: ignore[arg-type]  # the kinds of a value


_SPECIAL: Final[Mapping[str, Callable[..., Expression]]] = {
    "name": lambda name, *_: Name(_text(name)),
    "attribute": lambda value, name, *_: Attribute(_read(value), _text(name)),
    "op": lambda operator, *parts: Operation(_text(operator), tuple(map(_read, parts))),
    "code": lambda text, *_: Opaque(_text(text)),
    "raised": lambda error, *_: Raised(_read(error)),
    "captured": lambda stream, *_: Captured(_text(stream)),  # type: ignore[arg-type]  # written by this module
}


def _text(node: ast.expr) -> str:
    return str(ast.literal_eval(node))


def _items(kind: str) -> Callable[[ast.expr], Expression]:
    def reader(node: ast.expr) -> Expression:
        elements = node.elts if isinstance(node, ast.List | ast.Tuple) else []
        return Collection(kind, tuple(map(_read, elements)))  # type: ignore[arg-type]  # list or tuple

    return reader


_READERS: Final[Mapping[type[ast.expr], Callable[..., Expression]]] = {
    ast.Constant: _read_constant,
    ast.Call: _read_call,
    ast.Name: lambda node: Name(node.id),
    ast.Attribute: lambda node: Attribute(_read(node.value), node.attr),
    ast.Subscript: lambda node: Subscript(_read(node.value), _read(node.slice)),
    ast.List: _items("list"),
    ast.Tuple: _items("tuple"),
}
