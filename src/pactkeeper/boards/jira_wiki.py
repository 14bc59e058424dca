r"""Convert Markdown to the wiki markup of a self-hosted Jira (Server, Data Center) and back.

Text that would be markup, a macro, a mention, a link or a smiley is escaped: with a backslash where Jira's renderer
accepts one, else as a numeric entity, since its second pass reads `\{\{x\}\}` as code and `\\` can't be escaped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain, groupby
from typing import Final

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
    joined,
    lines_of,
    spans,
)
from pactkeeper.boards.jira_markdown import parsed, rendered
from pactkeeper.boards.jira_wiki_reading import blocks_of

_DELIMITERS: Final[Mapping[Mark, str]] = {"strong": "*", "em": "_", "strike": "-"}
_LANGUAGE: Final = re.compile(r"[A-Za-z0-9+#_-]{1,30}")
_LINKED: Final = re.compile(r"(?:https?|ftp)://[^\s]+|mailto:[^\s]+")
_NUMBERED: Final = re.compile(r"[\\{}]|(?<=:)[DP]|(?<=:-)[DP]")
_ALWAYS: Final = re.compile(r"[\[\]|^~]|!(?=\S)|\?(?=\?)|(?<=\?)\?|(?:(?<=[:;])|(?<=[:;]-))[()]")
_SMILEY: Final = re.compile(r"\((?=(?:[ynix/!+?-]|\*[rgby]?|on|off|flag|flagoff)\))")
_DELIMITER: Final = re.compile(r"(?<![^\W_])[*_+-]")  # after a letter or digit it starts nothing
_ISSUE: Final = re.compile(r"(?<=[A-Z0-9_])-(?=\d)")  # SHOP-12 would be a link
_ENTITY: Final = re.compile(r"&(?=#?\w+;)")
_BEGINS: Final = re.compile(r"(h[1-6]|bq)\.")


def written(markdown: str) -> str:
    """Convert Markdown to wiki markup."""
    return _written(parsed(markdown))


def shown(text: object) -> str:
    """Convert wiki markup to Markdown; empty for None. Raise TypeError if it isn't a string."""
    return rendered(_blocks(text, set()))


def wordless(text: object) -> tuple[str, ...]:
    """Macros, images, mentions and effects in a text that Markdown can't express; empty if it can express all."""
    found: set[str] = set()
    blocks = _blocks(text, found)
    if not found and parsed(rendered(blocks)) != blocks:
        found.add("formatting")
    return tuple(sorted(found))


def _blocks(text: object, noted: set[str]) -> Blocks:
    if text is not None and not isinstance(text, str):
        raise TypeError(f"a text in wiki markup is no {type(text).__name__}")
    return blocks_of(text or "", noted)


def _written(blocks: Blocks) -> str:
    return "\n\n".join(_block(block) for block in blocks)


def _block(block: Block) -> str:
    match block:
        case Paragraph(phrases):
            return _lines(phrases)
        case Heading(level, phrases):
            return f"h{level}. {_lines(phrases)}"
        case Code(text, language):
            return _code(text, language)
        case Quote(blocks):
            return f"{{quote}}\n{_written(blocks)}\n{{quote}}"
        case Items():
            return "\n".join(_items(block, ""))
        case Divider():
            return "----"


def _code(text: str, language: str) -> str:
    """Preformatted lines; as plain text if they contain both macros' end markers."""
    if "{code" not in text and (_LANGUAGE.fullmatch(language) or "{noformat" in text):
        return f"{{code{':' + language if _LANGUAGE.fullmatch(language) else ''}}}\n{text}\n{{code}}"
    if "{noformat" not in text:
        return f"{{noformat}}\n{text}\n{{noformat}}"
    return "\n".join(_line((Phrase(line),)) for line in text.split("\n") if line.strip())


def _items(block: Items, above: str) -> Iterator[str]:
    """The lines of a list; each repeats the markers of all enclosing lists."""
    marker = above + ("#" if block.ordered else "*")
    for item in block.items:
        first = item[0] if item and isinstance(item[0], Paragraph) else None
        yield f"{marker} {_lines(first.phrases) if first else ''}"
        for inner in item if first is None else item[1:]:
            if isinstance(inner, Items):
                yield from _items(inner, marker)
            else:
                yield _block(inner)


