"""What the code of a module refers to, as chains in which local names are replaced by what they were assigned.

A test's parameter is the result of the fixture with its name, so it stands for `name()` unless it has a type
annotation.

Also signatures on one line, and the types in them as chains.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from pactkeeper.repo.languages.outline import LONGEST_PART, LONGEST_SIGNATURE, Uses, extended, shortened
from pactkeeper.repo.languages.python.syntax import text_of

if TYPE_CHECKING:
    from tree_sitter import Node


_SAME: Final = frozenset({"await", "parenthesized_expression"})
_CHAINS: Final = frozenset({"identifier", "attribute", "call", *_SAME})
_LEAVES: Final = frozenset({"comment", "integer", "float", "string_content", "import_statement", "true", "false"}) | {
    "import_from_statement",
    "none",
    "escape_sequence",
    "type",
    "future_import_statement",
}
_OWN: Final = frozenset({"self", "cls"})
_DEEPEST: Final = 150


def plain_chain(node: Node) -> str:
    """Return the chain of an expression in which every name stands for itself; "" for anything else."""
    steps: list[str] = []
    while True:
        if node.type in _SAME and node.named_child_count:
            node = node.named_children[0]
            continue
        below = node.child_by_field_name("object" if node.type == "attribute" else "function")
        if node.type == "identifier":
            steps.append(text_of(node))
            return "".join(reversed(steps))
        if below is None or node.type not in {"attribute", "call"}:
            return ""
        name = node.child_by_field_name("attribute")
        steps.append(f".{text_of(name)}" if name is not None else "()")
        node = below


@dataclass(frozen=True, slots=True)
class _Scope:
    """Local names with their chains ("" if unknown), the enclosing class, and what its methods assign to `self`.

    `function` is the dotted name of the enclosing function, None outside of any, and "" inside a nested one.
    """

    names: dict[str, str]
    owner: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    function: str | None = None


def read_uses(root: Node, known: frozenset[str]) -> Uses:
    """Return all chains of a module that start at a name in `known` or at a parameter."""
    walk = _Walk(known)
    walk.visit_all(root.named_children, _Scope({}), 0)
    walk.found.sort()
    return Uses(tuple(walk.found), walk.gives)


class _Walk:
    """One pass over a module; `found` are (line, chain), `gives` what functions without an annotation return."""

    def __init__(self, known: frozenset[str]) -> None:
        self._known = known
        self.found: list[tuple[int, str]] = []
        self.gives: dict[str, str] = {}

    def visit_all(self, nodes: Iterable[Node], scope: _Scope, depth: int) -> None:
        """Visit nodes in order."""
        for node in nodes:
            self.visit(node, scope, depth)

    def visit(self, node: Node | None, scope: _Scope, depth: int) -> str:
        """Record what a node refers to and return its own chain; nesting deeper than people write is left out."""
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
            self.visit_all(node.named_children, scope, depth + 1)
        return ""

    def _chain(self, node: Node | None, scope: _Scope, depth: int) -> str:
        """Return the chain of an expression; arguments and parts outside of the chain are visited on the way."""
        if node is not None and node.type == "identifier":
            return self._name(text_of(node), scope)
        if node is None or depth > _DEEPEST:
            return ""
        kind = node.type
        if kind == "attribute":
            return self._attribute(node, scope, depth)
        if kind == "call":
            chain = self._chain(node.child_by_field_name("function"), scope, depth + 1)
            self.visit(node.child_by_field_name("arguments"), scope, depth + 1)
            return extended(chain, "()")
        if kind in _SAME and node.named_child_count:
            return self._chain(node.named_children[0], scope, depth + 1)
        self.visit_all(node.named_children, scope, depth + 1)
        return ""

    def _name(self, name: str, scope: _Scope) -> str:
        local = scope.names.get(name)
        if local is not None:
            return local
        return name if name in self._known else ""

    def _attribute(self, node: Node, scope: _Scope, depth: int) -> str:
        below, name = node.child_by_field_name("object"), node.child_by_field_name("attribute")
        if below is None or name is None:
            return ""
        attribute = text_of(name)
        if below.type == "identifier" and text_of(below) in _OWN and attribute in scope.fields:
            return scope.fields[attribute]
        return extended(self._chain(below, scope, depth + 1), f".{attribute}")

    def function(self, node: Node, scope: _Scope, depth: int) -> None:
        """Visit a function: its parameters hide outer names, and its `return` may be all that tells its type."""
        name = node.child_by_field_name("name")
        plain = text_of(name)
        full = f"{scope.owner}.{plain}" if scope.owner else plain
        inner = _Scope(dict(scope.names), scope.owner, scope.fields, full if scope.function is None else "")
        listed = node.child_by_field_name("parameters")
        for parameter in listed.named_children if listed is not None else ():
            self._parameter(parameter, inner, depth)
        written = type_chain(node.child_by_field_name("return_type"))
        body = node.child_by_field_name("body")
        if body is not None:
            self.visit_all(body.named_children, inner, depth)
        if written and inner.function:
            self.gives.pop(full, None)

    def _parameter(self, node: Node, scope: _Scope, depth: int) -> None:
        default = node.child_by_field_name("value")
        self.visit(default, scope, depth)
        named = node.child_by_field_name("name") or node
        if named.type == "typed_parameter" and named.named_children:
            named = named.named_children[0]
        if named.type != "identifier":
            return
        name = text_of(named)
        if name in _OWN:
            scope.names[name] = (f"{scope.owner}()" if name == "self" else scope.owner) if scope.owner else ""
            return
        written = type_chain(node.child_by_field_name("type"))
        filled = default is None and bool(scope.function)  # a runner only fills the parameters of outer functions
        scope.names[name] = written or (f"{name}()" if filled else "")
        if filled:
            self.found.append((named.start_point.row + 1, f"{name}()"))

    def group(self, node: Node, scope: _Scope, depth: int) -> None:
        """Visit a class: what any of its methods assigns to `self` is known in all of them."""
        name, bases, body = (node.child_by_field_name(part) for part in ("name", "superclasses", "body"))
        if bases is not None:
            self.visit_all(bases.named_children, scope, depth)
        if name is None or body is None:
            return
        plain = text_of(name)
        owner = f"{scope.owner}.{plain}" if scope.owner else plain
        fields: dict[str, str] = {}
        inner = _Scope(dict(scope.names), owner, fields, None if scope.function is None else "")
        for target, value in _self_assignments(body):
            chain = plain_chain(value)
            if chain and chain.partition(".")[0].removesuffix("()") in self._known:
                fields.setdefault(target, chain)
        self.visit_all(body.named_children, inner, depth)

    def assign(self, node: Node, scope: _Scope, depth: int) -> None:
        """Visit an assignment: the name stands for its value from here on."""
        left, right, written = (node.child_by_field_name(part) for part in ("left", "right", "type"))
        chain = self.visit(right, scope, depth)
        self.bind(left, type_chain(written) or chain, scope)

    def bind(self, target: Node | None, chain: str, scope: _Scope) -> None:
        """Bind a name to its chain; the names of a pattern become unknown."""
        if target is None:
            return
        if target.type == "identifier":
            scope.names[text_of(target)] = chain
        elif target.type in {"pattern_list", "tuple_pattern", "list_pattern", "as_pattern_target"}:
            only = target.type == "as_pattern_target"
            for child in target.named_children:
                self.bind(child, chain if only else "", scope)

    def entered(self, node: Node, scope: _Scope, depth: int) -> None:
        """Visit `value as name` of a `with` statement or an `except` clause."""
        self.bind(node.child_by_field_name("alias"), self.visit(node.named_children[0], scope, depth), scope)

    def loop(self, node: Node, scope: _Scope, depth: int) -> None:
        """Visit a loop or a comprehension clause: its names are members of something, so they are unknown."""
        left = node.child_by_field_name("left")
        self.bind(left, "", scope)
        self.visit_all((child for child in node.named_children if child != left), scope, depth)

    def give(self, node: Node, scope: _Scope, depth: int) -> None:
        """Visit `return` or `yield`: what the function returns."""
        chains = [self.visit(child, scope, depth) for child in node.named_children]
        if scope.function and len(chains) == 1 and chains[0]:
            self.gives.setdefault(scope.function, chains[0])

    def keyword(self, node: Node, scope: _Scope, depth: int) -> None:
        """Visit a keyword argument, whose name isn't a reference."""
        self.visit(node.child_by_field_name("value"), scope, depth)


