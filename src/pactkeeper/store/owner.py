"""What this process is called where others read who holds something."""

from __future__ import annotations

import os
import socket
import weakref
from collections.abc import Callable
from typing import Final, TypeVar

MARK: Final = "pactkeeper "
_LONGEST: Final = 63  # of an application_name; Postgres cuts the rest off


def here() -> str:
    """This process as `host:pid`."""
    return f"{socket.gethostname()}:{os.getpid()}"


def job_session(token: str) -> str:
    """What every session of a job's process is called, so that whoever takes the job over can end them."""
    return f"{MARK}job {token}"


def session_name() -> str:
    """What a session on Postgres is called; a long host name is cut, never the number of the process."""
    pid = f":{os.getpid()}"
    return MARK + socket.gethostname()[: _LONGEST - len(MARK) - len(pid)] + pid


Thing = TypeVar("Thing")


def in_children(thing: Thing, act: Callable[[Thing], object]) -> None:
    """Act on a thing first of all in every process that is forked from this one, as long as it lives here."""
    known = weakref.ref(thing)

    def after_fork() -> None:
        copy = known()
        if copy is not None:
            act(copy)

    os.register_at_fork(after_in_child=after_fork)
