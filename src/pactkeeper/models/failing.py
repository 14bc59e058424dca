"""What keeps a model from answering: the libraries' errors, told apart by what to do next."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

import httpx2
from pydantic_ai import exceptions as theirs

from pactkeeper.models.pace import LONGEST
from pactkeeper.models.said import Failed, plain

_SERVER: Final = 500
_BUSY: Final = frozenset({408, 409, 425, 429})
# Nobody else's question will fare better.
_FATAL: Final = (
    theirs.ModelAuthenticationError,
    theirs.ModelNotFoundError,
    theirs.ModelQuotaExceededError,
)


class Elsewhere(httpx2.RequestError):
    """A request was about to leave for another address, or was sent there."""


class TooLong(httpx2.RequestError):
    """A response does not end."""


def failed_of(error: Exception, hide: Callable[[str], str]) -> Failed:
    """Say what an error of the client libraries means; `hide` takes secrets out of what a server said."""
    for cause in _causes(error):
        if isinstance(cause, Elsewhere):
            return Failed(plain(hide(str(cause))), fatal=True)
        if isinstance(cause, TooLong):
            return Failed(plain(hide(str(cause))), billed=True)
    if isinstance(error, theirs.ModelHTTPError):
        return _by_status(error, hide)
    if isinstance(error, theirs.ModelConnectionError):
        return _unconnected(error, hide)
    if isinstance(error, theirs.ModelAPIError):
        return Failed(f"the response cannot be read: {plain(hide(error.message))}", again=True, billed=True)
    return Failed(f"the response is no model's: {plain(hide(str(error)))}", billed=True)


def _by_status(error: theirs.ModelHTTPError, hide: Callable[[str], str]) -> Failed:
    said = plain(hide(_message(error.body)))
    reason = f"the server answered {error.status_code}{f': {said}' if said else ''}"
    if isinstance(error, _FATAL):
        return Failed(reason, fatal=True)
    again = error.status_code >= _SERVER or error.status_code in _BUSY
    if again and error.retry_after is not None and error.retry_after > LONGEST:
        return Failed(f"{reason}; it wants to be left alone for {error.retry_after:.0f} seconds", fatal=True)
    return Failed(reason, again=again, wait=error.retry_after if again else None)


def _unconnected(error: theirs.ModelConnectionError, hide: Callable[[str], str]) -> Failed:
    """A server that was never reached costs nothing; one that broke off may have worked already."""
    causes = list(_causes(error))
    never = any(isinstance(one, httpx2.ConnectError | httpx2.ConnectTimeout) for one in causes)
    reason = plain(hide(str(causes[-1]))) or type(causes[-1]).__name__
    verb = "cannot be reached" if never else "broke off"
    return Failed(f"the server {verb}: {reason}", again=True, billed=not never)


def _causes(error: BaseException) -> Iterator[BaseException]:
    """An error and those it came from."""
    found: BaseException | None = error
    while found is not None:
        yield found
        found = found.__cause__ or found.__context__


def _message(body: object) -> str:
    """The sentence in an error's body, wherever the usual servers put it."""
    inner = body.get("error", body) if isinstance(body, Mapping) else body
    said = inner.get("message", "") if isinstance(inner, Mapping) else inner
    return said if isinstance(said, str) else ""
