"""Choose the grammar a file is parsed with, and read its imports; broken syntax yields error nodes.

Also what is broken, with a line and a reason; valid code that the grammars reject doesn't count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Final

from pactkeeper.repo.languages.adapter import FileImports, Import
from pactkeeper.repo.languages.javascript.syntax import arguments_of, literal, text
from pactkeeper.repo.languages.trees import captures, refusal, tree_of

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


_VARIANCE = re.compile(
    rb"(?:export\s++type\s*+\*|(?:[<,]\s*+|^[^\S\n]*+)(?:const\s++)?(?:in\s++out|in|out)\s++\w|\baccessor\b)",
    re.MULTILINE,
)


_DEEPEST = 1000  # brackets; climbing the tree from the inside takes time quadratic in the depth
_BRACKETS = bytes(set(range(256)) - set(b"()[]{}"))
_PAIR = re.compile(rb"\(\)|\[\]|\{\}")
_QUOTES = (b"'", b'"', b"`")
_PAIRED = frozenset("()[]{}'\"`")
_TESTER = re.compile(rb"\w{0,100}[tT]ester(?:\.\w{1,100}){0,3}\Z")
_UNPLACED = "no test of the file is listed, as what belongs to which suite is open"
_DECLARING = re.compile(rb"(?:it|test|describe|suite|specify|context|QUnit|Deno|exports)\s*[.(=`]")


def is_too_deep(source: bytes) -> bool:
    """Whether brackets nest deeper than any handwritten code: peel off innermost pairs until none are left."""
    brackets = source.translate(None, _BRACKETS)
    for _ in range(_DEEPEST):
        peeled = brackets.replace(b"()", b"").replace(b"[]", b"").replace(b"{}", b"")
        if len(peeled) == len(brackets) or len(peeled) <= _DEEPEST:
            return False
        brackets = peeled
    return True


def moves(node: Node, source: bytes) -> bool:
    """Whether broken syntax may move the code after it into or out of its enclosing block.

    An unbalanced bracket or quote does: where a suite ends is then the parser's guess.
    """
    if node.is_missing:
        return node.type in _PAIRED
    text = source[node.start_byte : node.end_byte]
    brackets = text.translate(None, _BRACKETS)
    while len(peeled := _PAIR.sub(b"", brackets)) < len(brackets):
        brackets = peeled
    return bool(brackets) or any(text.count(quote) % 2 for quote in _QUOTES)


def problems(tree: Tree, source: bytes, *, unplaced: bool) -> tuple[tuple[int, str], ...]:
    """Return what hides tests: the first piece of broken syntax with their number, NUL bytes, invalid UTF-8.

    `unplaced` means that no test of the file is listed, because of broken syntax.
    """
    found: list[tuple[int, str]] = []
    if b"\0" in source:
        found.append((source[: source.index(b"\0")].count(b"\n") + 1, "the file has NUL bytes"))
    if _DECLARING.search(source) is not None:
        found += broken(tree, source, "tests around it may be missing" if not unplaced else _UNPLACED)
    try:
        source.decode()
    except UnicodeDecodeError as error:
        found.append((source[: error.start].count(b"\n") + 1, "the file is not UTF-8; names may be garbled"))
    return tuple(found)


def testers(root: Node) -> list[tuple[int, str]]:
    """Report statements that call a tester, such as `ruleTester.run(…)`: the tests it declares aren't read."""
    found = [call for call in map(_called, root.named_children) if call is not None]
    if not found:
        return []
    name = b" ".join((found[0].text or b"").split()).decode()
    said = "1 call" if len(found) == 1 else f"{len(found):,} calls"
    return [(found[0].start_point.row + 1, f"{said} of {name} may declare tests, which are not read")]


def _called(statement: Node) -> Node | None:
    """Return the function a statement calls if its first name ends in `tester`."""
    call = statement.named_children[0] if statement.type == "expression_statement" else None
    function = call.child_by_field_name("function") if call is not None and call.type == "call_expression" else None
    if function is None or function.type not in {"identifier", "member_expression"}:
        return None
    return function if _TESTER.match(function.text or b"") else None


def broken(tree: Tree, source: bytes, lost: str) -> list[tuple[int, str]]:
    """Report the first piece of broken syntax, with their number and what is `lost`."""
    nodes = errors(tree, source)
    if not nodes:
        return []
    if refused := refusal(tree):
        return [(0, f"the file cannot be read: {refused}")]
    row = min(node.start_point.row for node in nodes)
    more = f" ({len(nodes)} places)" if len(nodes) > 1 else ""
    return [(row + 1, f"syntax error{more}: {lost}")]


def errors(tree: Tree, source: bytes) -> list[Node]:
    """Return the outermost pieces of broken syntax, except valid code that the grammar doesn't support."""
    return [node for node in _errors(tree) if not _known(node, source)] if tree.root_node.has_error else []


def _known(node: Node, source: bytes) -> bool:
    """Whether an error is valid code that the grammar doesn't support: variance, any escape in a tagged template."""
    if source.startswith(b"\\", node.start_byte):
        template = node.parent
        while template is not None and template.type == "ERROR":  # covers the same bytes
            template = template.parent
        if template is not None and template.type == "template_string":
            return template.parent is not None and template.parent.type == "call_expression"
    row_start = source.rfind(b"\n", 0, node.start_byte) + 1
    row_end = source.find(b"\n", node.end_byte)
    line = source[row_start : row_end if row_end >= 0 else len(source)]
    return len(line) < 400 and _VARIANCE.search(line) is not None  # noqa: PLR2004 - a longer stretch is real damage


def _errors(tree: Tree) -> list[Node]:
    found = captures("[(ERROR) (MISSING)] @error", tree.language, tree.root_node)
    outer: list[Node] = []
    for node in sorted(found.get("error", ()), key=lambda node: (node.start_byte, -node.end_byte)):
        if not outer or node.start_byte >= outer[-1].end_byte or outer[-1].start_byte == outer[-1].end_byte:
            outer.append(node)
    return outer
