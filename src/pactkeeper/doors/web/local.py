"""The entrance of a server for one person on this machine: a one-time token opens a session, or a token lasts."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Final

from starlette.responses import HTMLResponse, Response

from pactkeeper.doors.web.plain import plain_page
from pactkeeper.ledger.roles import OWNER, Principal
from pactkeeper.operators.tokens import form_token

LASTS: Final = 12 * 3600.0  # seconds of a session


@dataclass(slots=True)
class Tokens:
    """The tokens of one server, sessions as hashes; `first` opens one session and is worth nothing then."""

    now: Callable[[], float]
    first: str | None = None
    lasting: str | None = None
    _sessions: dict[bytes, float] = field(default_factory=dict)

    def open(self, token: str) -> str | None:
        """The secret of a new session in exchange for the first token; None where it is not that, or was used."""
        if self.first is None or not secrets.compare_digest(token.encode(), self.first.encode()):
            return None
        self.first = None
        made = secrets.token_urlsafe(32)
        self._sessions[_hash(made)] = self.now() + LASTS
        return made

    def known(self, token: str) -> bool:
        """Whether a request with this token is let in."""
        if self.lasting is not None and secrets.compare_digest(token.encode(), self.lasting.encode()):
            return True
        return self._sessions.get(_hash(token), 0.0) > self.now()

    def close(self, secret: str) -> None:
        """End a session."""
        self._sessions.pop(_hash(secret), None)

    async def by_token(self, token: str) -> Principal | None:
        """Who started the server, for a token of theirs."""
        return replace(OWNER, kind="program") if self.known(token) else None

    async def by_session(self, secret: str) -> Principal | None:
        """Who started the server, at a browser."""
        if self._sessions.get(_hash(secret), 0.0) <= self.now():
            return None
        return replace(OWNER, session=form_token(secret))

    def lobby(self, path: str) -> Response:  # noqa: ARG002 - every way in is the same one
        """How to get in."""
        words = "Open the address that pk serve printed when it began. It works once; start pk serve again for another."
        return HTMLResponse(plain_page("You are not signed in", words), 401)


def _hash(token: str) -> bytes:
    return sha256(token.encode()).digest()
