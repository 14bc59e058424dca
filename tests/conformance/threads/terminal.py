"""The terminal as a stage: `pk thread`, a process for each thing that somebody does."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass

from tests.conformance.threads.home import Home
from tests.conformance.threads.stage import Shown, Turn

SECONDS = 300
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
        running = [self._started(thread, turn) for turn in turns]
        for one in running:
            assert one.wait(SECONDS) in {0, 1}

    def _started(self, thread, turn):
        command = [sys.executable, "-m", "pactkeeper", *_arguments(thread, turn)]
        return subprocess.Popen(
            command, cwd=self.home.desk.root, env={**os.environ, **self.home.env}, stdout=subprocess.DEVNULL
        )

    def send_again(self, thread):
        raise NotImplementedError

    def send_late(self, thread, turn):
        raise NotImplementedError

    def tick(self):
        self.home.pk("thread", "tick")

    def restart(self):
        shutil.rmtree(self.home.kept / "threads")

    def shown(self, thread):
        return [_shown(one) for one in self.home.thread(thread)["posts"] if not one["instead"]]

    def found(self, permalink):
        return self.home.desk.pk("thread", "show", permalink, env=self.home.env).out

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
