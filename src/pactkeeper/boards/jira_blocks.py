"""What both of Jira's forms of text have in common: blocks with runs of words, in one normal form.

Only what Jira nests is nested: a heading inside of a list or quote is a paragraph there, a quote in it its paragraphs.
An address that stands alone is a link by itself, as everywhere; it is plain words here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Final, Literal

Mark = Literal["strong", "em", "strike", "code"]
_ADDRESS: Final = re.compile(r"(?<![^\s(])https?://[!#-&+-;=?-Z_a-z~()]*[#-&+\-/-9=@-Za-z]")
_MOST_NUMBERS: Final = 1_000_000
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff]|[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Run:
    """Words of one format; a line break is a run of its own, without any."""

    text: str
    marks: frozenset[Mark] = frozenset()
    link: str = ""


BREAK: Final = Run("\n")
_CODE: Final[frozenset[Mark]] = frozenset({"code"})
Runs = tuple[Run, ...]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Words that stand together."""

    runs: Runs


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of level 1 to 6, on one line."""

    level: int
    runs: Runs


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


def lines_of(runs: Runs) -> list[Runs]:
    """The runs of each line."""
    found: list[Runs] = [()]
    for run in runs:
        if run == BREAK:
            found.append(())
        else:
            found[-1] += (run,)
    return found


def one_line(runs: Runs) -> Runs:
    """The runs with blanks where lines break."""
    return joined(Run(" ") if run == BREAK else run for run in joined(runs))


def joined(runs: Iterable[Run]) -> Runs:
    """The runs in normal form: alike ones joined, no format on blanks at its edge, no blanks around a line."""
    pieces = tuple(piece for run in runs for piece in _pieces(run))
    kept = [found for line in lines_of(pieces) if (found := _settled(_merged(line)))]
    return tuple(run for number, line in enumerate(kept) for run in ((BREAK, *line) if number else line))


def _settled(line: Runs) -> Runs:
    """A line in which nothing is left to be put in order."""
    found = _merged(_trimmed(_merged(_edged(_merged(_plain(line))))))
    return line if found == line else _settled(found)


def _pieces(run: Run) -> Iterator[Run]:
    """A run line by line; code has no other format beside it."""
    marks: frozenset[Mark] = _CODE if "code" in run.marks else run.marks
    for number, text in enumerate(cleaned(run.text).split("\n")):
        if number:
            yield BREAK
        if text:
            yield Run(text, marks, run.link)


def _merged(runs: Iterable[Run]) -> Runs:
    grouped = groupby(runs, key=lambda run: (run.marks, run.link))
    return tuple(Run("".join(one.text for one in group), *format_) for format_, group in grouped)


def _edged(runs: Runs) -> Iterator[Run]:
    """The runs, in which blanks at the edge of a format have none, but for a link on both sides; blanks are no code."""
    for at, run in enumerate(runs):
        core = run.text.strip()
        if core and "code" in run.marks:
            yield run
            continue
        before, after = runs[at - 1] if at else BREAK, runs[at + 1] if at + 1 < len(runs) else BREAK
        start = run.text.index(core) if core else len(run.text)
        yield Run(run.text[:start], link=run.link if run.link in {before.link, after.link if not core else ""} else "")
        yield replace(run, text=core)
        yield Run(run.text[start + len(core) :], link=run.link if run.link == after.link else "")


def _trimmed(runs: Runs) -> Runs:
    """The runs of a line without blanks around them."""
    kept = [run for run in runs if run.text]
    if kept and "code" not in kept[0].marks:
        kept[0] = replace(kept[0], text=kept[0].text.lstrip())
    if kept and "code" not in kept[-1].marks:
        kept[-1] = replace(kept[-1], text=kept[-1].text.rstrip())
    return tuple(run for run in kept if run.text)


def _plain(runs: Runs) -> Iterator[Run]:
    """The runs, in which a link that shows its own address is plain words where those are a link by themselves."""
    for at, run in enumerate(runs):
        if not run.link or run.link != run.text or "code" in run.marks:
            yield run
            continue
        before, after = runs[at - 1] if at else BREAK, runs[at + 1] if at + 1 < len(runs) else BREAK
        plain = replace(run, link="")
        start = before.text if before == replace(plain, text=before.text) else ""
        end = after.text if after == replace(plain, text=after.text) else ""
        alone = (len(start), len(start) + len(run.text)) in addresses(start + run.text + end)
        runs_on = any(one.link and one.marks == run.marks for one in (before, after))
        yield plain if alone and not runs_on else run


def _contained(block: Block) -> Block | None:
    match block:
        case Paragraph(runs):
            found = joined(runs)
            return Paragraph(found) if found else None
        case Heading(level, runs):
            return Heading(level, one_line(runs))
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
            yield Paragraph(block.runs)
        elif isinstance(block, Quote):
            yield from _flat(block.blocks)
        elif isinstance(block, Rule):
            yield Paragraph((Run("---"),))
        else:
            yield block
