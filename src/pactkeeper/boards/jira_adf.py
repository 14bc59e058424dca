"""Convert Markdown to Jira Cloud's Atlassian Document Format (version 1) and back.

A node that Markdown can't express is shown by its text and reported by `wordless`, since writing would lose it. Text is
inert there, so people's words never become a mention or a link; only a bare address is made a link.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final

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
    addresses,
    nested,
    one_line,
)
from pactkeeper.boards.jira_markdown import address, parsed, rendered

Node = dict[str, Any]

_MARKS: Final[Mapping[str, Mark]] = {"strong": "strong", "em": "em", "strike": "strike", "code": "code"}
_ORDER: Final[tuple[Mark, ...]] = ("strong", "em", "strike", "code")
# Nodes that survive a round trip, with the attributes that don't matter or are kept.
_KNOWN: Final[Mapping[str, frozenset[str]]] = {
    "doc": frozenset(),
    "paragraph": frozenset(),
    "text": frozenset(),
    "hardBreak": frozenset({"text"}),
    "heading": frozenset({"level"}),
    "bulletList": frozenset(),
    "orderedList": frozenset({"order"}),
    "listItem": frozenset(),
    "blockquote": frozenset(),
    "codeBlock": frozenset({"language"}),
    "rule": frozenset(),
}
_NO_WORDS: Final = frozenset({"localId", "uniqueId"})  # attributes that Jira adds by itself
_DEEPEST: Final = 60
_LINES: Final = frozenset({"tableRow", "decisionItem", "mediaSingle", "mediaGroup", "caption"})
_SPOKEN: Final = ("text", "shortName", "url", "title", "alt")


def written(markdown: str) -> Node:
    """Convert Markdown to a document."""
    return {"version": 1, "type": "doc", "content": [_node(block) for block in parsed(markdown)]}


def shown(document: object) -> str:
    """Convert a document to Markdown; empty for None."""
    return rendered(blocks_of(document))


def wordless(document: object) -> tuple[str, ...]:
    """Kinds of nodes, marks and attributes in a document that Markdown can't express; empty if it can express all."""
    nodes = list(_all(document)) if isinstance(document, Mapping) else []
    found = {name for _, node in nodes for name in _wordless(node)}
    found |= {"nesting"} if any(depth > _DEEPEST for depth, _ in nodes) else set()
    if not found and parsed(shown(document)) != blocks_of(document):
        found.add("formatting")
    return tuple(sorted(found))


def blocks_of(document: object) -> Blocks:
    """The blocks of a document in normal form; one nested too deeply becomes a paragraph of its text.

    Raise TypeError if it isn't a document.
    """
    if document is None:
        return ()
    if not isinstance(document, Mapping):
        raise TypeError(f"a document is no {type(document).__name__}")
    nodes = list(_all(document))
    if max(depth for depth, _ in nodes) > _DEEPEST:
        return nested([Paragraph(tuple(phrase for _, node in nodes if _is_inline(node) for phrase in _phrases(node)))])
    return nested(_blocks(_content(document)))


