"""Statements that make tests or classes while a module is imported, which nobody can read off the source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pactkeeper.repo.languages.python.facts import Note
from pactkeeper.repo.languages.python.names import Names
from pactkeeper.repo.languages.python.syntax import arguments, callee, dotted, string, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

_NAMESPACES: Final = frozenset({"globals", "locals", "vars"})
_ADDED: Final = "names are added to the module's namespace while it is imported"


def made(node: Node, source: bytes, names: Names) -> Note | None:
    """Say that a call or assignment makes names: `setattr(Class, name, …)`, `globals()[name] = …` and their like."""
    return _called(node, source, names) if node.type == "call" else _assigned(node, source, names)


def _called(node: Node, source: bytes, names: Names) -> Note | None:
    line = node.start_point.row + 1
    name = callee(node, source)
    given = arguments(node)
    if name == "setattr" and len(given) > 1:
        attribute = string(given[1], source)
        if attribute is None or names.matches(attribute):
            return Note(line, "attributes are set by name while the module is imported; tests may be among them")
        return None
    if name == "exec":
        return Note(line, "code made of text is executed while the module is imported; tests may be in it")
    if any(_is_namespace(argument, source) for argument in given):
        sources = tuple(name for name in (dotted(argument, source) for argument in given) if name)
        return Note(line, _ADDED, sources)
    return _updated(node, given, source)


def _updated(node: Node, given: list[Node], source: bytes) -> Note | None:
    """`globals().update(Class.method())`, the usual way to make a class for each variant of something."""
    function = node.child_by_field_name("function")
    owner = function.child_by_field_name("object") if function is not None and function.type == "attribute" else None
    if function is None or owner is None or not _is_namespace(owner, source):
        return None
    if text_of(function, source).rpartition(".")[2] != "update":
        return None
    made_by = _owner(given[0], source) if given and given[0].type == "call" else ""
    return Note(node.start_point.row + 1, _ADDED, (made_by,) if made_by else ())


def _owner(call: Node, source: bytes) -> str:
    """`Class` of `Class.method()` and of `Class().method()`."""
    function = call.child_by_field_name("function")
    owner = function.child_by_field_name("object") if function is not None and function.type == "attribute" else None
    return callee(owner, source) if owner is not None else ""


def _assigned(node: Node, source: bytes, names: Names) -> Note | None:
    left = node.child_by_field_name("left")
    value = left.child_by_field_name("value") if left is not None and left.type == "subscript" else None
    if left is None or value is None or not _is_namespace(value, source):
        return None
    key = left.child_by_field_name("subscript")
    literal = string(key, source) if key is not None else None
    if literal is not None and not names.matches(literal) and not literal.startswith("Test"):
        return None
    return Note(node.start_point.row + 1, _ADDED)


def _is_namespace(node: Node, source: bytes) -> bool:
    return node.type == "call" and callee(node, source) in _NAMESPACES
