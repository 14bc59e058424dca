"""What people say about their tasks; a task is bound by its id, its address or its exact title and by nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Literal

from pactkeeper.intent.artifact import Change, content
from pactkeeper.intent.board import Task
from pactkeeper.ledger.canonical import digest
from pactkeeper.transcripts.reconciling.comparing import matches
from pactkeeper.transcripts.reconciling.dates import moved
from pactkeeper.transcripts.reconciling.proposing import (
    Found,
    Wanted,
    judged,
    propose,
    same_work,
    suppressed,
    verdict,
)
from pactkeeper.transcripts.reconciling.saying import ids_in
from pactkeeper.transcripts.reconciling.wording import remark
from pactkeeper.transcripts.reconciling.world import BoardView, Seen, World

Binding = Literal["id", "title", "answer"]
_TODO: Final = re.compile(r"^[ \t]*(?:[-*+]|\d+[.)])[ \t]+\[ \][ \t]+(.*?)[ \t]*$", re.MULTILINE)
# Letters with a digit, or a path: what nobody says but of the task that has it as its id.
_NO_WORD: Final = re.compile(r"[^\W\d].*\d|\d.*[^\W\d]|/")
_SAYS: Final[dict[Change, str]] = {
    "completion": "appears done:",
    "reschedule": "was moved to another date:",
    "progress": "is going on:",
    "friction": "is stuck:",
}


@dataclass(frozen=True, slots=True)
class Bound:
    """A task that something is about, and by what that is known."""

    board: BoardView
    task: Task
    by: Binding


def update(seen: Seen, world: World) -> Iterator[Found]:
    """Judge one commitment update."""
    said = seen.artifact.update
    assert said is not None  # noqa: S101 - told by the type of the artifact
    if said.change == "reschedule":
        yield from moved(seen, said.target, str(seen.artifact.facts.get("until", "")), world)
    bound, questions = _bind(seen, said.target, world)
    if bound is None:
        ticked = list(_ticked(seen, said.target, world)) if said.change == "completion" else []
        yield from ticked or questions
        return
    if bound.task.status == "done":
        yield judged(seen, said.target, "exists", "the task is done already", by=bound.task.id)
        return
    yield judged(seen, said.target, "stale", f"{bound.board.name} does not show this {said.change}", by=bound.task.id)
    if said.change == "completion" and bound.by == "id":
        yield from propose(seen, completing(bound, "somebody said that it is done, by its id", asked=True), world)
    else:
        until = str(seen.artifact.facts.get("until", ""))
        text = _SAYS[said.change] + (f" until {until}:" if until else "")
        yield from propose(seen, noting(seen, bound, text, f"somebody said that it {text.rstrip(':')}"), world)


def _bind(seen: Seen, target: str, world: World) -> tuple[Bound | None, tuple[Found, ...]]:
    named = by_ids(content(seen.artifact), world)
    found = matches(target, world.tasks(), lambda placed: placed[1].title)
    exact = named or tuple(Bound(*placed, "title") for placed in found.same)
    if len(exact) == 1:
        return exact[0], ()
    if exact:
        ids = ", ".join(one.task.id for one in exact)
        return None, (suppressed(seen, target, f"several tasks may be meant: {ids}", "logTask"),)
    for (view, task), why in found.perhaps:
        question = same_work(f"said:{seen.artifact.id}", target, task.title, item=f"{view.name}/{task.id}", why=why)
        answer = verdict(question, world)
        if answer == "yes":
            return Bound(view, task, "answer"), ()
        if not answer:
            return None, (question,)
    unseen = world.unseen()
    reason = f"nothing can be said to be missing: {unseen}" if unseen else "no task has this id, address or title"
    return None, (suppressed(seen, target, reason, "logTask"),)


def _ticked(seen: Seen, target: str, world: World) -> Iterator[Found]:
    """Tick the one to-do of a document that says exactly this; a person is asked."""
    todos = [(one, text) for one in world.documents for text in _TODO.findall(one.body)]
    found = matches(target, todos, lambda todo: todo[1]).same
    if len(found) != 1:
        return
    document, text = found[0]
    board = world.document_board.name
    why = f"somebody said that it is done, and {document.title!r} has it as to do"
    yield judged(seen, target, "stale", why, by=document.id)
    payload = {"board": board, "document": document.id, "text": text, "title": document.title}
    where = f"{board}/document/{document.id}#todo-" + digest(text)[3:15]
    yield from propose(seen, Wanted("tickTodo", where, digest([text, False]), payload, text, why, asked=True), world)


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


def completing(bound: Bound, why: str, *, machine: bool = False, asked: bool = False) -> Wanted:
    """Mark a task as done, while it is as it was seen."""
    task = bound.task
    version = digest([task.id, task.version or [task.status, task.state]])
    payload = {"board": bound.board.name, "task": task.id, "title": task.title, "version": task.version}
    target = f"{bound.board.name}/task/{task.id}"
    return Wanted("completeTask", target, version, payload, task.title, why, machine, asked)


def noting(seen: Seen, bound: Bound, text: str, why: str, *, machine: bool = False) -> Wanted:
    """Add a remark to a task, once for each artifact."""
    task = bound.task
    payload = {"board": bound.board.name, "task": task.id, "title": task.title, "text": remark(seen, text)}
    target = f"{bound.board.name}/task/{task.id}#{seen.artifact.id}"
    return Wanted("logTask", target, None, payload, task.title, why, machine)
