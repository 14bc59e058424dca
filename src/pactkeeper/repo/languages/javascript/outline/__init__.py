"""Outlines of JavaScript and TypeScript files: what a file defines, documents, imports and refers to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Final

from pactkeeper.repo.languages.javascript.grammar import parse, utf8
from pactkeeper.repo.languages.javascript.modules import Exported, read_modules
from pactkeeper.repo.languages.javascript.outline.definitions import (
    definitions_of,
    exported_definition,
    file_documentation,
    type_chain,
)
from pactkeeper.repo.languages.javascript.syntax import CALLBACKS, FUNCTIONS, WRAPPERS, text
from pactkeeper.repo.languages.outline import Definition, Import, Outline, Uses, extended

if TYPE_CHECKING:
    from tree_sitter import Node


def outline_of(path: str, data: bytes) -> Outline:
    """Return the outline of one file, omitting what can't be parsed."""
    root, source = _parsed(path, data)
    modules = read_modules(root, source)
    definitions = list(definitions_of(root))
    exports: list[Import] = []
    known = {one.name for one in definitions}
    for exported in modules.exports:
        made = exported_definition(exported.name, exported.node) if exported.node is not None else None
        if made is not None and made.name not in known:
            definitions.append(made)
        exports.extend(_export(exported, made))
    doc, line = file_documentation(root)
    imports = tuple(Import(name, module, attribute) for name, (module, attribute) in modules.imports.items())
    return Outline(doc, line, tuple(definitions), imports, tuple(exports))


def uses_of(path: str, data: bytes) -> Uses:
    """Return what the code of one file refers to."""
    root, source = _parsed(path, data)
    names = set(read_modules(root, source).imports) | {one.name.partition(".")[0] for one in definitions_of(root)}
    return read_uses(root, frozenset(names))


def _parsed(path: str, data: bytes) -> tuple[Node, bytes]:
    source = utf8(data)
    return parse(path, source).root_node, source


def _export(exported: Exported, made: Definition | None) -> list[Import]:
    if exported.module:
        return [Import(exported.name, exported.module, exported.imported)]
    local = exported.local or (made.name if made is not None else "")
    return [Import(exported.name, "", local)] if local else []


_CHAINS: Final = frozenset({"identifier", "member_expression", "call_expression", "new_expression", *WRAPPERS})
_LEAVES: Final = frozenset({"comment", "string", "number", "regex", "import_statement", "type_annotation"}) | {
    "type_arguments",
    "type_parameters",
    "interface_declaration",
    "type_alias_declaration",
    "property_identifier",
    "string_fragment",
    "import_specifier",
}
_SCOPES: Final = frozenset({"statement_block", "for_statement", "class_body", "switch_body"})
_SETUPS: Final = frozenset({"before", "beforeAll", "beforeEach", "setup", "suiteSetup"})
_DEEPEST: Final = 200


class _Scope:
    """Local names and their chains ("" if unknown), nested in the outer scope."""

    __slots__ = ("names", "outer")

    def __init__(self, outer: _Scope | None = None) -> None:
        self.outer = outer
        self.names: dict[str, str] = {}

    def holder(self, name: str) -> _Scope | None:
        """Return the innermost scope that declares a name."""
        scope: _Scope | None = self
        while scope is not None and name not in scope.names:
            scope = scope.outer
        return scope


def read_uses(root: Node, known: frozenset[str]) -> Uses:
    """Return all chains in a file that start with a name in `known`."""
    walk = _Walk(known)
    walk.visit_all(root.named_children, _Scope(), 0)
    walk.found.sort()
    return Uses(tuple(walk.found), walk.gives, tuple(walk.before))


