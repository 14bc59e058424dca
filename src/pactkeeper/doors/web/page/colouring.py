"""Source text with its syntax coloured: leaves of a syntax tree by their kind, escaped always, in linear time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from markupsafe import Markup, escape

from pactkeeper.published.printable import printable
from pactkeeper.repo.languages.javascript import grammar
from pactkeeper.repo.languages.python import syntax

if TYPE_CHECKING:
    from tree_sitter import Node

MOST_BYTES: Final = 200_000  # longer source is shown without colours
_WHOLE: Final = {"string": "s", "template_string": "s", "regex": "s", "comment": "c"}
_LEAVES: Final = {"integer": "n", "float": "n", "number": "n", "true": "n", "false": "n", "none": "n", "null": "n"}
_NAMED: Final = frozenset({"function_definition", "class_definition", "function_declaration", "class_declaration"})
_CALLS: Final = frozenset({"call", "call_expression"})


def coloured(path: str, text: str) -> list[Markup]:
    """The lines of a piece of source as markup; one in a language without a grammar here stays plain."""
    data = text.encode()
    spans = [] if len(data) > MOST_BYTES else list(_spans(path, data))
    made, done = [], 0
    for start, end, kind in spans:
        made += [_plain(data[done:start]), _marked(data[start:end], kind)]
        done = end
    return [Markup(line) for line in "".join((*made, _plain(data[done:]))).split("\n")]  # noqa: S704 - escaped below


def _plain(data: bytes) -> str:
    return str(escape(printable(data.decode())))


def _marked(data: bytes, kind: str) -> str:
    """A coloured piece; one of several lines is closed and opened again at each line's end."""
    return "\n".join(f'<span class="{kind}">{line}</span>' for line in _plain(data).split("\n"))


def _spans(path: str, data: bytes) -> Iterator[tuple[int, int, str]]:
    """Byte ranges in order, each with the class that colours it."""
    if path.endswith(".py"):
        tree = syntax.parse(data)
    elif path.lower().endswith(grammar.SUFFIXES):
        tree = grammar.parse(path, data)
    else:
        return
    waiting = [tree.root_node]
    while waiting:
        node = waiting.pop()
        kind = _kind(node)
        if kind:
            yield node.start_byte, node.end_byte, kind
        else:
            waiting.extend(reversed(node.children))


def _kind(node: Node) -> str:
    if node.type in _WHOLE:
        return _WHOLE[node.type]
    if node.child_count:
        return ""
    if not node.is_named:
        return "k" if node.type.isalpha() else ""
    return _LEAVES.get(node.type) or _name(node)


def _name(node: Node) -> str:
    """Names that a declaration gives and functions that are called."""
    parent = node.parent
    if parent is None or node.type not in {"identifier", "property_identifier"}:
        return ""
    if parent.type in _NAMED:
        return "f" if parent.child_by_field_name("name") == node else ""
    if parent.type in _CALLS:
        return "f" if parent.child_by_field_name("function") == node else ""
    return ""
