"""What threads stand on, wired: the person's history, settings and board, and the pact of the repository at hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from pathlib import Path

from pactkeeper.boards.port import Board, Reservations
from pactkeeper.errors import ModelUnavailable, UsageError
from pactkeeper.intent.board import Task
from pactkeeper.intent.thread_run import Ticket
from pactkeeper.intent.ticket import Draft, ThreadMessage
from pactkeeper.ledger.budget import Budget
from pactkeeper.ledger.model import Caps, Spent, limits_of
from pactkeeper.operators.thread_criteria import propose_criteria
from pactkeeper.operators.thread_places import Places, gone, own_root
from pactkeeper.settings.models import model_setup
from pactkeeper.settings.threads import thread_settings
from pactkeeper.store.history import History
from pactkeeper.store.threads import find_thread
from pactkeeper.tickets.channels.files import FilesChannel
from pactkeeper.tickets.channels.port import Channel
from pactkeeper.tickets.channels.terminal import TerminalChannel
from pactkeeper.tickets.ground import ThreadGround, Pace, Proposed
from pactkeeper.tickets.judging import Consulted
from pactkeeper.tickets.ruling import DraftRules
from pactkeeper.workspace import Personal, Workspace

FOLDER = "threads"
PATIENCE = 30  # seconds that people in a thread wait for a model, which is asked once


@dataclass(frozen=True, slots=True)
class Desk:
    """Whose threads, and beside which repository, if any; `channels` are those of a door besides terminal and files."""

    personal: Personal
    workspace: Workspace | None = None
    channels: Sequence[Channel] = ()

    def person(self) -> str:
        """Who is asserted to speak or decide."""
        return self.personal.person() if self.workspace is None else self.workspace.person()


def ground_of(desk: Desk) -> ThreadGround:
    """Wire what a run needs; a pact is read once. Raises UsageError where there is no place for a history."""
    personal, places = desk.personal, Places(desk.personal, desk.workspace)
    said, settings = personal.surroundings, thread_settings(personal.surroundings.preferences)
    (history,) = personal.history(make=True)
    if said.personal is None:
        raise UsageError("there is no home folder to keep threads in; set HOME or XDG_DATA_HOME")
    return ThreadGround(
        history,
        said.personal / FOLDER,
        personal.now,
        _channels(desk),
        DraftRules(
            history,
            lambda name: places.pact(find_thread(history, name)),
            partial(_tasks, personal, settings.board),
            partial(_model, personal),
            settings.members,
        ),
        partial(_board, personal, settings.board),
        partial(_propose, history, places),
        Pace(timedelta(seconds=settings.window_seconds), timedelta(hours=settings.reminder_hours)),
        log=None if said.log is None else Path(said.log),
        spans=said.spans,
    )


def _channels(desk: Desk) -> Mapping[str, Channel]:
    own: tuple[Channel, ...] = (TerminalChannel(), FilesChannel())
    return {one.name: one for one in (*own, *desk.channels)}


def _propose(history: History, places: Places, draft: Draft, ticket: Ticket) -> Proposed:
    """Declare the criteria where the thread stands; that this cannot be any more is told."""
    thread = find_thread(history, draft.thread)
    workspace = places.of(thread)
    if workspace is not None:
        elsewhere = "" if workspace is places.at_hand else str(workspace.repository.root)
        return propose_criteria(workspace, draft, ticket, elsewhere=elsewhere)
    return Proposed(notes=(f"No atoms stand for the criteria: {gone(thread)}",) if own_root(thread) else ())


def _board(personal: Personal, name: str) -> tuple[Board, Reservations]:
    board = personal.board(name)
    return board, personal.reservations(board)


def _tasks(personal: Personal, name: str) -> tuple[Task, ...]:
    """What is open on the board, to show what may be the same; what cannot be seen is not shown."""
    snapshot = personal.board(name).snapshot(at=personal.now().isoformat(timespec="seconds"))
    return tuple(task for task in snapshot.tasks if task.status != "done")


def _model(
    personal: Personal, draft: Draft, thread: Sequence[ThreadMessage], unplaced: Sequence[ThreadMessage]
) -> Consulted | None:
    """What the person's model makes of words that no rule could place; None where none is set up or can be asked."""
    if model_setup(personal.surroundings.preferences) is None:
        return None
    from pactkeeper.operators.models import spent_today  # noqa: PLC0415 - most threads ask no model
    from pactkeeper.tickets.asking import consulting  # noqa: PLC0415 - likewise

    try:
        asker = personal.asker("threads")
        setup = replace(asker.setup, retries=0, timeout=min(asker.setup.timeout, PATIENCE))
        asker = replace(asker, setup=setup, tell=lambda _line: None)
        limits = limits_of(asker.setup, Caps(), run=Spent(), today=spent_today(personal))
        return consulting(asker, lambda: Budget(limits))(draft, thread, unplaced)
    except ModelUnavailable as reason:
        personal.notice(f"no model was asked about a thread: {reason}")
        return None
