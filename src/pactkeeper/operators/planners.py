"""Publishers of a watch's sweeps: a feed, a webhook, a task board.

On a board each fix task is created once, and completed when it is done or obsolete. Every update covers all tasks, so
that none is lost if the board was down or the watch was killed. What was written is recorded in the board's
reservations under the keys `<task>-created` and `<task>-closed-<attempts>`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from pactkeeper.boards.writing import write
from pactkeeper.errors import InputError
from pactkeeper.health.concluding import Conclusion
from pactkeeper.health.tasking import OPEN
from pactkeeper.intent.board import Change, CompleteTask, CreateTask, LogTask
from pactkeeper.operators.sweep import as_feed
from pactkeeper.store.health import fix_tasks
from pactkeeper.workspace import Workspace

if TYPE_CHECKING:
    from pactkeeper.boards.port import Reservations
    from pactkeeper.health.watching import Feed, Webhook
    from pactkeeper.intent.health import FixTask
    from pactkeeper.operators.watch import Opener, Planner


def to_feed(feed: Feed) -> Planner:
    """Append a line for every sweep."""
    return lambda found: feed.add(as_feed(found))


def to_webhook(webhook: Webhook) -> Planner:
    """Post every sweep, under its id."""
    return lambda found: webhook.deliver(found.sweep.id, as_feed(found))


def to_board(opener: Opener, board: str) -> Planner:
    """Update a board with all fix tasks after every sweep that is not stale.

    Raises UsageError immediately for a board that is not configured.
    """
    with opener() as workspace:
        workspace.board(board)

    def put(found: Conclusion) -> None:
        if not found.sweep.stale:
            with opener() as workspace:
                put_on_board(workspace, board)

    return put


LABEL: Final = "fix"


def put_on_board(workspace: Workspace, name: str) -> int:
    """Update a board with this repository's fix tasks, and return the number of changes made.

    Raises UsageError for a board that is not configured, and whatever writing raises; the rest is done next time.
    """
    board = workspace.board(name)
    held = workspace.owner.reservations(board)
    at = workspace.now().isoformat(timespec="seconds")
    made = 0
    for task in fix_tasks(workspace.history()):
        for key, change in _wanted(task, held):
            try:
                write(board, _as_begun(held, key, change), key, reservations=held, at=at)
            except InputError:
                if isinstance(change, CreateTask):
                    raise
                break  # a person removed the task from the board, and it stays removed
            made += 1
    return made


def _as_begun(held: Reservations, key: str, change: Change) -> Change:
    """Return the change as it was begun, even if the task reads differently by now."""
    found = held.held(key)
    return change if found is None else found.change


def _wanted(task: FixTask, held: Reservations) -> Iterator[tuple[str, Change]]:
    """Yield the pending changes for a task, each with its key; later ones depend on what earlier ones wrote."""
    created = f"{task.id}-created"
    if task.status in OPEN and not _written(held, created):
        yield created, CreateTask(_title(task), _body(task), labels=(LABEL, task.category))
    target = _written(held, created)
    if not target:
        return  # created and closed while the board was down
    if task.status not in OPEN:
        yield from _new(held, f"{task.id}-note-{task.attempts}", LogTask(target, f"{task.status}: {task.note}"))
        yield from _new(held, f"{task.id}-closed-{task.attempts}", CompleteTask(target))
        return
    for number in range(task.attempts):
        closed = held.held(f"{task.id}-closed-{number}")
        if closed is not None and closed.written is not None and closed.written.undo is not None:
            yield from _new(held, f"{task.id}-opened-{number}", closed.written.undo)


def _new(held: Reservations, key: str, change: Change) -> Iterator[tuple[str, Change]]:
    if not _written(held, key):
        yield key, change


def _written(held: Reservations, key: str) -> str:
    """Return the board's id for what was written under a key; empty if nothing was yet."""
    found = held.held(key)
    return "" if found is None or found.written is None else found.written.target


def _title(task: FixTask) -> str:
    return f"{task.id}: {task.description.splitlines()[0]}"[:200]


def _body(task: FixTask) -> str:
    lines = [
        task.description,
        "",
        f"Files: {', '.join(task.scope)}",
        f"Accepted when: {task.acceptance}",
        f"Branch: {task.branch}",
        f"Claim it: pk fixes claim {task.id}",
    ]
    return "\n".join(lines) + "\n"