def _lines(phrases: Phrases) -> str:
    return "\n".join(_line(line) for line in lines_of(phrases))


def _line(phrases: Phrases) -> str:
    """Render one line, link by link and span by span."""
    parts = [tuple(group) for _, group in groupby(phrases, key=lambda phrase: phrase.link)]
    found = ""
    for at, part in enumerate(parts):
        link = part[0].link
        before, after = parts[at - 1][-1] if at else BREAK, parts[at + 1][0] if at + 1 < len(parts) else BREAK
        if not link:
            found += _marked(part, before, after)
        elif _LINKED.fullmatch(link):
            found += f"[{_marked(part, BREAK, BREAK, inside=frozenset({'link'}))}|{_target(link)}]"
        else:  # without an address it would be read as a mention, a file or a place
            words = (Phrase("["), *(replace(phrase, link="") for phrase in part), Phrase(f"]({link})"))
            found += _marked(joined(words), before, after)
    return found


def _target(link: str) -> str:
    return re.sub(r"[\[\]|{}\\^]", lambda match: f"%{ord(match[0]):02X}", link)


def _marked(phrases: Phrases, before: Phrase, after: Phrase, *, inside: frozenset[str] = frozenset()) -> str:
    """Render phrases with their marks, the one that extends furthest on the outside."""
    text = ""
    for mark, first, last in spans(phrases, [mark for mark in _DELIMITERS if mark not in inside]):
        if mark is None:
            ahead, behind = phrases[first - 1] if first else before, phrases[last] if last < len(phrases) else after
            text += _leaf(phrases[first], ahead, behind, strict=bool(inside))
        else:
            inner = _marked(phrases[first:last], BREAK, BREAK, inside=inside | {mark})
            text += _DELIMITERS[mark] + inner + _DELIMITERS[mark]
    return text


def _leaf(phrase: Phrase, before: Phrase, after: Phrase, *, strict: bool) -> str:
    if "code" in phrase.marks:
        return "{{" + _escaped(phrase.text, strict=True, edges=True) + "}}"
    starts, ends = before != BREAK, after != BREAK
    text = phrase.text
    first = _number(text[0]) if starts and text[0].isalnum() else ""
    last = _number(text[-1]) if ends and text[-1].isalnum() and len(text) > len(first[:1]) else ""
    core = text[len(first[:1]) : len(text) - len(last[:1])]
    return first + _words(core, strict=strict or starts or ends, start=not starts) + last


def _words(text: str, *, strict: bool, start: bool) -> str:
    """Escape text but leave bare addresses alone, so that they become links."""
    found, at = "", 0
    for first, last in addresses(text) if not strict else ():
        found += _escaped(text[at:first], strict=strict, start=start and not at) + text[first:last]
        at = last
    return found + _escaped(text[at:], strict=strict, start=start and not at)


def _escaped(text: str, *, strict: bool, start: bool = False, edges: bool = False) -> str:
    """Escape text so that Jira renders it literally; `strict` also escapes what can only end a construct."""
    at: dict[int, str] = {match.start(): "\\" + match[0] for match in _DELIMITER.finditer(text)}
    at |= {match.start(): "\\-" for match in _ISSUE.finditer(text)}
    at |= {match.start(): "\\" + match[0] for match in chain(_ALWAYS.finditer(text), _SMILEY.finditer(text))}
    at |= {match.start(): _number(match[0]) for match in _NUMBERED.finditer(text)}
    at |= {match.start(): "&amp;" for match in _ENTITY.finditer(text)}
    if strict:
        at |= {place: "\\" + one for place, one in enumerate(text) if one in "*_+-!?()"}
        at |= {match.end() - 1: _number("/") for match in re.finditer("://", text)}
    if start:
        at |= {0: "\\#"} if text.startswith("#") else {}
        at |= {match.end() - 1: _number(".") for match in [_BEGINS.match(text)] if match}
    if edges:
        at |= {place: _number(text[place]) for place in (0, len(text) - 1) if text[place].isspace()}
    return "".join(at.get(place, one) for place, one in enumerate(text))


def _number(character: str) -> str:
    return f"&#{ord(character)};"
