"""What stands elsewhere and cannot hold together with what was said; it is shown with both sides' words.

Which task something is about: the one that is named by its id or address, else by its whole title.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Final, Literal

from pactkeeper.intent.actions import Conflict, ConflictSide, Suppressed
from pactkeeper.intent.board import Task
from pactkeeper.intent.redaction import redacted
from pactkeeper.speech.clash import Compared, compare
from pactkeeper.speech.meant import begins, has_phrase, is_meant
from pactkeeper.transcripts.extraction.window import sentences
from pactkeeper.transcripts.reconciling.moments import follows
from pactkeeper.transcripts.reconciling.proposing import suppressed
from pactkeeper.transcripts.reconciling.saying import LineFields, ids_in, said
from pactkeeper.transcripts.reconciling.standing import Stands
from pactkeeper.transcripts.reconciling.world import BoardView, SeenArtifact, World, instant

_MOST: Final = 400  # characters of a line that is quoted
_PART: Final = re.compile(r"[:;,–—]\s+")
_SHORT: Final = 60  # characters of values that are shown in a reason
_ENOUGH: Final = 2
_SIDES: Final = 3  # lines that deny one clause


def planned(seen: SeenArtifact, subject: str, quote: str, world: World) -> Iterator[Conflict]:
    """Every line of the active context and every decision that gives up what is wanted here, or has it otherwise."""
    for one in world.standing.holding:
        given_up = has_phrase("given_up", one.side.quote) and not has_phrase("given_up", quote)
        if given_up and _about(said(subject), said(one.side.quote)):
            yield _conflict(seen, subject, (quote, one.side), "it is given up there")
        elif why := _why(one.against(subject)):
            yield _conflict(seen, subject, (quote, one.side), why)


def denied(seen: SeenArtifact, text: str, world: World) -> Iterator[Conflict | Suppressed]:
    """Every line of a document, task and known item that cannot hold while a text does, for each of its sentences.

    Where many lines do, or they exclude each other, each is of another case, and none is flagged.
    """
    for first, last in sentences(text):
        sentence = text[first:last]
        if not is_meant(sentence):
            continue
        lines = list({line: None for part in _parts(sentence) for line in _lines(seen, part, world)})
        several = len(lines) > _SIDES or _disagree(lines)
        if several:
            number = f"{len(lines)} lines have it otherwise"
            yield suppressed(seen, sentence, f"{number}, so they speak of several things")
        told = [(one.side, why) for one, why in lines if not several]
        for side, why in (*told, *_tasks(sentence, world)):
            yield _conflict(seen, seen.artifact.title, (sentence, side), why)


def _parts(sentence: str) -> Iterator[str]:
    """A sentence, and what stands between its commas and colons; a reason says nothing of its own."""
    yield sentence
    parts = _PART.split(sentence)
    yield from (part for part in parts if len(parts) > 1 and not begins("reasons", part))


def _disagree(found: list[tuple[Stands, str]]) -> bool:
    return any(one.against(other.text).verdict == "clash" for (one, _), (other, _) in combinations(found, 2))


def undone(seen: SeenArtifact, bound: Bound, kind: str, later: SeenArtifact | None) -> Iterator[Conflict]:
    """A task that is done on its board although what ships it failed, and neither succeeded nor was changed later."""
    task = bound.task
    mended = later is not None and follows(later, seen)
    if task.status == "done" and not mended and not _after(task.updated_at, seen.artifact.at):
        side = _of_task(bound.board, task)
        answer = seen.artifact.excerpts[-1].text
        yield _conflict(seen, task.title, (answer, side), f"the {kind} failed here and is done there")


def _after(one: str, other: str) -> bool:
    late, early = instant(one), instant(other)
    return late is not None and early is not None and late > early


def _conflict(seen: SeenArtifact, subject: str, sides: tuple[str, ConflictSide], why: str) -> Conflict:
    quote, stands = sides
    mine = ConflictSide(seen.artifact.file, redacted(quote[:_MOST]), seen.artifact.at)
    return Conflict(seen.artifact.fingerprint, redacted(subject), mine, stands, redacted(why))


def _lines(seen: SeenArtifact, sentence: str, world: World) -> list[tuple[Stands, str]]:
    """Each line once that denies a sentence, and why; what became known after it was said denies nothing."""
    found: dict[ConflictSide, tuple[Stands, str]] = {}
    for one in world.standing.near(sentence):
        late = one.known and _after(one.side.at, seen.artifact.at)
        if not late and (why := _why(one.against(sentence))):
            found.setdefault(one.side, (one, why))
    return list(found.values())


def _why(compared: Compared) -> str:
    """Why two statements cannot both hold; empty where they can, or where only a person can tell."""
    if compared.verdict != "clash":
        return ""
    is_short = len(compared.ours) + len(compared.theirs) < _SHORT
    apart = "one says that it is so, the other that it is not"
    return f"{compared.ours} here, {compared.theirs} there" if is_short else apart


def _tasks(sentence: str, world: World) -> Iterator[tuple[ConflictSide, str]]:
    """Tasks that are due on another day than a sentence says."""
    for view, task in world.tasks():
        if task.status != "done" and task.due:
            why = _why(compare(sentence, f"{task.title}: {task.due}"))
            if why:
                yield _of_task(view, task), why


def _of_task(view: BoardView, task: Task) -> ConflictSide:
    due = f", due {task.due}" if task.due else ""
    return ConflictSide(
        f"{view.name}/{task.id}", redacted(f"{task.title} ({task.state or task.status}{due})"), task.updated_at
    )


def _about(subject: LineFields, line: LineFields) -> bool:
    """Whether a line is about a subject: it has all of its words that say something, or two thirds of several."""
    shared = len(subject.topics & line.topics)
    enough = shared == len(subject.topics) or (shared >= _ENOUGH and shared * 3 >= len(subject.topics) * 2)
    return bool(subject.topics) and enough


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
