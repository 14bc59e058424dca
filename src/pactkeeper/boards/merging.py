"""Three-way merge of a ticket's text: what people changed stays, and what we changed goes in.

The unit is a block: a heading, an item of a list, a paragraph. A block of ours that somebody changed is theirs; where
we changed it as well, theirs stays and the difference is a conflict.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Final

from pactkeeper.boards.markdown_blocks import Block, Name, blocks_of, named

_EDGES: Final = re.compile(r"((?:[ \t]*\n)*)(.*?)(\s*)", re.DOTALL)
REMARK: Final = "<!-- pactkeeper:log "
_ALIKE: Final = 0.6  # items that have less in common are two items, and not one that was reworded

Blocks = Mapping[Name, Block]
Placed = list[tuple[Name, Block]]


@dataclass(frozen=True, slots=True)
class Conflict:
    """What the new text says and the merged one does not, or, where it is `dropped`, the other way round.

    `section` are the words of the heading, empty above the first one; `text` is one block in Markdown.
    """

    section: str
    text: str
    dropped: bool = False


@dataclass(frozen=True, slots=True)
class Merged:
    """The text with the changes of both sides, and what of ours could not go in."""

    text: str
    conflicts: tuple[Conflict, ...] = ()


def merged(old: str, now: str, new: str) -> Merged:
    """Bring what changed from `old` to `new` into `now`; merging the same once more changes nothing.

    Ours is only what stands in `now` as `old` has it. Where the outcome would not read as it was put together, such as
    below fenced code without an end, nothing goes in.
    """
    crlf = "\r\n" in now and "\n" not in now.replace("\r\n", "")
    base, ours = old.replace("\r\n", "\n"), new.replace("\r\n", "\n")
    theirs = now.replace("\r\n", "\n") if crlf else now
    text = _combined(base, theirs, ours)
    if _combined(base, text, ours) != text or not _told(theirs) - _told(base) <= _told(text):
        text = theirs
    conflicts = tuple(_conflicts(_blocks(base), _blocks(text), _blocks(ours)))
    return Merged(text.replace("\n", "\r\n") if crlf else text, conflicts)


def merged_line(old: str, now: str, new: str) -> str:
    """The same for one value as a whole, such as a title: theirs stays where both sides changed it."""
    return new if now == old else now


def is_edited(old: str, now: str) -> bool:
    """Whether people changed a text that we wrote, besides empty lines and remarks of ours below it."""
    return bool(changed_sections(old, now))


def _told(text: str) -> Counter[tuple[str, str, str, str]]:
    """How often each block stands there, with its heading and its tick."""
    return Counter((one.section, one.kind, one.words, one.tick) for one in _blocks(text).values())


def changed_sections(before: str, after: str) -> tuple[str, ...]:
    """The headings, empty above the first one, under which two texts differ, besides empty lines and our remarks."""
    said = [_said_by_section(_blocks(text.replace("\r\n", "\n"))) for text in (before, after)]
    return tuple(name for name in {**said[1], **said[0]} if said[0].get(name) != said[1].get(name))


def _said_by_section(blocks: Blocks) -> Mapping[str, list[tuple[str, str]]]:
    found: dict[str, list[tuple[str, str]]] = {}
    for block in blocks.values():
        if REMARK not in block.raw:
            found.setdefault(block.section or block.words * (block.kind == "heading"), []).append(block.said)
    return found


def _edges(text: str) -> tuple[str, str, str]:
    """The empty lines before a text, the text, and the blanks after it."""
    found = _EDGES.fullmatch(text)
    return (found[1], found[2], found[3]) if found else ("", text, "")


def _blocks(text: str) -> Blocks:
    core = _edges(text)[1]
    return named(blocks_of(f"{core}\n" if core else ""))


def _combined(old: str, now: str, new: str) -> str:
    edges = [_edges(text) for text in (old, now, new)]
    (before, core, after), ours = edges[1], edges[2]
    head = merged_line(edges[0][0], before, ours[0])
    tail = merged_line(edges[0][2], after, ours[2])
    if core == edges[0][1]:
        return head + ours[1] + tail
    if core == ours[1] or edges[0][1] == ours[1]:
        return head + core + tail
    return head + _joined(_put_together(_blocks(old), _blocks(now), _blocks(new))) + tail


def _put_together(old: Blocks, now: Blocks, new: Blocks) -> Placed:
    replaced = _replaced(old, new)
    placed = _without_empty_headings(_kept(old, now, new, replaced), old, new)
    for name, block in new.items():
        there = {one for one, _ in placed}
        if name not in old and name not in there and _is_free(replaced.get(name), old, now):
            _insert(placed, name, block, tuple(new))
    return _spaced(placed, old, now, new)


def _kept(old: Blocks, now: Blocks, new: Blocks, replaced: Mapping[Name, Name]) -> Placed:
    """What stays of the ticket: all of theirs, and what is ours as we have it now."""
    instead = {gone: name for name, gone in replaced.items() if name not in now}
    placed: Placed = []
    for name, block in now.items():
        ours = name in old and block.kind != "heading" and block.said == old[name].said
        if ours and name in instead:
            placed.append((instead[name], new[instead[name]]))
        elif ours and name in new:
            placed.append((name, replace(block, raw=merged_line(old[name].raw, block.raw, new[name].raw))))
        elif not ours:
            placed.append((name, block))
    return placed


def _without_empty_headings(placed: Placed, old: Blocks, new: Blocks) -> Placed:
    """Without the headings that we dropped and under which nothing is left."""
    kept: Placed = []
    for name, block in reversed(placed):
        below = kept[-1][1] if kept else None
        is_empty = below is None or (below.kind == "heading" and below.level <= block.level)
        is_ours = block.kind == "heading" and name in old and block.said == old[name].said
        if not is_ours or name in new or not is_empty:
            kept.append((name, block))
    return kept[::-1]


def _spaced(placed: Placed, *texts: Blocks) -> Placed:
    """With the empty lines between two blocks that they had in the ticket, or else in the new text."""
    between = [_leads(blocks) for blocks in texts]
    found: Placed = []
    above: tuple[Name, Block] | None = None
    for name, block in placed:
        old, now, new = (leads.get((above[0] if above else None, name)) for leads in between)
        lead = new if now is None or (now == old and new is not None) else now
        found.append((name, replace(block, lead=_parting(above, block) if lead is None else lead)))
        above = name, block
    return found


def _leads(blocks: Blocks) -> Mapping[tuple[Name | None, Name], str]:
    names = list(blocks)
    return {(above, name): blocks[name].lead for above, name in zip([None, *names], names, strict=False)}


def _parting(above: tuple[Name, Block] | None, block: Block) -> str:
    """The empty lines above a block at a new place: one where it would run into what stands there."""
    if above is None:
        return ""
    return block.lead or ("" if block.kind == above[1].kind == "item" else "\n")


def _is_free(gone: Name | None, old: Blocks, now: Blocks) -> bool:
    """Whether a block may go in: what it replaces, if anything, must stand in the ticket as we wrote it."""
    return gone is None or (gone in now and now[gone].said == old[gone].said)


def _insert(placed: Placed, name: Name, block: Block, order: Sequence[Name]) -> None:
    """Put a block where its neighbours of the new text are; not at all where people took its heading away."""
    index = order.index(name)
    earlier, later = order[:index], order[index + 1 :]
    if block.kind == "heading":
        at: int | None = _heading_place(placed, block.level, earlier=earlier, later=later)
    else:
        at = _place([one for one, _ in placed], earlier)
    if at is not None:
        placed.insert(at, (name, block))


def _place(names: Sequence[Name], earlier: Sequence[Name]) -> int | None:
    """Below what it follows in the new text, as long as that stands under the same heading."""
    for one in reversed(earlier):
        if one in names:
            return names.index(one) + 1
        if one[1] == "heading":
            return None
    return 0


def _heading_place(placed: Placed, level: int, *, earlier: Sequence[Name], later: Sequence[Name]) -> int:
    """After the section before it with all that is nested there, else before the section that follows it."""
    headings = {name: at for at, (name, _) in enumerate(placed) if name[1] == "heading"}
    for one in reversed(earlier):
        if one in headings:
            return _end_of(placed, headings[one], level)
    return next((headings[one] for one in later if one in headings), len(placed))


def _end_of(placed: Placed, start: int, level: int) -> int:
    ends = (at for at in range(start + 1, len(placed)) if 0 < placed[at][1].level <= level)
    return next(ends, len(placed))


def _joined(placed: Placed) -> str:
    return "".join(block.lead + block.raw for _, block in placed).strip("\n")


def _replaced(old: Blocks, new: Blocks) -> Mapping[Name, Name]:
    """Which block of the new text says anew what a block of the old one said, under the same heading."""
    before, after = list(old), list(new)
    found: dict[Name, Name] = {}
    for what, first, last, start, end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if what == "replace":
            gone = [name for name in before[first:last] if name not in new]
            come = [name for name in after[start:end] if name not in old]
            found.update(_pairs(gone, come))
    return found


def _pairs(gone: list[Name], come: Sequence[Name]) -> Iterator[tuple[Name, Name]]:
    for name in come:
        match = next((one for one in gone if _says_anew(one, name)), None)
        if match is not None:
            gone.remove(match)
            yield name, match


def _says_anew(old: Name, new: Name) -> bool:
    """Paragraphs under one heading replace each other in their order; items must be alike."""
    (section, kind, words, _), (other, kind_now, words_now, _) = old, new
    if section != other or kind != kind_now or kind == "heading":
        return False
    return kind == "text" or _is_alike(words, words_now)


def _is_alike(one: str, other: str) -> bool:
    return SequenceMatcher(None, one, other, autojunk=False).ratio() >= _ALIKE


def _conflicts(old: Blocks, text: Blocks, new: Blocks) -> Iterator[Conflict]:
    """What the merged text still lacks or still has against the new one."""
    for name, block in new.items():
        if block.kind != "heading" and name not in old and name not in text:
            yield Conflict(block.section, block.raw.strip("\n"))
    replaced = set(_replaced(old, new).values())
    theirs = [name for name in text if name not in old and name not in new]
    for name, block in old.items():
        if block.kind != "heading" and name not in new and name not in replaced:
            stays = name in text or any(_is_reworded(name, one) for one in theirs)
            if stays:
                yield Conflict(block.section, block.raw.strip("\n"), dropped=True)


def _is_reworded(name: Name, other: Name) -> bool:
    return name[:2] == other[:2] and _is_alike(name[2], other[2])
