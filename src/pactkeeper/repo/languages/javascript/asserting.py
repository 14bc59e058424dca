"""Which functions of a JavaScript or TypeScript file may assert for its tests, and where they are called."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import cache
from typing import TYPE_CHECKING, Final

from pactkeeper.repo.languages.helpers import Mentions, Span

if TYPE_CHECKING:
    from tree_sitter import Language, Query, Tree

_DECLARED: Final = """
(function_declaration name: (identifier) @name) @function
(generator_function_declaration name: (identifier) @name) @function
(variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression)]) @function
"""
_CALLED: Final = """
(call_expression function: (identifier) @called)
(call_expression function: (member_expression object: (identifier) @object))
(member_expression property: (property_identifier) @property)
"""
_ASSERTING: Final = re.compile(rb"(?:expect|assert)\w*\Z|(?:chai|t|sinon)\Z")
_ASSERTING_ANYWHERE: Final = re.compile(rb"expect|assert|should|\bt\.|sinon")


def functions(tree: Tree, source: bytes, tests: Sequence[Span]) -> dict[Span, Span]:
    """The functions with a name that hold no test, each with the bytes of its name; none where none can assert."""
    from tree_sitter import QueryCursor  # noqa: PLC0415 - only files with tests come here

    found: dict[Span, Span] = {}
    for _, parts in QueryCursor(_query(tree.language, _DECLARED)).matches(tree.root_node):
        start, end = parts["function"][0].byte_range
        if not any(start <= test[0] and test[1] <= end for test in tests):
            found[start, end] = parts["name"][0].byte_range
    return found if any(_ASSERTING_ANYWHERE.search(source, *span) for span in found) else {}


def mentions(tree: Tree, source: bytes, names: Collection[str]) -> Mentions:
    """Read all calls of these names, and all assertions."""
    from tree_sitter import QueryCursor  # noqa: PLC0415 - as above

    wanted = {name.encode(): name for name in names}
    captures = QueryCursor(_query(tree.language, _CALLED)).captures(tree.root_node)
    called = [(node.start_byte, source[slice(*node.byte_range)]) for node in captures.get("called", ())]
    rooted = [(node.start_byte, source[slice(*node.byte_range)]) for node in captures.get("object", ())]
    should = [node.start_byte for node in captures.get("property", ()) if source[slice(*node.byte_range)] == b"should"]
    asserted = [at for at, text in (*called, *rooted) if _ASSERTING.match(text) and text not in wanted]
    return Mentions(sorted((at, wanted[text]) for at, text in called if text in wanted), sorted([*asserted, *should]))


@cache
def _query(language: Language, text: str) -> Query:
    from tree_sitter import Query  # noqa: PLC0415 - as above

    return Query(language, text)
