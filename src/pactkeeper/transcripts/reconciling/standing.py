"""What stands elsewhere, line by line: documents with their headings, tables and keys, and everything that is known."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final

from pactkeeper.intent.actions import MARK, Side
from pactkeeper.intent.board import Document
from pactkeeper.intent.knowledge import Known
from pactkeeper.intent.redaction import redacted
from pactkeeper.transcripts.extraction.sentences import sentences
from pactkeeper.transcripts.statements.clauses import is_meant
from pactkeeper.transcripts.statements.denying import FEW, Line
from pactkeeper.transcripts.statements.reading import read
from pactkeeper.transcripts.statements.words import telling, topics, words_of

_HEADING: Final = re.compile(r"\s{0,3}(#{1,6})\s+(.+?)\s*#*\s*$")
_FENCE: Final = re.compile(r"\s{0,3}(?:```|~~~)")
_ROW: Final = re.compile(r"\s*\|(.+)\|\s*$")
_RULE: Final = re.compile(r"[\s|:-]+")
_ITEM: Final = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")
_PLAIN: Final = re.compile(r"[^\d;,{}=<>\[\]]{2,60}")
_KEYED: Final = re.compile(r"\**(?P<key>[^\W\d_][^:.!?|\d{}=<>\[\]]{1,60}?)\**:\**\s+(?P<value>\S.*)$")
_MOST: Final = 400  # characters of a line that is quoted


@dataclass(frozen=True, slots=True)
class Stands:
    """One thing that stands somewhere: `text` as it is read, `over` the words above it, `key` and `value` of a pair.

    `holds` says that it is of the active context or a decision, which plans have to follow.
    """

    side: Side
    text: str
    over: str = ""
    key: str = ""
    value: str = ""
    known: bool = False
    holds: bool = False

    def lines(self) -> tuple[Line, ...]:
        """Its clauses; none where it is a question or the like."""
        return _lines(self.text, self.over, self.key, self.value)


@dataclass(frozen=True, slots=True)
class Standing:
    """Everything that stands, that of it which plans have to follow, and the positions of what has a stem."""

    all: tuple[Stands, ...] = ()
    holding: tuple[Stands, ...] = ()
    by_stem: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    def near(self, about: frozenset[str]) -> frozenset[int]:
        """The positions of all that shares the stems of a subject; of three or more, one may be missing."""
        wanted = telling(about)
        enough = max(len(wanted) - 1, min(len(wanted), FEW))
        counts = Counter(position for name in wanted for position in self.by_stem.get(name, ()))
        return frozenset(position for position, number in counts.items() if number >= enough)


def standing(documents: Iterable[Document], context: Iterable[Document], known: Iterable[Known], now: str) -> Standing:
    """Take documents and what holds of what is known apart."""
    found = (
        *(one for document in documents for one in _of_document(document)),
        *(replace(one, holds=True) for document in context for one in _of_document(document)),
        *(_of_known(one) for one in known if one.standing(now) == "holds"),
    )
    positions: dict[str, list[int]] = {}
    for position, one in enumerate(found):
        for name in topics(one.text) | topics(one.over):
            positions.setdefault(name, []).append(position)
    holding = tuple(one for one in found if one.holds)
    return Standing(found, holding, {name: tuple(where) for name, where in positions.items()})


def _of_known(known: Known) -> Stands:
    item = known.item
    quote = item.provenance.quote if item.kind == "decision" and item.provenance.quote else item.text
    side = Side(f"{item.kind} {item.id}", redacted(quote[:_MOST]), item.provenance.at)
    return Stands(side, quote, item.subject, known=True, holds=item.kind == "decision")


def _of_document(document: Document) -> Iterator[Stands]:
    heads, columns, fenced = [document.title], list[str](), False
    for line in document.body.splitlines():
        edge = _FENCE.match(line) is not None
        fenced = fenced != edge
        if fenced or edge or not line.strip() or MARK in line or "pactkeeper:" in line:
            columns = columns if line.strip() else []
            continue
        if head := _HEADING.match(line):
            heads = [*heads[: len(head[1])], head[2]]
            continue
        if row := _ROW.match(line):
            cells = [one.strip() for one in row[1].split("|")]
            if not columns:
                columns = cells
            elif not _RULE.fullmatch(row[1]) and _PLAIN.fullmatch(cells[0]):
                yield from _of_row(document, cells, heads=heads, columns=columns)
            continue
        columns = []
        yield from _of_line(document, line, heads)


def _of_row(document: Document, cells: list[str], *, heads: list[str], columns: list[str]) -> Iterator[Stands]:
    side = _side(document, "| " + " | ".join(cells) + " |")
    for name, value in zip(columns[1:], cells[1:], strict=False):
        if value:
            yield Stands(side, f"{cells[0]} is {value}", " ".join((*heads, columns[0], name)), cells[0], value)


def _of_line(document: Document, line: str, heads: list[str]) -> Iterator[Stands]:
    bare, over = _ITEM.sub("", line, count=1), " ".join(heads)
    side = _side(document, line.strip())
    if pair := _KEYED.fullmatch(bare.strip()):
        yield Stands(side, f"{pair['key']} is {pair['value']}", over, pair["key"], pair["value"].strip(" ."))
        return
    for first, last in sentences(bare):
        yield Stands(side, bare[first:last], over)


def _side(document: Document, quote: str) -> Side:
    return Side(f"document “{document.title}”", redacted(quote[:_MOST]), document.updated_at)


@lru_cache(maxsize=65536)
def _lines(text: str, over: str, key: str, value: str) -> tuple[Line, ...]:
    if not is_meant(text):
        return ()
    words = frozenset((*words_of(over), *words_of(key)))
    return tuple(Line(one, topics(over), words, key, value) for one in read(text))
