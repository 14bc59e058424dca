"""A message as blocks: text under a label, scenarios, items of lists, and sentences that stand for themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal

from pactkeeper.intent.ticket import SINGLE, Field, ThreadMessage
from pactkeeper.tickets.extraction.bounds import gives_value
from pactkeeper.tickets.extraction.labels import inner_labels, label_of
from pactkeeper.tickets.extraction.lines import Line, lines
from pactkeeper.tickets.extraction.phrases import DUTY
from pactkeeper.tickets.extraction.scenarios import scenario_at
from pactkeeper.tickets.extraction.spans import Span, clean, sentences, span, without_mentions

BlockKind = Literal["labelled", "scenario", "box", "item", "heading", "sentence"]
_INTRODUCES: Final = re.compile(r".*[:：]\s*$")


@dataclass(frozen=True, slots=True)
class Block:
    """One piece of a message; `whole` is what is quoted, `value` what it says, `field` what a label names.

    `number` is the one it bears in a list, `intro` the duty that a line above begins and this one ends.
    """

    kind: BlockKind
    whole: Span
    value: str
    field: Field | None = None
    number: int = 0
    intro: str = ""


def blocks(message: ThreadMessage) -> Iterator[Block]:
    """The blocks of a message in order, each read when it is asked for."""
    return _Reader(message.text).read()


class _Reader:
    """Goes through the lines of a message; `field` is the label that holds for the lines below it."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.lines: Sequence[Line] = lines(source)
        self.field: Field | None = None
        self.label: Span | None = None
        self.intro = ""
        self.parted = False

    def read(self) -> Iterator[Block]:
        at = 0
        while at < len(self.lines):
            steps = scenario_at(self.lines, at)
            if steps is not None:
                whole = span(self.source, self.lines[steps.first].start, self.lines[steps.last - 1].end)
                yield Block("scenario", whole, clean(steps.text), "acceptance_criteria")
                at = steps.last
                continue
            step, found = self._line(at)
            yield from found
            at += step

    def _line(self, at: int) -> tuple[int, list[Block]]:
        line = self.lines[at]
        if not line.text:
            self.parted = True
            return 1, []
        label = label_of(line.text, heading=line.heading or self._heads_list(at))
        if label is not None:
            return self._labelled(at, label.field, line.start + label.length, alone=label.alone)
        if self.field is not None and self._goes_on(line):
            return 1, list(self._under_label(line))
        self._forget()
        return 1, list(self._free(line))

    def _heads_list(self, at: int) -> bool:
        """Whether a line stands right above a list."""
        return not self.lines[at].item and at + 1 < len(self.lines) and self.lines[at + 1].item

    def _labelled(self, at: int, field: Field, start: int, *, alone: bool) -> tuple[int, list[Block]]:
        """A line that begins with a label: what follows on it, and below it where nothing does."""
        line = self.lines[at]
        self._forget()
        if alone:
            self.field, self.label = field, span(self.source, line.start, line.end)
            return 1, []
        last = at
        if field in SINGLE and field != "title":
            last = self._last_continued(at)
        self.field = None if field in SINGLE else field
        return last - at + 1, list(self._values(field, line, start, self.lines[last].end))

    def _last_continued(self, at: int) -> int:
        """The last line of a paragraph that begins with a label."""
        last = at
        while last + 1 < len(self.lines) and (line := self.lines[last + 1]).text:
            if line.item or line.heading or label_of(line.text) or gives_value(line.text):
                break
            if scenario_at(self.lines, last + 1):
                break
            last += 1
        return last

    def _values(self, field: Field, line: Line, start: int, end: int) -> Iterator[Block]:
        """The value of a label, cut where another label begins behind a sentence."""
        text = self.source[start:end]
        cuts = inner_labels(text)
        first = text[: cuts[0][0]] if cuts else text
        yield self._block(field, line.start, start, start + len(first), number=line.number)
        for number, (at, inner, begins) in enumerate(cuts):
            stop = cuts[number + 1][0] if number + 1 < len(cuts) else len(text)
            yield self._block(inner, start + at, start + begins, start + stop)

    def _block(self, field: Field, start: int, value: int, end: int, *, number: int = 0) -> Block:
        said = span(self.source, value, end)
        return Block("labelled", span(self.source, start, end), clean(said.text), field, number)

    def _goes_on(self, line: Line) -> bool:
        """Whether a label still holds: for items, and for a paragraph right below it that is no bound of its own."""
        if line.item or self.label is not None:
            return True
        return not self.parted and (self.field == "constraints" or not gives_value(line.text))

    def _under_label(self, line: Line) -> Iterator[Block]:
        assert self.field is not None  # noqa: S101 - the caller looked
        field, whole = self.field, span(self.source, line.start, line.end)
        if line.item:
            self.label = None
        elif self.label is not None and field in SINGLE:
            whole = span(self.source, self.label.start, line.end)
            self.field = None
        elif self.parted and self.label is None:
            self._forget()
        yield Block("labelled", whole, clean(self.source[line.start : line.end]), field, line.number)
        self.label, self.parted = None, False

    def _free(self, line: Line) -> Iterator[Block]:
        whole = without_mentions(self.source, span(self.source, line.start, line.end))
        if line.box:
            yield Block("box", whole, clean(whole.text), "acceptance_criteria", line.number)
        elif line.item:
            yield Block("item", whole, clean(whole.text), None, line.number, self.intro)
        elif _INTRODUCES.fullmatch(line.text):
            self.intro = line.text.rstrip(" :：") if DUTY.search(line.text) else ""
        else:
            self.intro = ""
            yield from self._sentences(whole, heading=line.heading)

    def _sentences(self, whole: Span, *, heading: bool) -> Iterator[Block]:
        """The sentences of a line; one that begins with a label is labelled, a heading without one is a title."""
        cuts = [0, *(at for at, _, _ in inner_labels(whole.text)), len(whole.text)]
        pieces = (span(self.source, whole.start + a, whole.start + b) for a, b in pairwise(cuts))
        for one in (sentence for piece in pieces for sentence in sentences(self.source, piece)):
            label = label_of(one.text)
            if label is not None and not label.alone:
                yield self._block(label.field, one.start, one.start + label.length, one.end)
            elif heading:
                yield Block("heading", one, clean(one.text), "title")
            else:
                yield Block("sentence", one, clean(one.text))

    def _forget(self) -> None:
        self.field, self.label, self.parted = None, None, False
