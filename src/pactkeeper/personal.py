"""What belongs to the person running a command rather than to a repository: history, boards and model."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from pactkeeper.errors import ModelUnavailable, UsageError, WriteFailed
from pactkeeper.repo.git import own_setting
from pactkeeper.settings import Environment, environment

if TYPE_CHECKING:
    from pactkeeper.boards.port import Board, Pace
    from pactkeeper.boards.writing import LoggedReservations
    from pactkeeper.flows.observing import Watching
    from pactkeeper.models.asking import ModelAsker, Records
    from pactkeeper.settings.boards import BoardSetups
    from pactkeeper.store.database import Database
    from pactkeeper.store.history import History

HISTORY = "history.db"
LOCAL = "local"  # the kind of board that is a local folder


@dataclass(frozen=True, slots=True)
class Personal:
    """What a verb needs that belongs to the person rather than a repository; `notice` is as in `Workspace`."""

    surroundings: Environment
    notice: Callable[[str], None]
    now: Callable[[], datetime] = field(default=lambda: datetime.now(UTC))
    closing: ExitStack = field(default_factory=ExitStack, repr=False)
    _opened: list[History] = field(default_factory=list, repr=False)

    def history(self, *, make: bool = False) -> tuple[History, ...]:
        """Return the person's history, opened once; empty if nothing was kept and `make` is false.

        Raises UsageError if a history has to be created and there is no folder for it.
        """
        if not self._opened:
            if make and self.surroundings.personal is None:
                raise UsageError("there is no home folder to keep a history in; set HOME or XDG_DATA_HOME")
            self._opened.extend(personal_history(self.surroundings, self.closing, make=make))
        return tuple(self._opened)

    def person(self) -> str:
        """Name who decides: the person in this account's git configuration, else the account itself.

        This keeps a person's name the same inside and outside repositories.
        """
        name, mail = own_setting("user.name"), own_setting("user.email")
        if name:
            return f"{name} <{mail}>" if mail else name
        from pwd import getpwuid  # noqa: PLC0415 - only needed for decisions

        try:
            return getpwuid(os.getuid()).pw_name
        except KeyError:
            return f"uid {os.getuid()}"

    def boards(self) -> BoardSetups:
        """The boards the person configured; raises InputError with every problem in the settings."""
        from pactkeeper.settings.boards import board_setups  # noqa: PLC0415 - most commands need no board

        return board_setups(self.surroundings.preferences, self.surroundings.personal)

    def asker(self, run: str = "") -> ModelAsker:
        """Return the person's model, with stored answers to earlier questions about their own data.

        Raises ModelUnavailable if no model is configured.
        """
        return asker_of(Asking(self.surroundings, self._history, self._watching, self.now, self.notice), run)

    def board(self, name: str = "") -> Board:
        """Open the named board, or the default from the settings; it is closed with this object.

        Raises UsageError if there is no such board, or no default.
        """
        from pactkeeper.boards.port import CallLimits, Opening, open_board  # noqa: PLC0415 - likewise
        from pactkeeper.settings.boards import board_token  # noqa: PLC0415 - likewise

        setup = self.boards().named(name)
        shared = self._shared()
        pace = None if shared is None else pace_of(shared)
        limits = CallLimits(call=setup.call, total=setup.total, rate=setup.rate, items=setup.items, pace=pace)
        token = board_token(setup)
        opening = Opening(setup.name, setup.kind, setup.options, limits, token, setup.base_url, setup.token_env)
        board = open_board(opening)
        self.closing.callback(board.close)
        return board

    def reservations(self, board: Board) -> LoggedReservations:
        """Return the log of operations begun and completed on a board, from this machine or from all of a team's hosts.

        A folder board belongs to its host. A board reconfigured to point elsewhere under the same name starts a new
        log. Raises UsageError if there is nowhere to keep it.
        """
        from pactkeeper.boards.writing import FileLog, LoggedReservations  # noqa: PLC0415 - as above

        if self.surroundings.personal is None:
            raise UsageError("there is no home folder to keep reservations in; set HOME or XDG_DATA_HOME")
        where = sha256(f"{board.kind} {board.place}".encode()).hexdigest()[:10]
        database = self._shared()
        if database is not None and board.kind != LOCAL:
            from pactkeeper.store.actions import StoredLog  # noqa: PLC0415 - a history on a server

            return LoggedReservations(StoredLog(database, f"{board.name}-{where}"))
        return LoggedReservations(FileLog(self.surroundings.personal / "boards" / f"{board.name}-{where}.jsonl"))

    def _shared(self) -> Database | None:
        """Return the database a team's hosts share, or None if the history belongs to this account alone."""
        return self.history(make=True)[0].database if self.surroundings.team else None

    def _history(self) -> History:
        return self.history(make=True)[0]

    def _watching(self) -> Watching:
        return self.closing.enter_context(watching_of(self.surroundings, self.now))


