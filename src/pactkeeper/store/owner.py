"""What this process is called where others read who holds something."""

from __future__ import annotations

import os
import socket
from typing import Final

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
