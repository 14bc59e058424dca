"""Choose the grammar a file is parsed with, and read its imports; broken syntax yields error nodes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Final

from pactkeeper.repo.languages.adapter import FileImports, Import
from pactkeeper.repo.languages.javascript.damage import broken, errors, is_too_deep
from pactkeeper.repo.languages.javascript.syntax import arguments_of, literal, text
from pactkeeper.repo.languages.trees import captures, tree_of

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Parser, Tree


_GRAMMARS = {
    ".js": "javascript",
    ".jsx": "javascript",
    ".mjs": "javascript",
    ".cjs": "javascript",
    ".ts": "typescript",
    ".mts": "typescript",
    ".cts": "typescript",
    ".tsx": "tsx",
}
SUFFIXES = tuple(_GRAMMARS)
WIDE = (b"\xff\xfe", b"\xfe\xff")  # how a file in UTF-16 begins

# `typeof import('x')` as a type argument: the grammar parses `a<typeof import('x')>(b)` as a comparison or an error;
# the same goes for `import('x').T` there.
_MODULE = rb"""import\(\s*+(?:'[^'\r\n]*+'|"[^"\r\n]*+")\s*+\)"""
_TYPE_OF_MODULE = re.compile(rb"(?<=<)typeof\s++" + _MODULE)
_TYPE_IN_MODULE = re.compile(rb"(?<![\w$.])" + _MODULE + rb"(?=\.[A-Z])")
_NO_NAME = re.compile(rb"[^A-Za-z0-9_\r\n]")


def suffix(path: str) -> str:
    """Return the suffix of a path in lower case, with its dot."""
    return path[path.rfind(".") :].lower()


def language_of(path: str) -> str:
    """Return the language of a path as tests report it: `javascript` or `typescript`."""
    return "javascript" if _GRAMMARS.get(suffix(path), "javascript") == "javascript" else "typescript"


def utf8(source: bytes) -> bytes:
    """Return a file's source in UTF-8, without a byte order mark."""
    if source.startswith(WIDE):
        source = source.decode("utf-16", "replace").encode()
    return source.removeprefix(b"\xef\xbb\xbf")


def parse(path: str, source: bytes, *, imports: bool = False) -> Tree:
    """Parse a file; JavaScript that is only valid with type annotations (Flow) uses the TSX grammar.

    With `imports`, the types of other modules stay in the tree, at the price of more errors.
    """
    grammar = _GRAMMARS.get(suffix(path), "javascript")
    if grammar != "javascript":
        if b"import(" in source:
            source = _TYPE_OF_MODULE.sub(_as_name, source)
            source = source if imports else _TYPE_IN_MODULE.sub(_as_name, source)
        return tree_of(_parser(grammar), source)
    tree = parse_plain(source)
    typed = tree_of(_parser("tsx"), source) if tree.root_node.has_error else tree
    return tree if typed.root_node.has_error else typed


def parse_plain(source: bytes) -> Tree:
    """Parse JavaScript without type annotations."""
    return tree_of(_parser("javascript"), source)


def _as_name(found: re.Match[bytes]) -> bytes:
    """Replace a module's type by a name of the same length, so that all offsets stay valid."""
    return _NO_NAME.sub(b"_", found[0])


@cache
def _parser(grammar: str) -> Parser:
    from tree_sitter import Parser  # noqa: PLC0415 - slow to import: deferred until the first file is parsed

    return Parser(grammar_language(grammar))


@cache
def grammar_language(grammar: str) -> Language:
    """Return the tree-sitter language of `javascript`, `typescript` or `tsx`."""
    import tree_sitter_javascript  # noqa: PLC0415 - slow to import: deferred until the first file is parsed
    import tree_sitter_typescript  # noqa: PLC0415 - likewise
    from tree_sitter import Language  # noqa: PLC0415 - likewise

    if grammar == "typescript":
        return Language(tree_sitter_typescript.language_typescript())
    if grammar == "tsx":
        return Language(tree_sitter_typescript.language_tsx())
    return Language(tree_sitter_javascript.language())


_REFERENCE: Final = re.compile(rb"""^[ \t]*///[ \t]*<reference[ \t]+path[ \t]*=[ \t]*["']([^"'\n]+)""", re.MULTILINE)
_QUERY: Final = """
(import_statement) @static
(export_statement source: (string)) @static
(call_expression function: (import)) @called
(call_expression function: (identifier) @_name (#eq? @_name "require")) @called
"""
_TYPED_QUERY: Final = f"{_QUERY}(ambient_declaration (module name: (string) @augmented))"
_LOOKS: Final = re.compile(rb"""\bimport\b|\brequire\s*\(|\bfrom\s*["'`]""")
_TYPES: Final = frozenset(
    {
        "type_alias_declaration",
        "type_annotation",
        "type_query",
        "type_arguments",
        "interface_body",
        "extends_type_clause",
    }
    | {"type_parameters", "type_predicate_annotation", "implements_clause", "object_type", "function_type"}
)
_CASTS: Final = frozenset({"as_expression", "satisfies_expression"})


def read_imports(path: str, source: bytes) -> FileImports:
    """Read the imports of a file; broken parts become problems and the rest is still read."""
    source = utf8(source)
    if is_too_deep(source):
        return FileImports(problems=((0, "the file nests too deeply to be read"),))
    tree = parse(path, source, imports=True)
    found: list[Import] = [*_references(source)]
    computed: list[int] = []
    matches = _matches(tree.root_node, tree.language)
    for node in matches:
        one = _read(node)
        if one is None:
            computed.append(_line(node))
        elif one.module:
            found.append(one)
    problems = broken(tree, source, "imports around it may be missing") if _may_hide(tree, source, matches) else ()
    return FileImports(tuple(sorted(found, key=lambda one: one.line)), tuple(sorted(computed)), tuple(problems))


def _may_hide(tree: Tree, source: bytes, matches: Sequence[Node]) -> bool:
    """Whether broken syntax may hide an import: an import-like match went unread, or the damage reaches the file's end.

    The grammar rejects some valid TypeScript, which costs no imports.
    """
    damage = errors(tree, source)
    if any(node.end_byte >= len(source.rstrip()) for node in damage):
        return True
    read = [node.byte_range for node in matches]
    return bool(damage) and any(
        not any(start <= found.start() < end for start, end in read) and not _is_comment(tree, found.start())
        for found in _LOOKS.finditer(source)
    )


def _is_comment(tree: Tree, position: int) -> bool:
    node = tree.root_node.descendant_for_byte_range(position, position + 1)
    return node is not None and node.type == "comment"


def _matches(root: Node, grammar: Language) -> list[Node]:
    found = captures(_QUERY if grammar.name == "javascript" else _TYPED_QUERY, grammar, root)
    return [node for name in ("static", "called", "augmented") for node in found.get(name, ())]


def _read(node: Node) -> Import | None:
    """Read what one statement or call imports; an empty module if nothing, None if the module is computed."""
    if node.type == "call_expression":
        given = arguments_of(node)
        module = literal(given[0]) if given else ""
        return None if module is None else Import(module, _line(node), only_types=_is_type(node))
    if node.type == "string":
        name = literal(node) or ""
        return Import(name if name.startswith(".") else "", _line(node), only_types=True)
    source = node.child_by_field_name("source")
    clause = next((child for child in node.named_children if child.type == "import_require_clause"), None)
    if source is None and clause is not None:
        source = clause.child_by_field_name("source")
    module = literal(source) if source is not None else None
    return Import(module or "", _line(node), only_types=_takes_types(node))


def _takes_types(statement: Node) -> bool:
    """Whether a statement says `type`, for the whole or for each of its names."""
    if any(child.type == "type" or (child.is_error and text(child) == "type") for child in statement.children):
        return True  # the grammar reports `export type *` as an error
    clause = next(
        (child for child in statement.named_children if child.type in {"import_clause", "export_clause"}), None
    )
    if clause is None:
        return False
    lists = [clause] if clause.type == "export_clause" else clause.named_children
    if any(part.type not in {"named_imports", "export_clause"} for part in lists):
        return False
    taken = [one for part in lists for one in part.named_children if one.type.endswith("_specifier")]
    return bool(taken) and all(any(child.type == "type" for child in one.children) for one in taken)


def _is_type(call: Node) -> bool:
    """Whether `import("…")` is in a type position."""
    inner, outer = call, call.parent
    while outer is not None and text(call).startswith("import"):
        if outer.type in _TYPES or (outer.type in _CASTS and outer.named_children[0] != inner):
            return True
        inner, outer = outer, outer.parent
    return False


def _references(source: bytes) -> Iterator[Import]:
    r"""Yield files named by `/// <reference path="…" />`, which are always relative to this file."""
    for found in _REFERENCE.finditer(source):
        path = found[1].decode("utf-8", "replace")
        line = source.count(b"\n", 0, found.start()) + 1
        yield Import(path if path.startswith(".") else f"./{path}", line, only_types=True)


def _line(node: Node) -> int:
    return node.start_point.row + 1
