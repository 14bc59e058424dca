"""The names in one file: functions, imports and exports, and where variables get their values."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from pactkeeper.intent.claims import Expression, Value
from pactkeeper.repo.languages.javascript.claims.expressions import Scope, along
from pactkeeper.repo.languages.javascript.claims.imports import (
    assertion_names,
    exported_names,
    imported_names,
    namespaces,
    planning_names,
)
from pactkeeper.repo.languages.javascript.claims.syntax import arguments_of, bare, children, is_function, text
from pactkeeper.repo.languages.javascript.syntax import FUNCTIONS

if TYPE_CHECKING:
    from tree_sitter import Node

Kind = Literal["const", "let", "assigned", "changed", "given", "filled"]
_PATTERNS = frozenset({"object_pattern", "array_pattern"})
_SCOPES = FUNCTIONS | {"statement_block", "for_statement", "for_in_statement", "catch_clause"}
_FILLING = frozenset(
    {"push", "unshift", "pop", "shift", "splice", "sort", "reverse", "fill", "set", "add", "delete", "clear", "append"}
)


@dataclass(frozen=True, slots=True)
class Binding:
    """One place where a name gets a value; `value` is None if that value is unknown.

    `path` leads from the value to what the name holds, for destructuring. `within` is the byte range of the function,
    block or file that declares the name. A name is "given" by a parameter, a loop or a catch clause, "changed" by `+=`
    and `++`, and "filled" when the object it holds is mutated.
    """

    name: str
    value: Node | None
    path: tuple[Value, ...]
    kind: Kind
    start: int
    within: tuple[int, int]

    def read(self, scope: Scope) -> Expression | None:
        """Return what the name holds; None if that is unknown or a function."""
        if self.value is None or is_function(bare(self.value)):
            return None
        return along(scope.read(self.value), self.path)


@dataclass(frozen=True, slots=True)
class Module:
    """What one parsed file declares; `functions` and `bindings` are by name, in source order.

    `types` are the right-hand sides of type aliases. `assertions` maps local names of assertion functions to their
    original names; `namespaces` are names that are mere prefixes.
    """

    path: str
    root: Node
    functions: Mapping[str, tuple[Node, ...]]
    bindings: Mapping[str, tuple[Binding, ...]]
    types: Mapping[str, tuple[Node, ...]]
    imports: Mapping[str, tuple[str, str]]
    exports: Mapping[str, str]
    assertions: Mapping[str, str]
    namespaces: frozenset[str]

    def function(self, name: str, at: int) -> Node | None:
        """Return the function that a name refers to at byte `at`, the one in the innermost enclosing scope."""
        return _innermost(self.functions.get(name, ()), at)

    def type_alias(self, name: str, at: int) -> Node | None:
        """Return the type that an alias refers to at byte `at`."""
        return _innermost(self.types.get(name, ()), at)


def _innermost(nodes: Iterable[Node], at: int) -> Node | None:
    visible = [
        (end - start, -node.start_byte, node)
        for node in nodes
        for start, end in (scope_of(node),)
        if start <= at <= end
    ]
    return min(visible, key=lambda each: each[:2])[2] if visible else None


def read_module(path: str, root: Node) -> Module:
    """Collect a file's names in one pass over its tree."""
    functions: dict[str, list[Node]] = defaultdict(list)
    bindings: dict[str, list[Binding]] = defaultdict(list)
    types: dict[str, list[Node]] = defaultdict(list)
    stack = [(root, root.byte_range)]
    while stack:
        node, within = stack.pop()
        kind = node.type
        value = node.child_by_field_name("value") if kind == "type_alias_declaration" else None
        if value is not None:
            types[text(node.child_by_field_name("name"))].append(value)
        if kind in _NAMING:
            for name, function in _functions(node):
                functions[name].append(function)
            for binding in _bindings(node, within):
                bindings[binding.name].append(binding)
        inner = node.byte_range if kind in _SCOPES else within
        stack.extend((child, inner) for child in reversed(node.named_children))
    imports = imported_names(root)
    return Module(
        path,
        root,
        {name: tuple(found) for name, found in functions.items()},
        {name: tuple(found) for name, found in bindings.items()},
        {name: tuple(found) for name, found in types.items()},
        imports,
        exported_names(root),
        assertion_names(imports) | _planned(bindings, planning_names(imports)),
        namespaces(imports),
    )


def _planned(bindings: Mapping[str, Sequence[Binding]], makers: frozenset[str]) -> dict[str, str]:
    """Return the names that hold planned assertion functions, except `t`, which may have other uses."""
    return {
        name: one.path[-1].text if one.path else ""
        for name, found in (bindings.items() if makers else ())
        for one in found
        if name != "t" and one.value is not None and text(bare(one.value).child_by_field_name("function")) in makers
    }


def scope_of(node: Node) -> tuple[int, int]:
    """Return the byte range in which a declaration is visible."""
    parent = node.parent
    while parent is not None and parent.type not in _SCOPES and parent.parent is not None:
        parent = parent.parent
    return (parent or node).byte_range


def _functions(node: Node) -> list[tuple[str, Node]]:
    if node.type in {"function_declaration", "generator_function_declaration"}:
        return [(text(node.child_by_field_name("name")), node)]
    if node.type == "variable_declarator":
        value = node.child_by_field_name("value")
        if value is not None and is_function(bare(value)):
            return [(text(node.child_by_field_name("name")), bare(value))]
    if node.type == "assignment_expression":
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is not None and right is not None and is_function(bare(right)):
            target = left.child_by_field_name("property") if left.type == "member_expression" else left
            return [(text(target), bare(right))]
    return []


