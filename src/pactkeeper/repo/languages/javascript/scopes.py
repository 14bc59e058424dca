"""Where a file declares a name, and the range of source where that declaration is visible."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from pactkeeper.repo.languages.javascript.syntax import FUNCTIONS, bare, children, text

if TYPE_CHECKING:
    from tree_sitter import Node


_BLOCKS = frozenset(
    {"program", "statement_block", "for_statement", "for_in_statement", "switch_body", "class_static_block",
     "internal_module", "module"}
)  # fmt: skip
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
        position = next((i for i, child in enumerate(children(parent)) if child.id == node.id), -1)
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


LOOPS = frozenset({"for_statement", "for_in_statement", "while_statement", "do_statement"})
ITERATIONS = frozenset(
    {"forEach", "map", "flatMap", "filter", "reduce", "reduceRight", "some", "every", "each", "eachSeries", "times",
     "forOwn", "forIn", "forEachSeries", "mapValues"}
)  # fmt: skip


def rows(table: Node) -> int:
    """Count the cases in what follows `.each`: `([…])` or a template table."""
    if table.type == "template_string":
        return _template_rows(table)
    given = children(table)
    return elements(given[0]) if given else 0


def elements(node: Node) -> int:
    """Count the elements of an array literal, or of a constant in this file that holds one."""
    node = bare(node)
    if node.type == "identifier":
        value = _constant(node)
        node = bare(value) if value is not None else node
    if node.type != "array":
        return 0
    items = children(node)
    return 0 if any(item.type == "spread_element" for item in items) else len(items)


def _template_rows(table: Node) -> int:
    holes = sum(child.type == "template_substitution" for child in table.named_children)
    header = text(table)[1:].strip().partition("\n")[0]
    columns = header.count("|") + 1
    return holes // columns if holes % columns == 0 else 0


def _constant(name: Node) -> Node | None:
    """Return the value of a top-level `const` in the file."""
    root = name
    while (parent := root.parent) is not None:
        root = parent
    wanted = name.text
    for statement in root.named_children:
        declaration = statement
        if statement.type == "export_statement":
            inner = statement.child_by_field_name("declaration")
            declaration = inner if inner is not None else statement
        if declaration.type != "lexical_declaration" or not (declaration.text or b"").startswith(b"const"):
            continue
        for declarator in declaration.named_children:
            target = declarator.child_by_field_name("name")
            if target is not None and target.text == wanted:
                return declarator.child_by_field_name("value")
    return None


def loop_rounds(loop: Node) -> int:
    """Count the iterations of a loop statement, known only for `for … of` over an array literal."""
    over = loop.child_by_field_name("right") if loop.type == "for_in_statement" else None
    return elements(over) if over is not None else 0


def iteration_rounds(call: Node) -> int | None:
    """Count the iterations of `array.forEach(…)` and similar; None if the call isn't an iteration."""
    function = call.child_by_field_name("function")
    if function is None or function.type != "member_expression":
        return None
    name, receiver = function.child_by_field_name("property"), function.child_by_field_name("object")
    if name is None or receiver is None or text(name) not in ITERATIONS:
        return None
    return elements(receiver)
