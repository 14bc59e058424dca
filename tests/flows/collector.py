"""A server on loopback that keeps what is posted to it."""

from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler

from tests.waiting import served


@contextmanager
def collector():
    """The server's URL, and the list of (path, body) that it received."""
    received = []

    class Keep(BaseHTTPRequestHandler):
        def do_POST(self):
            received.append((self.path, self.rfile.read(int(self.headers.get("Content-Length", 0)))))
            self.send_response(200)
            self.end_headers()

        do_PATCH = do_GET = do_POST  # noqa: N815 - the names of the methods

        def log_message(self, *_):
            pass

    with served(Keep) as url:
        yield url, received
