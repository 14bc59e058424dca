"""Small syntax helpers shared by every part of the adapter."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

FUNCTIONS = frozenset(
    {
        "arrow_function",
        "function_expression",
        "function_declaration",
        "generator_function",
        "generator_function_declaration",
        "method_definition",
    }
)
CALLBACKS = frozenset({"arrow_function", "function_expression", "generator_function"})
# expressions that are transparent for what a name refers to
WRAPPERS = frozenset(
    {
        "parenthesized_expression",
        "as_expression",
        "satisfies_expression",
        "non_null_expression",
        "type_assertion",
        "instantiation_expression",
        "await_expression",
    }
)

_ESCAPE = re.compile(r"\\(u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|\r\n|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": "", "\r\n": ""}


def text(node: Node | None) -> str:
    """Return the source of a node, "" for None; bytes that aren't UTF-8 become replacement characters."""
    return (node.text or b"").decode("utf-8", "replace") if node is not None else ""


def squeezed(node: Node) -> str:
    """Return the source of a node on one line, as a computed name is written."""
    return " ".join(text(node).split())


def children(node: Node) -> list[Node]:
    """Return the named children of a node, without comments."""
    return [child for child in node.named_children if child.type != "comment"]


def unescape(raw: str) -> str:
    """Decode the escapes of a string or template literal."""
    if "\\" not in raw:
        return raw
    from pactkeeper.ledger.documents import whole_text  # noqa: PLC0415 - few strings have escapes

    return whole_text(_ESCAPE.sub(_character, raw))


def _character(match: re.Match[str]) -> str:
    escape = match.group(1)
    if len(escape) > 1 and escape[0] in "ux":
        code = int(escape.lstrip("ux").strip("{}"), 16)
        return chr(code) if code <= 0x10FFFF else "\N{REPLACEMENT CHARACTER}"  # noqa: PLR2004 - the last code point
    return _ESCAPED.get(escape, escape)


def arguments_of(call: Node) -> list[Node]:
    """Return the arguments of a call, without comments."""
    arguments = call.child_by_field_name("arguments")
    if arguments is None or arguments.type != "arguments":
        return []
    return children(arguments)


def bare(node: Node) -> Node:
    """Return the expression inside parentheses, type assertions and `await`."""
    while node.type in WRAPPERS:
        inner = next((child for child in node.named_children if child.type != "comment"), None)
        if inner is None:
            return node
        node = inner
    return node


def literal(node: Node) -> str | None:
    """Return the value of a string, a template without substitutions or a sum of these; None for anything else."""
    parts: list[str] = []
    pending = [node]
    while pending:
        current = bare(pending.pop())
        if current.type == "binary_expression":
            operator = current.child_by_field_name("operator")
            left, right = current.child_by_field_name("left"), current.child_by_field_name("right")
            if operator is None or operator.type != "+" or left is None or right is None:
                return None
            pending += (right, left)
            continue
        if current.type not in {"string", "template_string"}:
            return None
        if current.type == "template_string" and any(c.type == "template_substitution" for c in current.named_children):
            return None
        parts.append(unescape(text(current)[1:-1]))
    return "".join(parts)


def parameters_of(function: Node) -> tuple[str, ...]:
    """Return the names of a function's parameters by position; "" for a destructured one."""
    single = function.child_by_field_name("parameter")
    if single is not None:
        return (text(single),)
    listed = function.child_by_field_name("parameters")
    if listed is None:
        return ()
    return tuple(_parameter(node) for node in children(listed))


def _parameter(node: Node) -> str:
    if node.type in {"required_parameter", "optional_parameter"}:
        inner = node.child_by_field_name("pattern")
        node = inner if inner is not None else node
    if node.type == "assignment_pattern":
        inner = node.child_by_field_name("left")
        node = inner if inner is not None else node
    if node.type == "rest_pattern":
        node = node.named_children[0]
    return text(node) if node.type == "identifier" else ""
