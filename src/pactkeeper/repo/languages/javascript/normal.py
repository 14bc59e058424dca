"""The normal form of JavaScript and TypeScript: it drops what prettier may change and keeps what a runtime may notice.

Operators, arrow functions and types are bracketed according to the syntax tree, so parentheses carry no information
and are dropped, except those of conditions and optional chains. Statements and class members are marked, so
semicolons and layout are dropped.
"""

from __future__ import annotations

import re
from binascii import hexlify
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import cache, partial

from tree_sitter import Language, Node, Tree

from pactkeeper.repo.languages.javascript.syntax import children
from pactkeeper.repo.languages.normal_form import (
    CLOSE_CODE,
    CLOSE_OPERATION,
    CLOSE_STRING,
    OPEN_BLOCK,
    OPEN_CODE,
    OPEN_OPERATION,
    OPEN_STRING,
    PART,
    SPACE,
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

_ESCAPED_QUOTE = re.compile(rb"\\(.)", re.DOTALL)
_IDENTIFIER = re.compile(rb"[A-Za-z_$][\w$]*")
_DECIMAL = re.compile(rb"([\d_]*)(?:\.([\d_]*))?(?:e([+-]?)([\d_]+))?")
_LOGICAL = frozenset({"&&", "||", "??"})
_ATOM_TAG = re.compile(rb"@?(?:atom:)?[A-Z]+-[0-9A-Z]+(?:-[0-9A-Z]+)*")


def prepare(tree: Tree, source: bytes) -> Prepared:
    """Prepare a file's tests for hashing; `source` is what `tree` was parsed from."""
    return Prepared(source, tree.root_node, partial(_edits, tree.language, _needs_rare(source)))


def declared_name(node: Node) -> tuple[int, int] | None:
    """Return the byte range of a call's first argument, which is the title that a test or suite declares."""
    arguments = node.child_by_field_name("arguments")
    title = next(iter(children(arguments)), None) if arguments else None
    return (title.start_byte, title.end_byte) if title else None


def _edits(language: Language, rare: bool, node: Node, source: bytes) -> list[Edit]:
    found = captures(_patterns(language), language, node)
    for kind, nodes in captures(_RARE, language, node).items() if rare else ():
        found.setdefault(kind, []).extend(nodes)
    edits: list[Edit] = []
    _mark_operations(found, edits)
    _drop_parentheses(found, source, edits)
    _mark_statements(found, edits)
    _mark_strings(found, source, edits)
    _mark_templates(found, source, edits)
    _mark_literals(found, source, edits)
    _mark_jsx(found, source, edits)
    _drop_tags(found, source, edits)
    edits.extend(replace(*comment.byte_range, b" ") for comment in found.get("comment", ()))
    edits.sort()
    return edits


def _mark_operations(captures: Captures, edits: list[Edit]) -> None:
    flat = {node.byte_range for node in captures.get("flat", ())}
    if "logical" in captures:
        flat.update(node.byte_range for node in _continued(captures.get("operation", ())))
    for start, end in spans(captures, "operation"):
        if (start, end) in flat:
            continue
        edits += (begin(start, end, OPEN_OPERATION), finish(start, end, CLOSE_OPERATION))
    for start, end in spans(captures, "bare"):
        edits.append((end, 0, -start - 1, b" ( ) ", 0))
    for start, end in spans(captures, "parameter"):
        edits.append((start, 1, -end, b" ( ", 0))
        edits.append((end, 0, -start, b" ) ", 0))


def _continued(operations: Iterable[Node]) -> Iterator[Node]:
    """Yield operands of `&&`, `||` and `??` that have the same operator, as in `a && (b && c)`.

    A query would carry along every enclosing operation, which takes quadratic time for a long chain of operands.
    """
    for node in operations:
        operator = _operator(node)
        if operator not in _LOGICAL:
            continue
        for name in ("left", "right"):
            operand = node.child_by_field_name(name)
            if operand is None:
                continue
            inside = operand.named_children if operand.type == "parenthesized_expression" else (operand,)
            yield from (inner for inner in inside if _operator(inner) == operator)


def _operator(node: Node) -> str:
    operator = node.child_by_field_name("operator") if node.type == "binary_expression" else None
    return operator.type if operator is not None else ""


def _drop_parentheses(captures: Captures, source: bytes, edits: list[Edit]) -> None:
    kept = {node.start_byte for node in captures.get("condition", ())}
    kept.update(node.start_byte for node in captures.get("chain", ()) if b"?." in source[slice(*node.byte_range)])
    for start, end in spans(captures, "parentheses"):
        opening, closing = (OPEN_OPERATION, CLOSE_OPERATION) if start in kept else (b" ", b" ")
        edits.append((start, 2, 0, opening, 1))
        edits.append((end - 1, 2, 0, closing, 1))
    edits.extend(replace(*span, b" ") for span in spans(captures, "gone"))
    for start, end in spans(captures, "awaited"):
        edits.append((start, 2, -1, b" ", 1))
        edits.append((end - 1, 2, -1, b" ", 1))


def _mark_statements(captures: Captures, edits: list[Edit]) -> None:
    edits += statements(captures, silent=("empty", "comment"))
    for kind, mark in (("block", OPEN_BLOCK), ("part", PART)):
        edits.extend(begin(*span, mark) for span in spans(captures, kind))


def _mark_strings(captures: Captures, source: bytes, edits: list[Edit]) -> None:
    keys = {node.start_byte for node in captures.get("key", ())}
    attributes = {node.start_byte for node in captures.get("attribute", ())}
    for start, end in spans(captures, "string"):
        content = _unified(source[start + 1 : end - 1])
        if b"\\" in content:
            content = _ESCAPED_QUOTE.sub(_unescape, content)
        if start in keys and (_IDENTIFIER.fullmatch(content) or content.isdigit()):
            edits.append((start, 2, 0, b" " + content + b" ", end - start))
            continue
        if start in attributes and b"&" in content:
            content = content.replace(b"&quot;", b'"').replace(b"&apos;", b"'")
        edits.append((start, 2, 0, string_token(content), end - start))


def _unified(text: bytes) -> bytes:
    return text.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in text else text


def _unescape(match: re.Match[bytes]) -> bytes:
    return match.group(1) if match.group(1) in {b"'", b'"'} else match.group()


def _mark_templates(captures: Captures, source: bytes, edits: list[Edit]) -> None:
    tables = {node.start_byte for node in captures.get("table", ())}
    holes = sorted(node.start_byte for node in captures.get("substitution", ()))
    for node in captures.get("template", ()):
        start, end = node.byte_range
        first = bisect_left(holes, start)
        children = node.named_children if first < len(holes) and holes[first] < end else []
        at = start + 1
        edits.append(replace(start, at, b" ` " + OPEN_STRING))
        for child in children:
            if child.type == "template_substitution":
                edits.append(_text(source, at, child.start_byte, table=start in tables))
                at = child.end_byte
                edits.append(replace(child.start_byte, child.start_byte + 2, OPEN_CODE + b" "))
                edits.append(replace(at - 1, at, b" " + CLOSE_CODE))
        edits.append(_text(source, at, end - 1, table=start in tables))
        edits.append(replace(end - 1, end, CLOSE_STRING + b" "))


def _text(source: bytes, start: int, end: int, *, table: bool) -> Edit:
    """Encode a template's text; for a table of cases, without the padding that formatters align."""
    text = _unified(source[start:end])
    if table:
        text = b"|".join(b" ".join(cell.split()) for cell in text.split(b"|"))
    return (start, 2, -1, hexlify(text), end - start)


def _mark_literals(captures: Captures, source: bytes, edits: list[Edit]) -> None:
    for start, end in spans(captures, "number"):
        text = source[start:end]
        if not text.isdigit():
            edits.append((start, 2, 0, b" " + number(text) + b" ", end - start))
    for start, end in spans(captures, "regex"):
        pattern, _, flags = source[start:end].rpartition(b"/")
        edits.append((start, 2, 0, b" / " + string_token(pattern + b"/" + bytes(sorted(flags))), end - start))


def number(text: bytes) -> bytes:
    """Write a number literal as prettier does: lower case, no needless zeros, dots or plus signs."""
    text = text.lower()
    match = _DECIMAL.fullmatch(text)
    if match is None:
        return text
    whole, fraction, sign, exponent = (group or b"" for group in match.groups())
    fraction, exponent = fraction.rstrip(b"0"), exponent.lstrip(b"0")
    written = (whole or b"0") + (b"." + fraction if fraction else b"")
    return written + (b"e" + sign.replace(b"+", b"") + exponent if exponent else b"")


def _mark_jsx(captures: Captures, source: bytes, edits: list[Edit]) -> None:
    for start, end in spans(captures, "jsx_text"):
        edits.append((start, 2, 0, _jsx_words(_unified(source[start:end])), end - start))
    for start, end in spans(captures, "jsx_space"):
        if source[start + 1 : end - 1].strip() in {b"' '", b'" "'}:
            edits.append((start, 2, -1, SPACE, end - start))
    for start, end in spans(captures, "jsx_braces"):
        edits.append((start, 2, -1, b" ", 1))
        edits.append((end - 1, 2, -1, b" ", 1))


def _jsx_words(text: bytes) -> bytes:
    """Keep the words and the spaces that JSX keeps: whitespace at an edge counts only if it contains no newline."""
    words = text.split()
    if not words:
        return SPACE if text and b"\n" not in text else b" "
    leading = text[: len(text) - len(text.lstrip())]
    trailing = text[len(text.rstrip()) :]
    inner = SPACE.join(string_token(word) for word in words)
    before = SPACE if leading and b"\n" not in leading else b""
    after = SPACE if trailing and b"\n" not in trailing else b""
    return before + inner + after


def _drop_tags(captures: Captures, source: bytes, edits: list[Edit]) -> None:
    """Drop tags that name atoms: linking a test to its intent doesn't change the test."""
    for pair in captures.get("tags", ()):
        value = pair.child_by_field_name("value")
        if value is None:
            continue
        elements = value.named_children if value.type == "array" else [value]
        tags = [element for element in elements if _names_atom(element, source)]
        if not tags:
            continue
        if len(tags) < len(elements):
            edits.extend(_without(tag) for tag in tags)
            continue
        options = pair.parent
        edits.append(_without(options if options is not None and options.named_child_count == 1 else pair))


def _names_atom(node: Node, source: bytes) -> bool:
    start, end = node.byte_range
    return node.type == "string" and _ATOM_TAG.fullmatch(source, start + 1, end - 1) is not None


def _without(node: Node) -> Edit:
    """Drop a node and the comma after it."""
    comma = node.next_sibling
    end = comma.end_byte if comma is not None and comma.type == "," else node.end_byte
    return (node.start_byte, 0, 0, b" ", end - node.start_byte)


_COMMON = """
(comment) @comment
(string) @string
(template_string) @template
(template_substitution) @substitution
(regex) @regex
(number) @number
[(binary_expression) (unary_expression) (update_expression) (ternary_expression) (assignment_expression)
 (augmented_assignment_expression) (await_expression) (yield_expression) (arrow_function) (function_expression)
 (new_expression) (sequence_expression)] @operation
["&&" "||" "??"] @logical
(new_expression !arguments) @bare
(arrow_function parameter: (identifier) @parameter)
(parenthesized_expression) @parentheses
(if_statement condition: (parenthesized_expression) @condition)
(while_statement condition: (parenthesized_expression) @condition)
(do_statement condition: (parenthesized_expression) @condition)
(switch_statement value: (parenthesized_expression) @condition)
(with_statement object: (parenthesized_expression) @condition)
(member_expression object: (parenthesized_expression) @chain)
(subscript_expression object: (parenthesized_expression) @chain)
(call_expression function: (parenthesized_expression) @chain)
(statement_block) @block
(statement_block (_) @statement)
(switch_case body: (_) @statement)
(switch_default body: (_) @statement)
(class_body (_) @statement)
(empty_statement) @empty
(for_statement condition: (_) @part)
(for_statement increment: (_) @part)
(pair key: (string) @key)
(pair_pattern key: (string) @key)
(method_definition name: (string) @key)
"""

_RARE = """
((call_expression function: (identifier) @keyword arguments: (arguments . (_) .) @awaited) @operation
 (#eq? @keyword "await"))
((pair key: (property_identifier) @tag) @tags (#any-of? @tag "tag" "tags"))
(call_expression function: (member_expression property: (property_identifier) @each) arguments: (template_string) @table
 (#eq? @each "each"))
"""
"""What only code with the words of `_needs_rare` can contain: predicates are dear where every pair or call is tried."""

_RARE_WORDS = (re.compile(rb"await\s*\("), re.compile(rb"each\s*`"), re.compile(rb"tags?\s*:"))


_JAVASCRIPT = """
(field_definition property: (string) @key)
"""

_TYPESCRIPT = """
[(as_expression) (satisfies_expression) (non_null_expression) (function_type) (constructor_type) (conditional_type)
 (index_type_query) (type_query) (readonly_type) (infer_type) (asserts) (type_predicate)] @operation
(union_type (_) "|" (_)) @operation
(intersection_type (_) "&" (_)) @operation
(union_type (union_type) @flat)
(union_type (parenthesized_type (union_type) @flat))
(intersection_type (intersection_type) @flat)
(intersection_type (parenthesized_type (intersection_type) @flat))
(union_type . "|" @gone)
(intersection_type . "&" @gone)
(parenthesized_type "(" @gone)
(parenthesized_type ")" @gone)
(interface_body (_) @statement)
(object_type (_) @statement)
(interface_body "," @gone)
(object_type "," @gone)
(property_signature name: (string) @key)
(method_signature name: (string) @key)
(public_field_definition name: (string) @key)
(enum_assignment name: (string) @key)
"""

_ASSERTION = "(type_assertion) @operation"

_JSX = """
(jsx_text) @jsx_text
(jsx_element (jsx_expression . (string) .) @jsx_space)
(jsx_attribute (jsx_expression . (string) .) @jsx_braces)
(jsx_attribute (string) @attribute)
(jsx_attribute (jsx_expression . (string) @attribute .))
"""


@cache
def _patterns(language: Language) -> str:
    """Assemble the patterns whose node kinds the grammar has."""
    parts = [_COMMON, _TYPESCRIPT if _knows(language, "interface_body") else _JAVASCRIPT]
    if _knows(language, "type_assertion"):
        parts.append(_ASSERTION)
    if _knows(language, "jsx_element"):
        parts.append(_JSX)
    return "".join(parts)


def _knows(language: Language, kind: str) -> bool:
    return language.id_for_node_kind(kind, True) is not None  # noqa: FBT003 - a C function without keywords


def _needs_rare(source: bytes) -> bool:
    """Whether a file may contain what only the `_RARE` patterns find; each search starts with a literal."""
    return any(words.search(source) for words in _RARE_WORDS)
