"""Verbs about boards: which are configured, what one contains, and whether it works. They write nothing."""

from __future__ import annotations

from dataclasses import dataclass

from pactkeeper.boards.port import Board, Capabilities, Trial
from pactkeeper.errors import InputError
from pactkeeper.intent.board import Document, Snapshot, Task
from pactkeeper.personal import Personal
from pactkeeper.settings.boards import board_token


@dataclass(frozen=True, slots=True)
class ListedBoard:
    """A configured board; `token` says whether its variable is set, None if it needs none."""

    name: str
    kind: str
    place: str
    default: bool
    capabilities: Capabilities
    token_env: str
    token: bool | None


@dataclass(frozen=True, slots=True)
class ListedBoards:
    """All boards, and the file that configures them; empty if the local board is used by default."""

    boards: tuple[ListedBoard, ...]
    source: str


@dataclass(frozen=True, slots=True)
class ShownBoard:
    """A board's snapshot, with its location."""

    name: str
    kind: str
    place: str
    snapshot: Snapshot


@dataclass(frozen=True, slots=True)
class TriedBoard:
    """The trials of a board."""

    name: str
    kind: str
    place: str
    trials: tuple[Trial, ...]

    @property
    def works(self) -> bool:
        """Whether all trials passed."""
        return all(trial.works for trial in self.trials)


def list_boards(personal: Personal) -> ListedBoards:
    """List every configured board without contacting any; raises InputError with every problem in the settings."""
    found = personal.boards()
    listed: list[ListedBoard] = []
    for setup in found.boards:
        board = personal.board(setup.name)
        token = bool(board_token(setup)) if setup.token_env else None
        default = setup.name == found.default
        listed.append(
            ListedBoard(setup.name, setup.kind, board.place, default, board.capabilities, setup.token_env, token)
        )
    return ListedBoards(tuple(listed), found.source)


def show_board(personal: Personal, name: str = "") -> ShownBoard:
    """Return all tasks and documents of a board, with its health; an unreachable board is not an error."""
    board = personal.board(name)
    return ShownBoard(
        board.name, board.kind, board.place, board.snapshot(at=personal.now().isoformat(timespec="seconds"))
    )


def show_board_item(personal: Personal, item: str, name: str = "") -> Task | Document:
    """Return one task or document of a board; raises InputError if it has none with that id."""
    board = personal.board(name)
    try:
        return board.task(item)
    except InputError:
        return _document(board, item)


def try_board(personal: Personal, name: str = "") -> TriedBoard:
    """Test access to a board and its set-up, by reading only."""
    board = personal.board(name)
    return TriedBoard(board.name, board.kind, board.place, board.trials())


def _document(board: Board, item: str) -> Document:
    try:
        return board.document(item)
    except InputError as error:
        raise InputError(
            f"{board.name!r} has neither a task nor a document {item!r}; `pk boards show` lists them"
        ) from error
