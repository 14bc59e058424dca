"""Which blocks of a new text say anew what blocks of the old one said, so that both go together or not at all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby
from typing import Final

from pactkeeper.boards.markdown_blocks import Block, Name

_ALIKE: Final = 0.6  # items that have less in common are two items, and not one that was reworded
_COMPARED: Final = 400  # letters of a block; the time that comparing takes grows with their square


@dataclass(frozen=True, slots=True)
class Rewording:
    """Blocks that went and those that came in their place, at least one of each, under one heading."""

    gone: tuple[Name, ...]
    come: tuple[Name, ...]


def rewordings(old: Mapping[Name, Block], new: Mapping[Name, Block]) -> tuple[Rewording, ...]:
    """What was reworded: items one by one where they are alike, neighbouring paragraphs as a whole."""
    before, after = list(old), list(new)
    found: list[Rewording] = []
    for what, first, last, start, end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if what == "replace":
            gone = [name for name in before[first:last] if name not in new]
            come = [name for name in after[start:end] if name not in old]
            found += [*_items(gone, come), *_texts(gone, come)]
    return tuple(found)


def is_reworded(one: Name, other: Name) -> bool:
    """Whether two blocks stand under one heading and begin with mostly the same words."""
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