def _self_assignments(body: Node) -> list[tuple[str, Node]]:
    """Return what a class's methods assign to attributes of `self` or `cls` in top-level statements."""
    found: list[tuple[str, Node]] = []
    for method in body.named_children:
        inner = method.child_by_field_name("definition") if method.type == "decorated_definition" else method
        block = inner.child_by_field_name("body") if inner is not None else None
        for statement in block.named_children if block is not None else ():
            node = statement.named_children[0] if statement.type == "expression_statement" else None
            left = node.child_by_field_name("left") if node is not None and node.type == "assignment" else None
            right = node.child_by_field_name("right") if node is not None else None
            if left is None or right is None or left.type != "attribute":
                continue
            owner, _, name = text_of(left).partition(".")
            if owner in _OWN:
                found.append((name, right))
    return found


_VISITS: Final[Mapping[str, Callable[[_Walk, Node, _Scope, int], None]]] = {
    "function_definition": _Walk.function,
    "class_definition": _Walk.group,
    "assignment": _Walk.assign,
    "as_pattern": _Walk.entered,
    "for_statement": _Walk.loop,
    "for_in_clause": _Walk.loop,
    "return_statement": _Walk.give,
    "yield": _Walk.give,
    "keyword_argument": _Walk.keyword,
}


_NAME: Final = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_WRAPPERS: Final = frozenset(
    {"Annotated", "AsyncGenerator", "AsyncIterable", "AsyncIterator", "Awaitable", "ClassVar", "Coroutine", "Deferred"}
) | {"Final", "Generator", "Iterable", "Iterator", "Optional", "Required", "Type", "Union", "type", "None", "Any"}
_NO_TYPES: Final = frozenset({"str", "int", "bool", "float", "bytes", "object", "list", "dict", "set", "tuple"})


