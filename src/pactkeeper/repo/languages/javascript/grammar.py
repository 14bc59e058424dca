"""One place that knows which grammar a file is parsed with; broken syntax gives a tree with error nodes."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Language, Parser, Tree

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

# `typeof import('x')` as a type argument: the grammar takes `a<typeof import('x')>(b)` for a comparison or an error.
_TYPE_OF_MODULE = re.compile(rb"""(?<=<)typeof\s++import\(\s*+(?:'[^'\r\n]*+'|"[^"\r\n]*+")\s*+\)""")
_NO_NAME = re.compile(rb"[^A-Za-z0-9_\r\n]")


def suffix(path: str) -> str:
    """The suffix of a path in lower case, with its dot."""
    return path[path.rfind(".") :].lower()


def language_of(path: str) -> str:
    """Name the language of a path as tests report it: `javascript` or `typescript`."""
    return "javascript" if _GRAMMARS.get(suffix(path), "javascript") == "javascript" else "typescript"


def parse(path: str, source: bytes) -> Tree:
    """Parse a file; JavaScript that only parses with type annotations (Flow) is read with the grammar that has them."""
    grammar = _GRAMMARS.get(suffix(path), "javascript")
    if grammar != "javascript" and b"import(" in source:
        source = _TYPE_OF_MODULE.sub(_as_name, source)
    tree = _parser(grammar).parse(source)
    if grammar == "javascript" and tree.root_node.has_error:
        typed = _parser("tsx").parse(source)
        if not typed.root_node.has_error:
            return typed
    return tree


def _as_name(found: re.Match[bytes]) -> bytes:
    """The type of a module as a name of the same length, so that every place stays what it is."""
    return _NO_NAME.sub(b"_", found[0])


@cache
def _parser(grammar: str) -> Parser:
    from tree_sitter import Parser  # noqa: PLC0415 - heavy: loaded when the first file is parsed

    return Parser(grammar_language(grammar))


@cache
def grammar_language(grammar: str) -> Language:
    """The tree-sitter language of `javascript`, `typescript` or `tsx`."""
    import tree_sitter_javascript  # noqa: PLC0415 - heavy: loaded when the first file is parsed
    import tree_sitter_typescript  # noqa: PLC0415 - likewise
    from tree_sitter import Language  # noqa: PLC0415 - likewise

    if grammar == "typescript":
        return Language(tree_sitter_typescript.language_typescript())
    if grammar == "tsx":
        return Language(tree_sitter_typescript.language_tsx())
    return Language(tree_sitter_javascript.language())
