"""Errors as problem documents (RFC 9457): the status of each error, and the title of each status."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from fastapi.responses import JSONResponse

from pactkeeper.errors import (
    BusyError,
    ForbiddenError,
    InputError,
    MissingBaseline,
    MissingExtra,
    PactkeeperError,
    RefusedError,
    SourceError,
    StaleError,
    UnfinishedError,
    UnknownRevision,
    UsageError,
)
from pactkeeper.verbs.calling import Failed

MEDIA: Final = "application/problem+json"
TITLES: Final[Mapping[int, str]] = {
    400: "The request does not match the API description",
    401: "A token is missing or is not known",
    403: "Not allowed, or not from there",
    404: "Not found",
    405: "The path does not support this method",
    408: "The request did not arrive in time",
    409: "The request conflicts with the current state",
    412: "Somebody decided since this was read",
    413: "The request is too long",
    415: "The body is not JSON",
    422: "The request cannot be carried out",
    429: "Too many requests in a short time",
    428: "A decision must name the version it is about",
    500: "A bug in Pactkeeper",
    501: "An optional part is not installed",
    503: "Something this needs cannot be reached now",
}
# The first class that an error is an instance of decides.
_STATUSES: Final[tuple[tuple[type[PactkeeperError], int], ...]] = (
    (MissingExtra, 501),
    (ForbiddenError, 403),
    (UnknownRevision, 422),
    (MissingBaseline, 422),
    (UsageError, 422),
    (InputError, 422),
    (StaleError, 409),
    (RefusedError, 409),
    (UnfinishedError, 409),
    (BusyError, 503),
    (SourceError, 503),
)


class WebProblem(Exception):
    """A request that fails; `detail` says what happened and what to do next."""

    def __init__(self, status: int, detail: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(detail)
        self.status, self.detail, self.headers = status, detail, dict(headers or {})

    @property
    def document(self) -> dict[str, object]:
        """The problem as an RFC 9457 document."""
        return {"type": "about:blank", "title": TITLES[self.status], "status": self.status, "detail": self.detail}

    def response(self) -> JSONResponse:
        """The problem as a response."""
        return JSONResponse(self.document, self.status, self.headers, MEDIA)


def problem_of(error: Failed | PactkeeperError, *, named: bool, decides: bool) -> WebProblem:
    """The problem for a failed call or an error; a usage error about the one thing a path names means 404."""
    cause = error.__cause__ if isinstance(error, Failed) else error
    if cause is None:
        return WebProblem(400, str(error))
    if isinstance(cause, StaleError) and decides:
        return WebProblem(412, str(error))
    if named and type(cause) is UsageError:
        return WebProblem(404, str(error))
    status = next((status for kind, status in _STATUSES if isinstance(cause, kind)), None)
    if status is None:
        status = 422 if isinstance(cause, PactkeeperError) else 500
    return WebProblem(status, str(error))
