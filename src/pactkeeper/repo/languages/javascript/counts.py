"""How often a declaration runs: rows of case tables and loop iterations; 0 if the source doesn't tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pactkeeper.repo.languages.javascript.syntax import bare, text

if TYPE_CHECKING:
    from tree_sitter import Node

LOOPS = frozenset({"for_statement", "for_in_statement", "while_statement", "do_statement"})
ITERATIONS = frozenset(
    {
        "forEach",
        "map",
        "flatMap",
        "filter",
        "reduce",
        "reduceRight",
        "some",
        "every",
        "each",
        "eachSeries",
        "times",
        "forOwn",
        "forIn",
        "forEachSeries",
        "mapValues",
    }
)


def rows(table: Node) -> int:
    """Count the cases in what follows `.each`: `([…])` or a template table."""
    if table.type == "template_string":
        return _template_rows(table)
    given = [child for child in table.named_children if child.type != "comment"]
    return elements(given[0]) if given else 0


def elements(node: Node) -> int:
    """Count the elements of an array literal, or of a constant in this file that holds one."""
    node = bare(node)
    if node.type == "identifier":
        value = _constant(node)
        node = bare(value) if value is not None else node
    if node.type != "array":
        return 0
    items = [child for child in node.named_children if child.type != "comment"]
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
