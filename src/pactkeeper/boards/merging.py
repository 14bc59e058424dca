"""Three-way merge of a ticket's text: people's changes stay, and ours go in.

The unit is a block: a heading, a list item, a paragraph. A block of ours that somebody changed is theirs; if we changed
it as well, theirs stays and the difference is a conflict.

Also decides where a new block goes in an existing text, and how many blank lines separate it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import groupby, takewhile
from typing import Final

from pactkeeper.boards.sections import MarkdownBlock, Name, blocks_of, named

_ALIKE: Final = 0.6  # items less similar than this are different items, not a rewording
_COMPARED: Final = 400  # characters of a block; comparing takes quadratic time


@dataclass(frozen=True, slots=True)
class Rewording:
    """Removed blocks and those that replaced them, at least one of each, under one heading."""

    gone: tuple[Name, ...]
    come: tuple[Name, ...]


def rewordings(old: Mapping[Name, MarkdownBlock], new: Mapping[Name, MarkdownBlock]) -> tuple[Rewording, ...]:
    """What was reworded: similar items one by one, adjacent paragraphs as a whole."""
    before, after = list(old), list(new)
    found: list[Rewording] = []
    for what, first, last, start, end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if what == "replace":
            gone = [name for name in before[first:last] if name not in new]
            come = [name for name in after[start:end] if name not in old]
            found += [*_items(gone, come), *_texts(gone, come)]
    return tuple(found)


def is_reworded(one: Name, other: Name) -> bool:
    """Whether two blocks are under the same heading and begin with mostly the same words."""
    if one[:2] != other[:2]:
        return False
    both = SequenceMatcher(None, one[2][:_COMPARED], other[2][:_COMPARED], autojunk=False)
    return all(ratio() >= _ALIKE for ratio in (both.real_quick_ratio, both.quick_ratio, both.ratio))


def _items(gone: Sequence[Name], come: Sequence[Name]) -> Iterator[Rewording]:
    left = [name for name in gone if name[1] == "item"]
    for name in come:
        match = next((one for one in left if is_reworded(one, name)), None)
        if match is not None:
            left.remove(match)
            yield Rewording((match,), (name,))


def _texts(gone: Sequence[Name], come: Sequence[Name]) -> Iterator[Rewording]:
    texts = [name for name in come if name[1] == "text"]
    for section, names in groupby(texts, key=lambda name: name[0]):
        said = tuple(name for name in gone if name[:2] == (section, "text"))
        if said:
            yield Rewording(said, tuple(names))


REMARK: Final = "<!-- pactkeeper:log "

Blocks = Mapping[Name, MarkdownBlock]
Edges = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class MergeConflict:
    """A block of the new text that the merged one lacks, or, if `dropped`, one it still has.

    `section` is the text of the heading, empty above the first one; `text` is one block in Markdown.
    """

    section: str
    text: str
    dropped: bool = False


@dataclass(frozen=True, slots=True)
class Merged:
    """The merged text, and the changes of ours that couldn't go in."""

    text: str
    conflicts: tuple[MergeConflict, ...] = ()


def merged(old: str, now: str, new: str) -> Merged:
    """Apply the changes from `old` to `new` to `now`; merging again changes nothing.

    A block is ours only if `now` has it exactly as `old` does. If the result wouldn't parse as it was assembled, for
    example below an unclosed code fence, nothing is applied.
    """
    text = _once(old, now, new)
    if _once(old, text, new) != text or not _told(now) - _told(old) <= _told(text):
        text = now
    return Merged(text, tuple(_conflicts(*(_blocks(_with_ends(one, "\n")) for one in (old, text, new)))))


def merged_line(old: str, now: str, new: str) -> str:
    """The same for a single value such as a title: theirs stays if both sides changed it."""
    return new if now == old else now


def _with_ends(text: str, end: str) -> str:
    return text.replace("\r\n", "\n").replace("\n", end)