def squeezed(node: Node) -> str:
    """Return a node's source on one line without comments, shortened if it is long."""
    return shortened(" ".join("".join(_uncommented(node)).split()), LONGEST_PART)


def _uncommented(node: Node) -> Iterator[str]:
    whole = node.text or b""
    start = 0
    pending = [node] if b"#" in whole else []
    while pending:
        inner = pending.pop()
        if inner.type == "comment":
            yield whole[start : inner.start_byte - node.start_byte].decode("utf-8", "replace")
            start = inner.end_byte - node.start_byte
        pending.extend(reversed(inner.named_children))
    yield whole[start:].decode("utf-8", "replace")


def function_signature(node: Node, name: str) -> str:
    """Return `def name(parameters) -> type`."""
    returned = node.child_by_field_name("return_type")
    arrow = f" -> {squeezed(returned)}" if returned is not None else ""
    prefix = "async def" if node.children[0].type == "async" else "def"
    return shortened(f"{prefix} {name}({parameters(node)}){arrow}", LONGEST_SIGNATURE)


def parameters(node: Node) -> str:
    """Return the parameters as written, without comments."""
    listed = node.child_by_field_name("parameters")
    found = listed.named_children if listed is not None else []
    return ", ".join(squeezed(child) for child in found if child.type != "comment")


def class_signature(node: Node, name: str) -> str:
    """Return `class name(bases)` and how to construct it: the parameters of `__init__`, or its annotated fields."""
    bases = node.child_by_field_name("superclasses")
    inherited = [squeezed(base) for base in bases.named_children if base.type != "comment"] if bases else []
    head = f"class {name}({', '.join(inherited)})" if inherited else f"class {name}"
    body = node.child_by_field_name("body")
    made = _making(body) if body is not None else ""
    return shortened(f"{head}: {made}" if made else head, LONGEST_SIGNATURE)


def _making(body: Node) -> str:
    fields: list[str] = []
    for child in body.named_children:
        inner = child.child_by_field_name("definition") if child.type == "decorated_definition" else child
        if inner is not None and inner.type == "function_definition":
            name = inner.child_by_field_name("name")
            if name is not None and text_of(name) == "__init__":
                return f"__init__({parameters(inner)})"
        elif child.type == "expression_statement":
            fields += [squeezed(one) for one in child.named_children if _is_field(one)]
    return ", ".join(fields)


def _is_field(node: Node) -> bool:
    return node.type == "assignment" and node.child_by_field_name("type") is not None


def type_chain(node: Node | None) -> str:
    """Return the chain of an instance of an annotated type, without wrappers (`Optional`, `Iterator`, quotes)."""
    if node is None:
        return ""
    for name in _NAME.findall(text_of(node)):
        last = name.rpartition(".")[2]
        if last in _NO_TYPES:
            return ""
        if last not in _WRAPPERS:
            return f"{name}()"
    return ""
