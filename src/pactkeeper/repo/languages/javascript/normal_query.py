"""Queries for every construct that the JavaScript and TypeScript normal form treats specially."""

from __future__ import annotations

import re

from tree_sitter import Language

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

RARE = """
((call_expression function: (identifier) @keyword arguments: (arguments . (_) .) @awaited) @operation
 (#eq? @keyword "await"))
((pair key: (property_identifier) @tag) @tags (#any-of? @tag "tag" "tags"))
(call_expression function: (member_expression property: (property_identifier) @each) arguments: (template_string) @table
 (#eq? @each "each"))
"""
"""What only code with the words of `needs_rare` can contain: predicates are dear where every pair or call is tried."""

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


def query_text(language: Language) -> str:
    """Assemble the patterns whose node kinds the grammar has."""
    parts = [_COMMON, _TYPESCRIPT if _knows(language, "interface_body") else _JAVASCRIPT]
    if _knows(language, "type_assertion"):
        parts.append(_ASSERTION)
    if _knows(language, "jsx_element"):
        parts.append(_JSX)
    return "".join(parts)


def _knows(language: Language, kind: str) -> bool:
    return language.id_for_node_kind(kind, True) is not None  # noqa: FBT003 - a C function without keywords


def needs_rare(source: bytes) -> bool:
    """Whether a file may contain what only the `RARE` patterns find; each search starts with a literal."""
    return any(words.search(source) for words in _RARE_WORDS)
