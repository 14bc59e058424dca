"""What people say about their tasks; a task is bound by its id, its address or its exact title and by nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pactkeeper.intent.artifact import Change, content
from pactkeeper.ledger.canonical import digest
from pactkeeper.transcripts.reconciling.bound import Bound, has_title, named
from pactkeeper.transcripts.reconciling.dates import moved
from pactkeeper.transcripts.reconciling.items import TITLE, ListItem
from pactkeeper.transcripts.reconciling.proposing import (
    Found,
    WantedChange,
    judged,
    propose,
    suppressed,
)
from pactkeeper.transcripts.reconciling.saying import said
from pactkeeper.transcripts.reconciling.tasks import work
from pactkeeper.transcripts.reconciling.wording import remark
from pactkeeper.transcripts.reconciling.world import SeenArtifact, World

_TODO: Final = re.compile(r"^[ \t]*(?:[-*+]|\d+[.)])[ \t]+\[ \][ \t]+(.*?)[ \t]*$", re.MULTILINE)


def update(seen: SeenArtifact, world: World) -> Iterator[Found]:
    """Judge what somebody said of a task; a person decides on all that follows."""
    said_of = seen.artifact.update
    assert said_of is not None  # noqa: S101 - told by the type of the artifact
    target = said_of.target
    if said_of.change == "new":
        yield from work(seen, ListItem(target.splitlines()[0][:TITLE], content(seen.artifact)), world)
        return
    if said_of.change == "reschedule":
        yield from moved(seen, target, world)
    tasks = named(target, world)
    for bound in tasks:
        yield from _changed(seen, bound, said_of.change, world)
    if tasks:
        return
    ticked = list(_ticked(seen, target, world)) if said_of.change == "completion" else []
    unseen = world.unseen()
    reason = f"nothing can be said to be missing: {unseen}" if unseen else "no task has this id, address or title"
    yield from ticked or [suppressed(seen, target, reason, "logTask")]


def _changed(seen: SeenArtifact, bound: Bound, change: Change, world: World) -> Iterator[Found]:
    if bound.task.status == "done":
        yield judged(seen, bound.task.title, "exists", "the task is done already", by=bound.task.id)
        return
    why = f"{bound.board.name} does not show this {change}"
    yield judged(seen, bound.task.title, "stale", why, by=bound.task.id)
    if change == "completion":
        why = f"somebody said that it is done, by its {bound.by}"
        yield from propose(seen, completing(bound, why, asked=True), world)
    else:
        why = "somebody said that it was moved to another date"
        yield from propose(seen, noting(seen, bound, "was moved to another date:", why), world)


def _ticked(seen: SeenArtifact, target: str, world: World) -> Iterator[Found]:
    """Tick the one to-do of a document that says exactly this; a person is asked."""
    todos = [(one, text) for one in world.documents for text in _TODO.findall(one.body)]
    words = said(target)
    found = [todo for todo in todos if has_title(words, said(todo[1]))]
    if len(found) != 1:
        return
    document, text = found[0]
    board = world.document_board.name
    why = f"somebody said that it is done, and {document.title!r} has it as to do"
    yield judged(seen, target, "stale", why, by=document.id)
    payload = {"board": board, "document": document.id, "text": text, "title": document.title}
    where = f"{board}/document/{document.id}#todo-" + digest(text)[3:15]
    yield from propose(seen, WantedChange("tickTodo", where, digest([text, False]), payload, text, why, asked=True), world)


def completing(bound: Bound, why: str, *, machine: bool = False, asked: bool = False) -> WantedChange:
    """Mark a task as done, while it is as it was seen."""
    task = bound.task
    version = digest([task.id, task.version or [task.status, task.state]])
    payload = {"board": bound.board.name, "task": task.id, "title": task.title, "version": task.version}
    target = f"{bound.board.name}/task/{task.id}"
    return WantedChange("completeTask", target, version, payload, task.title, why, machine, asked)


def noting(seen: SeenArtifact, bound: Bound, text: str, why: str, *, machine: bool = False) -> WantedChange:
    """Add a remark to a task, once for each artifact."""
    task = bound.task
    payload = {"board": bound.board.name, "task": task.id, "title": task.title, "text": remark(seen, text)}
    target = f"{bound.board.name}/task/{task.id}#{seen.artifact.id}"
    return WantedChange("logTask", target, None, payload, task.title, why, machine)
