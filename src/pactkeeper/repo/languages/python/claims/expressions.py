"""Python expressions in the language-neutral form of `intent.claims`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from tree_sitter import Node

from pactkeeper.intent.claims import (
    Argument,
    Attribute,
    Call,
    Captured,
    Collection,
    Expression,
    Name,
    Opaque,
    Operation,
    Raised,
    Subscript,
    Value,
)
from pactkeeper.intent.strength.folding import is_constant
from pactkeeper.intent.strength.joining import CONVERSIONS
from pactkeeper.repo.languages.python.syntax import is_whole, text_of

MAX_DEPTH = 24
PATTERNS = frozenset({"pattern_list", "tuple_pattern", "list_pattern"})  # several targets of one assignment or loop
_LOGGED = frozenset({"text", "records", "messages", "record_tuples"})  # of pytest's `caplog`
_LIBRARIES = frozenset({"pytest", "unittest", "np", "pd", "re", "math", "os.path", "np.testing"})
_SUBMODULES = frozenset({"json", "path", "parse", "testing", "mock", "util", "utils", "exceptions", "error"})
_STREAMS: Mapping[str, Captured] = {"out": Captured("output"), "err": Captured("error_output")}
_CAPTURING = frozenset({"capsys", "capfd", "capsysbinary", "capfdbinary", "capteesys"})


@dataclass(slots=True)
class Scope:
    """What a test's names stand for while its statements are read from top to bottom.

    `modules` are imported modules, which are dropped from dotted names. `raised` maps a name to the exception it
    caught, and `wrapped` says which of them are holders (`excinfo.value`). `arguments` are what a followed helper was
    called with; `shadowed` are local names that hide modules of the same name; `doubled` are names of the test
    framework that hold something that never fails.
    """

    modules: frozenset[str] = frozenset()
    raised: dict[str, Expression] = field(default_factory=dict)
    wrapped: set[str] = field(default_factory=set)
    captured: dict[str, Captured | None] = field(default_factory=dict)
    arguments: dict[str, Expression] = field(default_factory=dict)
    shadowed: set[str] = field(default_factory=set)
    doubled: frozenset[str] = frozenset()

    def hold(self, name: str, error: Expression) -> None:
        """Record that a name holds what a watching call caught: `excinfo`."""
        self.raised[name] = error
        self.wrapped.add(name)

    def forget(self, name: str) -> None:
        """Record that a name is reassigned: it is local now, and no longer what was caught or captured."""
        self.captured.pop(name, None)
        self.raised.pop(name, None)
        self.wrapped.discard(name)
        self.shadowed.add(name)


def children_of(node: Node | None, field_name: str) -> list[Node]:
    """Return what is in a field of a node; empty if it has no such field."""
    found = node.child_by_field_name(field_name) if node is not None else None
    return found.named_children if found is not None else []


def sorted_out(arguments: Iterable[Argument]) -> tuple[list[Expression], dict[str, Expression]]:
    """Return the positional arguments of a call, and the named ones."""
    given = list(arguments)
    positional = [one.value for one in given if one.name is None]
    return positional, {one.name: one.value for one in given if one.name}


def expression(node: Node | None, scope: Scope, depth: int = 0) -> Expression:
    """Convert a syntax node to an expression; anything without a form becomes `Opaque` with its source."""
    if node is None or depth > MAX_DEPTH:
        return Opaque(text_of(node))
    reader = _READERS.get(node.type)
    return reader(node, scope, depth) if reader else Opaque(text_of(node))


def arguments_of(node: Node | None, scope: Scope, depth: int = 0) -> tuple[Argument, ...]:
    """Return the arguments in a call's argument list, in order."""
    if node is None:
        return ()
    if node.type == "generator_expression":
        return (Argument(expression(node, scope, depth + 1)),)
    found = []
    for child in node.named_children:
        if child.type == "comment":
            continue
        if child.type == "keyword_argument":
            value = expression(child.child_by_field_name("value"), scope, depth + 1)
            found.append(Argument(value, text_of(child.child_by_field_name("name"))))
        else:
            found.append(Argument(expression(child, scope, depth + 1)))
    return tuple(found)


