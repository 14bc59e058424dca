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


def session_name() -> str:
    """What a session on Postgres is called; a long host name is cut, never the number of the process."""
    pid = f":{os.getpid()}"
    return MARK + socket.gethostname()[: _LONGEST - len(MARK) - len(pid)] + pid
