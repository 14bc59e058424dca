"""Statements that create tests or classes while a module is imported, which can't be determined from the source.

Also what decorators and `pytestmark` say: parameter sets, and annotations in marker form.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tree_sitter import Node

from pactkeeper.intent.tests import Annotation, Scope
from pactkeeper.repo.annotations.grammar import sort_words
from pactkeeper.repo.languages.python.facts import Factor, Note
from pactkeeper.repo.languages.python.names import Names
from pactkeeper.repo.languages.python.syntax import arguments, callee, count, dotted, keyword, string, text_of

_NAMESPACES: Final = frozenset({"globals", "locals", "vars"})
_ADDED: Final = "names are added to the module's namespace while it is imported"


def made(node: Node, source: bytes, names: Names) -> Note | None:
    """Return a note if a call or assignment creates names: `setattr(Class, name, …)`, `globals()[name] = …` and so on.

    A call of any function that is given names yields a note without a reason: what the names are decides.
    """
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
    named = tuple(name for name in (dotted(argument, source) for argument in given) if name)
    if any(_is_namespace(argument, source) for argument in given):
        return Note(line, _ADDED, named)
    return _updated(node, given, source) or (Note(line, "", (name, *named)) if name and named else None)


def _updated(node: Node, given: list[Node], source: bytes) -> Note | None:
    """Handle `globals().update(Class.method())`, the usual way to create a class for each variant."""
    function = node.child_by_field_name("function")
    owner = function.child_by_field_name("object") if function is not None and function.type == "attribute" else None
    if function is None or owner is None or not _is_namespace(owner, source):
        return None
    if text_of(function, source).rpartition(".")[2] != "update":
        return None
    made_by = _owner(given[0], source) if given and given[0].type == "call" else ""
    return Note(node.start_point.row + 1, _ADDED, (made_by,) if made_by else ())


def _owner(call: Node, source: bytes) -> str:
    """Return `Class` for `Class.method()` and for `Class().method()`."""
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


_DISPLAYS: Final = frozenset({"list", "tuple", "set"})


def decorators(outer: Node) -> list[Node]:
    """Return the expressions after the `@` of a decorated definition."""
    found: list[Node] = []
    for child in outer.children:
        if child.type == "decorator":
            found.extend(inner for inner in child.named_children[:1] if inner.type != "comment")
    return found


def marks(value: Node | None) -> Iterator[Node]:
    """Yield the individual marks of a `pytestmark` value."""
    if value is None:
        return
    if value.type in _DISPLAYS:
        yield from (child for child in value.named_children if child.type != "comment")
    else:
        yield value


def factor(mark: Node, name: str, source: bytes) -> tuple[Factor, ...]:
    """Return the number of parameter sets of one decorator or mark; empty if it multiplies nothing."""
    if mark.type != "call":
        return ()
    last = name.rpartition(".")[2]
    given = arguments(mark)
    if last == "parametrize":
        values = given[1] if len(given) > 1 else keyword(mark, b"argvalues", source)
        return (None,) if any(node.type == "list_splat" for node in given[:2]) else (count(values, source),)
    if name.endswith("parameterized.expand") or name == "parameterized.parameters":
        return (count(given[0], source),) if len(given) == 1 else (len(given) or None,)
    if name in {"data", "ddt.data"}:
        return (None,) if any(node.type == "list_splat" for node in given) else (len(given),)
    return ()


def atoms(mark: Node, name: str, source: bytes, kind: tuple[Scope, str]) -> Annotation | None:
    """Return the annotation that an `atom` mark carries; `kind` is its scope and id prefix. None for any other mark."""
    scope, prefix = kind
    if not (name == "mark.atom" or name.endswith(".mark.atom")):
        return None
    words = [string(node, source) for node in arguments(mark)] if mark.type == "call" else []
    texts = [text_of(node, source) for node in arguments(mark)] if mark.type == "call" else []
    given = (text if word is None else word for word, text in zip(words, texts, strict=True))
    parsed = sort_words(given, prefix=prefix)
    return Annotation(parsed.atoms, "marker", scope, mark.start_point.row + 1, parsed.malformed)