def _identifier(node: Node, scope: Scope, _depth: int) -> Expression:
    name = text_of(node)
    if name in scope.arguments:
        return scope.arguments[name]
    if name in scope.raised and name not in scope.wrapped:
        return Raised(scope.raised[name])
    return scope.captured.get(name) or Name(name)


def _attribute(node: Node, scope: Scope, depth: int) -> Expression:
    holder = node.child_by_field_name("object")
    name = text_of(node.child_by_field_name("attribute"))
    base = text_of(holder)
    if base == "caplog" and name in _LOGGED:
        return Captured("log")
    if base in scope.wrapped and name in {"value", "exception", "warning"}:
        return Raised(scope.raised[base])
    if base in scope.wrapped and name == "match":
        return Attribute(Raised(scope.raised[base]), name)
    if name in _STREAMS and (base in scope.captured or is_readouterr(holder)):
        return _STREAMS[name]
    if _is_module(base, scope):
        is_told_apart = len(name) == 1 or base == "sys" or name in scope.shadowed
        return Name(f"{base}.{name}" if is_told_apart else name)
    return Attribute(expression(holder, scope, depth + 1), name)


def _is_module(base: str, scope: Scope) -> bool:
    """Whether a dotted name is a module, which is then dropped from the names of its functions."""
    if base in scope.arguments or base in scope.shadowed:
        return False
    first, _, rest = base.partition(".")
    return base in scope.modules or base in _LIBRARIES or (first in scope.modules and rest in _SUBMODULES)


def is_readouterr(node: Node | None) -> bool:
    """Whether the node reads what pytest has captured so far."""
    function = node.child_by_field_name("function") if node is not None and node.type == "call" else None
    if function is None or function.type != "attribute":
        return False
    return (
        text_of(function.child_by_field_name("attribute")) == "readouterr"
        and text_of(function.child_by_field_name("object")) in _CAPTURING
    )


def _subscript(node: Node, scope: Scope, depth: int) -> Expression:
    base = expression(node.child_by_field_name("value"), scope, depth + 1)
    keys = node.children_by_field_name("subscript")
    if len(keys) != 1:
        return Subscript(base, Collection("tuple", tuple(expression(key, scope, depth + 1) for key in keys)))
    return Subscript(base, expression(keys[0], scope, depth + 1))


def _slice(node: Node, scope: Scope, depth: int) -> Expression:
    parts: list[Expression] = [Opaque(""), Opaque(""), Opaque("")]
    at = 0
    for child in node.children:
        if child.type == ":":
            at += 1
        elif at < len(parts):
            parts[at] = expression(child, scope, depth + 1)
    return Operation("slice", tuple(parts))


def _call(node: Node, scope: Scope, depth: int) -> Expression:
    function = expression(node.child_by_field_name("function"), scope, depth + 1)
    arguments = arguments_of(node.child_by_field_name("arguments"), scope, depth)
    if len(arguments) == 2 and f"{text_of(node.child_by_field_name('function'))}()" in scope.modules:  # noqa: PLR2004 - a type and a value
        return arguments[1].value
    if isinstance(function, Name) and len(arguments) == 1 and function.name in {"str", "repr"}:
        held = arguments[0].value
        if isinstance(held, Name) and held.name in scope.wrapped:
            held = Raised(scope.raised[held.name])
        if isinstance(held, Raised):
            return Attribute(held, "message")
    if function == Name("compile") and text_of(node).startswith("re.") and len(arguments) == 1:
        text = arguments[0].value  # a pattern without flags is its text
        return (
            Value("regex", text.text)
            if isinstance(text, Value) and text.kind == "string"
            else Call(function, arguments)
        )
    if isinstance(function, Operation) and function.operator == "spread":
        return Operation("spread", (Call(function.operands[0], arguments),))  # the grammar takes `*f(1)` for `(*f)(1)`
    return Call(function, arguments)


def _string(node: Node, scope: Scope, depth: int) -> Expression:
    if any(child.type == "interpolation" for child in node.children):
        return Operation("text", _parts(node, scope, depth))
    text = text_of(node)
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return Opaque(text)
    if isinstance(value, bytes):
        return Value("bytes", value.decode("utf-8", "backslashreplace"))
    return Value("string", value) if isinstance(value, str) and is_whole(value) else Opaque(text)


