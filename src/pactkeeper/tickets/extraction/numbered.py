"""Answers under numbers on one line, `1) … 2) …`, each as a block of its own."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from pactkeeper.tickets.extraction.blocks import Block
from pactkeeper.tickets.extraction.spans import Span, clean, span

_NUMBER: Final = re.compile(r"(?:^|(?<=\s))\(?(?P<number>\d{1,2})[.):]\s+(?=\S)")
_BETWEEN: Final = " \t,;"  # what stands between two answers and belongs to neither


def numbered_apart(source: str, block: Block, most: int) -> tuple[Block, ...]:
    """A block cut where the next number stands, up to the number `most`; the block itself where it bears none."""
    text = block.whole.text
    cuts = [(0, 0, block.number)] if block.number else []
    for hit in _NUMBER.finditer(text):
        number = int(hit["number"])
        follows = number == cuts[-1][2] + 1 if cuts else hit.start() == 0 < number
        if follows and number <= most:
            cuts.append((hit.start(), hit.end(), number))
    if len(cuts) <= (1 if block.number else 0):
        return (block,)
    ends = [*(start for start, _, _ in cuts[1:]), len(text)]
    return tuple(
        replace(block, kind="item", whole=one, value=clean(one.text), number=number)
        for (_, begin, number), end in zip(cuts, ends, strict=True)
        if (one := _answer(source, block.whole, begin, end)).text
    )


def _answer(source: str, whole: Span, begin: int, end: int) -> Span:
    text = whole.text[begin:end].rstrip(_BETWEEN)
    return span(source, whole.start + begin, whole.start + begin + len(text))