class _Walk:
    """One pass over a file; `found` are (line, chain), `gives` what functions without a return type return."""

    def __init__(self, known: frozenset[str]) -> None:
        self._known = known
        self._around: list[str] = []
        self.found: list[tuple[int, str]] = []
        self.gives: dict[str, str] = {}
        self.before: list[tuple[int, int, int, int]] = []

    def visit_all(self, nodes: Iterable[Node], scope: _Scope, depth: int) -> None:
        """Visit nodes in order."""
        for node in nodes:
            self.visit(node, scope, depth)

    def visit(self, node: Node | None, scope: _Scope, depth: int) -> str:
        """Record what a node refers to and return its own chain; nesting beyond any handwritten code is skipped."""
        kind = "" if node is None else node.type
        if node is None or kind in _LEAVES or depth > _DEEPEST:
            return ""
        if kind in _CHAINS:
            chain = self._chain(node, scope, depth + 1)
            if chain:
                self.found.append((node.start_point.row + 1, chain))
            return chain
        visit = _VISITS.get(kind)
        if visit is not None:
            visit(self, node, scope, depth + 1)
        else:
            inner = _Scope(scope) if kind in _SCOPES else scope
            self.visit_all(node.named_children, inner, depth + 1)
        return ""

    def _chain(self, node: Node | None, scope: _Scope, depth: int) -> str:
        """Return the chain of an expression, visiting arguments and other nodes outside the chain on the way."""
        if node is not None and node.type == "identifier":
            return self._name(text(node), scope)
        if node is None or depth > _DEEPEST:
            return ""
        kind = node.type
        if kind == "member_expression":
            below, name = node.child_by_field_name("object"), node.child_by_field_name("property")
            chain = self._chain(below, scope, depth + 1)
            return extended(chain, f".{text(name)}") if name is not None else ""
        if kind in {"call_expression", "new_expression"}:
            function = node.child_by_field_name("function" if kind == "call_expression" else "constructor")
            chain = self._chain(function, scope, depth + 1)
            self.visit(node.child_by_field_name("arguments"), scope, depth + 1)
            if function is not None and function.type == "identifier" and text(function) in _SETUPS:
                self.before.append((*_lines(node), *_lines(_block_around(node))))
            return extended(chain, "()")
        if kind in WRAPPERS and node.named_child_count:
            return self._chain(node.named_children[0], scope, depth + 1)
        self.visit(node, scope, depth + 1)
        return ""

    def _name(self, name: str, scope: _Scope) -> str:
        holder = scope.holder(name)
        if holder is not None:
            return holder.names[name]
        return name if name in self._known else ""

    def declare(self, node: Node, scope: _Scope, depth: int) -> None:
        """Bind a variable to its value's chain; a function keeps the variable's name."""
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if value is not None and value.type in CALLBACKS and name is not None:
            self._enter(text(name), value, scope, depth)
            return
        chain = self.visit(value, scope, depth)
        self._bind(name, type_chain(node.child_by_field_name("type")) or chain, scope)

    def _bind(self, target: Node | None, chain: str, scope: _Scope) -> None:
        if target is not None and target.type == "identifier":
            scope.names[text(target)] = chain
            return
        for name in _names(target) if target is not None else ():
            scope.names[name] = ""

    def assign(self, node: Node, scope: _Scope, depth: int) -> None:
        """Rebind an assigned name to its new value, in whichever scope declares it."""
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        chain = self.visit(right, scope, depth)
        if left is not None and left.type == "identifier":
            holder = scope.holder(text(left)) or scope
            holder.names[text(left)] = chain
        else:
            self.visit(left, scope, depth)

    def function(self, node: Node, scope: _Scope, depth: int) -> None:
        """Enter a function: its parameters shadow outer names, bound to the chain of their type if they have one."""
        name = node.child_by_field_name("name") if node.type != "method_definition" else None
        self._enter(text(name), node, scope, depth)

    def _enter(self, name: str, node: Node, scope: _Scope, depth: int) -> None:
        inner = _Scope(scope)
        single, listed = node.child_by_field_name("parameter"), node.child_by_field_name("parameters")
        for parameter in [single] if single is not None else listed.named_children if listed is not None else ():
            pattern = parameter.child_by_field_name("pattern") or parameter
            self._bind(pattern, type_chain(parameter.child_by_field_name("type")), inner)
        self._around.append(name)
        chain = self.visit(node.child_by_field_name("body"), inner, depth)
        if node.child_by_field_name("return_type") is None:
            self._note(chain)
        self._around.pop()

    def give(self, node: Node, scope: _Scope, depth: int) -> None:
        """Record what a `return` statement returns."""
        chains = [self.visit(child, scope, depth) for child in node.named_children]
        self._note(chains[0] if len(chains) == 1 else "")

    def _note(self, chain: str) -> None:
        """Record what the enclosing function returns, if it is a top-level function of the file."""
        if chain and len(self._around) == 1 and self._around[0]:
            self.gives.setdefault(self._around[0], chain)

    def loop(self, node: Node, scope: _Scope, depth: int) -> None:
        """Enter a loop over members, whose variables are unknown."""
        left, right, body = (node.child_by_field_name(part) for part in ("left", "right", "body"))
        inner = _Scope(scope)
        self.visit(right, scope, depth)
        self._bind(left, "", inner)
        self.visit(body, inner, depth)

    def catch(self, node: Node, scope: _Scope, depth: int) -> None:
        """Enter a `catch` clause, whose error shadows outer names."""
        inner = _Scope(scope)
        self._bind(node.child_by_field_name("parameter"), "", inner)
        self.visit(node.child_by_field_name("body"), inner, depth)


def _lines(node: Node) -> tuple[int, int]:
    return node.start_point.row + 1, node.end_point.row + 1


def _block_around(node: Node) -> Node:
    """Return the innermost function around a node, or the whole file."""
    above = node.parent
    while above is not None and above.type not in FUNCTIONS:
        node, above = above, above.parent
    return above if above is not None else node


def _names(pattern: Node) -> list[str]:
    """Return the names in a destructuring pattern."""
    found: list[str] = []
    pending = [pattern]
    while pending:
        node = pending.pop()
        if node.type in {"identifier", "shorthand_property_identifier_pattern"}:
            found.append(text(node))
        elif node.type == "pair_pattern":
            pending.extend(filter(None, [node.child_by_field_name("value")]))
        else:
            pending.extend(node.named_children)
    return found


_VISITS: Final[Mapping[str, Callable[[_Walk, Node, _Scope, int], None]]] = {
    "variable_declarator": _Walk.declare,
    "assignment_expression": _Walk.assign,
    "return_statement": _Walk.give,
    "for_in_statement": _Walk.loop,
    "catch_clause": _Walk.catch,
    **dict.fromkeys(FUNCTIONS, _Walk.function),
}