def _all(document: Mapping[str, Any]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Every node with its depth, in document order."""
    waiting: list[tuple[int, Mapping[str, Any]]] = [(0, document)]
    while waiting:
        depth, node = waiting.pop()
        yield depth, node
        waiting += [(depth + 1, inner) for inner in reversed(_content(node))]


def _node(block: Block) -> Node:
    match block:
        case Paragraph(phrases):
            return _holding("paragraph", _inline(phrases))
        case Heading(level, phrases):
            return _holding("heading", _inline(phrases)) | {"attrs": {"level": level}}
        case Code(text, language):
            node = _holding("codeBlock", [{"type": "text", "text": text}] if text else [])
            return node | ({"attrs": {"language": language}} if language else {})
        case Quote(blocks):
            return _holding("blockquote", [_node(one) for one in blocks])
        case Items(ordered, items, first):
            node = _holding("orderedList" if ordered else "bulletList", [_item(one) for one in items])
            return node | ({"attrs": {"order": first}} if ordered else {})
        case Divider():
            return {"type": "rule"}


def _holding(kind: str, content: Sequence[Node]) -> Node:
    return {"type": kind, "content": list(content)} if content else {"type": kind}


def _item(blocks: Blocks) -> Node:
    """A list item; it has to start with a paragraph or code."""
    begins = bool(blocks) and isinstance(blocks[0], Paragraph | Code)
    return _holding("listItem", [*([] if begins else [{"type": "paragraph"}]), *(_node(one) for one in blocks)])


def _inline(phrases: Phrases) -> list[Node]:
    return [_text(piece) for phrase in phrases for piece in _linked(phrase) if piece.text]


def _linked(phrase: Phrase) -> Iterator[Phrase]:
    """Split a phrase so that bare addresses become links."""
    at = 0
    for start, end in addresses(phrase.text) if not phrase.link and "code" not in phrase.marks else ():
        found = phrase.text[start:end]
        if address(found) == found:
            yield from (replace(phrase, text=phrase.text[at:start]), replace(phrase, text=found, link=found))
            at = end
    yield replace(phrase, text=phrase.text[at:])


def _text(phrase: Phrase) -> Node:
    if phrase == BREAK:
        return {"type": "hardBreak"}
    marks: list[Node] = [{"type": mark} for mark in _ORDER if mark in phrase.marks]
    if phrase.link:
        marks.append({"type": "link", "attrs": {"href": phrase.link}})
    return {"type": "text", "text": phrase.text} | ({"marks": marks} if marks else {})


def _content(node: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    found = node.get("content")
    return [one for one in found if isinstance(one, Mapping)] if isinstance(found, list) else []


def _attributes(node: Mapping[str, Any]) -> Mapping[str, Any]:
    found = node.get("attrs")
    return found if isinstance(found, Mapping) else {}


def _blocks(nodes: Iterable[Mapping[str, Any]]) -> Iterator[Block]:
    """The blocks of nodes; inline nodes between blocks become a paragraph."""
    words: list[Phrase] = []
    for node in nodes:
        if _is_inline(node):
            words += _phrases(node)
            continue
        yield Paragraph(tuple(words))
        words = []
        yield from _block(node)
    yield Paragraph(tuple(words))


def _is_inline(node: Mapping[str, Any]) -> bool:
    """Whether a node is inline; unknown nodes count as blocks if they contain something."""
    kind = node.get("type")
    if kind in {"text", "hardBreak"}:
        return True
    return kind not in _KNOWN and not node.get("content") and kind != "taskItem" and kind not in _LINES


def _block(node: Mapping[str, Any]) -> Iterator[Block]:
    attributes, content = _attributes(node), _content(node)
    match node.get("type"):
        case "paragraph":
            yield Paragraph(_words(content))
        case "heading":
            yield Heading(_whole(attributes.get("level"), 1, 6), _words(content))
        case "bulletList" | "orderedList" | "decisionList" as kind:
            items = tuple(tuple(_blocks(_content(one) or [one])) for one in content)
            yield Items(kind == "orderedList", items, _whole(attributes.get("order"), 0, 1_000_000, usual=1))
        case "taskList":
            yield Items(ordered=False, items=tuple(_task(one) for one in content))
        case "blockquote":
            yield Quote(tuple(_blocks(content)))
        case "codeBlock":
            yield Code("".join(str(one.get("text", "")) for one in content), str(attributes.get("language") or ""))
        case "rule":
            yield Divider()
        case "tableRow":
            yield Paragraph(_row(content))
        case _:
            title = attributes.get("title")
            yield from (Paragraph((Phrase(title, frozenset({"strong"})),)),) if isinstance(title, str) else ()
            yield from _blocks(content)


def _task(node: Mapping[str, Any]) -> Blocks:
    """A task list item; a nested list is attached to the previous item, which looks the same in Markdown."""
    if node.get("type") != "taskItem":
        return tuple(_block(node))
    box = "[x] " if _attributes(node).get("state") == "DONE" else "[ ] "
    return (Paragraph((Phrase(box), *_words(_content(node)))),)


def _row(cells: Sequence[Mapping[str, Any]]) -> Phrases:
    """A table row as text with bars between its cells."""
    found: list[Phrase] = []
    for number, cell in enumerate(cells):
        if number:
            found.append(Phrase(" | "))
        found += one_line(tuple(_all_words(cell)))
    return tuple(found)


def _all_words(node: Mapping[str, Any]) -> Iterator[Phrase]:
    """All text in a node, with a space after each nested block."""
    for inner in _content(node):
        if _is_inline(inner):
            yield from _phrases(inner)
        else:
            yield from _all_words(inner)
            yield Phrase(" ")


def _words(nodes: Iterable[Mapping[str, Any]]) -> Phrases:
    return tuple(phrase for node in nodes for phrase in (_phrases(node) if _is_inline(node) else _all_words(node)))


def _phrases(node: Mapping[str, Any]) -> Iterator[Phrase]:
    if node.get("type") == "hardBreak":
        yield BREAK
        return
    marks = [one for one in node.get("marks") or () if isinstance(one, Mapping)]
    link = next((str(_attributes(one).get("href") or "") for one in marks if one.get("type") == "link"), "")
    names = [str(one.get("type")) for one in marks]
    kept = frozenset(_MARKS[name] for name in names if name in _MARKS)
    text = str(node.get("text") or "") if node.get("type") == "text" else _spoken(node)
    yield Phrase(text, kept, address(link) if link else "")


def _spoken(node: Mapping[str, Any]) -> str:
    """The text of a node that Markdown can't express, else its kind."""
    attributes = _attributes(node)
    if node.get("type") == "date" and str(attributes.get("timestamp")).isdigit():
        return datetime.fromtimestamp(int(attributes["timestamp"]) / 1000, UTC).date().isoformat()
    said = next((str(attributes[name]) for name in _SPOKEN if attributes.get(name)), "")
    return said or f"({node.get('type')})"


def _wordless(node: Mapping[str, Any]) -> Iterator[str]:
    """What Markdown can't express in one node, without its children."""
    kind = str(node.get("type"))
    attributes = _attributes(node).keys() - _NO_WORDS
    if kind not in _KNOWN:
        yield kind
    else:
        yield from (f"{kind}.{name}" for name in attributes - _KNOWN[kind])
    for mark in node.get("marks") or ():
        if mark.get("type") not in _MARKS and (mark.get("type") != "link" or _attributes(mark).keys() != {"href"}):
            yield str(mark.get("type"))


def _whole(value: object, least: int, most: int, *, usual: int = 1) -> int:
    return value if isinstance(value, int) and least <= value <= most else usual
