"""Processes that run a thread and kill themselves on the way."""

import os
import signal
from dataclasses import dataclass, replace

from pactkeeper.tickets.ground import ProposedCriteria
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
    """A board whose process dies at its first write of a kind: once it has written, or where `early`, before."""

    def __init__(self, board, kind=object, *, early=False):
        self._board, self._kind, self._early = board, kind, early

    def __getattr__(self, name):
        return getattr(self._board, name)

    def perform(self, change, key, *, at):
        dies = isinstance(change, self._kind)
        if dies and self._early:
            os.kill(os.getpid(), signal.SIGKILL)
        target = self._board.perform(change, key, at=at)
        if dies:
            os.kill(os.getpid(), signal.SIGKILL)
        return target


def run(root, now, thread, death=None):
    """Run what is due in a thread."""
    world = World(root, thread, now)
    run_thread(world.ground, thread, **({} if death is None else {"around": death}))
    world.close()


def run_and_die_writing(root, now, thread, kind=object, *, early=False):
    """Run an approval, and die when it is reserved, or when the board has it and nobody else knows."""
    world = World(root, thread, now)
    ground, board = world.ground, DyingBoard(world.board, kind, early=early)
    run_thread(replace(ground, board=lambda: (board, ground.board()[1])), thread)


def run_and_die_proposing(root, now, thread):
    """Die when the ticket is written and its criteria are to become atoms."""
    world = World(root, thread, now)
    run_thread(replace(world.ground, propose=lambda _draft, _ticket: os.kill(os.getpid(), signal.SIGKILL)), thread)


NOTES = ("Written to the repository: pact/atoms/tickets.toml",)


def run_and_die_announcing(root, now, thread):
    """Die when all is done and nobody was told, not even the notes."""
    world = World(root, thread, now)

    def die():
        if any(one.state == "created" and one.missing == ("announcement",) for one in world.tickets):
            os.kill(os.getpid(), signal.SIGKILL)
        return world.now

    run_thread(replace(world.ground, now=die, propose=lambda _draft, _ticket: ProposedCriteria(notes=NOTES)), thread)


def run_and_die_reserved(root, now, thread, kind):
    """Die when a change is reserved and not made."""
    run_and_die_writing(root, now, thread, kind, early=True)


def killed(work, world, *more):
    """Run work on a world in a process that kills itself."""
    assert in_a_process(work, world.root, world.now, world.thread, *more) == -9
