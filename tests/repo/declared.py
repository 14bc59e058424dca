"""A deliberately simple reader of declarations, so that annotations are tested without discovery."""

from collections.abc import Iterator

import tree_sitter_python
import tree_sitter_typescript
from tree_sitter import Language, Node, Parser, Tree

from pactkeeper.intent.tests import Scope

PYTHON = Language(tree_sitter_python.language())
TSX = Language(tree_sitter_typescript.language_tsx())

Declared = tuple[str, Node, Scope]


def parse(source: bytes, language: str) -> tuple[Tree, list[Declared]]:
    """Parse a source and find its tests and suites by name."""
    tree = Parser(PYTHON if language == "python" else TSX).parse(source)
    find = python if language == "python" else javascript
    return tree, list(find(tree.root_node))


def python(node: Node) -> Iterator[Declared]:
    for child in node.named_children:
        inner = child.child_by_field_name("definition") or child
        name = inner.child_by_field_name("name")
        text = (name.text or b"").decode() if name else ""
        if inner.type == "function_definition" and text.startswith("test"):
            yield text, child, "test"
        elif inner.type == "class_definition" and text.startswith("Test"):
            yield text, child, "suite"
        if inner.type != "function_definition":
            yield from python(inner)


def javascript(node: Node) -> Iterator[Declared]:
    for child in node.named_children:
        function = child.child_by_field_name("function") if child.type == "call_expression" else None
        arguments = child.child_by_field_name("arguments") if function else None
        head = ((function.text if function else b"") or b"").decode().split(".")[0].split("(")[0].split("`")[0]
        titles = [part for part in arguments.named_children if part.type != "comment"] if arguments else []
        if head in {"it", "test", "describe"} and titles and titles[0].type in {"string", "template_string"}:
            title = (titles[0].text or b"").decode()[1:-1]
            yield title, child, "suite" if head == "describe" else "test"
        yield from javascript(child)
