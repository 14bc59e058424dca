"""Processes that run a thread and kill themselves on the way."""

import os
import signal
from dataclasses import dataclass, replace

from pactkeeper.tickets.running import run_thread
from tests.reconcile.dying import in_a_process
from tests.tickets.worlds import World


@dataclass(frozen=True)
class Death:
    """Around which node's work a process kills itself."""

    moment: str
    node: str

    def __call__(self, moment, node):
        if (moment, node) == (self.moment, self.node):
            os.kill(os.getpid(), signal.SIGKILL)


class DyingBoard:
    """A board whose process dies once it has written."""

    def __init__(self, board):
        self._board = board

    def __getattr__(self, name):
        return getattr(self._board, name)

    def perform(self, change, key, *, at):
        self._board.perform(change, key, at=at)
        os.kill(os.getpid(), signal.SIGKILL)


def run(root, now, thread, death=None):
    """Run what is due in a thread."""
    world = World(root, thread, now)
    run_thread(world.ground, thread, **({} if death is None else {"around": death}))
    world.close()


def run_and_die_after_writing(root, now, thread):
    """Run an approval, and die when the board has it and nobody else knows."""
    world = World(root, thread, now)
    ground, board = world.ground, DyingBoard(world.board)
    run_thread(replace(ground, board=lambda: (board, ground.board()[1])), thread)


def killed(work, world, *more):
    """Run work on a world in a process that kills itself."""
    assert in_a_process(work, world.root, world.now, world.thread, *more) == -9
