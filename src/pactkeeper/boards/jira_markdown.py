"""Parse Markdown into Jira's blocks and render them as Markdown, so that everything written reads back the same.

HTML, images and references are plain text. Text is escaped only where it would be read as something else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING, Final

from pactkeeper.boards.jira_blocks import (
    BREAK,
    Block,
    Blocks,
    Code,
    Divider,
    Heading,
    Items,
    Mark,
    Paragraph,
    Phrase,
    Phrases,
    Quote,
    cleaned,
    nested,
    spans,
)

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_OPENING: Final[dict[str, Mark]] = {"strong_open": "strong", "em_open": "em", "s_open": "strike"}
_CLOSING: Final = frozenset({"strong_close", "em_close", "s_close"})
_DELIMITERS: Final[dict[Mark, str]] = {"strong": "**", "em": "*", "strike": "~~"}
# Text without any of these is read as plain text anywhere.
_RISKY: Final = re.compile(r"[\\*_`<]|~~|\]\(|&[#\w]|(?m:^[^\S\n]*+(?:[-+>#=]|\d++[.)]))|\t|  \n")
_SPECIAL: Final = re.compile(r"([\\`*_\[\]<>~&#!+=-])")
_FEW: Final = re.compile(r"([\\`*_<]|~(?=~)|\](?=\()|&(?=[#\w]))")
_BEGIN: Final = re.compile(r"^([-+>#=])")
_NUMBER: Final = re.compile(r"^(\d+)([.)])")


def parsed(markdown: str) -> Blocks:
    """Parse Markdown into blocks in normal form."""
    return nested(_blocks(iter(_parser().parse(cleaned(markdown)))))


def rendered(blocks: Iterable[Block]) -> str:
    """Render blocks as Markdown with a final newline; empty without blocks."""
    found = _rendered(tuple(blocks))
    return found + "\n" if found else ""


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # noqa: PLC0415 - only needed to read or write Jira texts

    made = MarkdownIt("commonmark", {"html": False, "maxNesting": 60}).enable("strikethrough")
    return made.disable(["reference", "image", "html_block", "html_inline"])


def _until(tokens: Iterator[Token], closing: str) -> Iterator[Token]:
    """The tokens before a closing one, which is consumed, too."""
    for token in tokens:
        if token.type == closing:
            return
        yield token


def _blocks(tokens: Iterator[Token], closing: str = "") -> Iterator[Block]:
    for token in _until(tokens, closing):
        match token.type:
            case "paragraph_open" | "heading_open":
                end = token.type.replace("open", "close")
                phrases = tuple(phrase for one in _until(tokens, end) for phrase in _phrases(one))
                yield Heading(int(token.tag[1]), phrases) if token.tag != "p" else Paragraph(phrases)
            case "bullet_list_open" | "ordered_list_open":
                end = token.type.replace("open", "close")
                items = tuple(tuple(_blocks(tokens, "list_item_close")) for _ in _until(tokens, end))
                first = token.attrGet("start")
                yield Items(token.tag == "ol", items, 1 if first is None else int(first))
            case "blockquote_open":
                yield Quote(tuple(_blocks(tokens, "blockquote_close")))
            case "fence" | "code_block":
                yield Code(token.content.removesuffix("\n"), token.info.strip().split(" ")[0])
            case "hr":
                yield Divider()


def _phrases(inline: Token) -> Iterator[Phrase]:
    marks: list[Mark] = []
    link = ""
    for token in inline.children or ():
        if token.type in _OPENING:
            marks.append(_OPENING[token.type])
        elif token.type in _CLOSING:
            marks.pop()
        elif token.type in {"link_open", "link_close"}:
            link = str(token.attrGet("href") or "")
        elif token.type in {"softbreak", "hardbreak"}:
            yield BREAK
        else:
            code: set[Mark] = {"code"} if token.type == "code_inline" else set()
            yield Phrase(token.content, frozenset(marks) | code, link)


def address(href: str) -> str:
    """An address as Markdown normalizes it; empty if links may not lead there."""
    found = _parser().normalizeLink(cleaned(href).strip())
    return found if _parser().validateLink(found) else ""


def _rendered(blocks: Blocks, *, tight: bool = False, other: bool = False) -> str:
    """Render blocks in order; a list that would merge with the one before it uses the other marker."""
    text = ""
    before: Block | None = None
    for block in blocks:
        follows = isinstance(block, Items) and isinstance(before, Items) and block.ordered == before.ordered
        other = other != follows if isinstance(block, Items) else False
        if before is not None:
            text += "\n" if tight and isinstance(before, Paragraph) and _interrupts(block) else "\n\n"
        text += _block(block, other=other)
        before = block
    return text


def _interrupts(block: Block) -> bool:
    """Whether a block can directly follow a paragraph's line."""
    return isinstance(block, Items) and bool(block.items[0]) and (not block.ordered or block.first == 1)


