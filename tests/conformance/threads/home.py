"""A person's folders on this machine: settings, history, board, a folder to work in, and time that can pass."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path

from pactkeeper.boards.local import LocalBoard
from tests.doors.forking import SERVER
from tests.doors.projects import Project
from tests.models.servers import Script, Scripted, scripted

AT = "2026-03-01T12:00:00+00:00"


@dataclass
class Home:
    """Everything that is stored for good; whatever runs may be ended and begun anew on it."""

    root: Path

    @cached_property
    def desk(self):
        """The folder in which `pk` runs, no repository unless a scenario makes it one."""
        place = self.root / "desk"
        place.mkdir(parents=True, exist_ok=True)
        return Project(place)

    @property
    def env(self):
        return {"XDG_CONFIG_HOME": str(self.root / "config"), "XDG_DATA_HOME": str(self.root / "data")}

    @property
    def kept(self):
        return self.root / "data/pactkeeper"

    def pk(self, *arguments, code: int | None = 0):
        """Run `pk` as the person does, and give what it printed as JSON."""
        return self.desk.pk(*arguments, "--json", env=self.env, code=code).document

    def pk_at_once(self, *commands):
        """Run several commands at the same moment, each in a process of its own; gives their exit codes."""
        env = {**os.environ, **self.env}
        return [code for code, _, _ in SERVER.run_at_once(commands, cwd=self.desk.root, feed="", env=env)]

    def thread(self, name):
        return self.pk("thread", "show", name)

    def threads(self):
        return self.pk("thread", "list")["threads"]

    def set_up(self, name, text):
        """Write a file of settings."""
        place = self.root / "config/pactkeeper" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")

    def age(self, **time):
        """Make what is stored older, so that what is due after some time is due now."""
        with closing(sqlite3.connect(self.kept / "history.db", timeout=60)) as database, database:
            for table in ("timers", "thread_events"):
                for row, due in database.execute(f"SELECT rowid, due_at FROM {table} WHERE due_at > ''").fetchall():  # noqa: S608 - two names from above
                    earlier = datetime.fromisoformat(due) - timedelta(**time)
                    database.execute(
                        f"UPDATE {table} SET due_at = ? WHERE rowid = ?",  # noqa: S608 - likewise
                        (earlier.isoformat(timespec="microseconds"), row),
                    )

    @contextmanager
    def without_board(self) -> Iterator[None]:
        """A while in which the board cannot be reached."""
        place, aside = self.kept / "board", self.root / "board aside"
        if place.exists():
            place.rename(aside)
        place.write_text("no folder")
        yield
        place.unlink()
        if aside.exists():
            aside.rename(place)

    @contextmanager
    def model(self, script: Script) -> Iterator[Scripted]:
        """A while in which a language model is set up that says what the script says."""
        with scripted("openai", script) as server:
            self.set_up("models.toml", server.config("openai") + "[prices]\ninput = 3\noutput = 15\n")
            yield server
        (self.root / "config/pactkeeper/models.toml").unlink()

    @property
    def board(self):
        return LocalBoard("home", self.kept / "board")

    def tasks(self):
        """The tasks on the board, each whole."""
        return [self.board.task(one.id) for one in self.board.snapshot(at=AT).tasks]
