"""What both of Jira's forms of text have in common: blocks with phrases of words, in one normal form.

Only what Jira nests is nested: a heading inside of a list or quote is a paragraph there, a quote in it its paragraphs.
An address that stands alone is a link by itself, as everywhere; it is plain words here.
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
    """Words of one format; a line break is a phrase of its own, without any."""

    text: str
    marks: frozenset[Mark] = frozenset()
    link: str = ""


BREAK: Final = Phrase("\n")
_CODE: Final[frozenset[Mark]] = frozenset({"code"})
Phrases = tuple[Phrase, ...]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Words that stand together."""

    phrases: Phrases


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of level 1 to 6, on one line."""

    level: int
    phrases: Phrases


@dataclass(frozen=True, slots=True)
class Code:
    """Lines that are kept as they are."""

    text: str
    language: str = ""


@dataclass(frozen=True, slots=True)
class Quote:
    """What somebody else said."""

    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Items:
    """A list; `first` is the number that a numbered one begins with."""

    ordered: bool
    items: tuple[tuple[Block, ...], ...]
    first: int = 1


@dataclass(frozen=True, slots=True)
class Rule:
    """A line across."""


Block = Paragraph | Heading | Code | Quote | Items | Rule
Blocks = tuple[Block, ...]


def cleaned(text: str) -> str:
    """The text with line ends as they are here and without characters that no form can hold."""
    return _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def nested(blocks: Iterable[Block]) -> Blocks:
    """The blocks in normal form, in which nothing is empty and nothing lies where Jira does not let it lie."""
    return tuple(found for one in blocks if (found := _contained(one)) is not None)


def addresses(text: str) -> Iterator[tuple[int, int]]:
    """Where in words an address stands alone."""
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
    """Spans of phrases with their start and end: the one of these marks that reaches furthest from there, or none."""
    at = 0
    while at < len(phrases):
        reach = {mark: _reach(phrases, at, mark) for mark in marks}
        mark = max(reach, key=lambda one: reach[one], default=None)
        end = at + (reach[mark] if mark else 0)
        yield (mark, at, end) if end > at else (None, at, at + 1)
        at = max(end, at + 1)


def _reach(phrases: Phrases, at: int, mark: Mark) -> int:
    """How many phrases from there on have a mark."""
    return sum(1 for _ in takewhile(lambda phrase: mark in phrase.marks, phrases[at:]))


def one_line(phrases: Phrases) -> Phrases:
    """The phrases with blanks where lines break."""
    return joined(Phrase(" ") if phrase == BREAK else phrase for phrase in joined(phrases))


def joined(phrases: Iterable[Phrase]) -> Phrases:
    """The phrases in normal form: alike ones joined, no format on blanks at its edge, no blanks around a line."""
    pieces = tuple(piece for phrase in phrases for piece in _pieces(phrase))
    kept = [found for line in lines_of(pieces) if (found := _settled(_merged(line)))]
    return tuple(phrase for number, line in enumerate(kept) for phrase in ((BREAK, *line) if number else line))


def _settled(line: Phrases) -> Phrases:
    """A line in which nothing is left to be put in order."""
    found = _merged(_trimmed(_merged(_edged(_merged(_plain(line))))))
    return line if found == line else _settled(found)


def _pieces(phrase: Phrase) -> Iterator[Phrase]:
    """A phrase line by line; code has no other format beside it."""
    marks: frozenset[Mark] = _CODE if "code" in phrase.marks else phrase.marks
    for number, text in enumerate(cleaned(phrase.text).split("\n")):
        if number:
            yield BREAK
        if text:
            yield Phrase(text, marks, phrase.link)


def _merged(phrases: Iterable[Phrase]) -> Phrases:
    grouped = groupby(phrases, key=lambda phrase: (phrase.marks, phrase.link))
    return tuple(Phrase("".join(one.text for one in group), *format_) for format_, group in grouped)


def _edged(phrases: Phrases) -> Iterator[Phrase]:
    """The phrases, in which blanks at an edge have no format but a link that is on both sides; blanks are no code."""
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
    """The phrases of a line without blanks around them."""
    kept = [phrase for phrase in phrases if phrase.text]
    if kept and "code" not in kept[0].marks:
        kept[0] = replace(kept[0], text=kept[0].text.lstrip())
    if kept and "code" not in kept[-1].marks:
        kept[-1] = replace(kept[-1], text=kept[-1].text.rstrip())
    return tuple(phrase for phrase in kept if phrase.text)


def _plain(phrases: Phrases) -> Iterator[Phrase]:
    """The phrases, in which a link that shows its own address is plain words where those are a link by themselves."""
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
        case Rule():
            return block


def _flat(blocks: Iterable[Block]) -> Iterator[Block]:
    """What lies in a list or a quote, without what Jira does not nest there."""
    for block in blocks:
        if isinstance(block, Heading):
            yield Paragraph(block.phrases)
        elif isinstance(block, Quote):
            yield from _flat(block.blocks)
        elif isinstance(block, Rule):
            yield Paragraph((Phrase("---"),))
        else:
            yield block
