"""Waiting for what other processes and threads do: for a condition, never for a time that ought to be enough."""

import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import ThreadingHTTPServer
from typing import Any, TypeVar

PATIENCE = 240.0  # seconds, after which what was waited for will not come
Found = TypeVar("Found")


def until(found: Callable[[], Found], what: object = "it") -> Found:
    """Wait until a function gives something, and return that; `what` is named where it never does.

    Looking takes at most a fifth of the time, for whoever is waited for needs the core as well.
    """
    end = time.monotonic() + PATIENCE
    began = time.thread_time()
    while not (result := found()):
        looked = time.thread_time() - began
        assert time.monotonic() < end, f"{what} did not come in {PATIENCE:.0f} s"
        time.sleep(max(0.02, 4 * looked))
        began = time.thread_time()
    return result


@contextmanager
def running(command, **options) -> Iterator[subprocess.Popen[Any]]:
    """A process that ends with the block, also where a test fails in it."""
    with subprocess.Popen(command, **options) as process:
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def served(handler) -> Iterator[str]:
    """The URL of a server on loopback that lets this handler answer until the block ends."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
