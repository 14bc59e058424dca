"""Where a block goes among those that stand in a text already, and how many empty lines part it from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import takewhile

from pactkeeper.boards.markdown_blocks import Block, Name

Placed = list[tuple[Name, Block]]


def insert(placed: Placed, name: Name, block: Block, order: Sequence[Name]) -> None:
    """Put a block where its neighbours of the new text are; not at all where people took its heading away."""
    index = order.index(name)
    earlier, later = order[:index][::-1], order[index + 1 :]
    if block.kind == "heading":
        at: int | None = _heading_place(placed, block.level, earlier=earlier, later=later)
    else:
        at = _place([one for one, _ in placed], earlier=earlier, later=later)
    if at is not None:
        placed.insert(at, (name, block))


def spaced(placed: Placed, old: Mapping[Name, Block], now: Mapping[Name, Block], new: Mapping[Name, Block]) -> Placed:
    """With the empty lines between two blocks that they have in the ticket, or else in the new text."""
    between = [_leads(blocks) for blocks in (old, now, new)]
    found: Placed = []
    above: tuple[Name, Block] | None = None
    for name, block in placed:
        before, there, ours = (leads.get((above[0] if above else None, name)) for leads in between)
        lead = ours if there is None or (there == before and ours is not None) else there
        found.append((name, replace(block, lead=_parting(above, block) if lead is None else lead)))
        above = name, block
    return found


def _place(names: Sequence[Name], *, earlier: Sequence[Name], later: Sequence[Name]) -> int | None:
    """Below what it follows, else above what follows it, else at the end of its section; both nearest first."""
    above = _same_section(earlier)
    heading = earlier[len(above)] if len(above) < len(earlier) else None
    if heading is not None and heading not in names:
        return None
    start = 0 if heading is None else names.index(heading) + 1
    for one in above:
        if one in names:
            return names.index(one) + 1
    below = [one for one in _same_section(later) if one in names] if above else []
    if below:
        return names.index(below[0])
    return start + len(_same_section(names[start:])) if above else start


def _same_section(names: Sequence[Name]) -> list[Name]:
    return list(takewhile(lambda name: name[1] != "heading", names))


def _heading_place(placed: Placed, level: int, *, earlier: Sequence[Name], later: Sequence[Name]) -> int:
    """After the section before it with all that is nested there, else before the section that follows it."""
    headings = {name: at for at, (name, _) in enumerate(placed) if name[1] == "heading"}
    for one in earlier:
        if one in headings:
            return _end_of(placed, headings[one], level)
    return next((headings[one] for one in later if one in headings), len(placed))


def _end_of(placed: Placed, start: int, level: int) -> int:
    ends = (at for at in range(start + 1, len(placed)) if 0 < placed[at][1].level <= level)
    return next(ends, len(placed))


def _leads(blocks: Mapping[Name, Block]) -> Mapping[tuple[Name | None, Name], str]:
    names = list(blocks)
    return {(above, name): blocks[name].lead for above, name in zip([None, *names], names, strict=False)}


def _parting(above: tuple[Name, Block] | None, block: Block) -> str:
    """The empty lines above a block at a new place: one where it would run into what stands there."""
    if above is None:
        return ""
    return block.lead or ("" if block.kind == above[1].kind == "item" else "\n")
