"""Inline snapshots: the value a test writes between backticks, parsed where it is a plain value."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING

from pactkeeper.intent.claims import Attribute, Call, Claim, Collection, Expression, Name, Opaque, Value
from pactkeeper.repo.languages.javascript.claims.expressions import Scope
from pactkeeper.repo.languages.javascript.claims.raising import ANY_ERROR
from pactkeeper.repo.languages.javascript.claims.relations import Claims, equate, is_constant, qualified, string
from pactkeeper.repo.languages.javascript.claims.syntax import bare, children, parse, string_value

if TYPE_CHECKING:
    from tree_sitter import Node

_CLASS_PREFIX = re.compile(r"(^|[\[:,(]\s*)(?:Object|Array) (?=[{\[])")
_ERROR = re.compile(r"\[(?P<type>[A-Z][\w$]*)(?:: (?P<text>.*))?\]", re.DOTALL)
_ERROR_START = re.compile(r"\[([A-Z][\w$]*): (?=[\[{])")
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_LONGEST = 20_000


def inline_snapshot(subject: Expression, given: tuple[Node, ...]) -> Claims:
    """Claim equality for a plain value, the parts of a plain object, otherwise the snapshot's text."""
    written = _written(given)
    if written is None:
        return (Claim("snapshot", subject),)
    value = _value(written)
    if value is not None and is_constant(value):
        return equate(subject, value)
    parts = _parts(subject, value) if value is not None else _error(subject, written)
    return parts or (Claim("snapshot", subject, Opaque(" ".join(written.split()))),)


def _parts(subject: Expression, value: Expression) -> Claims:
    """Return the claims of an error, or of an object that contains errors, part by part."""
    if isinstance(value, Call):
        return (Claim("instance_of", subject, value.function), *_messages(subject, value))
    if not isinstance(value, Collection) or value.kind != "mapping":
        return ()
    claims: list[Claim] = []
    for key, held in zip(value.items[::2], value.items[1::2], strict=True):
        if not isinstance(key, Value):
            return ()
        part = Attribute(subject, key.text)
        claims.extend(_parts(part, held) if isinstance(held, Call) else equate(part, held))
    return tuple(claims)


def _messages(subject: Expression, error: Call) -> Claims:
    """Claim the messages of an error's listed issues, from which its text is built."""
    listed = error.arguments[0].value if error.arguments else None
    issues = listed.items if isinstance(listed, Collection) and listed.kind == "list" else ()
    found: list[Claim] = []
    for issue in issues:
        pairs = issue.items if isinstance(issue, Collection) and issue.kind == "mapping" else ()
        for key, held in zip(pairs[::2], pairs[1::2], strict=True):
            claim = Claim("contains", Attribute(subject, "message"), held)
            if key == string("message") and isinstance(held, Value) and claim not in found:
                found.append(claim)
    return tuple(found)


def _error(subject: Expression, written: str) -> Claims:
    found = _ERROR.fullmatch(written)
    if found is None:
        return ()
    message = found["text"]
    said = equate(Attribute(subject, "message"), string(message)) if message and "\n" not in message else ()
    return (Claim("instance_of", subject, Name(found["type"])), *said)


def thrown_snapshot(call: Expression | None, given: tuple[Node, ...]) -> Claims:
    """Claim an error with the snapshot's message."""
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
    """Parse a snapshot in JavaScript notation; errors in it become calls of their class."""
    if len(written) > _LONGEST:
        return None
    source = "(" + _calls(_CLASS_PREFIX.sub(r"\1", written)) + "\n)"
    root = parse("snapshot.js", source.encode())
    statements = children(root)
    if root.has_error or len(statements) != 1:
        return None
    value = Scope().read(statements[0])
    return value if _plain(value) else None


def _plain(value: Expression) -> bool:
    if isinstance(value, Collection):
        return all(_plain(item) for item in value.items)
    if isinstance(value, Call):
        return isinstance(value.function, Name) and all(_plain(each.value) for each in value.arguments)
    return isinstance(value, Value)


def _calls(written: str) -> str:
    """Rewrite `[ZodError: […]]` as `ZodError([…])`, outside strings."""
    plain = _STRING.sub(lambda match: '"' + "." * (len(match[0]) - 2) + '"', written)
    characters = list(written)
    for start in _ERROR_START.finditer(plain):
        end = _closing(plain, start.start())
        if end is None:
            return written
        characters[start.start()] = ""
        characters[start.end() - 2 : start.end()] = ["", "("]
        characters[end] = ")"
    return "".join(characters)


def _closing(plain: str, opened: int) -> int | None:
    depth = 0
    for index in range(opened, len(plain)):
        if plain[index] in "[{":
            depth += 1
        elif plain[index] in "]}":
            depth -= 1
            if not depth:
                return index
    return None