def _parts(node: Node, scope: Scope, depth: int) -> tuple[Expression, ...]:
    parts: list[Expression] = []
    for child in node.children:
        if child.type == "interpolation":
            inner = expression(child.child_by_field_name("expression"), scope, depth + 1)
            parts.append(_formatted(inner, child))
        elif child.type == "string_content":
            parts.append(Value("string", text_of(child).replace("{{", "{").replace("}}", "}")))
    return tuple(parts)


def _formatted(one: Expression, node: Node) -> Expression:
    """Return `{x!r}` as `{repr(x)}`, and `{x:.2f}` as `{format(x, ".2f")}`."""
    kinds = {child.type: text_of(child) for child in node.named_children}
    name = CONVERSIONS.get(kinds.get("type_conversion", ""), "")
    one = Call(Name(name), (Argument(one),)) if name else one
    shape = kinds.get("format_specifier", ":")[1:]
    return Call(Name("format"), (Argument(one), Argument(Value("string", shape)))) if shape else one


def _concatenated(node: Node, scope: Scope, depth: int) -> Expression:
    parts = [expression(child, scope, depth + 1) for child in node.named_children if child.type == "string"]
    if parts and all(isinstance(part, Value) for part in parts):
        values = [part for part in parts if isinstance(part, Value)]
        return Value(values[0].kind, "".join(value.text for value in values))
    flat: list[Expression] = []
    for part in parts:
        flat.extend(part.operands if isinstance(part, Operation) else (part,))
    return Operation("text", tuple(flat))


def _literal(kind: str) -> _Reader:
    def read(node: Node, _scope: Scope, _depth: int) -> Expression:
        return Value(kind, text_of(node))  # type: ignore[arg-type]  # kinds are listed in the table below

    return read


def _collection(kind: str) -> _Reader:
    def read(node: Node, scope: Scope, depth: int) -> Expression:
        return Collection(kind, _each_part(node, scope, depth))  # type: ignore[arg-type]  # as above

    return read


def _dictionary(node: Node, scope: Scope, depth: int) -> Expression:
    entries: list[tuple[Expression, Expression]] = []
    for child in node.named_children:
        if child.type == "pair":
            key, value = (expression(child.child_by_field_name(part), scope, depth + 1) for part in ("key", "value"))
            entries.append((key, value))
        elif child.type == "dictionary_splat":
            return Opaque(text_of(node))
    return _mapping(entries)


def _mapping(entries: Iterable[tuple[Expression, Expression]]) -> Collection:
    """Return a dictionary of these entries; of two with the same literal key, the last value stays."""
    held: dict[Expression | tuple[int, Expression], tuple[Expression, Expression]] = {}
    for at, (key, value) in enumerate(entries):
        held[key if is_constant(key) else (at, key)] = key, value
    return Collection("mapping", tuple(part for entry in held.values() for part in entry))


def _inner(node: Node, scope: Scope, depth: int) -> Expression:
    inner = [child for child in node.named_children if child.type != "comment"]
    return expression(inner[0] if inner else None, scope, depth + 1)


def _named(node: Node, scope: Scope, depth: int) -> Expression:
    """Return what `(name := value)` is: the name, once the statement that it stands in has bound it."""
    name = node.child_by_field_name("name")
    held = name if text_of(name) in scope.shadowed else node.child_by_field_name("value")
    return expression(held, scope, depth + 1)


def _unary(node: Node, scope: Scope, depth: int) -> Expression:
    operator = text_of(node.child_by_field_name("operator"))
    operand = expression(node.child_by_field_name("argument"), scope, depth + 1)
    if operator in {"-", "+"} and isinstance(operand, Value) and operand.kind == "number":
        return Value("number", operator.replace("+", "") + operand.text)
    return Operation(operator, (operand,))


def _binary(node: Node, scope: Scope, depth: int) -> Expression:
    left = expression(node.child_by_field_name("left"), scope, depth + 1)
    right = expression(node.child_by_field_name("right"), scope, depth + 1)
    operator = text_of(node.child_by_field_name("operator"))
    joined = operator == "+" and isinstance(left, Value) and isinstance(right, Value)
    if joined and left.kind == right.kind and left.kind in {"string", "bytes"}:  # type: ignore[union-attr]  # checked by `joined`
        return Value(left.kind, left.text + right.text)  # type: ignore[union-attr]  # likewise
    return Operation(operator, (left, right))


