"""Types and signatures: their text on one line, and the chain of a value of a type."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from pactkeeper.repo.languages.javascript.syntax import squeezed, text
from pactkeeper.repo.languages.outline import LONGEST_PART, LONGEST_SIGNATURE, shortened

if TYPE_CHECKING:
    from tree_sitter import Node

_WRAPPERS: Final = frozenset({"Promise", "PromiseLike", "Awaited", "Readonly", "Partial", "Required", "NonNullable"})
_NO_TYPES: Final = frozenset({"Array", "Map", "Set", "Record", "String", "Number", "Boolean", "Object", "Function"})
_RETURNS: Final = re.compile(r"@returns?\s*+\{\s*+(?:Promise<\s*+)?([A-Za-z_$][\w$.]*+)")
_DEEPEST: Final = 12


def type_chain(node: Node | None, depth: int = 0) -> str:
    """Return the chain of a value of this type; "" unless it is a named type. `this` is the object itself."""
    if node is None or depth > _DEEPEST:
        return ""
    if node.type == "this_type":
        return "this()"
    if node.type in {"type_identifier", "nested_type_identifier"}:
        return "" if text(node) in _NO_TYPES else f"{text(node)}()"
    if node.type == "generic_type":
        name, given = node.child_by_field_name("name"), node.child_by_field_name("type_arguments")
        if name is not None and text(name) in _WRAPPERS:
            return type_chain(given.named_children[0] if given and given.named_children else None, depth + 1)
        return type_chain(name, depth + 1)
    if node.type in {"type_annotation", "union_type", "parenthesized_type", "readonly_type"}:
        return next(filter(None, (type_chain(child, depth + 1) for child in node.named_children)), "")
    return ""


def returned_chain(function: Node, doc: str = "") -> str:
    """Return the chain of a function's result, from its return type or `@returns {Type}` in its documentation."""
    written = type_chain(function.child_by_field_name("return_type"))
    if written or function.child_by_field_name("return_type") is not None:
        return written
    said = _RETURNS.search(doc)
    return f"{said[1]}()" if said is not None and said[1] not in _NO_TYPES and said[1][0].isupper() else ""


def call_signature(function: Node) -> str:
    """Format `(parameters): type` as written, without comments."""
    single, listed = function.child_by_field_name("parameter"), function.child_by_field_name("parameters")
    found = [single] if single is not None else listed.named_children if listed is not None else []
    inside = ", ".join(shortened(squeezed(one), LONGEST_PART) for one in found if one.type != "comment")
    returned = function.child_by_field_name("return_type")
    if returned is None:
        return f"({inside})"
    written = squeezed(returned)
    return f"({inside}){shortened(written if written.startswith(':') else f': {written}', LONGEST_PART)}"


def function_signature(function: Node, name: str) -> str:
    """Format `function name(parameters): type`."""
    prefix = "async " if any(child.type == "async" for child in function.children) else ""
    return shortened(f"{prefix}function {name}{call_signature(function)}", LONGEST_SIGNATURE)


def member_signature(member: Node, name: str) -> str:
    """Format `Owner.name(parameters): type`."""
    words = [child.type for child in member.children if child.type in {"static", "async", "get", "set"}]
    return shortened(" ".join([*words, name]) + call_signature(member), LONGEST_SIGNATURE)
