"""The functions, classes, interfaces, types and named values of a file, with their members.

Also documentation comments (`/** … */`): what each one documents, and its text without the stars.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from pactkeeper.repo.languages.javascript.syntax import CALLBACKS, FUNCTIONS, bare, squeezed, text
from pactkeeper.repo.languages.outline import LONGEST_PART, LONGEST_SIGNATURE, Definition, Kind, made, shortened

if TYPE_CHECKING:
    from tree_sitter import Node


_ABOUT_FILE: Final = re.compile(r"@(?:module|file|fileoverview|packageDocumentation)\b")
_STAR: Final = re.compile(r"^[ \t]*\*? ?", re.MULTILINE)
Documented = tuple[str, int]
NOTHING: Final[Documented] = ("", 0)


def documentation(comment: Node | None) -> Documented:
    """Return the text of a documentation comment and its first line; ("", 0) for any other comment or None."""
    written = text(comment) if comment is not None else ""
    if comment is None or not written.startswith("/**") or not written.endswith("*/"):
        return NOTHING
    return _STAR.sub("", written[3:-2]).strip(), comment.start_point.row + 1


def file_documentation(root: Node) -> Documented:
    """Return the first comment about the file itself, identified by a tag or because no definition follows it."""
    for position, child in enumerate(root.children):
        if child.type == "hash_bang_line":
            continue
        if child.type != "comment":
            break
        found = documentation(child)
        after = root.children[position + 1].type if position + 1 < root.child_count else "import_statement"
        if found[0] and (_ABOUT_FILE.search(found[0]) or after in {"import_statement", "comment"}):
            return found
    return NOTHING


_CLASSES: Final = frozenset({"class_declaration", "abstract_class_declaration", "class"})
_OPEN: Final = frozenset({"export_statement", "ambient_declaration", "statement_block", "expression_statement"})
_FUNCTIONS: Final = FUNCTIONS | {"function_signature"}
_METHODS: Final = frozenset({"method_definition", "method_signature", "abstract_method_signature"})
_FIELDS: Final = frozenset({"public_field_definition", "field_definition", "property_signature"})
_DEEPEST: Final = 12


def definitions_of(block: Node, owner: str = "", doc: Documented = NOTHING, depth: int = 0) -> Iterator[Definition]:
    """Yield what a file or a namespace in it defines, in source order, documented by the preceding comment."""
    before = doc
    for child in block.children:
        if child.type == "comment":
            before = documentation(child) if text(child).startswith("/*") else before
        elif child.is_named:
            yield from _definition(child, owner, before, depth)
            before = NOTHING


def exported_definition(name: str, node: Node) -> Definition | None:
    """Return a function whose only name is the one it is exported under, or None."""
    inner = bare(node)
    if inner.type in FUNCTIONS:
        shown = {"default": "default", "=": "module.exports"}.get(name, name)
        return _function(inner, shown, NOTHING)
    return None


def _definition(node: Node, owner: str, doc: Documented, depth: int) -> Iterator[Definition]:
    kind = node.type
    if kind in _OPEN and depth < _DEEPEST:
        yield from definitions_of(node, owner, doc, depth + 1)
    elif kind in {"lexical_declaration", "variable_declaration"}:
        for declarator in node.named_children:
            yield from _variable(declarator, owner, doc)
    elif kind == "assignment_expression":
        yield from _assigned(node, doc)
    elif kind in {"internal_module", "module"} and depth < _DEEPEST:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is not None and body is not None and name.type == "identifier":
            yield from definitions_of(body, _full(owner, name), depth=depth + 1)
    else:
        name = node.child_by_field_name("name")
        if name is not None:
            yield from _named(node, _full(owner, name), doc)


def _named(node: Node, name: str, doc: Documented) -> Iterator[Definition]:
    if node.type in _CLASSES:
        yield _class(node, name, doc)
        yield from _members(node, name)
    elif node.type == "interface_declaration":
        yield made(node, (name, "interface", _head(node, "interface", name)), doc, bases=_extended(node))
        yield from _members(node, name)
    elif node.type in _FUNCTIONS:
        yield _function(node, name, doc)
    elif node.type == "type_alias_declaration":
        value = node.child_by_field_name("value")
        written = shortened(squeezed(value), LONGEST_PART) if value is not None else ""
        yield made(node, (name, "type", f"type {name} = {written}"), doc, gives=type_chain(value))
    elif node.type == "enum_declaration":
        yield made(node, (name, "type", squeezed(node)), doc)


def _full(owner: str, name: Node) -> str:
    return f"{owner}.{text(name)}" if owner else text(name)


def _function(node: Node, name: str, doc: Documented) -> Definition:
    kind: Kind = "method" if "." in name and name != "module.exports" else "function"
    return made(node, (name, kind, function_signature(node, name)), doc, gives=returned_chain(node, doc[0]))


def _variable(node: Node, owner: str, doc: Documented) -> Iterator[Definition]:
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if name is None or name.type != "identifier":
        return
    full, inner = _full(owner, name), bare(value) if value is not None else None
    if inner is not None and inner.type in CALLBACKS:
        yield made(node, (full, "function", function_signature(inner, full)), doc, gives=returned_chain(inner, doc[0]))
    elif inner is not None and inner.type in _CLASSES:
        yield _class(inner, full, doc)
        yield from _members(inner, full)
    else:
        gives = type_chain(node.child_by_field_name("type")) or (_plain_chain(inner) if inner is not None else "")
        yield made(node, (full, "value", f"const {squeezed(node)}"), doc, gives=gives)


def _assigned(node: Node, doc: Documented) -> Iterator[Definition]:
    """Read `exports.name = function`, `Class.prototype.name = function`, `app.name = function`."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None or left.type != "member_expression" or bare(right).type not in CALLBACKS:
        return
    steps = _plain_chain(left).split(".")
    named = [step for step in steps if step not in {"module", "exports", "prototype"}]
    if named and "" not in named:
        yield _function(bare(right), ".".join(named), doc)