def is_edited(old: str, now: str) -> bool:
    """Whether people changed a text of ours, ignoring blank lines and our own remarks."""
    return bool(changed_sections(old, now))


def _told(text: str) -> Counter[tuple[str, str, str, str]]:
    """The number of times each block occurs, with its heading and tick."""
    return Counter((one.section, one.kind, one.words, one.tick) for one in _blocks(_with_ends(text, "\n")).values())


def changed_sections(before: str, after: str) -> tuple[str, ...]:
    """The headings, empty above the first one, under which two texts differ, ignoring blank lines and our remarks."""
    said = [_said_by_section(_blocks(_with_ends(text, "\n"))) for text in (before, after)]
    return tuple(name for name in {**said[1], **said[0]} if said[0].get(name) != said[1].get(name))


def _said_by_section(blocks: Blocks) -> Mapping[str, list[tuple[str, str]]]:
    found: dict[str, list[tuple[str, str]]] = {}
    for block in blocks.values():
        if REMARK not in block.raw:
            found.setdefault(block.section or block.words * (block.kind == "heading"), []).append(block.said)
    return found


def _edges(text: str) -> Edges:
    """The blank lines before a text, the text itself, and the white space after it."""
    core = text.rstrip()
    start = core.rfind("\n", 0, len(core) - len(core.lstrip())) + 1
    return core[:start], core[start:], text[len(core) :]


def _blocks(text: str) -> Blocks:
    core = _edges(text)[1]
    return named(blocks_of(f"{core}\n" if core else ""))


def _once(old: str, now: str, new: str) -> str:
    """Merge with the ticket's line endings; if they are mixed, new text gets those that browsers send."""
    crlf = "\r\n" in now and "\n" not in now.replace("\r\n", "")
    theirs = _with_ends(now, "\n") if crlf else now
    base, ours = (_with_ends(text, "\r\n" if "\r\n" in theirs else "\n") for text in (old, new))
    text = _combined(_edges(base), _edges(theirs), _edges(ours))
    return _with_ends(text, "\r\n") if crlf else text


def _combined(old: Edges, now: Edges, new: Edges) -> str:
    head, tail = (_edge(old[at], now[at], new[at]) for at in (0, 2))
    if now[1] == old[1]:
        return head + new[1] + tail
    if now[1] == new[1] or old[1] == new[1]:
        return head + now[1] + tail
    placed = _put_together(*(_blocks(text[1]) for text in (old, now, new)))
    return head + "".join(block.lead + block.raw for _, block in placed).strip("\r\n") + tail


def _edge(old: str, now: str, new: str) -> str:
    """Our change to an edge, unless people changed more than its line endings."""
    return new if old != new and _with_ends(now, "\n") == _with_ends(old, "\n") else now


def _put_together(old: Blocks, now: Blocks, new: Blocks) -> Placed:
    reworded = rewordings(old, new)
    changed = {name for name, block in old.items() if name not in now or now[name].said != block.said}
    blocked = [one for one in reworded if not changed.isdisjoint(one.gone)]
    held = frozenset(name for one in blocked for name in (*one.gone, *one.come))
    instead = {one.gone[0]: one.come[0] for one in reworded if one not in blocked and one.come[0] not in now}
    placed = _without_empty_headings(_kept(old, now, new, held=held, instead=instead), old, new)
    for name, block in new.items():
        if name not in old and name not in held and name not in {one for one, _ in placed}:
            insert(placed, name, block, tuple(new))
    return spaced(placed, old, now, new)


def _kept(old: Blocks, now: Blocks, new: Blocks, *, held: frozenset[Name], instead: Mapping[Name, Name]) -> Placed:
    """What stays of the ticket: everything of theirs, and our blocks in their new form."""
    placed: Placed = []
    for name, block in now.items():
        ours = name in old and block.kind != "heading" and block.said == old[name].said
        if ours and name in instead:
            placed.append((instead[name], new[instead[name]]))
        elif ours and name in new:
            placed.append((name, replace(block, raw=merged_line(old[name].raw, block.raw, new[name].raw))))
        elif not ours or name in held:
            placed.append((name, block))
    return placed


