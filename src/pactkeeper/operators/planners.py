"""What is told of every sweep that a watch makes: a feed, a webhook, a task board.

Fix tasks on a person's task board: each is created once, and completed there when it is done or obsolete.

The whole is brought up to date each time, so that a board that was away, or a watch that was killed, loses no task.
What was written is known by its key, `<task>-created` and `<task>-closed-<attempts>`, in the reservations of the board.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from pactkeeper.boards.writing import write
from pactkeeper.errors import InputError
from pactkeeper.health.following import OPEN
from pactkeeper.intent.board import CompleteTask, CreateTask, LogTask
from pactkeeper.operators.sweep import as_feed
from pactkeeper.personal import Personal
from pactkeeper.store.health import fix_tasks
from pactkeeper.workspace import Workspace

if TYPE_CHECKING:
    from pactkeeper.boards.port import Reservations
    from pactkeeper.health.webhook import Feed, Webhook
    from pactkeeper.intent.board import Change
    from pactkeeper.intent.health import FixTask
    from pactkeeper.operators.sweep import Swept
    from pactkeeper.operators.watch import Opener, Planner


def to_feed(feed: Feed) -> Planner:
    """Add a line for every sweep."""
    return lambda found: feed.add(as_feed(found))


def to_webhook(webhook: Webhook) -> Planner:
    """Post every sweep, under the id of the sweep."""
    return lambda found: webhook.deliver(found.sweep.id, as_feed(found))


def to_board(opener: Opener, board: str) -> Planner:
    """Bring a board up to date with all fix tasks after every sweep that is not stale.

    Raises UsageError at once for a board that is not set up.
    """
    with opener() as workspace:
        workspace.board(board)

    def put(found: Swept) -> None:
        if not found.sweep.stale:
            with opener() as workspace:
                put_on_board(workspace, board)

    return put


LABEL: Final = "fix"


def put_on_board(workspace: Workspace, name: str) -> int:
    """Bring a board up to date with the fix tasks of this repository, and return how many changes that took.

    Raises UsageError for a board that is not set up, and as writing to it does; what is left is done the next time.
    """
    person = Personal(workspace.surroundings, workspace.notice, workspace.now, workspace.closing)
    board = person.board(name)
    held = person.reservations(board)
    at = workspace.now().isoformat(timespec="seconds")
    made = 0
    for task in fix_tasks(workspace.history()):
        for key, change in _wanted(task, held):
            try:
                write(board, _as_begun(held, key, change), key, reservations=held, at=at)
            except InputError:
                if isinstance(change, CreateTask):
                    raise
                break  # a person took the task off the board, and there it stays
            made += 1
    return made


def _as_begun(held: Reservations, key: str, change: Change) -> Change:
    """A change that was begun is ended as it was begun, although the task may read otherwise by now."""
    found = held.held(key)
    return change if found is None else found.change


def _wanted(task: FixTask, held: Reservations) -> Iterator[tuple[str, Change]]:
    """The changes that are still to be made for a task, each with its key; later ones need what earlier ones wrote."""
    created = f"{task.id}-created"
    if task.status in OPEN and not _written(held, created):
        yield created, CreateTask(_title(task), _body(task), labels=(LABEL, task.category))
    target = _written(held, created)
    if not target:
        return  # it came and went while the board was away
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
    """The id on the board of what was written under a key; empty where nothing was yet."""
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
