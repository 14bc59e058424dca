"""Running the server on this machine, for who has the token."""

from __future__ import annotations

import secrets
import time
from pathlib import Path
from typing import Final

from pactkeeper.doors.rest.app import application
from pactkeeper.doors.rest.entering import Tokens
from pactkeeper.errors import UsageError
from pactkeeper.verbs.listening import Address, listen

SHORTEST_TOKEN: Final = 16


def serve(folder: Path, address: Address, token: str | None) -> None:
    """Serve until interrupted; without a token one is made that opens one session, and told on stderr.

    Raises UsageError for an address that others can reach, and for a token that is easily guessed.
    """
    if not address.loopback:
        raise UsageError(
            f"{address.host!r} can be reached from elsewhere; pk serve is for this machine: 127.0.0.1:PORT"
        )
    if token is not None and len(token) < SHORTEST_TOKEN:
        raise UsageError(f"the token has {len(token)} characters; give at least {SHORTEST_TOKEN}, or none to get one")
    first = None if token else secrets.token_urlsafe(24)
    lines = ["listening at {url}", *([] if first is None else [f"one-time token: {first}"])]
    listen(application(folder, address, Tokens(time.monotonic, first, token)), address, lines)
