"""Convert source expressions to those of `intent.claims`; what has no equivalent there becomes `Opaque`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pactkeeper.intent.claims import (
    Argument,
    Attribute,
    Call,
    Claim,
    Collection,
    Expression,
    Name,
    Opaque,
    Operation,
    Subscript,
    Value,
)
from pactkeeper.repo.languages.javascript.claims.syntax import (
    Link,
    arguments_of,
    bare,
    children,
    squeezed,
    string_value,
    text,
)
from pactkeeper.repo.languages.javascript.syntax import unescape

if TYPE_CHECKING:
    from tree_sitter import Node


_DEEPEST = 40
LEFT_OUT = Opaque("undefined")  # a followed helper's parameter that its caller omits
HIDDEN = Opaque("…")  # a followed helper's local whose value is unknown
_OBJECT_PARTS = frozenset({"keys", "values", "entries"})
_STRING_FORMS: dict[str, Callable[[str], str]] = {"toLowerCase": str.lower, "toUpperCase": str.upper, "trim": str.strip}
_SPELLING = {"===": "==", "!==": "!=", "&&": "and", "||": "or", "??": "or", "instanceof": "instanceof"}
_CONSTANTS: dict[str, Expression] = {
    "undefined": Value("undefined", "undefined"),
    "NaN": Value("number", "NaN"),
    "Infinity": Value("number", "Infinity"),
}
_KEYWORDS: dict[str, Expression] = {
    "true": Value("boolean", "true"),
    "false": Value("boolean", "false"),
    "null": Value("none", "null"),
    "undefined": Value("undefined", "undefined"),
    "this": Name("this"),
    "super": Name("super"),
}


@dataclass(frozen=True, slots=True)
class Scope:
    """What names refer to at one place; `bindings` are the values a followed helper was called with.

    A helper's own locals join `bindings` while it is walked, so that its claims refer to the test's arguments.
    `hidden` are a helper's locals with unknown values, which mean nothing to the test's reader; `settled` are those
    assigned only once. `function` finds the function that an identifier names, `type_alias` the type that a type name
    refers to. Names in `namespaces` are dropped from the front of their members; `other` reads nodes without a reader
    of their own, and with `stepwise`, an update is read as what it changes.
    """

    bindings: dict[str, Expression] = field(default_factory=dict)
    function: Callable[[Node], Node | None] = lambda _node: None
    type_alias: Callable[[Node], Node | None] = lambda _node: None
    hidden: frozenset[str] = frozenset()
    settled: frozenset[str] = frozenset()
    namespaces: frozenset[str] = frozenset()
    stepwise: bool = False
    other: Callable[[Node, Scope], Expression] = lambda node, _scope: Opaque(squeezed(node))

    def read(self, node: Node) -> Expression:
        """Convert a node to an expression; beyond the depth limit it is the source text."""
        return _read(node, self, 0)

    def with_bindings(self, more: Mapping[str, Expression]) -> Scope:
        """Return the scope inside a function whose parameters and locals hold `more`."""
        return replace(self, bindings={**self.bindings, **more})

    def without(self, names: tuple[str, ...]) -> Scope:
        """Return the scope inside a function whose parameters are `names`."""
        kept = {name: held for name, held in self.bindings.items() if name not in names}
        return replace(self, bindings=kept, hidden=self.hidden.difference(names))

    def rebind(self, name: str, held: Expression | None) -> None:
        """Bind a helper's local to what it holds from here on; unbind it if that is unknown."""
        self.bindings.pop(name, None)
        if held is not None:
            self.bindings[name] = held


def along(expression: Expression, path: tuple[Value, ...]) -> Expression:
    """Follow a destructuring path into an expression, resolving entries of literal collections."""
    for key in path:
        written = _entry_of(expression, key)
        if written is not None:
            expression = written
        elif key.kind == "string":
            expression = Attribute(expression, key.text)
        else:
            expression = Subscript(expression, key)
    return expression


def _entry_of(expression: Expression, key: Value) -> Expression | None:
    if not isinstance(expression, Collection):
        return None
    if expression.kind == "mapping":
        for name, value in zip(expression.items[::2], expression.items[1::2], strict=True):
            if name == key:
                return value
        return None
    index = int(key.text) if key.text.isdecimal() else len(expression.items)
    before = expression.items[: index + 1]
    spread = any(isinstance(each, Operation) and each.operator == "spread" for each in before)
    return before[index] if len(before) == index + 1 and not spread else None


def _read(node: Node, scope: Scope, depth: int) -> Expression:
    node = bare(node)
    if node.type in _KEYWORDS:
        return _KEYWORDS[node.type]
    reader = _READERS.get(node.type)
    if depth > _DEEPEST or node.has_error:
        return Opaque(squeezed(node))
    if reader is None:
        return scope.other(node, scope)
    return reader(node, scope, depth + 1)


