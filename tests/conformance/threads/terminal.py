"""The terminal as a stage: `pk thread`, a process for each thing that somebody does."""

import shutil
from dataclasses import dataclass

from tests.conformance.threads.home import Home
from tests.conformance.threads.stage import Shown, Turn

_COMMANDS = {"mention": "say", "message": "say", "answer": "answer", "changes": "changes", "approve": "approve"}


@dataclass
class TerminalStage:
    home: Home
    name: str = "terminal"

    def open(self, turn):
        return self.home.pk("thread", "new", turn.text, "--by", turn.by)["thread"]

    def send(self, thread, turn):
        self.home.pk(*_arguments(thread, turn), code=None if turn.kind == "approve" else 0)

    def send_at_once(self, thread, turns):
        codes = self.home.pk_at_once(*(_arguments(thread, turn) for turn in turns))
        assert set(codes) <= {0, 1}

    def send_again(self, thread):
        raise NotImplementedError

    def send_late(self, thread, turn):
        raise NotImplementedError

    def tick(self):
        self.home.pk("thread", "tick")

    def restart(self):
        shutil.rmtree(self.home.kept / "threads", ignore_errors=True)  # there are none yet where nothing ran

    def shown(self, thread):
        return [_shown(one) for one in self.home.thread(thread)["posts"] if not one["instead"]]

    def found(self, permalink):
        screen = self.home.desk.pk("thread", "show", permalink, env=self.home.env).out
        return screen.partition("\n> ")[2]

    def close(self):
        pass


def _arguments(thread: str, turn: Turn):
    said = turn.text if turn.shown is None else str(turn.shown.version)
    more = ["--later"] if turn.kind == "message" else ["--to", turn.ask] if turn.ask else []
    return ["thread", _COMMANDS[turn.kind], thread, *([said] if said else []), *more, "--by", turn.by]


def _shown(post) -> Shown:
    if not post["approvable"]:
        return Shown(post["key"], post["text"])
    return Shown(post["key"], post["text"], post["draft"]["version"], post["draft"]["hash"])
