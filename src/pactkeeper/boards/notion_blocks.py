"""Convert Markdown to Notion blocks and back: a block per paragraph, heading, list item, to-do or code block.

Our own section is a toggle whose title ends with the same fields as the comment in Markdown, so both parse alike. Text
that would take more blocks than one call allows goes verbatim into a final code block.

Also the properties of database pages: their values as text, and how to write them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from pactkeeper.boards.sections import own_heading, own_text, with_section
from pactkeeper.errors import RefusedError

Block = dict[str, Any]
MOST_BLOCKS: Final = 100
MOST_UNITS: Final = 2000  # UTF-16 units in one piece of text
MOST_PIECES: Final = 100  # pieces in one block
REST: Final = "continued by pactkeeper"

_LINE: Final = re.compile(
    r"(?P<todo>[-*+] \[(?P<tick>[ xX])\] )|(?P<bullet>[-*+] )|(?P<number>\d+[.)] )|(?P<heading>#{1,3}) "
    r"|(?P<fence>```)(?P<language>.*)"
)
_TITLE: Final = re.compile(r"(.*)\[pactkeeper (\S++) (\S++) ([0-9a-f]{16})\]", re.DOTALL)
_LISTS: Final = frozenset({"bulleted_list_item", "numbered_list_item", "to_do"})
_PREFIXES: Final[Mapping[str, str]] = {
    "paragraph": "",
    "heading_1": "# ",
    "heading_2": "## ",
    "heading_3": "### ",
    "bulleted_list_item": "- ",
    "numbered_list_item": "1. ",
    "quote": "> ",
    "callout": "> ",
    "toggle": "- ",
}


@dataclass(frozen=True, slots=True)
class Node:
    """A block as read, with its children."""

    block: Mapping[str, Any]
    inner: tuple[Node, ...] = ()

    @property
    def kind(self) -> str:
        """The type of the block."""
        return str(self.block.get("type", ""))

    @property
    def content(self) -> Mapping[str, Any]:
        """The content stored under the block's type."""
        found = self.block.get(self.kind)
        return found if isinstance(found, Mapping) else {}


@dataclass(slots=True)
class Rendered:
    """Rendered Markdown, and the position of each block's own text in it."""

    text: str = ""
    places: list[tuple[int, int, Node]] = field(default_factory=list)

    def add(self, prefix: str, words: str, node: Node | None) -> None:
        """Append text after a prefix that isn't part of it."""
        self.text += prefix
        if node is not None:
            self.places.append((len(self.text), len(self.text) + len(words), node))
        self.text += words

    def holding(self, start: int, end: int) -> Node | None:
        """The block whose own text contains the whole span."""
        return next((node for first, last, node in self.places if first <= start and end <= last), None)


def blocks_of(markdown: str) -> list[Block]:
    """Convert Markdown to blocks that fit into one call; raise RefusedError if even that is too long."""
    lines = markdown.replace("\r\n", "\n").split("\n")
    found: list[tuple[Block, int]] = list(_blocks(lines))
    if len(found) <= MOST_BLOCKS:
        return [block for block, _ in found]
    kept = found[: MOST_BLOCKS - 1]
    rest = "\n".join(lines[found[MOST_BLOCKS - 1][1] :])
    return [*(block for block, _ in kept), _code(rest, "markdown", caption=REST)]


def section_block(*, mark: str, key: str, heading: str, text: str) -> Block:
    """Our own section as a toggle; its hash is that of the text as it will be read back."""
    inner = blocks_of(own_text(text))
    back = rendered([Node(one) for one in inner]).text.strip("\n")
    comment = with_section("", mark=mark, key=key, heading=heading, text=back).split("\n", 1)[0]
    digest = comment.split()[-2]
    title = rich(f"{own_heading(heading)} [pactkeeper {mark} {key} {digest}]")
    return {"type": "toggle", "toggle": {"rich_text": title, "children": inner}}


def section_of(node: Node) -> tuple[str, str] | None:
    """The mark and key of our own section; None for any other block."""
    found = _TITLE.fullmatch(plain(node.content.get("rich_text", ()))) if node.kind == "toggle" else None
    return (found[2], found[3]) if found else None


def rendered(nodes: Sequence[Node]) -> Rendered:
    """Render blocks as Markdown."""
    out = Rendered()
    before = ""
    for node in nodes:
        if out.text:
            out.text += "\n" if before == node.kind and node.kind in _LISTS else "\n\n"
        _render(out, node, indent="")
        before = node.kind
    if out.text:
        out.text += "\n"
    return out


def plain(pieces: Iterable[Mapping[str, Any]]) -> str:
    """The text of rich text; links keep their address."""
    return "".join(_piece(one) for one in pieces)


def is_plain(pieces: Iterable[Mapping[str, Any]]) -> bool:
    """Whether rich text has no formatting, so that rewriting it loses nothing."""
    return all(one.get("type", "text") == "text" and not one.get("href") and not _is_styled(one) for one in pieces)


def _is_styled(piece: Mapping[str, Any]) -> bool:
    return any(value not in {False, "default"} for value in (piece.get("annotations") or {}).values())


def rich(text: str) -> list[dict[str, Any]]:
    """Text as rich text in pieces that Notion accepts; raise RefusedError if one block can't hold it."""
    pieces = list(_pieces(text))
    if len(pieces) > MOST_PIECES:
        raise RefusedError(f"a text of {len(text):,} characters exceeds the limit of a Notion block; split it")
    return [{"type": "text", "text": {"content": one}} for one in pieces]


