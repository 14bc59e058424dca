"""Which task something is about: the one that is named by its id or address, else by its whole title."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

from pactkeeper.intent.board import Task
from pactkeeper.transcripts.reconciling.saying import LineFields, ids_in, said
from pactkeeper.transcripts.reconciling.world import BoardView, World

Binding = Literal["id", "title"]
# Letters with a digit, or a path: what nobody says but of the task that has it as its id.
_NO_WORD: Final = re.compile(r"\A(?=.*?[^\W\d])(?=.*?\d)|/")
_FEW: Final = 2  # words of a title that all stand in a sentence, so that it names the task


@dataclass(frozen=True, slots=True)
class Bound:
    """A task that something is about, and by what that is known."""

    board: BoardView
    task: Task
    by: Binding


def named(sentence: str, world: World) -> tuple[Bound, ...]:
    """The tasks that a sentence names by id, else the only one whose whole title stands in it."""
    named = by_ids(sentence, world)
    if named:
        return named
    words = said(sentence)
    found = tuple(Bound(*placed, "title") for placed in world.tasks() if has_title(words, said(placed[1].title)))
    return found if len(found) == 1 else ()


def has_title(sentence: LineFields, title: LineFields) -> bool:
    """Whether every word and detail of a title stands in a sentence."""
    details = all(values <= sentence.details.get(name, frozenset()) for name, values in title.details.items())
    return details and len(title.topics) >= _FEW and title.topics <= sentence.topics and title.words <= sentence.words


def by_ids(text: str, world: World, *, numbers: bool = False) -> tuple[Bound, ...]:
    """Every task whose id, address or key a text names, each once; `#12` counts only where `numbers` says so."""
    wanted = frozenset(one for one in ids_in(text) if numbers or not one.startswith("#"))
    folded = text.casefold()
    return tuple(
        Bound(view, task, "id")
        for view, task in world.tasks()
        if wanted & _ids_of(task) or _stands_in(folded, task.id.casefold())
    )


def _stands_in(text: str, name: str) -> bool:
    """Whether a text has an id that a person gave, of any form that no word has; both without case."""
    if name not in text or not _NO_WORD.search(name):
        return False
    return re.search(rf"(?<![\w/.-]){re.escape(name)}(?![\w/-]|\.\w)", text) is not None


def _ids_of(task: Task) -> frozenset[str]:
    own: Iterable[str] = (task.id, f"#{task.id}" if task.id.isdigit() else "", task.url.rstrip("/"))
    keys = (one for one in ids_in(task.title) if not one.startswith("#"))
    return frozenset(one.casefold() for one in (*own, *keys) if one)
