"""The model shared by both Jira text formats: blocks with phrases, in one normal form.

Nesting follows Jira: a heading in a list or quote becomes a paragraph, and a quote there is replaced by its content. A
bare address is a link by itself everywhere, so it is plain text here.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby, takewhile
from typing import Final, Literal

Mark = Literal["strong", "em", "strike", "code"]
_ADDRESS: Final = re.compile(r"(?<![^\s(])https?://[!#-&+-;=?-Z_a-z~()]*[#-&+\-/-9=@-Za-z]")
_MOST_NUMBERS: Final = 1_000_000
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff]|[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Phrase:
    """Text in one format; a line break is a phrase of its own, without format."""

    text: str
    marks: frozenset[Mark] = frozenset()
    link: str = ""


BREAK: Final = Phrase("\n")
_CODE: Final[frozenset[Mark]] = frozenset({"code"})
Phrases = tuple[Phrase, ...]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Running text."""

    phrases: Phrases


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of level 1 to 6, on one line."""

    level: int
    phrases: Phrases


@dataclass(frozen=True, slots=True)
class Code:
    """Preformatted lines."""

    text: str
    language: str = ""


@dataclass(frozen=True, slots=True)
class Quote:
    """A block quote."""

    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Items:
    """A list; `first` is the start number of an ordered one."""

    ordered: bool
    items: tuple[tuple[Block, ...], ...]
    first: int = 1


@dataclass(frozen=True, slots=True)
class Divider:
    """A horizontal rule."""


Block = Paragraph | Heading | Code | Quote | Items | Divider
Blocks = tuple[Block, ...]


def cleaned(text: str) -> str:
    """The text with newlines normalized and without characters that no format can hold."""
    return _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def nested(blocks: Iterable[Block]) -> Blocks:
    """The blocks in normal form: without empty blocks, and nested only as Jira allows."""
    return tuple(found for one in blocks if (found := _contained(one)) is not None)


def addresses(text: str) -> Iterator[tuple[int, int]]:
    """The spans of bare addresses in a text."""
    return (match.span() for match in _ADDRESS.finditer(text))


def lines_of(phrases: Phrases) -> list[Phrases]:
    """The phrases of each line."""
    found: list[Phrases] = [()]
    for phrase in phrases:
        if phrase == BREAK:
            found.append(())
        else:
            found[-1] += (phrase,)
    return found


def spans(phrases: Phrases, marks: Collection[Mark]) -> Iterator[tuple[Mark | None, int, int]]:
    """Spans of phrases with start and end: the mark that extends furthest from each start, or None."""
    at = 0
    while at < len(phrases):
        reach = {mark: _reach(phrases, at, mark) for mark in marks}
        mark = max(reach, key=lambda one: reach[one], default=None)
        end = at + (reach[mark] if mark else 0)
        yield (mark, at, end) if end > at else (None, at, at + 1)
        at = max(end, at + 1)


def _reach(phrases: Phrases, at: int, mark: Mark) -> int:
    """How many phrases from `at` on have a mark."""
    return sum(1 for _ in takewhile(lambda phrase: mark in phrase.marks, phrases[at:]))


def one_line(phrases: Phrases) -> Phrases:
    """The phrases with spaces instead of line breaks."""
    return joined(Phrase(" ") if phrase == BREAK else phrase for phrase in joined(phrases))


def joined(phrases: Iterable[Phrase]) -> Phrases:
    """The phrases in normal form: equal formats merged, no format on edge spaces, lines stripped."""
    pieces = tuple(piece for phrase in phrases for piece in _pieces(phrase))
    kept = [found for line in lines_of(pieces) if (found := _settled(_merged(line)))]
    return tuple(phrase for number, line in enumerate(kept) for phrase in ((BREAK, *line) if number else line))


def _settled(line: Phrases) -> Phrases:
    """Normalize a line until nothing changes any more."""
    found = _merged(_trimmed(_merged(_edged(_merged(_plain(line))))))
    return line if found == line else _settled(found)


def _pieces(phrase: Phrase) -> Iterator[Phrase]:
    """Split a phrase into lines; code has no other format."""
    marks: frozenset[Mark] = _CODE if "code" in phrase.marks else phrase.marks
    for number, text in enumerate(cleaned(phrase.text).split("\n")):
        if number:
            yield BREAK
        if text:
            yield Phrase(text, marks, phrase.link)


def _merged(phrases: Iterable[Phrase]) -> Phrases:
    found = []
    for (marks, link), group in groupby(phrases, key=lambda phrase: (phrase.marks, phrase.link)):
        text = "".join(one.text for one in group)
        found.append(Phrase(text, marks, link))
    return tuple(found)


def _edged(phrases: Phrases) -> Iterator[Phrase]:
    """Remove formats from spaces at a phrase's edges, except a link on both sides; spaces alone are never code."""
    for at, phrase in enumerate(phrases):
        core = phrase.text.strip()
        if core and "code" in phrase.marks:
            yield phrase
            continue
        before, after = phrases[at - 1] if at else BREAK, phrases[at + 1] if at + 1 < len(phrases) else BREAK
        start = phrase.text.index(core) if core else len(phrase.text)
        yield Phrase(
            phrase.text[:start],
            link=phrase.link if phrase.link in {before.link, after.link if not core else ""} else "",
        )
        yield replace(phrase, text=core)
        yield Phrase(phrase.text[start + len(core) :], link=phrase.link if phrase.link == after.link else "")


