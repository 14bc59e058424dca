"""Where a Python file calls functions by name and where it asserts, for what tests assert through helpers."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import cache
from typing import TYPE_CHECKING, Final

from pactkeeper.repo.languages.helpers import Mentions, Span

if TYPE_CHECKING:
    from tree_sitter import Language, Query, Tree

_QUERY: Final = """
(assert_statement) @assertion
(call function: (identifier) @called)
(call function: (attribute object: (identifier) @object attribute: (identifier) @method)) @dotted
"""
_OWN: Final = frozenset((b"self", b"cls"))
_ASSERTING: Final = re.compile(rb"assert|raises$|warns$|fail$|expect")


def may_assert(source: bytes, spans: Sequence[Span]) -> bool:
    """Whether anything in these spans looks like an assertion; cheap, and never False where one is."""
    return any(_ASSERTING_ANYWHERE.search(source, *span) for span in spans)


_ASSERTING_ANYWHERE: Final = re.compile(rb"assert|raises|warns|fail|expect")


def mentions(tree: Tree, source: bytes, names: Collection[str]) -> Mentions:
    """Read all calls of these names, be it alone or as a method of the same object, and all assertions."""
    from tree_sitter import QueryCursor  # noqa: PLC0415 - only files whose helpers assert come here

    wanted = {name.encode(): name for name in names}
    calls: list[tuple[int, str]] = []
    assertions: list[int] = []
    for _, found in QueryCursor(_query(tree.language)).matches(tree.root_node):
        if "assertion" in found:
            assertions.append(found["assertion"][0].start_byte)
            continue
        name = found["method" if "dotted" in found else "called"][0]
        text = source[name.start_byte : name.end_byte]
        own = "dotted" not in found or source[slice(*found["object"][0].byte_range)] in _OWN
        if own and text in wanted:
            calls.append((name.start_byte, wanted[text]))
        if _ASSERTING.match(text):
            assertions.append(name.start_byte)
    return Mentions(sorted(calls), sorted(assertions))


@cache
def _query(language: Language) -> Query:
    from tree_sitter import Query  # noqa: PLC0415 - as above

    return Query(language, _QUERY)
