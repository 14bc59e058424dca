"""A Markdown text as blocks with their line numbers; plain notes are read as Markdown too."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from pactkeeper.authoring.source import NotTaken, Scenario, Source, Taken, kind_of, taken_from

if TYPE_CHECKING:
    from markdown_it.token import Token


BlockKind = Literal["heading", "item", "text", "code", "table", "quote", "html"]


@dataclass(frozen=True, slots=True)
class SourceBlock:
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


def blocks(text: str) -> Iterator[SourceBlock]:
    """The blocks of a text, in order; indented lines are text, as in notes, not code."""
    from markdown_it import MarkdownIt  # noqa: PLC0415 - only needed when a text is taken in

    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"]).disable(["code"])
    yield from _blocks(parser.parse(text))


def _blocks(tokens: Sequence[Token]) -> Iterator[SourceBlock]:
    at, lists, fresh = 0, 0, False
    heading = 0
    while at < len(tokens):
        token = tokens[at]
        name = token.type.removesuffix("_open")
        if token.type.endswith("_open") and name in _CONTAINERS:
            start, end = _lines(token)
            yield SourceBlock(_CONTAINERS[name], start, end)  # type: ignore[arg-type]  # the table holds kinds
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
            yield SourceBlock(kind, start, end, token.content, lists, info=token.info.strip().lower())
        at += 1


def _inline(token: Token, *, heading: int, depth: int, item: bool) -> SourceBlock:
    start, end = _lines(token)
    text, struck = _plain(token.children or ())
    box = _BOX.match(text)
    ticked = None if box is None or not item else box["mark"] != " "
    said = text[box.end() :] if box is not None and item else text
    kind: BlockKind = "heading" if heading else "item" if item else "text"
    return SourceBlock(kind, start, end, said.strip(), heading or depth, ticked, dropped=struck and not said.strip())


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


_KEYWORD = re.compile(
    r"\s*(?P<word>Feature|Rule|Background|Scenario(?: Outline| Template)?|Examples?|Scenarios)\s*:(?P<rest>.*)"
)
_STEP = re.compile(r"\s*(?P<word>\*|Given\b|When\b|Then\b|And\b|But\b)\s*(?P<rest>.*)")
_LANGUAGE = re.compile(r"\s*#\s*language\s*:\s*(?P<name>\S+)")
_SCENARIOS = frozenset({"Scenario", "Example", "Scenario Outline", "Scenario Template"})
_ROWS = frozenset({"Examples", "Scenarios"})
_SHORT = 80
_TEXT_MARKS = ('"""', "```")


@dataclass(slots=True)
class _Open:
    """A scenario being read; it ends before line `end`."""

    name: str
    start: int
    tags: tuple[str, ...]
    steps: list[tuple[str, str]] = field(default_factory=list)
    end: int = 0


def read_feature(source: Source, start: int = 0, end: int | None = None) -> Iterator[Taken | NotTaken]:
    """Read the 0-based lines `[start, end)` as a feature file; only English keywords are recognised."""
    stop = len(source.lines) if end is None else end
    reader = _Feature(source)
    at = start
    while at < stop:
        line = source.lines[at]
        language = _LANGUAGE.match(line)
        if language is not None and language["name"] != "en":
            why = f"its steps are in the language {language['name']!r}, which the rules do not read"
            yield NotTaken(source.span(at, stop), why)
            return
        if line.strip().startswith(_TEXT_MARKS):
            after = _after_text(source, at, stop)
            reader.attach(at, after)
            at = after
            continue
        yield from reader.line(at, line)
        at += 1
    yield from reader.close()


def _after_text(source: Source, at: int, stop: int) -> int:
    """The line after a doc string that belongs to a step."""
    mark = source.lines[at].strip()[:3]
    closing = next((line for line in range(at + 1, stop) if source.lines[line].strip().startswith(mark)), stop - 1)
    return closing + 1


class _Feature:
    """The state of reading a feature file line by line."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._open: _Open | None = None
        self._tags: list[str] = []
        self._rows = False

    def line(self, at: int, line: str) -> Iterator[Taken | NotTaken]:
        """Read one line; yield the scenario that it ends, if any."""
        bare = line.strip()
        keyword, step = _KEYWORD.match(line), _STEP.match(line)
        if bare.startswith("@"):
            yield from self.close()
            self._tags += bare.split()
        elif keyword is not None:
            yield from self._keyword(at, keyword["word"], keyword["rest"].strip())
        elif step is not None and self._open is not None:
            self._open.steps.append((kind_of(step["word"], self._open.steps), step["rest"].strip()))
            self._open.end = at + 1
        elif bare.startswith("|") and self._open is not None:
            self._row(at)
        elif bare and not bare.startswith(("#", "|")) and self._open is None and step is None:
            yield NotTaken(self._source.span(at, at + 1), "describes the feature; its scenarios say what holds")

    def _keyword(self, at: int, word: str, rest: str) -> Iterator[Taken | NotTaken]:
        self._rows = word in _ROWS
        if self._rows:
            self._tags = []
            return
        yield from self.close()
        if word in _SCENARIOS:
            self._open = _Open(rest, at, tuple(self._tags), end=at + 1)
        self._tags = []

    def attach(self, start: int, end: int) -> None:
        """Append a doc string to the step above: quoted if it is one short line, else as a reference to its lines."""
        if self._open is None or not self._open.steps:
            return
        self._open.end = end
        lines = [line.strip() for line in self._source.lines[start + 1 : end - 1] if line.strip()]
        short = len(lines) == 1 and len(lines[0]) <= _SHORT and '"' not in lines[0]
        self._add(f'"{lines[0]}"' if short else f"the text in lines {start + 1} to {end}")

    def _row(self, at: int) -> None:
        """Append a reference to a table to the step above it, once; rows of examples don't belong to a step."""
        assert self._open is not None  # noqa: S101 - the caller checked
        first = not self._source.lines[at - 1].strip().startswith("|")
        if first and self._open.steps and not self._rows:
            self._add(f"the table in line {at + 1}")
        self._open.end = at + 1

    def _add(self, words: str) -> None:
        assert self._open is not None  # noqa: S101 - as above
        kind, said = self._open.steps[-1]
        self._open.steps[-1] = (kind, f"{said.rstrip(': ')} {words}")

    def close(self) -> Iterator[Taken | NotTaken]:
        """Yield the open scenario, if there is one."""
        found, self._open = self._open, None
        if found is not None:
            span = self._source.span(found.start, found.end)
            yield taken_from(Scenario(found.name, tuple(found.steps), span, found.tags))
