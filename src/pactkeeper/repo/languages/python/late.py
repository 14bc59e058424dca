"""The body hash of a function that turned out to be a test although its name didn't look like one."""

from __future__ import annotations

from pactkeeper.repo.languages.python import normal
from pactkeeper.repo.languages.python.facts import Function
from pactkeeper.repo.languages.python.syntax import parse, read_text


def late_hash(data: bytes, function: Function) -> str:
    """Hash the declaration in the source that its facts came from."""
    source = read_text(data).source
    tree = parse(source)
    node = tree.root_node.descendant_for_byte_range(function.start, function.end)
    name = normal.declared_name(node) if node is not None else None
    return normal.prepare(tree, source).body_hash(function.start, function.end, name=name)
