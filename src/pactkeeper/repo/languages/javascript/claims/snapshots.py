"""Inline snapshots: the value a test states between backticks, read as what it is where it is plain."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING

from pactkeeper.intent.claims import Claim, Collection, Expression, Name, Opaque, Value
from pactkeeper.repo.languages.javascript.claims.expressions import Scope
from pactkeeper.repo.languages.javascript.claims.raising import ANY_ERROR
from pactkeeper.repo.languages.javascript.claims.relations import Claims, equate, is_constant, qualified, string
from pactkeeper.repo.languages.javascript.claims.syntax import bare, children, parse, string_value

if TYPE_CHECKING:
    from tree_sitter import Node

_CLASS_PREFIX = re.compile(r"(^|[\[:,(]\s*)(?:Object|Array) (?=[{\[])")
_ERROR = re.compile(r"\[(?P<type>[\w.$]+)(?:: (?P<text>.*))?\]", re.DOTALL)


def inline_snapshot(subject: Expression, given: tuple[Node, ...]) -> Claims:
    """Equality where the snapshot is a plain value, otherwise a snapshot that carries its text."""
    written = _written(given)
    if written is None:
        return (Claim("snapshot", subject),)
    value = _value(written)
    if value is not None:
        return equate(subject, value)
    return (Claim("snapshot", subject, Opaque(" ".join(written.split()))),)


def thrown_snapshot(call: Expression | None, given: tuple[Node, ...]) -> Claims:
    """An error with the message that the snapshot states."""
    written = _written(given)
    if written is None:
        return (Claim("raises", ANY_ERROR, call),)
    error = _ERROR.fullmatch(written)
    if error is not None:
        message = error["text"]
        text = string(message) if message and "\n" not in message else None
        return (Claim("raises", Name(error["type"]), call, qualifiers=qualified(message=text)),)
    value = _value(written)
    text = value if isinstance(value, Value) and value.kind == "string" else None
    return (Claim("raises", ANY_ERROR, call, qualifiers=qualified(message=text)),)


def _written(given: tuple[Node, ...]) -> str | None:
    literal = string_value(bare(given[-1])) if given else None
    return textwrap.dedent(literal).strip() if literal else None


def _value(written: str) -> Expression | None:
    """The constant that a snapshot writes in JavaScript's own notation."""
    source = "(" + _CLASS_PREFIX.sub(r"\1", written) + "\n)"
    root = parse("snapshot.js", source.encode()).root_node
    statements = children(root)
    if root.has_error or len(statements) != 1:
        return None
    value = Scope().read(statements[0])
    if written in {"NaN", "Infinity", "undefined"} or is_constant(value):
        return value
    return value if isinstance(value, Collection) and is_constant(value) else None
