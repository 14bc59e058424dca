"""Listen to Slack over HTTP: one path, bodies of bounded size, and Slack's library for everything in them."""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from logging import Logger
from typing import Any, Final

from slack_bolt import App, BoltRequest

from pactkeeper.errors import UsageError

MOST: Final = 1024 * 1024  # bytes of a body; what Slack sends is far below
PATIENCE: Final = 10.0  # seconds to wait for a client's next bytes
WORKERS: Final = 8
_NUMBER: Final = re.compile(r"[0-9]{1,12}")  # a time in seconds, or the length of a body
_SIGNATURE: Final = re.compile(r"v0=[0-9a-f]{64}")
_REFUSED: Final = (
    "a request was refused because its time or signature is not Slack's; if it came from Slack, check "
    "SLACK_SIGNING_SECRET and the clock"
)


class HttpServer:
    """Serves an app at one path of one address until stopped; requests in progress are answered first.

    Requests refused because they are not Slack's are logged to `log`.
    """

    def __init__(self, app: App, address: tuple[str, int], path: str, log: Logger) -> None:
        host, port = address
        try:
            self._server = _Server(address, app, path, log)
        except OSError as error:
            raise UsageError(f"cannot listen on {host}:{port}: {error.strerror}; set another port") from error
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.1,), name="slack-http", daemon=True)
        self._where = f"{host}:{self._server.server_port}{path}"

    @property
    def shown(self) -> str:
        """The address it listens on, for display."""
        return f"http://{self._where}"

    def start(self) -> None:
        """Start listening, in a separate thread."""
        self._thread.start()

    def stop(self) -> None:
        """Accept no more requests, and wait for those in progress."""
        if self._thread.ident is not None:
            self._server.shutdown()
            self._thread.join()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    """A server of one path with a bounded number of threads."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, address: tuple[str, int], app: App, path: str, log: Logger) -> None:
        self.app, self.path, self.log = app, path, log
        self._pool = ThreadPoolExecutor(WORKERS, thread_name_prefix="slack-http")
        super().__init__(address, _Request)

    def process_request(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - as socketserver has them
        """Answer in a thread of the pool."""
        self._pool.submit(self.process_request_thread, request, client_address)

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - likewise
        """Do nothing: a client that disconnected is no error here, and the app reports its own."""

    def server_close(self) -> None:
        """Close the socket once all requests are answered."""
        self._pool.shutdown(wait=True)
        super().server_close()


class _Request(BaseHTTPRequestHandler):
    """One request; anything but a POST of a bounded size to the one path is refused unread."""

    server: _Server
    timeout = PATIENCE
    server_version, sys_version = "pactkeeper", ""

    def do_POST(self) -> None:
        """Pass the request to Slack's library, which verifies its signature first."""
        if self.path.partition("?")[0] != self.server.path:
            self._refuse(404, "there is nothing here")
        elif (body := self._body()) is not None:
            self._dispatch(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - http.server's name
        """Do nothing: the app reports what matters."""

    def _dispatch(self, body: str) -> None:
        if not self._may_be_signed():
            self.server.log.error(_REFUSED)
            self._refuse(401, "the time or the signature is missing or not Slack's")
            return
        headers: dict[str, str | Sequence[str]] = dict(self.headers.items())
        try:
            request = BoltRequest(body=body, headers=headers)
        except (AttributeError, RecursionError, TypeError, ValueError):  # by Slack's library, for unexpected values
            self._refuse(400, "the body is neither JSON nor a form of Slack's")
            return
        found = self.server.app.dispatch(request)
        if found.status == HTTPStatus.UNAUTHORIZED:
            self.server.log.error(_REFUSED)
        self._send(found.status, found.body or "", found.headers)

    def _may_be_signed(self) -> bool:
        """Whether time and signature are well-formed; Slack's library fails on others."""
        time, signature = (self.headers.get(f"X-Slack-{name}", "") for name in ("Request-Timestamp", "Signature"))
        return bool(_NUMBER.fullmatch(time) and _SIGNATURE.fullmatch(signature))

    def _body(self) -> str | None:
        """The body as text; None if it was refused."""
        length = self.headers.get("Content-Length", "")
        if not _NUMBER.fullmatch(length):
            self._refuse(411, "send a Content-Length header")
        elif int(length) > MOST:
            self._refuse(413, f"a body has at most {MOST:,} bytes")
        else:
            return self._text(int(length))
        return None

    def _text(self, length: int) -> str | None:
        data = self.rfile.read(length)
        try:
            if len(data) == length:
                return data.decode()
        except UnicodeDecodeError:
            self._refuse(400, "the body is not UTF-8")
            return None
        self._refuse(400, "the body is shorter than its Content-Length")
        return None

    def _refuse(self, status: int, why: str) -> None:
        self.close_connection = True
        self._send(status, f"{why}\n", {"content-type": ["text/plain; charset=utf-8"]})

    def _send(self, status: int, text: str, headers: Mapping[str, Sequence[str]]) -> None:
        data = text.encode()
        with suppress(OSError):  # the client did not wait for the answer
            self.send_response(status)
            for name, values in headers.items():
                for value in values:
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)