def _operators_of(node: Node) -> list[str]:
    """Return the operators of a comparison chain in the spelling that `Operation` uses."""
    words = [text_of(child) for child in node.children_by_field_name("operators")]
    return [" ".join(word.split()).replace("not in", "not-in").replace("is not", "is-not") for word in words]


def _operands_of(node: Node) -> list[Node]:
    """Return the operands of a comparison chain."""
    return [child for child in node.named_children if child.type not in {"comment", "not in", "is not"}]


def _comparison(node: Node, scope: Scope, depth: int) -> Expression:
    operands = [expression(child, scope, depth + 1) for child in _operands_of(node)]
    pairs = tuple(map(Operation, _operators_of(node), pairwise(operands)))
    if not pairs:
        return Opaque(text_of(node))
    return pairs[0] if len(pairs) == 1 else Operation("and", pairs)


def _conditional(node: Node, scope: Scope, depth: int) -> Expression:
    return Operation("if-else", _each_part(node, scope, depth))


def _comprehension(node: Node, scope: Scope, depth: int) -> Expression:
    clauses = [child for child in node.named_children if child.type == "for_in_clause"]
    body = node.child_by_field_name("body")
    if len(clauses) != 1 or body is None:
        return Opaque(text_of(node))
    variable, over = clauses[0].child_by_field_name("left"), clauses[0].child_by_field_name("right")
    pair = body.type == "pair"
    element = Collection("tuple", _each_part(body, scope, depth)) if pair else expression(body, scope, depth + 1)
    parts = [element, _target(variable, scope, depth), expression(over, scope, depth + 1)]
    conditions = [child for child in node.named_children if child.type == "if_clause"]
    parts += [_inner(child, scope, depth) for child in conditions]
    each = Operation("each", tuple(parts))
    return Call(Name("dict"), (Argument(each),)) if pair else each


def _each_part(node: Node, scope: Scope, depth: int) -> tuple[Expression, ...]:
    return tuple(expression(child, scope, depth + 1) for child in node.named_children if child.type != "comment")


def _target(node: Node | None, scope: Scope, depth: int) -> Expression:
    """Return the variable of a loop; several are a tuple, with or without parentheses."""
    if node is None or node.type not in PATTERNS:
        return expression(node, scope, depth + 1)
    return Collection("tuple", tuple(_target(child, scope, depth + 1) for child in node.named_children))


def _applied(operator: str) -> _Reader:
    def read(node: Node, scope: Scope, depth: int) -> Expression:
        return Operation(operator, (_inner(node, scope, depth),))

    return read


_Reader = Callable[[Node, Scope, int], Expression]
_READERS: Mapping[str, _Reader] = {
    "identifier": _identifier,
    "attribute": _attribute,
    "subscript": _subscript,
    "slice": _slice,
    "call": _call,
    "string": _string,
    "concatenated_string": _concatenated,
    "integer": _literal("number"),
    "float": _literal("number"),
    "true": _literal("boolean"),
    "false": _literal("boolean"),
    "none": _literal("none"),
    "list": _collection("list"),
    "tuple": _collection("tuple"),
    "set": _collection("set"),
    "expression_list": _collection("tuple"),
    "dictionary": _dictionary,
    "parenthesized_expression": _inner,
    "await": _inner,
    "named_expression": _named,
    "unary_operator": _unary,
    "binary_operator": _binary,
    "boolean_operator": _binary,
    "not_operator": _applied("not"),
    "comparison_operator": _comparison,
    "conditional_expression": _conditional,
    "list_comprehension": _comprehension,
    "generator_expression": _comprehension,
    "set_comprehension": _comprehension,
    "dictionary_comprehension": _comprehension,
    "list_splat": _applied("spread"),
    "dictionary_splat": _applied("spread-mapping"),
}


__all__ = [
    "MAX_DEPTH", "PATTERNS", "Scope", "arguments_of", "children_of", "expression",
    "is_readouterr", "sorted_out", "text_of",
]  # fmt: skip
