"""What a Python module defines, documents, imports and refers to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from pactkeeper.repo.languages.outline import Definition, Import, Kind, Outline, Uses, made
from pactkeeper.repo.languages.python.outline.chains import (
    class_signature,
    function_signature,
    plain_chain,
    read_uses,
    squeezed,
    type_chain,
)
from pactkeeper.repo.languages.python.syntax import callee, dotted, imported_names, parse, read_text, text_of

if TYPE_CHECKING:
    from tree_sitter import Node


def outline_of(data: bytes) -> Outline:
    """Return the outline of one module; what can't be parsed is left out."""
    root = parse(read_text(data).source).root_node
    doc, line = documentation(root)
    imports, offered = imports_of(root)
    return Outline(doc, line, definitions_of(root), imports, offered)


def uses_of(data: bytes) -> Uses:
    """Return what the code of one module refers to."""
    root = parse(read_text(data).source).root_node
    imports, _ = imports_of(root)
    names = {one.name for one in imports} | {one.name.partition(".")[0] for one in definitions_of(root)}
    return read_uses(root, frozenset(names))


_OPEN: Final = frozenset(
    {"if_statement", "try_statement", "with_statement", "else_clause", "elif_clause", "except_clause", "block"}
)
_PROPERTIES: Final = frozenset({"property", "cached_property", "functools.cached_property", "abstractproperty"})
_OVERLOADS: Final = frozenset({"overload", "typing.overload"})
_DEEPEST: Final = 40


def definitions_of(root: Node) -> tuple[Definition, ...]:
    """Return everything a module defines, in source order; repeated definitions of a name are all listed."""
    return tuple(_block(root, owner="", depth=0))


def _block(block: Node, *, owner: str, depth: int) -> Iterator[Definition]:
    if depth > _DEEPEST:
        return
    for child in block.named_children:
        if child.type in {"function_definition", "class_definition", "decorated_definition"}:
            yield from _declared(child, owner=owner, depth=depth)
        elif child.type in _OPEN:
            yield from _block(child, owner=owner, depth=depth + 1)
        elif child.type == "expression_statement" and child.named_children:
            yield from _value(child.named_children[0], owner)


def _declared(node: Node, *, owner: str, depth: int) -> Iterator[Definition]:
    marks = [child.named_children[0] for child in node.named_children if child.type == "decorator"]
    names = {callee(mark) for mark in marks if mark.type != "comment"}
    inner = node.child_by_field_name("definition") or node
    name = inner.child_by_field_name("name")
    if name is None or names & _OVERLOADS:
        return
    full = f"{owner}.{text_of(name)}" if owner else text_of(name)
    if inner.type == "function_definition":
        yield _function(inner, full, is_property=bool(names & _PROPERTIES))
    elif inner.type == "class_definition":
        yield _class(inner, full)
        body = inner.child_by_field_name("body")
        if body is not None:
            yield from _block(body, owner=full, depth=depth + 1)


def _function(node: Node, name: str, *, is_property: bool) -> Definition:
    kind: Kind = "property" if is_property else "method" if "." in name else "function"
    doc = documentation(node.child_by_field_name("body"))
    gives = type_chain(node.child_by_field_name("return_type"))
    return made(node, (name, kind, function_signature(node, name)), doc, gives=gives)


def _class(node: Node, name: str) -> Definition:
    bases = node.child_by_field_name("superclasses")
    inherited = bases.named_children if bases is not None else []
    plain = (child.child_by_field_name("value") if child.type == "subscript" else child for child in inherited)
    doc = documentation(node.child_by_field_name("body"))
    known = tuple(filter(None, map(dotted, plain)))
    return made(node, (name, "class", class_signature(node, name)), doc, bases=known)


def _value(node: Node, owner: str) -> Iterator[Definition]:
    """Yield a named value of the module, or a field of a class."""
    left = node.child_by_field_name("left") if node.type == "assignment" else None
    if left is None or left.type != "identifier":
        return
    name = text_of(left)
    written, right = node.child_by_field_name("type"), node.child_by_field_name("right")
    gives = type_chain(written) or (plain_chain(right) if right is not None else "")
    yield made(node, (f"{owner}.{name}" if owner else name, "value", squeezed(node)), gives=gives)


def documentation(block: Node | None) -> tuple[str, int]:
    """Return the docstring of a block and the line it starts on; ("", 0) if there is none."""
    for statement in block.named_children if block is not None else ():
        if statement.type == "comment":
            continue
        node = statement.named_children[0] if statement.type == "expression_statement" else None
        if node is None or node.type != "string" or (node.text or b"")[:1] in b"fFbB":
            break
        content = "".join(text_of(child) for child in node.named_children if child.type == "string_content")
        return dedented(content), node.start_point.row + 1
    return "", 0


def dedented(text: str) -> str:
    """Return a docstring's lines without the indentation shared by all but the first."""
    first, *others = text.expandtabs().splitlines() or [""]
    depths = [len(line) - len(line.lstrip()) for line in others if line.strip()]
    depth = min(depths, default=0)
    return "\n".join([first.strip(), *(line[depth:].rstrip() for line in others)]).strip()


_IMPORTS: Final = frozenset({"import_statement", "import_from_statement"})
_LEAVES: Final = frozenset({"comment", "string", "integer", "identifier", "decorator"})


def imports_of(root: Node) -> tuple[tuple[Import, ...], tuple[Import, ...]]:
    """Return all imports of a module, top-level ones first, and those that it exports, the top-level ones."""
    outer: list[Import] = []
    inner: list[Import] = []
    for node, nested in _statements(root):
        (inner if nested else outer).extend(_imported(node))
    return tuple(outer + inner), tuple(outer)


def _statements(root: Node) -> Iterator[tuple[Node, bool]]:
    """Yield import statements in source order, with whether they are inside a function."""
    pending = [(root, False)]
    while pending:
        node, nested = pending.pop()
        if node.type in _IMPORTS:
            yield node, nested
        elif b"import" in (node.text or b""):
            inside = nested or node.type == "function_definition"
            pending.extend((child, inside) for child in reversed(node.named_children) if child.type not in _LEAVES)


def _imported(node: Node) -> Iterator[Import]:
    module = text_of(node.child_by_field_name("module_name"))
    for known, name in imported_names(node):
        if module:
            yield Import(known, module, name)
        else:
            first = name.partition(".")[0]
            yield Import(known, name, "*") if known != name else Import(first, first, "*")
    if any(child.type == "wildcard_import" for child in node.named_children):
        yield Import("*", module, "*")