def _identifier(node: Node, scope: Scope, _depth: int) -> Expression:
    name = text(node)
    if name in scope.bindings:
        return scope.bindings[name]
    if name in scope.hidden:
        return HIDDEN
    return _CONSTANTS.get(name, Name(name))


def _member(node: Node, scope: Scope, depth: int) -> Expression:
    target, name = node.child_by_field_name("object"), node.child_by_field_name("property")
    if target is None or name is None:
        return Opaque(squeezed(node))
    if target.type == "identifier" and text(target) in scope.namespaces:
        return Name(text(name))
    owner = _read(target, scope, depth)
    if isinstance(owner, Collection) and text(name) == "length" and _is_written_out(owner):
        return Value("number", str(len(owner.items)))
    return Attribute(owner, text(name))


def _is_written_out(items: Collection) -> bool:
    spread = any(isinstance(each, Operation) and each.operator == "spread" for each in items.items)
    return items.kind == "list" and not spread


def _subscript(node: Node, scope: Scope, depth: int) -> Expression:
    target, index = node.child_by_field_name("object"), node.child_by_field_name("index")
    if target is None or index is None:
        return Opaque(squeezed(node))
    owner, key = _read(target, scope, depth), _read(index, scope, depth)
    written = _entry_of(owner, key) if isinstance(key, Value) else None
    return written if written is not None else Subscript(owner, key)


def _call(node: Node, scope: Scope, depth: int) -> Expression:
    target = node.child_by_field_name("function") or node.child_by_field_name("constructor")
    given = node.child_by_field_name("arguments")
    if target is None:
        return Opaque(squeezed(node))
    if given is not None and given.type == "template_string":
        plain = squeezed(target) == "String.raw" and not given.has_error and not _substitutes(given)
        return Value("string", text(given)[1:-1]) if plain else Opaque(squeezed(node))
    arguments = [_read(each, scope, depth) for each in arguments_of(node)]
    while arguments and arguments[-1] == LEFT_OUT:
        arguments.pop()
    function = _read(target, scope, depth)
    return _known(function, arguments) or Call(function, tuple(Argument(each) for each in arguments))


def _substitutes(template: Node) -> bool:
    return any(child.type == "template_substitution" for child in template.named_children)


def _known(function: Expression, arguments: list[Expression]) -> Expression | None:
    """Reduce a call that only selects a part or form of a value."""
    if not isinstance(function, Attribute):
        return None
    if isinstance(function.value, Value) and function.value.kind == "string" and not arguments:
        change = _STRING_FORMS.get(function.name)
        return Value("string", change(function.value.text)) if change is not None else None
    if function.value == Name("Object") and function.name in _OBJECT_PARTS and len(arguments) == 1:
        return Attribute(arguments[0], function.name)
    return None


def _string(node: Node, _scope: Scope, _depth: int) -> Expression:
    value = string_value(node)
    return Opaque(squeezed(node)) if value is None else Value("string", value)


def _template(node: Node, scope: Scope, depth: int) -> Expression:
    whole = string_value(node)
    if whole is not None:
        return Value("string", whole)
    parts: list[Expression] = []
    for child in node.named_children:
        inner = children(child)
        if child.type == "template_substitution" and inner:
            parts.append(_read(inner[0], scope, depth))
        elif child.type in {"string_fragment", "escape_sequence"}:
            parts.append(Value("string", unescape(text(child))))
        else:
            return Opaque(squeezed(node))
    if all(isinstance(part, Value) for part in parts):
        return Value("string", "".join(part.text for part in parts if isinstance(part, Value)))
    return Operation("text", tuple(parts))


def _number(node: Node, _scope: Scope, _depth: int) -> Expression:
    return Value("number", text(node))


def _regex(node: Node, _scope: Scope, _depth: int) -> Expression:
    return Value("regex", text(node.child_by_field_name("pattern")))


def _array(node: Node, scope: Scope, depth: int) -> Expression:
    return Collection("list", tuple(_read(child, scope, depth) for child in children(node)))


def _object(node: Node, scope: Scope, depth: int) -> Expression:
    items: list[Expression] = []
    for child in children(node):
        entry = _entry(child, scope, depth)
        if entry is None:
            return scope.other(node, scope)
        items.extend(entry)
    return Collection("mapping", tuple(items))


def _entry(node: Node, scope: Scope, depth: int) -> tuple[Expression, Expression] | None:
    if node.type == "shorthand_property_identifier":
        return Value("string", text(node)), _identifier(node, scope, depth)
    if node.type == "method_definition":
        return Value("string", text(node.child_by_field_name("name"))), scope.other(node, scope)
    key, value = node.child_by_field_name("key"), node.child_by_field_name("value")
    if node.type != "pair" or key is None or value is None:
        return None
    return _key(key, scope, depth), _read(value, scope, depth)


