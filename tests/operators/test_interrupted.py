"""A write that was killed: what writes next settles it before it reads, and what only reads stops."""

import os
import signal

import pytest

from pactkeeper.catalog import transaction
from pactkeeper.catalog.journal import FileEdit
from pactkeeper.errors import UnfinishedError
from pactkeeper.operators.accept import AcceptedWords, accept_tests
from pactkeeper.operators.adopt import start_pact
from pactkeeper.operators.authored import create_atom
from pactkeeper.operators.thread_ground import Desk
from pactkeeper.operators.threads import Saying, start_thread
from pactkeeper.personal import open_personal
from pactkeeper.workspace import Workspace
from tests.operators.atoms import REVOKED, run
from tests.operators.conftest import ADDS

SAID = AcceptedWords(intent="Two numbers are added.")


def killed_while_it_writes(shop, path, step):
    """Begin to write a file of the pact in a process that dies at a step."""

    def die(reached):
        if reached == step:
            os.kill(os.getpid(), signal.SIGKILL)

    child = os.fork()
    if not child:
        with shop.open() as workspace:
            place = shop.root / path
            before = place.read_bytes() if place.exists() else None
            edit = FileEdit(path, before, (before or b"") + b"# half\n")
            note = transaction.WriteNote("2026-01-01T00:00:00+00:00", {"verb": "test"})
            transaction.apply(workspace.place, (edit,), note, checkpoint=die)
        os._exit(0)
    assert os.WIFSIGNALED(os.waitpid(child, 0)[1])


def start_a_thread(shop):
    """Say something in a repository: the run of a thread may declare atoms."""
    with open_personal(notice=lambda _: None) as personal, shop.open() as workspace:
        start_thread(Desk(personal, workspace), Saying("mention", "Title: Export orders", "Ada"))


@pytest.mark.parametrize(
    "write",
    [lambda shop: run(shop, create_atom, REVOKED), lambda shop: run(shop, accept_tests, [ADDS], SAID), start_a_thread],
)
def test_who_writes_next_settles_what_was_interrupted_before_reading(shop, write):
    run(shop, start_pact)
    killed_while_it_writes(shop, "pact/debt.txt", "staged pact/debt.txt")
    with pytest.raises(UnfinishedError, match="pk recover"):
        run(shop, Workspace.snapshot)
    write(shop)
    assert not list((shop.root / "pact").rglob(".pk-*"))


def test_a_start_that_was_killed_starts_again(shop):
    killed_while_it_writes(shop, "pact/pact.toml", "staged pact/pact.toml")
    assert run(shop, start_pact).debt == 2
