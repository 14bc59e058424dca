"""A Markdown text as blocks with their line numbers; plain notes are read as Markdown too."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from markdown_it.token import Token

BlockKind = Literal["heading", "item", "text", "code", "table", "quote", "html"]


@dataclass(frozen=True, slots=True)
class Block:
    """The 0-based lines `[start, end)`, with their text free of markup; inline code keeps its backticks.

    `depth` is how many lists an item is nested in, or the level of a heading; `ticked` is None if there is no checkbox;
    `info` is the info string of a code fence. `dropped` means that the author struck the text out.
    """

    kind: BlockKind
    start: int
    end: int
    text: str = ""
    depth: int = 0
    ticked: bool | None = None
    info: str = ""
    dropped: bool = False


_BOX = re.compile(r"\[(?P<mark>[ xX])\]\s+")
_CONTAINERS = {"blockquote": "quote", "table": "table"}


def blocks(text: str) -> Iterator[Block]:
    """The blocks of a text, in order; indented lines are text, as in notes, not code."""
    from markdown_it import MarkdownIt  # noqa: PLC0415 - only needed when a text is taken in

    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"]).disable(["code"])
    yield from _blocks(parser.parse(text))


def _blocks(tokens: Sequence[Token]) -> Iterator[Block]:
    at, lists, fresh = 0, 0, False
    heading = 0
    while at < len(tokens):
        token = tokens[at]
        name = token.type.removesuffix("_open")
        if token.type.endswith("_open") and name in _CONTAINERS:
            start, end = _lines(token)
            yield Block(_CONTAINERS[name], start, end)  # type: ignore[arg-type]  # the table holds kinds
            at = _closing(tokens, at)
        elif token.type == "list_item_open":
            lists, fresh = lists + 1, True
        elif token.type == "list_item_close":
            lists, fresh = lists - 1, False
        elif token.type == "heading_open":
            heading = int(token.tag[1:])
        elif token.type == "inline":
            yield _inline(token, heading=heading, depth=lists, item=fresh)
            heading, fresh = 0, False
        elif token.type in {"fence", "code_block", "html_block"}:
            start, end = _lines(token)
            kind: BlockKind = "html" if token.type == "html_block" else "code"
            yield Block(kind, start, end, token.content, lists, info=token.info.strip().lower())
        at += 1


def _inline(token: Token, *, heading: int, depth: int, item: bool) -> Block:
    start, end = _lines(token)
    text, struck = _plain(token.children or ())
    box = _BOX.match(text)
    ticked = None if box is None or not item else box["mark"] != " "
    said = text[box.end() :] if box is not None and item else text
    kind: BlockKind = "heading" if heading else "item" if item else "text"
    return Block(kind, start, end, said.strip(), heading or depth, ticked, dropped=struck and not said.strip())


def _plain(children: Sequence[Token]) -> tuple[str, bool]:
    """The text of inline tokens without markup or struck-out parts, and whether anything was struck out."""
    parts: list[str] = []
    struck, any_struck = 0, False
    for child in children:
        struck += (child.type == "s_open") - (child.type == "s_close")
        any_struck = any_struck or struck > 0
        if struck or child.type == "html_inline":
            continue
        if child.type in {"softbreak", "hardbreak"}:
            parts.append("\n")
        elif child.type == "code_inline":
            parts.append(f"`{child.content}`")
        elif child.type in {"text", "image"}:
            parts.append(child.content)
    return "".join(parts), any_struck


def _lines(token: Token) -> tuple[int, int]:
    return (token.map[0], token.map[1]) if token.map else (0, 0)


def _closing(tokens: Sequence[Token], at: int) -> int:
    """The position of the token that closes a container."""
    wanted, level = tokens[at].type.replace("_open", "_close"), tokens[at].level
    return next(n for n in range(at, len(tokens)) if tokens[n].type == wanted and tokens[n].level == level)
