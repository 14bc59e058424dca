"""The grammar of `@atom` annotations: reading them, finding what they are attached to, and writing them."""

from pactkeeper.repo.annotations.attachment import Collected, collect
from pactkeeper.repo.annotations.grammar import (
    Parsed,
    parse_comment,
    parse_docstring,
    parse_line,
    parse_tag,
    sort_words,
)
from pactkeeper.repo.annotations.writing import Splice, Wish, Written, splice, write

MENTION = b"@atom"

__all__ = [
    "MENTION",
    "Collected",
    "Parsed",
    "Splice",
    "Wish",
    "Written",
    "collect",
    "parse_comment",
    "parse_docstring",
    "parse_line",
    "parse_tag",
    "sort_words",
    "splice",
    "write",
]