def _class(node: Node, name: str, doc: Documented) -> Definition:
    heritage = next((child for child in node.named_children if child.type == "class_heritage"), None)
    clauses = heritage.named_children if heritage is not None else []
    extended = [clause for clause in clauses if clause.type != "implements_clause"]
    values = [clause.child_by_field_name("value") or clause for clause in extended]
    bases = tuple(filter(None, map(_plain_chain, values)))
    body = node.child_by_field_name("body")
    maker = next((child for child in body.named_children if _is_constructor(child)), None) if body is not None else None
    head = _head(node, "class", name)
    signature = f"{head}: constructor{call_signature(maker)}" if maker is not None else head
    return made(node, (name, "class", signature), doc, bases=bases)


def _is_constructor(node: Node) -> bool:
    name = node.child_by_field_name("name") if node.type == "method_definition" else None
    return name is not None and text(name) == "constructor"


def _head(node: Node, word: str, name: str) -> str:
    """Format `class Name extends Base`, without type parameters."""
    inherited = (child for child in node.named_children if child.type in {"class_heritage", "extends_type_clause"})
    return " ".join([word, name, *(shortened(squeezed(one), LONGEST_PART) for one in inherited)])


def _extended(node: Node) -> tuple[str, ...]:
    clause = next((child for child in node.named_children if child.type == "extends_type_clause"), None)
    types = clause.named_children if clause is not None else []
    return tuple(filter(None, (type_chain(one).removesuffix("()") for one in types)))


def _members(node: Node, owner: str) -> Iterator[Definition]:
    body = node.child_by_field_name("body")
    doc = NOTHING
    for child in body.children if body is not None else ():
        if child.type == "comment":
            doc = documentation(child)
            continue
        name = child.child_by_field_name("name") if child.type in _METHODS | _FIELDS else None
        name = name or (child.child_by_field_name("property") if child.type == "field_definition" else None)
        if name is not None and name.type != "computed_property_name" and text(name) != "constructor":
            yield _member(child, f"{owner}.{text(name)}", doc)
        if child.is_named and child.type != "decorator":
            doc = NOTHING


