"""Where a file declares a name, and the range of source where that declaration is visible."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from pactkeeper.repo.languages.javascript.syntax import FUNCTIONS, text

if TYPE_CHECKING:
    from tree_sitter import Node

_BLOCKS = frozenset(
    {
        "program",
        "statement_block",
        "for_statement",
        "for_in_statement",
        "switch_body",
        "class_static_block",
        "internal_module",
        "module",
    }
)
_PATTERNS = frozenset({"object_pattern", "array_pattern", "rest_pattern"})
_DEFAULTS = frozenset({"object_assignment_pattern", "assignment_pattern"})
_PARAMETERS = frozenset({"required_parameter", "optional_parameter"})
_NAMED = FUNCTIONS | {"class_declaration", "class", "function_signature", "enum_declaration", "internal_module"}


@dataclass(slots=True)
class Declaration:
    """A name's declaration: as a variable, a parameter, a function, or anything else (`local`).

    `node` is the declarator or the function; `key` the property that destructuring takes, empty without destructuring.
    """

    kind: Literal["variable", "parameter", "function", "local"]
    node: Node
    start: int
    end: int
    key: str = ""
    position: int = -1


def declaration(name: Node) -> Declaration | None:
    """Return what an identifier declares; None if it is a use of the name."""
    node, keys = name, []
    if name.type == "shorthand_property_identifier_pattern":
        keys.append(text(name))
    while (parent := node.parent) is not None:
        kind = parent.type
        if kind == "pair_pattern" and _field(parent, "value", node):
            key = parent.child_by_field_name("key")
            keys.append(text(key) if key is not None else "*")
        elif kind in _DEFAULTS:
            if not _field(parent, "left", node):
                return None
        elif kind in _PARAMETERS:
            if _field(parent, "value", node):
                return None
        elif kind not in _PATTERNS:
            return _declared(parent, node, keys)
        node = parent
    return None


def _declared(parent: Node, node: Node, keys: list[str]) -> Declaration | None:
    kind = parent.type
    key = "" if not keys else keys[0] if len(keys) == 1 else "*"
    if kind == "variable_declarator" and _field(parent, "name", node):
        return _ambient(parent) or Declaration("variable", parent, *_scope(parent), key)
    if kind == "formal_parameters" and parent.parent is not None:
        position = next((i for i, child in enumerate(_listed(parent)) if child.id == node.id), -1)
        return Declaration("parameter", parent.parent, *parent.parent.byte_range, key, position)
    if kind == "arrow_function" and _field(parent, "parameter", node):
        return Declaration("parameter", parent, *parent.byte_range, key, 0)
    if kind in _NAMED and _field(parent, "name", node):
        return _named(parent)
    if kind == "catch_clause" and _field(parent, "parameter", node):
        return Declaration("local", parent, *parent.byte_range)
    if kind == "for_in_statement" and _field(parent, "left", node) and parent.child_by_field_name("kind") is not None:
        return Declaration("local", parent, *parent.byte_range)
    return None


def _listed(parameters: Node) -> list[Node]:
    return [child for child in parameters.named_children if child.type != "comment"]


def _named(function: Node) -> Declaration:
    if function.type in {"function_expression", "class", "method_definition"}:
        start = function.start_byte if function.type != "method_definition" else function.end_byte
        return Declaration("local", function, start, function.end_byte)
    if function.type == "function_signature":
        return Declaration("local", function, function.end_byte, function.end_byte)
    kind: Literal["function", "local"] = "function" if function.type in FUNCTIONS else "local"
    return Declaration(kind, function, *_scope(function))


def _ambient(declarator: Node) -> Declaration | None:
    """Handle `declare const it: …`, which names a global and shadows nothing."""
    above = declarator.parent.parent if declarator.parent is not None else None
    if above is not None and above.type == "ambient_declaration":
        return Declaration("local", declarator, declarator.end_byte, declarator.end_byte)
    return None


def _scope(node: Node) -> tuple[int, int]:
    """Return the range of the block that a declaration is visible in; for `var`, of the function."""
    ends = FUNCTIONS | {"program"} if (p := node.parent) is not None and p.type == "variable_declaration" else _BLOCKS
    above = node.parent
    while above is not None and above.type not in ends:
        above = above.parent
    return above.byte_range if above is not None else (0, node.end_byte)


def _field(parent: Node, name: str, node: Node) -> bool:
    child = parent.child_by_field_name(name)
    return child is not None and child.id == node.id