def _pieces(text: str) -> Iterator[str]:
    start, units = 0, 0
    for at, character in enumerate(text):
        width = 2 if ord(character) > 0xFFFF else 1  # noqa: PLR2004 - a surrogate pair in UTF-16
        if units + width > MOST_UNITS:
            yield text[start:at]
            start, units = at, 0
        units += width
    if text:
        yield text[start:]


def _blocks(lines: Sequence[str]) -> Iterator[tuple[Block, int]]:
    """Every block with the index of its first line."""
    at = 0
    while at < len(lines):
        if not lines[at].strip():
            at += 1
            continue
        found = _LINE.match(lines[at])
        if found is None:
            end = _end_of_paragraph(lines, at)
            yield _worded("paragraph", "\n".join(lines[at:end])), at
        elif found["fence"]:
            end = next((n for n in range(at + 1, len(lines)) if lines[n].startswith("```")), len(lines) - 1) + 1
            yield _code("\n".join(lines[at + 1 : max(at + 1, end - 1)]), found["language"].strip() or "plain text"), at
        else:
            end = at + 1
            yield _line_block(found, lines[at][found.end() :]), at
        at = end


def _end_of_paragraph(lines: Sequence[str], at: int) -> int:
    end = at + 1
    while end < len(lines) and lines[end].strip() and not _LINE.match(lines[end]):
        end += 1
    return end


def _line_block(found: re.Match[str], words: str) -> Block:
    if found["todo"]:
        return {"type": "to_do", "to_do": {"rich_text": rich(words), "checked": found["tick"] != " "}}
    if found["heading"]:
        return _worded(f"heading_{len(found['heading'])}", words)
    return _worded("bulleted_list_item" if found["bullet"] else "numbered_list_item", words)


def _worded(kind: str, words: str) -> Block:
    return {"type": kind, kind: {"rich_text": rich(words)}}


def _code(words: str, language: str, *, caption: str = "") -> Block:
    known = language if language in {"markdown", "python", "json", "bash", "sql", "yaml"} else "plain text"
    return {"type": "code", "code": {"rich_text": rich(words), "language": known, "caption": rich(caption)}}


def _render(out: Rendered, node: Node, *, indent: str) -> None:
    content, kind = node.content, node.kind
    words = plain(content.get("rich_text", ()))
    inner = node.inner or tuple(Node(one) for one in content.get("children", ()))
    own = _TITLE.fullmatch(words) if kind == "toggle" else None
    if own:
        out.text += f"<!-- pactkeeper:begin {own[2]} {own[3]} {own[4]} -->\n## {own[1].rstrip()}\n\n"
        out.text += rendered(inner).text.strip("\n") + f"\n<!-- pactkeeper:end {own[2]} -->"
        return
    if kind == "code" and plain(content.get("caption", ())) == REST:
        out.add("", words, None)
    elif kind == "code":
        language = str(content.get("language", "")).replace("plain text", "")
        out.add(f"{indent}```{language}\n", words, node)
        out.text += "\n```"
    elif kind == "to_do":
        out.add(f"{indent}- [{'x' if content.get('checked') else ' '}] ", words, node)
    elif kind in _PREFIXES:
        out.add(indent + _PREFIXES[kind], words, node)
    else:
        out.text += f"{indent}<!-- notion: {kind} -->"
    for one in inner:
        out.text += "\n"
        _render(out, one, indent=indent + "  ")


def _piece(piece: Mapping[str, Any]) -> str:
    words = piece.get("plain_text")
    if words is None:
        words = (piece.get("text") or {}).get("content", "")
    href = piece.get("href")
    return f"[{words}]({href})" if href else str(words)


Properties = Mapping[str, Mapping[str, Any]]
_WRITTEN: Final = frozenset({"select", "status", "rich_text", "url", "date", "checkbox"})


def text_of(value: Mapping[str, Any]) -> str:
    """A property's value as text; empty if it has none, or none that text can express."""
    kind = str(value.get("type", ""))
    found = value.get(kind)
    if found is None:
        return ""
    match kind:
        case "title" | "rich_text":
            return plain(found)
        case "select" | "status":
            return str(found.get("name", ""))
        case "date":
            return str(found.get("start", ""))
        case "multi_select":
            return ", ".join(texts_of(value))
        case "checkbox":
            return "true" if found else "false"
        case "url" | "email" | "phone_number" | "number":
            return str(found)
        case _:
            return ""


def texts_of(value: Mapping[str, Any]) -> tuple[str, ...]:
    """The names in a multi-select property."""
    return tuple(str(one.get("name", "")) for one in value.get("multi_select") or ())


def written(name: str, kind: str, text: str | None) -> Mapping[str, Any]:
    """Text as a property value, None to clear it; raise RefusedError for an unsupported kind."""
    if kind not in _WRITTEN:
        raise RefusedError(
            f"the property {name!r} is of kind {kind!r}, which Pactkeeper doesn't write; change it by hand"
        )
    match kind:
        case "select" | "status":
            return {kind: {"name": text} if text else None}
        case "rich_text":
            return {kind: rich(text or "")}
        case "date":
            return {kind: {"start": text} if text else None}
        case "checkbox":
            return {kind: (text or "").casefold() in {"true", "yes", "checked"}}
        case _:
            return {kind: text or None}


def first_of(properties: Properties, kind: str) -> str:
    """The first property of a kind, sorted by name; empty if there is none."""
    return next((name for name in sorted(properties) if properties[name].get("type") == kind), "")


def named(properties: Properties, name: str) -> str:
    """A property's name as the database spells it, ignoring case; empty if there is none."""
    return next((one for one in sorted(properties) if one.casefold() == name.casefold()), "")
