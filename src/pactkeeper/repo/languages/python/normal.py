"""The normal form of Python code, without what black and ruff format may change, but with all that Python may notice.

Operators are bracketed according to the tree, so that parentheses carry no information and can all be dropped. Tuples
are bracketed too, so that `(1,)` differs from `(1)` even without its comma. Blocks and statements are marked, so that
layout can be dropped as well.
"""

from __future__ import annotations

import re
from binascii import hexlify
from bisect import bisect_left
from functools import partial

from tree_sitter import Language, Node, Tree

from pactkeeper.repo.languages.normal_form import (
    CLOSE_BLOCK,
    CLOSE_CODE,
    CLOSE_OPERATION,
    CLOSE_STRING,
    CLOSE_TUPLE,
    CLOSED,
    FIRST,
    KEPT_COMMA,
    OPEN_BLOCK,
    OPEN_CODE,
    OPEN_OPERATION,
    OPEN_STRING,
    OPEN_TUPLE,
    Captures,
    Edit,
    Prepared,
    begin,
    finish,
    replace,
    spans,
    statements,
    string_token,
)
from pactkeeper.repo.languages.trees import captures

_QUERY = """
(comment) @comment
(string) @string
(interpolation) @interpolation
[(binary_operator) (boolean_operator) (comparison_operator) (not_operator) (unary_operator) (conditional_expression)
 (lambda) (named_expression) (await) (yield) (as_pattern) (union_type)] @operation
[(tuple) (tuple_pattern)] @tuple
[(expression_list) (pattern_list)] @list
(parenthesized_expression) @parentheses
(block) @block
(block (_) @statement)
(with_clause "(" @gone ")" @closed)
(import_from_statement "(" @gone ")" @closed)
(class_definition superclasses: (argument_list . "(" @gone . ")" @closed .))
(tuple_pattern . "(" . (_) . ")" .) @enclosed
(except_clause value: (tuple) @enclosed)
(with_item value: (tuple) @enclosed)
(subscript "[" . (_) . "," @comma . "]")
(function_definition body: (block . (comment)* . (expression_statement . (string) @docstring .) @docstatement))
(class_definition body: (block . (comment)* . (expression_statement . (string) @docstring .) @docstatement))
(decorator) @decorator
[(integer) (float)] @number
"""

_ATOM_MARKER = re.compile(rb"@\s*(?:pytest\s*\.\s*)?mark\s*\.\s*atom\s*(?:\(|$)")
_ESCAPE = re.compile(rb"\\(N\{[^}]*\}|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)", re.DOTALL)
_QUOTES = frozenset(b"'\"")
_DOUBLED = frozenset((b"''", b'""'))
_OPENING = re.compile(rb"([A-Za-z]*)(\"\"\"|'''|\"|')")


def prepare(tree: Tree, source: bytes) -> Prepared:
    """Prepare a file for hashing its tests; `source` is what `tree` was parsed from."""
    return Prepared(source, tree.root_node, partial(_edits, tree.language))


def declared_name(node: Node) -> tuple[int, int] | None:
    """Return the byte range of the name that a definition declares, decorated or not."""
    inner = node.child_by_field_name("definition") or node
    name = inner.child_by_field_name("name")
    return (name.start_byte, name.end_byte) if name else None


def _edits(language: Language, node: Node, source: bytes) -> list[Edit]:
    found = captures(_QUERY, language, node)
    edits: list[Edit] = []
    _mark_expressions(found, edits)
    _mark_statements(found, edits)
    _drop_notes(found, source, edits)
    _mark_strings(found, source, edits)
    _mark_numbers(found, source, edits)
    edits.sort()
    return edits


def _mark_expressions(captures: Captures, edits: list[Edit]) -> None:
    for start, end in spans(captures, "operation"):
        edits += (begin(start, end, OPEN_OPERATION), finish(start, end, CLOSE_OPERATION))
    for start, end in spans(captures, "list"):
        edits += (begin(start, end, OPEN_TUPLE), finish(start, end, CLOSE_TUPLE))
    enclosed = {node.start_byte for node in captures.get("enclosed", ())}
    for start, end in spans(captures, "tuple"):
        opening, closing = (b" ", CLOSED) if start in enclosed else (OPEN_TUPLE, CLOSE_TUPLE)
        edits.append(replace(start, start + 1, opening))
        edits.append(replace(end - 1, end, closing))
    for start, end in spans(captures, "parentheses"):
        edits.append(replace(start, start + 1, b" "))
        edits.append(replace(end - 1, end, b" "))
    edits.extend(replace(*span, b" ") for span in spans(captures, "gone"))
    edits.extend(replace(*span, CLOSED) for span in spans(captures, "closed"))
    edits.extend(replace(*span, KEPT_COMMA) for span in spans(captures, "comma"))