def pace_of(database: Database) -> Pace | None:
    """Return the rate limiting shared by all hosts that use this database; None if it is a local file."""
    from pactkeeper.store.actions import SharedPace  # noqa: PLC0415 - a history on a server

    return None if database.address.path else SharedPace(database)


@dataclass(frozen=True, slots=True)
class Asking:
    """What calling a model needs: stored answers, observers, and a way to reach people."""

    surroundings: Environment
    history: Callable[[], History]
    watching: Callable[[], Watching]
    now: Callable[[], datetime]
    notice: Callable[[str], None]


def asker_of(asking: Asking, run: str) -> ModelAsker:
    """Return the model the person configured; raises ModelUnavailable if there is none."""
    from pactkeeper.models.asking import ModelAsker  # noqa: PLC0415 - most commands ask no model
    from pactkeeper.settings.models import model_key, model_setup  # noqa: PLC0415 - likewise

    preferences = asking.surroundings.preferences
    setup = model_setup(preferences)
    if setup is None:
        place = (preferences or Path("~/.config/pactkeeper")) / "models.toml"
        raise ModelUnavailable(
            f"no model is configured; set provider and model in {str(place)!r}, or PACTKEEPER_MODEL=PROVIDER:MODEL "
            "(see docs/models.md)"
        )
    stretch = asking.watching().stretch
    records = _records(asking.history)
    return ModelAsker(setup, model_key(setup), records, run, watch=stretch, now=asking.now, tell=asking.notice)


def watching_of(surroundings: Environment, now: Callable[[], datetime]) -> AbstractContextManager[Watching]:
    """Return the observers that the environment configures."""
    from pactkeeper.flows.observing import watching  # noqa: PLC0415 - most commands are not observed

    log = None if surroundings.log is None else Path(surroundings.log)
    said = surroundings
    return watching(log=log, spans=said.spans, langsmith=said.langsmith, now=lambda: now().isoformat())


def _records(history: Callable[[], History]) -> Records:
    """The stored questions and answers, in a history that is opened when needed."""
    from pactkeeper.models.asking import Records  # noqa: PLC0415 - most commands ask no model
    from pactkeeper.store.runs import (  # noqa: PLC0415 - likewise
        keep_answer,
        kept_answers,
        save_call,
    )

    return Records(
        lambda keys, model, endpoint: kept_answers(history(), keys, model=model, endpoint=endpoint),
        lambda answer: keep_answer(history(), answer),
        lambda call: save_call(history(), call),
    )


def personal_history(surroundings: Environment, closing: ExitStack, *, make: bool) -> tuple[History, ...]:
    """Return the history that belongs to the person, or to the team that the environment names.

    Empty if nothing was kept and `make` is false. Raises UsageError for a team without a database server.
    """
    from pactkeeper.store.database import database_at, open_database, sqlite_url  # noqa: PLC0415 - most need none
    from pactkeeper.store.history import History  # noqa: PLC0415 - likewise
    from pactkeeper.store.owner import Fence  # noqa: PLC0415 - likewise

    fence = Fence.of(surroundings.job, surroundings.database_url)
    if surroundings.team:
        database = closing.enter_context(database_at(surroundings.database_url or "", fence=fence))
        return (History(database, f"team {surroundings.team}"),)
    place = surroundings.personal
    if place is None or not (make or (place / HISTORY).is_file()):
        return ()
    try:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)  # conversations are private to this account
    except OSError as error:
        raise WriteFailed(f"the folder {str(place)!r} cannot be made: {error.strerror}") from error
    database = open_database(sqlite_url(place / HISTORY), fence=fence)
    closing.callback(database.close)
    return (History(database, "person"),)


@contextmanager
def open_personal(*, notice: Callable[[str], None]) -> Iterator[Personal]:
    """Open what belongs to the person running this, independent of the current folder."""
    with ExitStack() as closing:
        yield Personal(environment(), notice, closing=closing)
