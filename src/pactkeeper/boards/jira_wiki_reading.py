"""Parse Jira's wiki markup into blocks, as its renderer does, as far as Markdown can express them.

Anything else stays as it is written, and its name is noted. Preformatted macros are taken out before anything else is
read, as the renderer does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import unescape
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
    cleaned,
    nested,
)
from pactkeeper.boards.jira_markdown import address

_KEPT: Final = re.compile(
    r"(?<!\\)\{(code|noformat|quote)(?::([^{}\n]{0,200}))?\}(.{0,20000}?)(?<!\\)\{\1\}", re.DOTALL
)
_PLACE: Final = re.compile("\ue000(\\d+)\ue001")
_HEADING: Final = re.compile(r"h([1-6])\.\s++(.*)")
_QUOTED: Final = re.compile(r"bq\.\s++(.*)")
_RULE: Final = re.compile(r"-{4,5}\s*+")
_ITEM: Final = re.compile(r"\s*(?!-{2,3})([*#-]{1,20})(?:\s+(.*)|(?<!-)$)")
_TABLE: Final = re.compile(r"\s*\|")
_ESCAPE: Final = r"\\([-#*_+?^~|%{}\[\]()!@])"
_ENTITY: Final = r"&(?:#\d+|#x[0-9a-fA-F]+|[A-Za-z][A-Za-z0-9]*);"
_TOKEN: Final = re.compile(
    rf"(?P<newline>\\\\)|{_ESCAPE}|(?P<entity>{_ENTITY})|\{{\{{(?P<code>[^{{}}]+?)\}}\}}"
    r"|\[(?:(?P<words>(?:\\.|[^\]|\\\[])+)\|)?(?P<target>[^\]|\[\n]+)(?P<more>\|[^\]\n]*)?\]"
    r"|(?<![\w!])!(?P<picture>[^\s!][^!\n]*)!(?!\w)"
    r"|\{(?P<braced>[*_+^~-]|\?\?)\}|\{(?P<macro>[A-Za-z][A-Za-z-]*)[^{}\n]*\}|(?P<delimiter>\?\?|[*_+^~-])"
)
_LITERAL: Final = re.compile(rf"{_ESCAPE}|({_ENTITY})")
_MARKS: Final[dict[str, Mark]] = {"*": "strong", "_": "em", "-": "strike"}
_SCHEME: Final = re.compile(r"(?:https?|ftp)://|mailto:")


def blocks_of(text: str, noted: set[str]) -> Blocks:
    """The blocks of a text in normal form; the names of things Markdown can't express are added to `noted`."""
    reading = _WikiReading(noted)
    return nested(reading.blocks(re.sub("[\ue000\ue001]", "", cleaned(text))))


@dataclass(slots=True)
class _Entry:
    """One list item as written: its markers, and its content."""

    markers: str
    blocks: list[Block]


@dataclass(slots=True)
class _Delimiter:
    """A possible start or end of an effect: its position among the phrases, and which of the two it can be."""

    sign: str
    raw: str
    place: int
    opens: bool
    closes: bool


