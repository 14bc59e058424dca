"""JavaScript and TypeScript syntax as the claim readers use it: a file's tree, and expressions as chains of links."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pactkeeper.repo.languages.javascript import grammar
from pactkeeper.repo.languages.javascript.syntax import FUNCTIONS, WRAPPERS, children, squeezed, text, unescape

if TYPE_CHECKING:
    from tree_sitter import Node

_WRAPPERS = WRAPPERS | {"return_statement", "expression_statement"}


@dataclass(frozen=True, slots=True)
class Link:
    """One step of a member chain: `.name`, or `.name(arguments)` if `arguments` is not None.

    `node` is the expression up to and including this step; `name` is empty if the step is computed.
    """

    name: str
    arguments: tuple[Node, ...] | None
    types: tuple[Node, ...]
    node: Node


def parse(path: str, source: bytes) -> Node:
    """Parse a file and return its root node; broken syntax yields error nodes, and UTF-16 is decoded first."""
    return grammar.parse(path, grammar.utf8(source)).root_node


def descend(node: Node) -> Iterator[Node]:
    """Yield `node` and every named node below it, in source order, at any depth."""
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        stack.extend(reversed(current.named_children))


def bare(node: Node) -> Node:
    """Strip wrappers that don't affect what is asserted: parentheses, await, casts, `!`, return."""
    while node.type in _WRAPPERS or (node.type == "unary_expression" and node.children[0].type == "void"):
        inner = children(node)
        if not inner:
            return node
        node = inner[-1] if node.type in {"type_assertion", "unary_expression"} else inner[0]
    return node


def arguments_of(call: Node) -> tuple[Node, ...]:
    """Return the argument expressions of a call or `new`; a tagged template is its tag's only argument."""
    arguments = call.child_by_field_name("arguments")
    if arguments is None:
        return ()
    return (arguments,) if arguments.type == "template_string" else tuple(children(arguments))


def _types_of(call: Node) -> tuple[Node, ...]:
    types = call.child_by_field_name("type_arguments")
    return tuple(children(types)) if types is not None else ()


def chain(node: Node) -> tuple[Link, ...]:
    """Flatten `a.b(c).d` into its links, innermost first; a node that isn't a chain is one nameless link."""
    links: list[Link] = []
    node = bare(node)
    while True:
        called: Node | None = None
        if node.type == "call_expression":
            called = node
            target = node.child_by_field_name("function")
            if target is None:
                break
            node = bare(target)
        link, inner = _step(node, called)
        links.append(link)
        if inner is None:
            break
        node = inner
    links.reverse()
    return tuple(links)


def _step(node: Node, called: Node | None) -> tuple[Link, Node | None]:
    arguments = arguments_of(called) if called is not None else None
    types = _types_of(called) if called is not None else ()
    whole = called if called is not None else node
    if node.type in {"identifier", "this", "super"}:
        return Link(text(node), arguments, types, whole), None
    target = node.child_by_field_name("object")
    if node.type == "member_expression" and target is not None:
        return Link(text(node.child_by_field_name("property")), arguments, types, whole), bare(target)
    if node.type == "subscript_expression" and target is not None:
        index = node.child_by_field_name("index")
        name = string_value(index) if index is not None and index.type == "string" else ""
        return Link(name or "", arguments, types, whole), bare(target)
    if called is not None and node.type == "call_expression":
        return Link("", arguments, types, whole), node
    return Link("", arguments, types, whole), None


def string_value(node: Node) -> str | None:
    """Return the value of a string literal or of a template without substitutions; None for anything else."""
    if node.type not in {"string", "template_string"} or node.has_error:
        return None
    if any(child.type == "template_substitution" for child in node.named_children):
        return None
    return unescape(text(node)[1:-1])


def is_function(node: Node) -> bool:
    """Whether the node is a function of any kind."""
    return node.type in FUNCTIONS


def parameters_of(function: Node) -> list[Node]:
    """Return the parameter patterns of a function, without type annotations and decorators."""
    single = function.child_by_field_name("parameter")
    if single is not None:
        return [single]
    listed = function.child_by_field_name("parameters")
    found = []
    for child in children(listed) if listed is not None else ():
        pattern = child.child_by_field_name("pattern") if child.type.endswith("_parameter") else child
        if pattern is not None and pattern.type != "this":
            found.append(pattern)
    return found


def body_of(function: Node) -> Node | None:
    """Return the block or expression that a function runs."""
    return function.child_by_field_name("body")


__all__ = [
    "Link", "arguments_of", "bare", "body_of", "chain", "children", "descend", "is_function",
    "parameters_of", "parse", "squeezed", "string_value", "text",
]  # fmt: skip
