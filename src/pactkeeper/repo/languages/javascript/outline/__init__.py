"""Outlines of JavaScript and TypeScript files: what a file defines, documents, imports and refers to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pactkeeper.repo.languages.javascript.grammar import parse
from pactkeeper.repo.languages.javascript.modules import Exported, read_modules
from pactkeeper.repo.languages.javascript.outline.chains import read_uses
from pactkeeper.repo.languages.javascript.outline.definitions import (
    definitions_of,
    exported_definition,
    file_documentation,
)
from pactkeeper.repo.languages.outline import Definition, Import, Outline, Uses

if TYPE_CHECKING:
    from tree_sitter import Node

_WIDE = (b"\xff\xfe", b"\xfe\xff")


def outline_of(path: str, data: bytes) -> Outline:
    """Return the outline of one file, omitting what can't be parsed."""
    root, source = _parsed(path, data)
    modules = read_modules(root, source)
    definitions = list(definitions_of(root))
    exports: list[Import] = []
    known = {one.name for one in definitions}
    for exported in modules.exports:
        made = exported_definition(exported.name, exported.node) if exported.node is not None else None
        if made is not None and made.name not in known:
            definitions.append(made)
        exports.extend(_export(exported, made))
    doc, line = file_documentation(root)
    imports = tuple(Import(name, module, attribute) for name, (module, attribute) in modules.imports.items())
    return Outline(doc, line, tuple(definitions), imports, tuple(exports))


def uses_of(path: str, data: bytes) -> Uses:
    """Return what the code of one file refers to."""
    root, source = _parsed(path, data)
    names = set(read_modules(root, source).imports) | {one.name.partition(".")[0] for one in definitions_of(root)}
    return read_uses(root, frozenset(names))


def _parsed(path: str, data: bytes) -> tuple[Node, bytes]:
    source = data.decode("utf-16", "replace").encode() if data.startswith(_WIDE) else data
    source = source.removeprefix(b"\xef\xbb\xbf")
    return parse(path, source).root_node, source


def _export(exported: Exported, made: Definition | None) -> list[Import]:
    if exported.module:
        return [Import(exported.name, exported.module, exported.imported)]
    local = exported.local or (made.name if made is not None else "")
    return [Import(exported.name, "", local)] if local else []