def _member(node: Node, name: str, doc: Documented) -> Definition:
    value, written = node.child_by_field_name("value"), _written(node)
    function = value if value is not None and value.type in CALLBACKS else written
    if node.type in _METHODS:
        kind: Kind = "property" if any(child.type == "get" for child in node.children) else "method"
        return made(node, (name, kind, member_signature(node, name)), doc, gives=returned_chain(node, doc[0]))
    if function is not None and function.type in CALLBACKS | {"function_type"}:
        return made(node, (name, "method", member_signature(function, name)), doc, gives=returned_chain(function))
    shown = f"{name}: {shortened(squeezed(written), LONGEST_PART)}" if written is not None else name
    return made(node, (name, "value", shown), doc, gives=type_chain(written))


def _written(node: Node) -> Node | None:
    """Return the type of a field."""
    annotation = node.child_by_field_name("type")
    return annotation.named_children[0] if annotation is not None and annotation.named_children else None


def _plain_chain(node: Node) -> str:
    """Return the chain of names, members and calls in an expression, without resolving names; "" for anything else."""
    steps: list[str] = []
    node = bare(node)
    while node.type != "identifier":
        below = next(filter(None, map(node.child_by_field_name, ("object", "function", "constructor"))), None)
        if below is None or node.type not in {"member_expression", "call_expression", "new_expression"}:
            return ""
        name = node.child_by_field_name("property")
        steps.append(f".{text(name)}" if name is not None else "()")
        node = bare(below)
    return "".join([text(node), *reversed(steps)])


_WRAPPERS: Final = frozenset({"Promise", "PromiseLike", "Awaited", "Readonly", "Partial", "Required", "NonNullable"})
_NO_TYPES: Final = frozenset({"Array", "Map", "Set", "Record", "String", "Number", "Boolean", "Object", "Function"})
_RETURNS: Final = re.compile(r"@returns?\s*+\{\s*+(?:Promise<\s*+)?([A-Za-z_$][\w$.]*+)")


def type_chain(node: Node | None, depth: int = 0) -> str:
    """Return the chain of a value of this type; "" unless it is a named type. `this` is the object itself."""
    if node is None or depth > _DEEPEST:
        return ""
    if node.type == "this_type":
        return "this()"
    if node.type in {"type_identifier", "nested_type_identifier"}:
        return "" if text(node) in _NO_TYPES else f"{text(node)}()"
    if node.type == "generic_type":
        name, given = node.child_by_field_name("name"), node.child_by_field_name("type_arguments")
        if name is not None and text(name) in _WRAPPERS:
            return type_chain(given.named_children[0] if given and given.named_children else None, depth + 1)
        return type_chain(name, depth + 1)
    if node.type in {"type_annotation", "union_type", "parenthesized_type", "readonly_type"}:
        return next(filter(None, (type_chain(child, depth + 1) for child in node.named_children)), "")
    return ""


def returned_chain(function: Node, doc: str = "") -> str:
    """Return the chain of a function's result, from its return type or `@returns {Type}` in its documentation."""
    written = type_chain(function.child_by_field_name("return_type"))
    if written or function.child_by_field_name("return_type") is not None:
        return written
    said = _RETURNS.search(doc)
    return f"{said[1]}()" if said is not None and said[1] not in _NO_TYPES and said[1][0].isupper() else ""


def call_signature(function: Node) -> str:
    """Format `(parameters): type` as written, without comments."""
    single, listed = function.child_by_field_name("parameter"), function.child_by_field_name("parameters")
    found = [single] if single is not None else listed.named_children if listed is not None else []
    inside = ", ".join(shortened(squeezed(one), LONGEST_PART) for one in found if one.type != "comment")
    returned = function.child_by_field_name("return_type")
    if returned is None:
        return f"({inside})"
    written = squeezed(returned)
    return f"({inside}){shortened(written if written.startswith(':') else f': {written}', LONGEST_PART)}"


def function_signature(function: Node, name: str) -> str:
    """Format `function name(parameters): type`."""
    prefix = "async " if any(child.type == "async" for child in function.children) else ""
    return shortened(f"{prefix}function {name}{call_signature(function)}", LONGEST_SIGNATURE)


def member_signature(member: Node, name: str) -> str:
    """Format `Owner.name(parameters): type`."""
    words = [child.type for child in member.children if child.type in {"static", "async", "get", "set"}]
    return shortened(" ".join([*words, name]) + call_signature(member), LONGEST_SIGNATURE)