def _trimmed(phrases: Phrases) -> Phrases:
    """The phrases of a line, stripped."""
    kept = [phrase for phrase in phrases if phrase.text]
    if kept and "code" not in kept[0].marks:
        kept[0] = replace(kept[0], text=kept[0].text.lstrip())
    if kept and "code" not in kept[-1].marks:
        kept[-1] = replace(kept[-1], text=kept[-1].text.rstrip())
    return tuple(phrase for phrase in kept if phrase.text)


def _plain(phrases: Phrases) -> Iterator[Phrase]:
    """Turn a link that shows its own address into plain text where that would be a link anyway."""
    for at, phrase in enumerate(phrases):
        if not phrase.link or phrase.link != phrase.text or "code" in phrase.marks:
            yield phrase
            continue
        before, after = phrases[at - 1] if at else BREAK, phrases[at + 1] if at + 1 < len(phrases) else BREAK
        plain = replace(phrase, link="")
        start = before.text if before == replace(plain, text=before.text) else ""
        end = after.text if after == replace(plain, text=after.text) else ""
        alone = (len(start), len(start) + len(phrase.text)) in addresses(start + phrase.text + end)
        runs_on = any(one.link and one.marks == phrase.marks for one in (before, after))
        yield plain if alone and not runs_on else phrase


def _contained(block: Block) -> Block | None:
    match block:
        case Paragraph(phrases):
            found = joined(phrases)
            return Paragraph(found) if found else None
        case Heading(level, phrases):
            return Heading(level, one_line(phrases))
        case Quote(blocks):
            inner = nested(_flat(blocks))
            return Quote(inner) if inner else None
        case Items():
            items = tuple(nested(_flat(item)) for item in block.items)
            first = block.first if block.ordered and 0 <= block.first <= _MOST_NUMBERS else 1
            return replace(block, items=items, first=first) if items else None
        case Code(text, language):
            return Code(cleaned(text), "".join(cleaned(language).split()).replace("`", ""))
        case Divider():
            return block


def _flat(blocks: Iterable[Block]) -> Iterator[Block]:
    """The content of a list or quote without the nesting that Jira doesn't support."""
    for block in blocks:
        if isinstance(block, Heading):
            yield Paragraph(block.phrases)
        elif isinstance(block, Quote):
            yield from _flat(block.blocks)
        elif isinstance(block, Divider):
            yield Paragraph((Phrase("---"),))
        else:
            yield block