def _block(block: Block, *, other: bool) -> str:
    match block:
        case Paragraph():
            return _worded(block)
        case Heading(level):
            return _worded(block, "#" * level)
        case Code(text, language):
            fence = "`" * max(3, *(len(found) + 1 for found in re.findall("`+", text)), 3)
            return f"{fence}{language}\n{text}\n{fence}" if text else f"{fence}{language}\n{fence}"
        case Quote(blocks):
            return "\n".join(f"> {line}" if line else ">" for line in _rendered(blocks).split("\n"))
        case Items(ordered, items, first):
            bullet, point = ("*", ")") if other else ("-", ".")
            markers = [f"{first + at}{point}" if ordered else bullet for at in range(len(items))]
            return "\n".join(_item(marker, item, other=other) for marker, item in zip(markers, items, strict=True))
        case Divider():
            return "---"


def _item(marker: str, blocks: Blocks, *, other: bool) -> str:
    """Render one item; a nested first list uses the other marker, and text is escaped, to avoid a horizontal rule."""
    text = _rendered(blocks, tight=True, other=not other and isinstance(next(iter(blocks), None), Items))
    lines = text.split("\n")
    indented = [f"{' ' * (len(marker) + 1)}{line}" if line else "" for line in lines[1:]]
    first = "\\" + lines[0] if set(lines[0]) == {marker} else lines[0]
    return "\n".join([f"{marker} {first}" if first else marker, *indented])


def _worded(block: Paragraph | Heading, prefix: str = "") -> str:
    """Render text with the fewest escapes that survive parsing; the last way is the safest."""
    text = ""
    plain = all(phrase.marks == frozenset() and not phrase.link for phrase in block.phrases)
    for leaf, delimiters in _WAYS:
        text = f"{prefix} {_linked(block.phrases, leaf, delimiters)}".strip()
        if (plain and not prefix and not _RISKY.search(text)) or parsed(text) == (block,):
            return text
    return text


Leaf = Callable[[str, bool], str]


def _linked(phrases: Phrases, leaf: Leaf, delimiters: Mapping[Mark, str]) -> str:
    text = ""
    for link, group in groupby(phrases, key=lambda phrase: phrase.link):
        words = _marked(tuple(group), leaf, delimiters, start=not text or text.endswith("\n"))
        text += f"[{words}]({_destination(link)})" if link else words
    return text


def _marked(
    phrases: Phrases, leaf: Leaf, delimiters: Mapping[Mark, str], *, start: bool, inside: frozenset[Mark] = frozenset()
) -> str:
    """Render phrases with their marks, the one that extends furthest on the outside."""
    text = ""
    for mark, first, last in spans(phrases, [mark for mark in delimiters if mark not in inside]):
        if mark is None:
            text += _leaf(phrases[first], leaf, start=start and (not text or text.endswith("\n")))
        else:
            inner = _marked(phrases[first:last], leaf, delimiters, start=False, inside=inside | {mark})
            text += delimiters[mark] + inner + delimiters[mark]
    return text


def _leaf(phrase: Phrase, leaf: Leaf, *, start: bool) -> str:
    if "code" not in phrase.marks:
        return leaf(phrase.text, start)
    fence = "`" * (max((len(found) for found in re.findall("`+", phrase.text)), default=0) + 1)
    edges = phrase.text[0] + phrase.text[-1]
    pad = " " if "`" in edges or edges == "  " else ""
    return fence + pad + phrase.text + pad + fence


def _destination(link: str) -> str:
    escaped = re.sub(r"&(?=#?\w+;)", "&amp;", link)
    return escaped if re.fullmatch(r"[^\s<>()\\]+", escaped) else "<" + re.sub(r"([\\<>])", r"\\\1", escaped) + ">"


def _few(text: str, start: bool) -> str:
    """Escape whatever starts a construct."""
    return _begun(_FEW.sub(r"\\\1", text)) if start else _FEW.sub(r"\\\1", text)


def _all(text: str, start: bool) -> str:
    """Escape everything that may have a meaning."""
    escaped = _SPECIAL.sub(r"\\\1", text)
    return _NUMBER.sub(r"\1\\\2", escaped) if start else escaped


def _begun(text: str) -> str:
    return _NUMBER.sub(r"\1\\\2", _BEGIN.sub(r"\\\1", text))


def _edged(text: str, _start: bool) -> str:
    """Write the first and last character as numeric entities, so that adjacent delimiters are recognised."""
    if len(text) < 2 or text.isspace():  # noqa: PLR2004 - a first and a last character
        return "".join(_numbered(one) for one in text)
    return _numbered(text[0]) + _all(text[1:-1], start=False) + _numbered(text[-1])


def _numbered(character: str) -> str:
    return character if character.isspace() else f"&#{ord(character)};"


_WAYS: Final[tuple[tuple[Leaf, Mapping[Mark, str]], ...]] = (
    (lambda text, _: text, _DELIMITERS),
    (_few, _DELIMITERS),
    (_all, _DELIMITERS),
    (_edged, _DELIMITERS | {"em": "_"}),
)
