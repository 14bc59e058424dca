"""Docstrings: what stands first in a module, class or function, without its quotes and indentation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pactkeeper.repo.languages.python.syntax import text_of

if TYPE_CHECKING:
    from tree_sitter import Node


def documentation(block: Node | None, source: bytes) -> tuple[str, int]:
    """The docstring of a block with the line it starts on, ("", 0) where there is none."""
    for statement in block.named_children if block is not None else ():
        if statement.type == "comment":
            continue
        node = statement.named_children[0] if statement.type == "expression_statement" else None
        if node is None or node.type != "string" or source[node.start_byte : node.start_byte + 1] in b"fFbB":
            break
        content = "".join(text_of(child, source) for child in node.named_children if child.type == "string_content")
        return dedented(content), node.start_point.row + 1
    return "", 0


def dedented(text: str) -> str:
    """A docstring's lines without the indentation that all but the first share."""
    first, *others = text.expandtabs().splitlines() or [""]
    depths = [len(line) - len(line.lstrip()) for line in others if line.strip()]
    depth = min(depths, default=0)
    return "\n".join([first.strip(), *(line[depth:].rstrip() for line in others)]).strip()