def _without_empty_headings(placed: Placed, old: Blocks, new: Blocks) -> Placed:
    """Drop headings that we removed and that have nothing left below them."""
    kept: Placed = []
    for name, block in reversed(placed):
        below = kept[-1][1] if kept else None
        is_empty = below is None or (below.kind == "heading" and below.level <= block.level)
        is_ours = block.kind == "heading" and name in old and block.said == old[name].said
        if not is_ours or name in new or not is_empty:
            kept.append((name, block))
    return kept[::-1]


def _conflicts(old: Blocks, text: Blocks, new: Blocks) -> Iterator[MergeConflict]:
    """What the merged text still lacks, or still contains, compared with the new one."""
    for name, block in new.items():
        if block.kind != "heading" and name not in old and name not in text:
            yield MergeConflict(block.section, block.raw.strip("\n"))
    reworded = {name for one in rewordings(old, new) for name in one.gone}
    theirs = [name for name in text if name not in old and name not in new]
    for name, block in old.items():
        if block.kind != "heading" and name not in new and name not in reworded:
            stays = name in text or any(is_reworded(name, one) for one in theirs)
            if stays:
                yield MergeConflict(block.section, block.raw.strip("\n"), dropped=True)


Placed = list[tuple[Name, MarkdownBlock]]


def insert(placed: Placed, name: Name, block: MarkdownBlock, order: Sequence[Name]) -> None:
    """Insert a block next to its neighbours in the new text; not at all if people removed its heading."""
    index = order.index(name)
    earlier, later = order[:index][::-1], order[index + 1 :]
    if block.kind == "heading":
        at: int | None = _heading_place(placed, block.level, earlier=earlier, later=later)
    else:
        at = _place([one for one, _ in placed], earlier=earlier, later=later)
    if at is not None:
        placed.insert(at, (name, block))


def spaced(
    placed: Placed,
    old: Mapping[Name, MarkdownBlock],
    now: Mapping[Name, MarkdownBlock],
    new: Mapping[Name, MarkdownBlock],
) -> Placed:
    """Set the blank lines between two blocks as in the ticket, or else as in the new text."""
    between = [_leads(blocks) for blocks in (old, now, new)]
    found: Placed = []
    above: tuple[Name, MarkdownBlock] | None = None
    for name, block in placed:
        before, there, ours = (leads.get((above[0] if above else None, name)) for leads in between)
        lead = ours if there is None or (there == before and ours is not None) else there
        found.append((name, replace(block, lead=_parting(above, block) if lead is None else lead)))
        above = name, block
    return found


def _place(names: Sequence[Name], *, earlier: Sequence[Name], later: Sequence[Name]) -> int | None:
    """Below the nearest predecessor, else above the nearest successor, else at the end of its section."""
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
    """After the preceding section and everything nested in it, else before the following section."""
    headings = {name: at for at, (name, _) in enumerate(placed) if name[1] == "heading"}
    for one in earlier:
        if one in headings:
            return _end_of(placed, headings[one], level)
    return next((headings[one] for one in later if one in headings), len(placed))


def _end_of(placed: Placed, start: int, level: int) -> int:
    ends = (at for at in range(start + 1, len(placed)) if 0 < placed[at][1].level <= level)
    return next(ends, len(placed))


def _leads(blocks: Mapping[Name, MarkdownBlock]) -> Mapping[tuple[Name | None, Name], str]:
    names = list(blocks)
    return {(above, name): blocks[name].lead for above, name in zip([None, *names], names, strict=False)}


def _parting(above: tuple[Name, MarkdownBlock] | None, block: MarkdownBlock) -> str:
    """The blank lines above a moved block: one where it would otherwise run into the block above."""
    if above is None:
        return ""
    return block.lead or ("" if block.kind == above[1].kind == "item" else "\n")
