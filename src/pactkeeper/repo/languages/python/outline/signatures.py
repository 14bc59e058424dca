"""Signatures on one line, and the types in them as chains."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from pactkeeper.repo.languages.outline import LONGEST_PART, LONGEST_SIGNATURE, shortened
from pactkeeper.repo.languages.python.syntax import text_of

if TYPE_CHECKING:
    from tree_sitter import Node

_NAME: Final = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_WRAPPERS: Final = frozenset(
    {"Annotated", "AsyncGenerator", "AsyncIterable", "AsyncIterator", "Awaitable", "ClassVar", "Coroutine", "Deferred"}
) | {"Final", "Generator", "Iterable", "Iterator", "Optional", "Required", "Type", "Union", "type", "None", "Any"}
_NO_TYPES: Final = frozenset({"str", "int", "bool", "float", "bytes", "object", "list", "dict", "set", "tuple"})


def squeezed(node: Node, source: bytes) -> str:
    """The source of a node on one line without comments, shortened where it is long."""
    return shortened(" ".join("".join(_uncommented(node, source)).split()), LONGEST_PART)


def _uncommented(node: Node, source: bytes) -> Iterator[str]:
    written = text_of(node, source)
    if "#" not in written:
        yield written
        return
    start = node.start_byte
    pending = [node]
    while pending:
        inner = pending.pop()
        if inner.type == "comment":
            yield source[start : inner.start_byte].decode("utf-8", "replace")
            start = inner.end_byte
        pending.extend(reversed(inner.named_children))
    yield source[start : node.end_byte].decode("utf-8", "replace")


def function_signature(node: Node, source: bytes, name: str) -> str:
    """`def name(parameters) -> type`."""
    returned = node.child_by_field_name("return_type")
    arrow = f" -> {squeezed(returned, source)}" if returned is not None else ""
    prefix = "async def" if node.children[0].type == "async" else "def"
    return shortened(f"{prefix} {name}({parameters(node, source)}){arrow}", LONGEST_SIGNATURE)


def parameters(node: Node, source: bytes) -> str:
    """The parameters as written, comments left out."""
    listed = node.child_by_field_name("parameters")
    found = listed.named_children if listed is not None else []
    return ", ".join(squeezed(child, source) for child in found if child.type != "comment")


def class_signature(node: Node, source: bytes, name: str) -> str:
    """`class name(bases)`, and what it is made from: the parameters of `__init__`, or its annotated fields."""
    bases = node.child_by_field_name("superclasses")
    inherited = [squeezed(base, source) for base in bases.named_children if base.type != "comment"] if bases else []
    head = f"class {name}({', '.join(inherited)})" if inherited else f"class {name}"
    body = node.child_by_field_name("body")
    made = _making(body, source) if body is not None else ""
    return shortened(f"{head}: {made}" if made else head, LONGEST_SIGNATURE)


def _making(body: Node, source: bytes) -> str:
    fields: list[str] = []
    for child in body.named_children:
        inner = child.child_by_field_name("definition") if child.type == "decorated_definition" else child
        if inner is not None and inner.type == "function_definition":
            name = inner.child_by_field_name("name")
            if name is not None and text_of(name, source) == "__init__":
                return f"__init__({parameters(inner, source)})"
        elif child.type == "expression_statement":
            fields += [squeezed(one, source) for one in child.named_children if _is_field(one)]
    return ", ".join(fields)


def _is_field(node: Node) -> bool:
    return node.type == "assignment" and node.child_by_field_name("type") is not None


def type_chain(node: Node | None, source: bytes) -> str:
    """The chain of an instance of an annotated type, without what wraps it (`Optional`, `Iterator`, quotes)."""
    if node is None:
        return ""
    for name in _NAME.findall(text_of(node, source)):
        last = name.rpartition(".")[2]
        if last in _NO_TYPES:
            return ""
        if last not in _WRAPPERS:
            return f"{name}()"
    return ""
