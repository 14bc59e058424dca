"""JavaScript and TypeScript syntax as the claim readers see it: a file's tree, and expressions as chains of links."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node, Parser, Tree

FUNCTIONS = frozenset(
    {
        "arrow_function",
        "function_expression",
        "function",
        "function_declaration",
        "generator_function",
        "generator_function_declaration",
        "method_definition",
    }
)
_WRAPPERS = frozenset(
    {
        "parenthesized_expression",
        "await_expression",
        "as_expression",
        "satisfies_expression",
        "non_null_expression",
        "type_assertion",
        "return_statement",
        "expression_statement",
        "instantiation_expression",
    }
)
_TYPED = {".ts": "typescript", ".mts": "typescript", ".cts": "typescript", ".tsx": "tsx"}


@dataclass(frozen=True, slots=True)
class Link:
    """One step of a member chain: `.name`, or `.name(arguments)` where `arguments` is not None.

    `node` is the expression up to and including this step; `name` is empty where the step is computed.
    """

    name: str
    arguments: tuple[Node, ...] | None
    types: tuple[Node, ...]
    node: Node


def parse(path: str, source: bytes) -> Tree:
    """Parse a file with the grammar that its suffix asks for; broken syntax gives a tree with error nodes."""
    dot = path.rfind(".")
    return _parser(_TYPED.get(path[dot:].lower(), "javascript")).parse(source.removeprefix(b"\xef\xbb\xbf"))


@cache
def _parser(grammar: str) -> Parser:
    import tree_sitter_javascript  # noqa: PLC0415 - heavy: loaded when the first file is parsed
    import tree_sitter_typescript  # noqa: PLC0415 - likewise
    from tree_sitter import Language, Parser  # noqa: PLC0415 - likewise

    if grammar == "typescript":
        return Parser(Language(tree_sitter_typescript.language_typescript()))
    if grammar == "tsx":
        return Parser(Language(tree_sitter_typescript.language_tsx()))
    return Parser(Language(tree_sitter_javascript.language()))


def text(node: Node | None) -> str:
    """The source text of a node, empty for None."""
    return (node.text or b"").decode("utf-8", "replace") if node is not None else ""


def squeezed(node: Node) -> str:
    """The source text of a node on one line."""
    return " ".join(text(node).split())


def children(node: Node) -> list[Node]:
    """The named children of a node without comments."""
    return [child for child in node.named_children if child.type != "comment"]


def descend(node: Node) -> Iterator[Node]:
    """Every named node below and including `node`, in source order, whatever the depth."""
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        stack.extend(reversed(current.named_children))


def bare(node: Node) -> Node:
    """The expression inside what is not observable: parentheses, await, casts, `!`, return."""
    while node.type in _WRAPPERS or (node.type == "unary_expression" and _operator(node) == "void"):
        inner = children(node)
        if not inner:
            return node
        node = inner[-1] if node.type in {"type_assertion", "unary_expression"} else inner[0]
    return node


def _operator(node: Node) -> str:
    return text(node.child_by_field_name("operator"))


def arguments_of(call: Node) -> tuple[Node, ...]:
    """The argument expressions of a call or `new`; a template tag's template counts as its only argument."""
    arguments = call.child_by_field_name("arguments")
    if arguments is None:
        return ()
    return (arguments,) if arguments.type == "template_string" else tuple(children(arguments))


def _types_of(call: Node) -> tuple[Node, ...]:
    types = call.child_by_field_name("type_arguments")
    return tuple(children(types)) if types is not None else ()


def chain(node: Node) -> tuple[Link, ...]:
    """Flatten `a.b(c).d` into its links, from the innermost outwards; what is no chain is one nameless link."""
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


_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": ""}


def string_value(node: Node) -> str | None:
    """The value of a string literal or of a template without substitutions, None for anything else."""
    if node.type not in {"string", "template_string"}:
        return None
    parts: list[str] = []
    for child in node.named_children:
        if child.type == "escape_sequence":
            parts.append(_unescape(text(child)))
        elif child.type in {"string_fragment", "html_character_reference"}:
            parts.append(text(child))
        else:
            return None
    return "".join(parts)


def _unescape(sequence: str) -> str:
    body = sequence[1:]
    if body[:1] in {"u", "x"}:
        try:
            return chr(int(body[1:].strip("{}"), 16)).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        except (ValueError, OverflowError):
            return sequence
    return _ESCAPES.get(body, body)


def is_function(node: Node) -> bool:
    """Whether the node is a function of any form."""
    return node.type in FUNCTIONS


def parameters_of(function: Node) -> list[Node]:
    """The parameter patterns of a function, without type annotations and decorators."""
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
    """The block or expression a function runs."""
    return function.child_by_field_name("body")