def _mark_statements(captures: Captures, edits: list[Edit]) -> None:
    edits += statements(captures, silent=("docstatement", "comment"))
    for start, end in spans(captures, "block"):
        edits.append((start, 1, FIRST - 1, OPEN_BLOCK, 0))
        edits.append((end, 0, 1 - start, CLOSE_BLOCK, 0))


def _drop_notes(captures: Captures, source: bytes, edits: list[Edit]) -> None:
    edits.extend(replace(*span, b" ") for span in spans(captures, "comment"))
    edits.extend(replace(*span, b" ") for span in spans(captures, "docstring"))
    for start, end in spans(captures, "decorator"):
        if _ATOM_MARKER.match(source, start, end):
            edits.append((start, 2, -1, b" ", end - start))


def _mark_strings(captures: Captures, source: bytes, edits: list[Edit]) -> None:
    documented = {node.start_byte for node in captures.get("docstring", ())}
    holes = sorted(node.start_byte for node in captures.get("interpolation", ()))
    for node in captures.get("string", ()):
        start, end = node.byte_range
        if start in documented:
            continue
        first = bisect_left(holes, start)
        if first < len(holes) and holes[first] < end:
            _mark_formatted(node, source, edits)
            continue
        text = source[start:end]
        simple = text[0] in _QUOTES and b"\\" not in text and b"\r" not in text and text[1:3] not in _DOUBLED
        edits.append((start, 2, 0, string_token(text[1:-1]) if simple else _plain(text), end - start))


def _plain(literal: bytes) -> bytes:
    opening = _OPENING.match(literal)
    if opening is None:
        return string_token(literal)
    prefix, quote = opening.group(1).lower(), opening.group(2)
    content = _content(literal[opening.end() : len(literal) - len(quote)], prefix)
    return (b" b" if b"b" in prefix else b" ") + string_token(content)


def _content(text: bytes, prefix: bytes) -> bytes:
    if b"\r" in text:
        text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if b"\\" in text:
        text = text.replace(b"\\", b"\\\\") if b"r" in prefix else _ESCAPE.sub(_escape, text)
    if b"f" in prefix or b"t" in prefix:
        text = text.replace(b"{{", b"{").replace(b"}}", b"}")
    return text


def _escape(match: re.Match[bytes]) -> bytes:
    body = match.group(1)
    if body in {b"'", b'"'}:
        return body
    if body == b"\n":
        return b""
    if len(body) == 1:
        return match.group()
    return b"\\N" + body[1:].upper() if body.startswith(b"N") else b"\\" + body[:1] + body[1:].lower()


def _mark_formatted(node: Node, source: bytes, edits: list[Edit]) -> None:
    """Mark an f-string: its text is encoded, and the code between its braces stays code."""
    opening = _OPENING.match(source, node.start_byte)
    prefix = opening.group(1).lower() if opening else b""
    flavour = b" t" if b"t" in prefix else b" "
    for child in node.children:
        start, end = child.byte_range
        if child.type == "string_start":
            edits.append(replace(start, end, flavour + OPEN_STRING))
        elif child.type == "string_end":
            edits.append(replace(start, end, CLOSE_STRING + b" "))
        elif child.type == "string_content":
            edits.append(replace(start, end, hexlify(_content(source[start:end], prefix))))
        elif child.type == "interpolation":
            _mark_hole(child, source, edits)


def _mark_hole(node: Node, source: bytes, edits: list[Edit]) -> None:
    start, end = node.byte_range
    edits.append(replace(start, start + 1, OPEN_CODE + b" "))
    edits.append(replace(end - 1, end, b" " + CLOSE_CODE))
    for child in node.children:
        if child.type == "format_specifier":
            _mark_specifier(child, source, edits)


def _mark_specifier(node: Node, source: bytes, edits: list[Edit]) -> None:
    """Encode the text of a format specifier, in which spaces matter, around the code nested in it."""
    at = node.start_byte
    for child in node.named_children:
        edits.append(replace(at, child.start_byte, string_token(source[at : child.start_byte])))
        at = child.end_byte
    if at < node.end_byte:
        edits.append(replace(at, node.end_byte, string_token(source[at : node.end_byte])))


def _mark_numbers(captures: Captures, source: bytes, edits: list[Edit]) -> None:
    for start, end in spans(captures, "number"):
        text = source[start:end]
        if not text.isdigit():
            edits.append((start, 2, 0, b" " + text.lower() + b" ", end - start))
