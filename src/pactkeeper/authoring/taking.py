"""Take in a whole text: which lines become proposed atoms, and which don't."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from pactkeeper.authoring.markdown import SourceBlock, blocks, read_feature
from pactkeeper.authoring.prose import ProseSentence, Section, is_criteria, judged, outcomes_of, section
from pactkeeper.authoring.source import NotTaken, Scenario, Source, Taken, kind_of, taken_from
from pactkeeper.intent.wording import table
from pactkeeper.intent.wording.tokens import sentences

_GHERKIN = table("gherkin feature cucumber")
_STEP = re.compile(r"(?P<word>Given|When|Then|And|But)\b[\s:,]*(?P<rest>.+)", re.IGNORECASE | re.DOTALL)
_BULLET = re.compile(r"\s*(?:[•‣▪◦–—]|\d+\))\s+(?P<rest>.+)")
_LOWEST = 7  # below every Markdown heading level: a line that only introduces what follows


def take_in(source: Source, *, feature: bool = False) -> tuple[Taken | NotTaken, ...]:
    """Read a text, as a feature file or as Markdown; the results are in the order of their lines."""
    found = read_feature(source) if feature else _Taking(source).run()
    return tuple(_merged(source, found))


class _Taking:
    """The blocks of a text and the headings they are under."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._blocks = tuple(blocks(_without_front_matter(source.text)))
        self._sections: list[Section] = [Section()]

    def run(self) -> Iterator[Taken | NotTaken]:
        at = 0
        while at < len(self._blocks):
            block = self._blocks[at]
            if block.kind == "heading":
                self._enter(section(block.text, block.depth))
                at += 1
            elif block.kind == "item":
                stop = self._list_end(at)
                yield from self._items(self._blocks[at:stop])
                at = stop
            else:
                yield from self._block(block)
                at += 1

    def _enter(self, new: Section) -> None:
        """Open a section; one of unknown kind inherits the kind of the section around it."""
        while len(self._sections) > 1 and self._sections[-1].level >= new.level:
            self._sections.pop()
        above = self._sections[-1]
        inherited = new.kind == "other" and above.kind != "other"
        self._sections.append(replace(above, level=new.level, inherited=True) if inherited else new)

    def _list_end(self, at: int) -> int:
        while at < len(self._blocks) and (self._blocks[at].kind == "item" or self._blocks[at].depth):
            if self._blocks[at].kind == "heading":
                break
            at += 1
        return at

    def _block(self, block: SourceBlock) -> Iterator[Taken | NotTaken]:
        match block.kind:
            case "code" if block.info.split(" ")[0] in _GHERKIN:
                yield from read_feature(self._source, block.start + 1, block.end - 1)
            case "text" if not block.dropped:
                yield from self._text(block)
            case _:
                yield NotTaken(self._source.span(block.start, block.end), _NO_PROSE.get(block.kind, "is struck out"))

    def _text(self, block: SourceBlock) -> Iterator[Taken | NotTaken]:
        if is_criteria(block.text):
            self._enter(Section("criteria", block.text, _LOWEST))
            return
        lines = block.text.split("\n")
        if all(_STEP.match(line) for line in lines) and _is_scenario(lines):
            yield self._scenario([block])
        elif all(_BULLET.match(line) for line in lines):
            for number, line in enumerate(lines, block.start):
                found = _BULLET.match(line)
                assert found is not None  # noqa: S101 - each line was matched
                yield from judged(self._said(found["rest"], number, number + 1, item=True))
        else:
            yield from self._sentences(block)

    def _sentences(self, block: SourceBlock) -> Iterator[Taken | NotTaken]:
        """Each sentence of a paragraph separately, with its lines."""
        for one in sentences(block.text):
            text = block.text[one[0].start : one[-1].end]
            first = block.start + block.text[: one[0].start].count("\n")
            yield from judged(self._said(text, first, first + text.count("\n") + 1))

    def _said(self, text: str, start: int, end: int, *, item: bool = False, box: bool = False) -> ProseSentence:
        return ProseSentence(text, self._source.span(start, end), self._sections[-1], item, box)

    def _items(self, items: Sequence[SourceBlock]) -> Iterator[Taken | NotTaken]:
        """A list: either the steps of one scenario, or separate items, each with the blocks below it."""
        words = [item.text for item in items if item.kind == "item"]
        if all(_STEP.match(text) for text in words) and _is_scenario(words):
            yield self._scenario([item for item in items if item.kind == "item"])
            return
        at = 0
        while at < len(items):
            stop = at + 1
            while stop < len(items) and items[at].kind == "item" and items[stop].depth > items[at].depth:
                stop += 1
            yield from self._item(items[at], items[at + 1 : stop])
            at = stop

    def _item(self, item: SourceBlock, below: Sequence[SourceBlock]) -> Iterator[Taken | NotTaken]:
        if item.dropped or item.kind != "item":
            yield from self._block(item)
            return
        found = tuple(judged(self._said(item.text, item.start, item.end, item=True, box=item.ticked is not None)))
        outcomes = [one for one in below if one.kind == "item" and one.ticked is None and not one.dropped]
        if len(found) == 1 and isinstance(found[0], Taken) and outcomes and len(outcomes) == len(below):
            yield self._with_outcomes(found[0], item, outcomes)
            return
        yield from found
        yield from self._items(below) if below else ()

    def _with_outcomes(self, taken: Taken, item: SourceBlock, below: Sequence[SourceBlock]) -> Taken:
        """An item whose sub-items state its outcomes."""
        added = outcomes_of([one.text for one in below])
        span = self._source.span(item.start, max(one.end for one in below))
        return replace(taken, span=span, outcomes=(*taken.outcomes, *added))

    def _scenario(self, found: Sequence[SourceBlock]) -> Taken | NotTaken:
        steps: list[tuple[str, str]] = []
        for line in (line for block in found for line in block.text.split("\n")):
            step = _STEP.match(line)
            if step is not None:
                steps.append((kind_of(step["word"].capitalize(), steps), step["rest"].strip()))
        span = self._source.span(found[0].start, found[-1].end)
        return taken_from(Scenario("", tuple(steps), span))


_NO_PROSE = {
    "code": "is code",
    "html": "is a comment or markup",
    "table": "is a table; write its rows as sentences",
    "quote": "quotes what somebody said",
}


def _is_scenario(lines: Sequence[str]) -> bool:
    """Whether the steps include an outcome, not only conditions."""
    return len(lines) > 1 and any(line.lower().startswith("then") for line in lines)


def _without_front_matter(text: str) -> str:
    """The text with its front matter blanked, so that every line keeps its number."""
    if not text.startswith("---\n"):
        return text
    end = text.find("\n---", 3)
    return text if end < 0 else "\n" * text.count("\n", 0, end + 4) + text[end + 4 :]


def _merged(source: Source, found: Iterator[Taken | NotTaken]) -> Iterator[Taken | NotTaken]:
    """Merge consecutive lines that were not taken for the same reason into one entry."""
    every = list(found)
    open_at: NotTaken | None = None
    for one, after in pairwise([*every, None]):
        if not isinstance(one, NotTaken):
            if one is not None:
                yield one
            continue
        open_at = one if open_at is None else NotTaken(source.span(open_at.span.start - 1, one.span.end), one.why)
        if not (isinstance(after, NotTaken) and after.why == one.why and after.span.start <= one.span.end + 1):
            yield open_at
            open_at = None