@dataclass(slots=True)
class _WikiReading:
    noted: set[str]
    kept: list[Block] = field(default_factory=list)

    def blocks(self, text: str) -> Iterator[Block]:
        """Parse blocks line by line."""
        lines = [*self._taken_out(text).split("\n"), ""]
        words: list[str] = []
        entries: list[_Entry] = []
        for line in lines:
            item = _ITEM.fullmatch(line)
            if entries and line.strip() and not item and not self._is_alone(line):
                self._continue(entries[-1], line)
                continue
            if words and (item or not line.strip() or self._is_alone(line)):
                yield from self._paragraph(words)
                words = []
            if item:
                entries.append(_Entry(item[1], list(self._paragraph([item[2] or ""]))))
                continue
            yield from _lists(entries, 0)
            entries = []
            if self._is_alone(line):
                yield from self._single(line)
            elif line.strip():
                words.append(line)

    def _taken_out(self, text: str) -> str:
        def place(match: re.Match[str]) -> str:
            self.kept.append(self._kept(match[1], match[2] or "", match[3]))
            return f"\ue000{len(self.kept) - 1}\ue001"

        return _KEPT.sub(place, text)

    def _kept(self, macro: str, given: str, text: str) -> Block:
        if macro == "quote":
            return Quote(tuple(_WikiReading(self.noted).blocks(text)))
        language = "" if "=" in given or "|" in given else given
        if given != language:
            self.noted.add(f"{{{macro}:{given}}}")
        return Code(text.removeprefix("\n").removesuffix("\n"), language)

    def _is_alone(self, line: str) -> bool:
        """Whether a line is a block of its own."""
        return any(pattern.fullmatch(line.lstrip()) for pattern in (_HEADING, _QUOTED, _RULE)) or bool(
            _TABLE.match(line)
        )

    def _single(self, line: str) -> Iterator[Block]:
        line = line.lstrip()
        if found := _HEADING.fullmatch(line):
            yield Heading(int(found[1]), self._phrases(found[2]))
        elif found := _QUOTED.fullmatch(line):
            yield Quote((Paragraph(self._phrases(found[1])),))
        elif _RULE.fullmatch(line):
            yield Divider()
        else:
            self.noted.add("table")
            cells = line.strip().strip("|").replace("||", "|").split("|")
            yield Paragraph(self._phrases(" | ".join(cell.strip() for cell in cells)))

    def _paragraph(self, lines: Sequence[str]) -> Iterator[Block]:
        """Paragraphs from lines, with the macros that were taken out back in place."""
        pieces = _PLACE.split("\n".join(lines))
        for number, piece in enumerate(pieces):
            if number % 2:
                yield self.kept[int(piece)]
            elif piece.strip():
                yield Paragraph(self._phrases(piece))

    def _continue(self, entry: _Entry, line: str) -> None:
        """Add a continuation line to an item."""
        for block in self._paragraph([line]):
            last = entry.blocks[-1] if entry.blocks else None
            if isinstance(block, Paragraph) and isinstance(last, Paragraph):
                entry.blocks[-1] = Paragraph((*last.phrases, BREAK, *block.phrases))
            else:
                entry.blocks.append(block)

    def _phrases(self, text: str) -> Phrases:
        found: list[Phrase] = []
        for number, line in enumerate(text.split("\n")):
            found += [BREAK] if number else []
            found += self._line(line)
        return tuple(found)

    def _line(self, line: str) -> list[Phrase]:
        """The phrases of one line; effects don't extend beyond it."""
        phrases: list[Phrase] = []
        delimiters: list[_Delimiter] = []
        at = 0
        spans = [*addresses(line), (len(line), len(line))]
        while at < len(line):
            first, last = next(span for span in spans if span[1] > at or span[0] == len(line))
            match = _TOKEN.search(line, at)
            if match is None or match.start() >= first:
                end = last if first <= at else first
                phrases.append(Phrase(line[at:end]))
                at = max(end, at + 1)
                continue
            phrases.append(Phrase(line[at : match.start()]))
            self._token(match, phrases, delimiters)
            at = match.end()
        return self._marked(phrases, delimiters)

    def _token(self, match: re.Match[str], phrases: list[Phrase], delimiters: list[_Delimiter]) -> None:
        raw = match[0]
        if sign := match["delimiter"] or match["braced"]:
            opens, closes = _edges(match)
            braced = bool(match["braced"])
            delimiters.append(_Delimiter(sign, raw, len(phrases), opens=opens or braced, closes=closes or braced))
            phrases.append(Phrase(raw))
        elif match["newline"]:
            phrases.append(BREAK)
        elif match["entity"]:
            phrases.append(Phrase(unescape(raw)))
        elif match["code"]:
            phrases.append(Phrase(_literal(match["code"]), frozenset({"code"})))
        elif match["target"]:
            phrases += self._link(match)
        elif name := match["macro"] or match["picture"]:
            self.noted.add(raw if match["macro"] else f"picture {name}")
            phrases.append(Phrase(raw))
        else:
            phrases.append(Phrase(raw[1:]))

    def _link(self, match: re.Match[str]) -> list[Phrase]:
        """A link to an address; links to a mention, a file or a place are noted."""
        target = address(match["target"].strip()) if _SCHEME.match(match["target"].strip()) else ""
        if not target or match["more"]:
            if re.match(r"[~^#]|.*\|", match["target"]) or match["words"]:
                self.noted.add(match[0])
            return [Phrase(match[0])]
        words = self._line(match["words"]) if match["words"] else [Phrase(match["target"].strip())]
        return [Phrase(phrase.text, phrase.marks, target) for phrase in words]

    def _marked(self, phrases: list[Phrase], delimiters: list[_Delimiter]) -> list[Phrase]:
        """Apply the marks of effects to phrases; unpaired delimiters are plain text."""
        marks: list[set[Mark]] = [set() for _ in phrases]
        open_ones: list[_Delimiter] = []
        gone: set[int] = set()
        for one in delimiters:
            begun = (
                next((found for found in reversed(open_ones) if found.sign == one.sign), None) if one.closes else None
            )
            if begun is None or not "".join(phrase.text for phrase in phrases[begun.place + 1 : one.place]):
                open_ones += [one] if one.opens else []
                continue
            open_ones = open_ones[: open_ones.index(begun)]
            if one.sign not in _MARKS:
                self.noted.add(f"{begun.raw}…{one.raw}")
                continue
            gone |= {begun.place, one.place}
            for place in range(begun.place + 1, one.place):
                marks[place].add(_MARKS[one.sign])
        return [
            phrase if phrase == BREAK else Phrase(phrase.text, phrase.marks | marks[at], phrase.link)
            for at, phrase in enumerate(phrases)
            if at not in gone
        ]


def _edges(match: re.Match[str]) -> tuple[bool, bool]:
    """Whether a delimiter can start and end an effect at its position."""
    line, start, end = match.string, match.start(), match.end()
    before, after = line[start - 1 : start], line[end : end + 1]
    opens = not before.isalnum() and bool(after) and not after.isspace()
    return opens, bool(before) and not before.isspace() and not after.isalnum()


def _literal(text: str) -> str:
    return _LITERAL.sub(lambda match: match[1] or unescape(match[0]), text)


def _lists(entries: Sequence[_Entry], depth: int) -> Iterator[Block]:
    """Build lists from items, one for each run of the same marker at a depth."""
    at = 0
    while at < len(entries):
        sign = entries[at].markers[depth] == "#"
        end = at
        while end < len(entries) and (entries[end].markers[depth] == "#") == sign:
            end += 1
        yield Items(sign, tuple(_items(entries[at:end], depth)))
        at = end


def _items(entries: Sequence[_Entry], depth: int) -> Iterator[Blocks]:
    at = 0
    while at < len(entries):
        own = entries[at] if len(entries[at].markers) == depth + 1 else None
        start = at if own is None else at + 1
        end = start
        while end < len(entries) and len(entries[end].markers) > depth + 1:
            end += 1
        yield (*(own.blocks if own else ()), *_lists(entries[start:end], depth + 1))
        at = end
