"""Every module that a Python file imports, anywhere in the file and by any statement or call."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from pactkeeper.repo.languages.adapter import FileImports, Import
from pactkeeper.repo.languages.python.syntax import (
    arguments,
    callee,
    errors,
    keyword,
    parse,
    read_text,
    string,
    text_of,
)
from pactkeeper.repo.languages.trees import captures

if TYPE_CHECKING:
    from tree_sitter import Node

_QUERY: Final = """
(import_statement) @plain
(import_from_statement) @from
(call function: (_) @_callee (#match? @_callee "(^|[.])(import_module|__import__)$")) @call
(assignment left: (identifier) @_name (#eq? @_name "pytest_plugins")) @plugins
"""
_CHECKING: Final = re.compile(rb"\(?\s*(?:\w+\.)?TYPE_CHECKING\s*\)?|False|0")
# The parser takes quadratic time in consecutive comment lines; a comment without a quote can't end a string.
_COMMENT: Final = re.compile(rb"""(?m)^[ \t]*#[^\n"'\\]*$""")
_PACKAGES: Final = frozenset({"__package__", "__name__", "__spec__.parent"})  # what a relative name is resolved against


def read_imports(data: bytes) -> FileImports:
    """Read the imports of one module; broken parts become problems, and the rest is read anyway."""
    text = read_text(data)
    source = _COMMENT.sub(b"", text.source)
    tree = parse(source)
    marked = captures(_QUERY, tree.language, tree.root_node)
    found: list[Import] = []
    computed: list[int] = []
    for node in marked.get("plain", ()):
        found += _plain(node)
    for node in marked.get("from", ()):
        found.append(_taken(node))
    for node in (*marked.get("call", ()), *marked.get("plugins", ())):
        modules = _called(node) if node.type == "call" else _plugins(node)
        found += [Import(module, _line(node)) for module in modules if module]
        computed += [_line(node)] * (None in modules)
    problems = [(0, text.reason)] if text.reason else []
    if tree.root_node.has_error:
        problems += [(note.line, note.reason) for note in errors(tree, "imports")]
    return FileImports(tuple(sorted(found, key=lambda one: one.line)), tuple(sorted(computed)), tuple(problems))


def _plain(node: Node) -> Iterator[Import]:
    """`import a.b, c as d`."""
    only_types = _only_types(node)
    for child in node.children_by_field_name("name"):
        yield Import(_name(child), _line(node), only_types=only_types)


def _taken(node: Node) -> Import:
    """`from a import b, c as d`, `from . import b`, `from a import *`."""
    module = node.child_by_field_name("module_name")
    names = [_name(child) for child in node.children_by_field_name("name")]
    written = _squeezed(module) if module is not None else ""
    return Import(written, _line(node), tuple(names) or ("*",), _only_types(node))


def _name(node: Node) -> str:
    inner = node.child_by_field_name("name") if node.type == "aliased_import" else node
    return _squeezed(inner) if inner is not None else ""


def _squeezed(node: Node) -> str:
    return "".join(text_of(node).replace("\\", "").split())


def _called(call: Node) -> list[str | None]:
    """Return the module named by `import_module("a.b")`, `import_module(".b", __package__)` or `__import__("a")`."""
    given = arguments(call)
    first = given[0] if given else keyword(call, b"name")
    module = string(first) if first is not None else None
    if module is None or not module.startswith("."):
        return [module]
    anchor = given[1] if len(given) > 1 else keyword(call, b"package")
    if anchor is None or callee(call).endswith("__import__"):
        return [None]
    package = string(anchor)
    if package is not None:
        return [f"{package}{module}"] if not module.startswith("..") else [None]
    return [module] if text_of(anchor) in _PACKAGES else [None]


def _plugins(assignment: Node) -> list[str | None]:
    """Return the modules that pytest imports for `pytest_plugins`: one string, or several in a list or tuple."""
    value = assignment.child_by_field_name("right")
    if value is None:
        return []
    members = value.named_children if value.type in {"list", "tuple", "set"} else [value]
    return [string(member) for member in members if member.type != "comment"]


def _only_types(node: Node) -> bool:
    """Whether the import is under `if TYPE_CHECKING:`."""
    inner, outer = node, node.parent
    while outer is not None:
        if outer.type == "if_statement" and outer.child_by_field_name("consequence") == inner:
            condition = outer.child_by_field_name("condition")
            if condition is not None and _CHECKING.fullmatch(text_of(condition).encode()):
                return True
        inner, outer = outer, outer.parent
    return False


def _line(node: Node) -> int:
    return node.start_point.row + 1
