"""The grammar of `@atom` annotations: reading them and finding what they are attached to."""

from pactkeeper.repo.annotations.attachment import Collected, collect
from pactkeeper.repo.annotations.grammar import (
    Parsed,
    parse_comment,
    parse_docstring,
    parse_line,
    parse_tag,
    sort_words,
)

MENTION = b"@atom"

__all__ = [
    "MENTION",
    "Collected",
    "Parsed",
    "collect",
    "parse_comment",
    "parse_docstring",
    "parse_line",
    "parse_tag",
    "sort_words",
]