def _key(node: Node, scope: Scope, depth: int) -> Expression:
    if node.type == "computed_property_name":
        inner = children(node)
        return _read(inner[0], scope, depth) if inner else Opaque(squeezed(node))
    return _read(node, scope, depth) if node.type == "string" else Value("string", text(node))  # `{0: a}` is `{"0": a}`


def _spread(node: Node, scope: Scope, depth: int) -> Expression:
    inner = children(node)
    return Operation("spread", (_read(inner[0], scope, depth),)) if inner else Opaque(squeezed(node))


def _unary(node: Node, scope: Scope, depth: int) -> Expression:
    operator, inner = text(node.child_by_field_name("operator")), node.child_by_field_name("argument")
    if inner is None or (operator == "delete" and not scope.stepwise):
        return Opaque(squeezed(node))
    if operator == "void":
        return _CONSTANTS["undefined"]
    operand = _read(inner, scope, depth)
    if operator == "-" and isinstance(operand, Value) and operand.kind == "number":
        return Value("number", f"-{operand.text}")
    return Operation("not" if operator == "!" else operator, (operand,))


def _binary(node: Node, scope: Scope, depth: int) -> Expression:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        return Opaque(squeezed(node))
    operator = text(node.child_by_field_name("operator"))
    if operator == ">>>":
        return Opaque(squeezed(node))
    operands = (_read(left, scope, depth), _read(right, scope, depth))
    return Operation(_SPELLING.get(operator, operator), operands)


def _update(node: Node, scope: Scope, depth: int) -> Expression:
    """Read `count++` as `count`, which is what a comparison is about, or as `count += 1` where steps matter."""
    inner = node.child_by_field_name("argument")
    if inner is None:
        return Opaque(squeezed(node))
    operand = _read(inner, scope, depth)
    sign = text(node.child_by_field_name("operator"))[:1]
    kind = f"augmented_assignment_expression{sign}="
    return Operation(kind, (operand, Value("number", "1"))) if scope.stepwise else operand


def _ternary(node: Node, scope: Scope, depth: int) -> Expression:
    parts = [node.child_by_field_name(name) for name in ("consequence", "condition", "alternative")]
    read = [_read(part, scope, depth) for part in parts if part is not None]
    return Operation("if-else", tuple(read)) if len(read) == len(parts) else Opaque(squeezed(node))


def _sequence(node: Node, scope: Scope, depth: int) -> Expression:
    inner = children(node)
    return _read(inner[-1], scope, depth) if inner else Opaque(squeezed(node))


_READERS: dict[str, Callable[[Node, Scope, int], Expression]] = {
    "identifier": _identifier,
    "shorthand_property_identifier": _identifier,
    "member_expression": _member,
    "subscript_expression": _subscript,
    "call_expression": _call,
    "new_expression": _call,
    "string": _string,
    "template_string": _template,
    "number": _number,
    "regex": _regex,
    "array": _array,
    "object": _object,
    "spread_element": _spread,
    "unary_expression": _unary,
    "binary_expression": _binary,
    "update_expression": _update,
    "ternary_expression": _ternary,
    "sequence_expression": _sequence,
}


@dataclass(frozen=True, slots=True)
class Handed:
    """A function that an assertion runs on a value, such as supertest's `.expect((res) => …)`."""

    function: Node
    value: Expression | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """The claims of an assertion; `understood` is False if it asserts something that couldn't be read.

    `handed` are functions inside it that may assert more, `visit` other such expressions.
    """

    claims: tuple[Claim, ...] = ()
    understood: bool = True
    handed: tuple[Handed, ...] = ()
    visit: tuple[Node, ...] = ()


UNREAD = Reading(understood=False)
Family = Callable[[tuple[Link, ...], Scope], Reading | None]


@dataclass(frozen=True, slots=True)
class Match:
    """A matcher applied to a subject; `nodes` are its argument nodes and `given` the same as expressions.

    `node` is the subject's source if the test writes it; `flags` are words before the matcher: `deep`, `any`.
    """

    subject: Expression
    node: Node | None
    link: Link
    scope: Scope
    negated: bool = False
    flags: frozenset[str] = frozenset()

    @property
    def nodes(self) -> tuple[Node, ...]:
        """The argument nodes of the matcher."""
        return self.link.arguments or ()

    @property
    def given(self) -> tuple[Expression, ...]:
        """The arguments of the matcher as expressions."""
        return tuple(self.scope.read(node) for node in self.nodes)

    @property
    def first(self) -> Expression | None:
        """The first argument, or None."""
        return self.scope.read(self.nodes[0]) if self.nodes else None
