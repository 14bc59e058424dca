"""What stands elsewhere, line by line: documents with their headings, tables and keys, and everything that is known."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from pactkeeper.intent.actions import MARK, ConflictSide
from pactkeeper.intent.board import Document
from pactkeeper.intent.knowledge import KeptItem
from pactkeeper.intent.redaction import redacted
from pactkeeper.speech.amounts import amounts_in
from pactkeeper.speech.clash import UNRELATED, Compared, compare
from pactkeeper.speech.meant import is_meant
from pactkeeper.speech.spans import heading
from pactkeeper.speech.words import statement
from pactkeeper.transcripts.extraction.window import sentences

_FENCE: Final = re.compile(r"\s{0,3}(?:```|~~~)")
_ROW: Final = re.compile(r"\s*\|(.+)\|\s*$")
_RULE: Final = re.compile(r"[\s|:-]+")
_ITEM: Final = re.compile(r"\A\s*+(?:[-*+]|\d{1,3}[.)])\s++(?:\[[ xX]\]\s++)?")
_PLAIN: Final = re.compile(r"[^\d;,{}=<>\[\]]{2,60}")
_KEYED: Final = re.compile(r"\**(?P<key>[^\W\d_][^:.!?|\d{}=<>\[\]]{1,60}?)\**:\**\s+(?P<value>\S.*)$")
_FEW: Final = 2  # stems of a line that says by itself what it is about
_MOST: Final = 400  # characters of a line that is quoted


@dataclass(frozen=True, slots=True)
class Stands:
    """One thing that stands somewhere: `text` as it is read, `over` the heading above it.

    `holds` says that it is of the active context or a decision, which plans have to follow.
    """

    side: ConflictSide
    text: str
    over: str = ""
    known: bool = False
    holds: bool = False

    def against(self, sentence: str) -> Compared:
        """How a sentence stands to it: by its own words, or by them with the heading above."""
        if not is_meant(self.text):
            return UNRELATED
        alone = compare(sentence, self.text)
        if alone.verdict == "clash" and not (self.over and len(statement(self.text).topic) < _FEW):
            return alone
        return compare(sentence, f"{self.over} {self.text}") if self.over else UNRELATED


@dataclass(frozen=True, slots=True)
class StandingItems:
    """Everything that stands, that of it which plans have to follow, and the positions of what has a stem."""

    all: tuple[Stands, ...] = ()
    holding: tuple[Stands, ...] = ()
    by_stem: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    def near(self, sentence: str) -> Iterator[Stands]:
        """All that shares at least half of the stems of a sentence."""
        wanted = statement(sentence).topic
        counts = Counter(position for name in wanted for position in self.by_stem.get(name, ()))
        enough = max(1, len(wanted) // 2)
        return (self.all[position] for position, number in sorted(counts.items()) if number >= enough)


def standing(
    documents: Iterable[Document], context: Iterable[Document], known: Iterable[KeptItem], now: str
) -> StandingItems:
    """Take documents and what holds of what is known apart."""
    found = (
        *(one for document in documents for one in _of_document(document)),
        *(replace(one, holds=True) for document in context for one in _of_document(document)),
        *(_of_known(one) for one in known if one.standing(now) == "holds" and _says(one)),
    )
    positions: dict[str, list[int]] = {}
    for position, one in enumerate(found):
        for name in statement(f"{one.over} {one.text}").topic:
            positions.setdefault(name, []).append(position)
    holding = tuple(one for one in found if one.holds)
    return StandingItems(found, holding, {name: tuple(where) for name, where in positions.items()})


def _says(known: KeptItem) -> bool:
    """Whether an item is somebody's statement; what rules name and relate denies nothing."""
    return known.item.kind in {"fact", "decision"} or known.item.by != "rules"


def _of_known(known: KeptItem) -> Stands:
    item = known.item
    quote = item.provenance.quote if item.kind == "decision" and item.provenance.quote else item.text
    side = ConflictSide(f"{item.kind} {item.id}", redacted(quote[:_MOST]), item.provenance.at)
    return Stands(side, quote, item.subject, known=True, holds=item.kind == "decision")


def _of_document(document: Document) -> Iterator[Stands]:
    over, columns, fenced = "", list[str](), False
    for line in document.body.splitlines():
        edge = _FENCE.match(line) is not None
        fenced = fenced != edge
        if fenced or edge or not line.strip() or MARK in line or "pactkeeper:" in line:
            columns = columns if line.strip() else []
        elif head := heading(line):
            over = head.words if head.level > 1 else ""
        elif row := _ROW.match(line):
            cells = [one.strip() for one in row[1].split("|")]
            if not columns:
                columns = cells
            elif not _RULE.fullmatch(row[1]) and _PLAIN.fullmatch(cells[0]):
                yield from _of_row(document, cells, over=over, columns=columns)
        else:
            columns = []
            yield from _of_line(document, line, over)


def _of_row(document: Document, cells: list[str], *, over: str, columns: list[str]) -> Iterator[Stands]:
    side = _side(document, "| " + " | ".join(cells) + " |")
    for name, value in zip(columns[1:], cells[1:], strict=False):
        if value:
            named = "" if amounts_in(value) else name
            yield Stands(side, f"{cells[0]} {named} is {value}", over)


def _of_line(document: Document, line: str, over: str) -> Iterator[Stands]:
    bare = _ITEM.sub("", line, count=1)
    side = _side(document, line.strip())
    if pair := _KEYED.fullmatch(bare.strip()):
        yield Stands(side, f"{pair['key']} is {pair['value']}", over)
        return
    for first, last in sentences(bare):
        yield Stands(side, bare[first:last], over)


def _side(document: Document, quote: str) -> ConflictSide:
    return ConflictSide(f"document “{document.title}”", redacted(quote[:_MOST]), document.updated_at)