def _filled(target: Node | None, within: tuple[int, int]) -> list[Binding]:
    """Return the root name of `target`, whose value changes when a member of it is assigned or a mutator is called."""
    while target is not None and target.type in {"member_expression", "subscript_expression"}:
        target = target.child_by_field_name("object")
    return [_opaque(target, within, "filled")] if target is not None and target.type == "identifier" else []


def _called(node: Node, within: tuple[int, int]) -> list[Binding]:
    target = node.child_by_field_name("function")
    if target is None or target.type != "member_expression":
        return []
    name = text(target.child_by_field_name("property"))
    if name in _FILLING:
        return _filled(target, within)
    if text(target) == "Object.assign":
        given = arguments_of(node)
        return _filled(given[0], within) if given else []
    return []


def _bindings(node: Node, within: tuple[int, int]) -> list[Binding]:
    reader = _READERS.get(node.type)
    if reader is not None:
        return reader(node, within)
    if is_function(node):
        return _given(node.child_by_field_name("parameters") or node.child_by_field_name("parameter"), node)
    return []


def _assigned(node: Node, within: tuple[int, int]) -> list[Binding]:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        return []
    return _named(left, right, "assigned", within) or _filled(left, within)


def _counted(node: Node, within: tuple[int, int]) -> list[Binding]:
    target = node.child_by_field_name("left") or node.child_by_field_name("argument")
    if target is not None and target.type == "identifier":
        return [_opaque(target, within, "changed")]
    return _filled(target, within)


def _given(pattern: Node | None, node: Node) -> list[Binding]:
    return [_opaque(each, node.byte_range) for each in names_in(pattern)] if pattern is not None else []


def _opaque(name: Node, within: tuple[int, int], kind: Kind = "given") -> Binding:
    return Binding(text(name), None, (), kind, name.start_byte, within)


def _declared(node: Node, within: tuple[int, int]) -> list[Binding]:
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if name is None:
        return []
    declaration = node.parent
    constant = declaration is not None and text(declaration.child_by_field_name("kind")) == "const"
    return _named(name, value, "const" if constant else "let", within)


def _named(target: Node, value: Node | None, kind: Kind, within: tuple[int, int]) -> list[Binding]:
    if target.type == "identifier":
        return [Binding(text(target), value, (), kind, target.start_byte, within)]
    if target.type not in _PATTERNS:
        return []
    return [
        Binding(text(name), value if path is not None else None, path or (), kind, name.start_byte, within)
        for name, path in pattern_paths(target)
    ]


def pattern_paths(pattern: Node, path: tuple[Value, ...] = ()) -> list[tuple[Node, tuple[Value, ...] | None]]:
    """Return the names in a destructuring pattern with the keys leading to each; None if the path isn't static."""
    if pattern.type in {"identifier", "shorthand_property_identifier_pattern"}:
        return [(pattern, path)]
    found: list[tuple[Node, tuple[Value, ...] | None]] = []
    position = 0
    for child in pattern.children:
        if child.type == ",":
            position += 1
        elif child.is_named and child.type != "comment":
            found.extend(_pattern_child(child, path, position, listed=pattern.type == "array_pattern"))
    return found


def _pattern_child(
    child: Node, path: tuple[Value, ...], position: int, *, listed: bool
) -> list[tuple[Node, tuple[Value, ...] | None]]:
    if child.type == "rest_pattern" or len(path) > 8:  # noqa: PLR2004 - deeper than real code destructures
        return [(name, None) for name in names_in(child)]
    if listed:
        return pattern_paths(_without_default(child), (*path, Value("number", str(position))))
    if child.type == "shorthand_property_identifier_pattern":
        return [(child, (*path, Value("string", text(child))))]
    if child.type == "object_assignment_pattern":
        left = child.child_by_field_name("left")
        return [] if left is None else [(left, (*path, Value("string", text(left))))]
    key, value = child.child_by_field_name("key"), child.child_by_field_name("value")
    if child.type == "pair_pattern" and key is not None and value is not None:
        plain = key.type != "computed_property_name"
        inner = pattern_paths(_without_default(value), (*path, Value("string", text(key).strip("\"'"))))
        return inner if plain else [(name, None) for name, _ in inner]
    return []


def _without_default(node: Node) -> Node:
    left = node.child_by_field_name("left") if node.type == "assignment_pattern" else None
    return left if left is not None else node


_NAME_FIELDS = {
    "required_parameter": "pattern",
    "optional_parameter": "pattern",
    "assignment_pattern": "left",
    "object_assignment_pattern": "left",
    "pair_pattern": "value",
}  # where a pattern holds what it names


def names_in(pattern: Node) -> list[Node]:
    """Return the names that a parameter list, loop or pattern declares, not those in default values and types."""
    found: list[Node] = []
    stack = [pattern]
    while stack:
        node = stack.pop()
        if node.type in {"identifier", "shorthand_property_identifier_pattern"}:
            found.append(node)
        elif node.type in _NAME_FIELDS:
            stack.extend(node.children_by_field_name(_NAME_FIELDS[node.type]))
        elif node.type in {"formal_parameters", "rest_pattern", *_PATTERNS}:
            stack.extend(reversed(children(node)))
    return found


_READERS: dict[str, Callable[[Node, tuple[int, int]], list[Binding]]] = {
    "variable_declarator": _declared,
    "assignment_expression": _assigned,
    "augmented_assignment_expression": _counted,
    "update_expression": _counted,
    "call_expression": _called,
    "for_in_statement": lambda node, _: _given(node.child_by_field_name("left"), node),
    "catch_clause": lambda node, _: _given(node.child_by_field_name("parameter"), node),
}
_NAMING = FUNCTIONS | _READERS.keys()  # the kinds of nodes that declare or change names
